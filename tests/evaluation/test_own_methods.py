"""A method of one's own: one file and one entry in the config."""

import json
import textwrap

import numpy as np
import pandas as pd
import pytest
import yaml
from contrast_subgraphs.config import checked
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.learners import make_learner
from contrast_subgraphs.evaluation.protocols import Nested, Paper
from contrast_subgraphs.evaluation.splits import stratified_splits
from contrast_subgraphs.methods import METHODS, code_behind, find_code, method_called, named_methods
from tiny_cohort import CANDIDATES, REPEATS, labels_of, tiny_cohort
from workflow_runs import RESULTS, copy_run, planned, run

TOY = textwrap.dedent("""
    import numpy as np
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

    class Degrees(TransformerMixin, BaseEstimator):
        def __init__(self, power=1):
            self.power = power

        def fit(self, graphs, y):
            assert len(graphs) == len(y)
            self.mean_ = graphs.mean(axis=0)
            return self

        def transform(self, graphs):
            return (graphs - self.mean_).sum(axis=2) ** self.power

    class Nearest(ClassifierMixin, BaseEstimator):
        def __init__(self, shrink=0.0):
            self.shrink = shrink

        def fit(self, graphs, y):
            self.classes_ = np.unique(y)
            self.means_ = [graphs[y == c].mean(axis=0) for c in self.classes_]
            return self

        def predict(self, graphs):
            far = [((graphs - mean) ** 2).sum(axis=(1, 2)) for mean in self.means_]
            return self.classes_[np.argmin(far, axis=0)]

    class Broken(Degrees):
        def transform(self, graphs):
            return np.full((len(graphs), 2), np.nan)

    class Nothing(BaseEstimator):
        pass
""")


@pytest.fixture
def toy(tmp_path):
    """Entries of toy methods, by the name of their class."""
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")

    def entry(name, **more):
        return {"toy": {"estimator": f"toy:{name}", "file": str(tmp_path / "toy.py"), **more}}

    return entry


def run_toy(own, protocol, graphs, permutations=2):
    splits = stratified_splits(graphs.y, 8, 0.2, 0, "tiny")
    return evaluate(
        graphs,
        method_called("toy", own),
        name="toy",
        cohort="tiny",
        protocol=protocol,
        splits=splits[: REPEATS[protocol]],
        folds=4,
        candidates=CANDIDATES,
        n_permutations=permutations,
    ).scores


@pytest.mark.parametrize("protocol", ["paper", "nested"])
@pytest.mark.parametrize("name, grid", [("Degrees", {"power": [1, 3]}), ("Nearest", {})])
def test_an_own_method_is_evaluated_with_its_controls(toy, name, grid, protocol):
    rows = run_toy(toy(name, grid=grid), protocol, tiny_cohort(0.5))
    own = rows[rows["control"] == "none"]
    assert own["accuracy"].mean() > 0.9
    assert rows[rows["control"] == "permuted"]["accuracy"].mean() < 0.75
    assert set(rows["method"]) == {"toy"} and rows["permutation"].nunique() == 2
    tried = {json.loads(text).get("power") for text in own["parameters"]}
    assert tried == ({1, 3} if grid and protocol == "paper" else tried)


@pytest.mark.parametrize("name", ["Degrees", "Nearest"])
@pytest.mark.parametrize("protocol", [Nested, Paper])
def test_an_own_method_never_sees_the_test_diagnoses(toy, name, protocol):
    """Nested: no test subject at all. Paper: a classifier is trained without them as well."""
    graphs = tiny_cohort(0.3)
    split = stratified_splits(graphs.y, 1, 0.2, 0, "tiny")
    flipped = np.where(split[0], 1 - graphs.y, graphs.y)
    learner = make_learner(graphs, method_called("toy", toy(name)), name="toy")
    rule = protocol(labels_of(graphs.y), 4)
    rows = [next(iter(rule.run(learner, y, split))) for y in (graphs.y, flipped)]
    assert rows[0]["accuracy"] == pytest.approx(1 - rows[1]["accuracy"])


@pytest.mark.parametrize(
    "name, more, words",
    [
        ("Broken", {}, "not finite"),
        ("Nothing", {}, "neither transform nor predict"),
        ("Missing", {}, "no class Missing"),
        ("Degrees", {"grid": {"powr": [1]}}, "did you mean power"),
    ],
)
def test_own_methods_that_cannot_be_used_are_named(toy, name, more, words):
    with pytest.raises(InputError, match=words):
        run_toy(toy(name, **more), "nested", tiny_cohort(0.0), permutations=0)


def test_a_file_that_cannot_be_imported_is_named(tmp_path):
    (tmp_path / "bad.py").write_text("import nothing_of_this_name", encoding="utf-8")
    own = {"toy": {"estimator": "bad:Bad", "file": str(tmp_path / "bad.py")}}
    with pytest.raises(InputError, match=r"bad\.py cannot be imported.*nothing_of_this_name"):
        method_called("toy", own).load()


def test_code_is_looked_for_in_the_folders_then_among_installed_packages(tmp_path):
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    assert find_code("toy:Degrees", [tmp_path / "none", tmp_path]) == tmp_path / "toy.py"
    assert find_code("sklearn.dummy:DummyClassifier", [tmp_path]).name == "dummy.py"
    with pytest.raises(InputError, match=r"no toys\.py in .*nor an installed module"):
        find_code("toys:Degrees", [tmp_path])
    with pytest.raises(InputError, match="module:Class"):
        find_code("toy.py", [tmp_path])


def test_modules_beside_an_own_method_can_be_imported_and_count(tmp_path):
    (tmp_path / "mine.py").write_text("from helper_of_mine import Degrees", encoding="utf-8")
    (tmp_path / "helper_of_mine.py").write_text(TOY, encoding="utf-8")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "other.py").write_text("", encoding="utf-8")
    file = find_code("mine:Degrees", [tmp_path])
    own = {"mine": {"estimator": "mine:Degrees", "file": str(file)}}
    assert method_called("mine", own).load().__name__ == "Degrees"
    found = {path.relative_to(tmp_path).as_posix() for path in code_behind(file, "mine:Degrees")}
    assert found == {"mine.py", "helper_of_mine.py", "parts/__init__.py"}
    installed = find_code("sklearn.dummy:DummyClassifier", [])
    behind = code_behind(installed, "sklearn.dummy:DummyClassifier")
    assert installed in behind and installed.with_name("base.py") in behind


def test_a_module_of_an_installed_package_is_imported_as_part_of_it():
    """It may import its neighbours: an embedding of the package fitted on the training part."""
    estimator = "contrast_subgraphs.embeddings.estimators:WLKern"
    own = {"mine": {"estimator": estimator, "file": find_code(estimator, [])}}
    assert method_called("mine", own).load()().fit(np.ones((3, 5, 5))).dictionaries_


def test_the_config_names_methods_as_a_list_or_a_mapping(root):
    config = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    entry = {"estimator": "toy:Degrees", "grid": {"power": [1]}}
    both = checked({**config, "methods": {"edges": None, "mine": entry}})
    assert both["methods"] == ["edges", "mine"] and both["own_methods"] == {"mine": entry}
    assert checked(both) == both
    assert named_methods(list(METHODS)) == (list(METHODS), {})
    own = {"estimator": "mine:Mine"}
    assert named_methods({"edges": None, "mine": own}) == (["edges", "mine"], {"mine": own})
    for methods, words in (
        ({"edges": entry}, "give yours another"),
        ({"mine": {"estimator": "toy"}}, "does not match"),
        ({"mine": {"estimator": "toy:A", "gird": {}}}, "'gird'"),
        ({"mine": None}, "no method 'mine'"),
    ):
        with pytest.raises(InputError, match=words):
            checked({**config, "methods": methods})


@pytest.mark.slow
def test_an_own_method_is_in_the_tables_of_a_run(checkout, small_run, tmp_path):
    folder = copy_run(small_run, tmp_path / "run")
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    methods = {"edges": None, "mine": {"estimator": "toy:Degrees", "grid": {"power": [1, 2]}}}
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(yaml.safe_dump({"methods": methods}), encoding="utf-8")
    configs = ("tests/config/small.yaml", overlay)
    tables = [f"{RESULTS}/tables/{name}.csv" for name in ("accuracy", "comparisons", "parameters")]
    done = run(checkout, folder, *tables, configs=configs)
    assert done.returncode == 0, done.stdout
    accuracy, comparisons, parameters = (pd.read_csv(folder / table) for table in tables)
    mine = accuracy[accuracy["method"] == "mine"]
    assert set(zip(mine["cohort"], mine["protocol"], strict=True)) == {
        (cohort, protocol) for cohort in ("children", "male") for protocol in ("paper", "nested")
    }
    assert mine["control_mean"].notna().all()
    assert "mine" in set(comparisons["other"]) | set(comparisons["method"])
    assert "power" in set(parameters["parameter"])
    # An edit of its file, and nothing else, reruns its evaluations.
    assert planned(checkout, folder, *tables, configs=configs)[0] == {}
    (tmp_path / "toy.py").write_text(TOY + "\n# edited\n", encoding="utf-8")
    jobs, _ = planned(checkout, folder, *tables, configs=configs)
    assert jobs["evaluate"] == 2
