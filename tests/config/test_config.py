"""The config's errors are words that a person understands."""

import copy

import pytest
import yaml
from contrast_subgraphs.config import checked, effective, read_config, without_defaults
from contrast_subgraphs.config.defaults import graph_settings
from contrast_subgraphs.core.errors import InputError


@pytest.fixture(scope="module")
def config(root):
    return yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))


def changed(config, path, value):
    config = copy.deepcopy(config)
    *folders, last = path.split(".")
    place = config
    for key in folders:
        place = place[key]
    place[last] = value
    return config


def test_the_paper_s_config_is_valid_and_not_changed_by_the_check(config):
    before = copy.deepcopy(config)
    groups = {
        "td": {"label": "TD", "where": "DX_GROUP == 2"},
        "asd": {"label": "ASD", "where": "DX_GROUP == 1"},
    }
    expected = {key: value for key, value in config.items() if key != "contrasts"}
    inference = config["inference"] | {"hold": "observed"}
    assert checked(config) == expected | {"groups": groups, "inference": inference}
    assert config == before


def test_keys_of_other_kernels_are_taken_out_with_a_warning(config):
    svm = {"kernel": "linear", "C": [1], "gamma": ["scale"]}
    with pytest.warns(UserWarning, match="evaluation.svm.kernel and evaluation.svm.gamma: no lon"):
        found = checked(changed(config, "evaluation.svm", svm))
    assert found["evaluation"]["svm"] == {"C": [1]}
    with pytest.raises(InputError, match="kernel: rbf no longer exists: the SVM is linear"):
        checked(changed(config, "evaluation.svm", svm | {"kernel": "rbf"}))


def test_groups_have_the_names_and_labels_that_they_are_given(config):
    groups = {"control": "SEX == 1", "bp": {"where": "SEX == 2", "label": "Bipolar"}}
    merged = changed(config, "groups", config["groups"] | groups)
    own = without_defaults(merged, config, {"groups": groups})
    found = checked(own)["groups"]
    assert found["control"] == {"label": "control", "where": "SEX == 1"}
    assert found["bp"]["label"] == "Bipolar"
    assert list(found) == list(groups)
    with pytest.raises(InputError, match="report.contrast_large: .* control-bp and bp-control"):
        checked(changed(config, "groups", groups))


def test_of_three_groups_each_pair_is_a_cohort(config):
    groups = {
        "control": "SEX == 1",
        "bp": "SEX == 2",
        "sz": {"where": "AGE_YEARS > 60", "label": "SZ"},
    }
    merged = changed(config, "groups", config["groups"] | groups)
    merged["cohorts"]["men"] = {"where": "SEX == 1", "groups": ["sz", "bp"]}
    merged["report"]["contrast_large"]["bp-sz"] = 90
    found = checked(without_defaults(merged, config, {"groups": groups}))
    named = {name: one.get("groups") for name, one in found["cohorts"].items()}
    assert list(named)[:4] == [
        *("children-control-bp", "children-control-sz", "children-bp-sz"),
        "adolescents-control-bp",
    ]
    assert named["children-bp-sz"] == ["bp", "sz"] and named["men"] == ["sz", "bp"]
    assert found["cohorts"]["male-control-sz"]["label"] == "Male: control against SZ"
    assert found["report"]["cohorts"] == list(named)[:3]
    large = found["report"]["contrast_large"]
    assert (large["control-bp"], large["sz-control"], large["bp-sz"]) == (70, 85, 90)
    best = found["baselines"]["embs"]["best"]
    assert best["male-bp-sz"] == best["male"]
    assert checked(found) == found
    merged["cohorts"]["male-bp-sz"] = {"where": "True", "groups": ["bp", "sz"], "label": "x"}
    with pytest.raises(InputError, match="male-bp-sz: male has a pair of this name"):
        checked(without_defaults(merged, config, {"groups": groups}))


def test_a_cohort_that_is_null_is_left_out(config):
    for null in (None, "null"):  # the second from `--config`
        assert "male" not in checked(changed(config, "cohorts.male", null))["cohorts"]


def test_graphs_alone_need_neither_cohorts_nor_groups(config):
    """Somebody's graph can be made where nobody can be compared."""
    alone = changed(config, "only_graphs", True) | {"source": "folder"}
    alone = changed(alone, "groups", {"first": "EDIT == 1", "second": "EDIT == 2"})
    found = checked(alone)
    assert found["cohorts"] == {}
    assert found["report"]["cohorts"] == []
    alone = changed(alone, "graph.threshold", None)
    with pytest.raises(InputError, match="every pair is an edge"):
        checked(alone)


def test_the_published_graphs_are_made_already(config):
    with pytest.raises(InputError, match="only_graphs: the published graphs"):
        checked(changed(config, "only_graphs", True) | {"source": "published"})


def test_configs_are_laid_over_one_another_section_by_section(root, tmp_path):
    first = {"source": "simulated", "inference": {"permutations": 7, "halves": 9}}
    second = {"inference": {"permutations": 8}, "methods": ["cs-p1"]}
    paths = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for path, content in zip(paths, (first, second), strict=True):
        path.write_text(yaml.safe_dump(content))
    found = effective(paths, root / "config.yaml")
    assert found["source"] == "simulated"
    assert (found["inference"]["permutations"], found["inference"]["halves"]) == (8, 9)
    assert found["methods"] == ["cs-p1"]
    assert list(found["cohorts"]) == ["children", "adolescents", "eyesclosed", "male"]


def test_groups_are_not_asked_beside_the_variable_of_an_interaction(config):
    asked = {"ageing": {"interaction": ["SEX", "AGE_AT_SCAN"]}}
    with pytest.raises(InputError, match="interaction: AGE_AT_SCAN.*by SEX, and which two"):
        checked(changed(config, "contrasts", asked))


def test_a_contrast_is_one_more_cohort(config):
    asked = {
        "severity": {"variable": "ADOS_TOTAL", "where": "DX_GROUP == 1"},
        "ageing": {"interaction": "AGE_AT_SCAN"},
        "change": {"paired": "SUB_ID"},
        "any": {"several": True},
    }
    found = checked(changed(config, "contrasts", asked))
    assert list(found["cohorts"])[-4:] == list(asked) and "contrasts" not in found
    assert found["cohorts"]["severity"] == {
        "where": "DX_GROUP == 1",
        "description": "DX_GROUP == 1",
        "variable": "ADOS_TOTAL",
        "label": "severity",
    }
    assert found["cohorts"]["ageing"]["interaction"] == "AGE_AT_SCAN"
    large = found["report"]["contrast_large"]
    assert (large["more-with-severity"], large["less-with-severity"]) == (70, 85)
    assert large["ageing-in-asd"] == 85 and set(large) >= {"td-asd"}
    assert checked(found) == found


def test_own_data_with_a_variable_alone_need_no_groups(config):
    own = {"source": "simulated", "contrasts": {"severity": {"variable": "ADOS_TOTAL"}}}
    folder = own | {"source": "folder"}
    found = without_defaults(config | own, config, folder) | own
    assert found["groups"] == {} and found["cohorts"] == {}
    found = checked(found)
    assert list(found["cohorts"]) == ["severity"]
    assert found["report"]["contrast_small"] == {"more-with-severity": 90, "less-with-severity": 93}


@pytest.mark.parametrize("modes", [2, "auto"])
def test_modes_are_taken_out_beside_columns(config, modes):
    graph = config["graph"] | {"weights": "weighted", "adjust": {"modes": modes}}
    new = checked(changed(config, "graph", graph))["graph"]
    assert new["modes"] == modes and new["adjust"] == []
    graph["adjust"] = graph["adjust"] | {"columns": ["age"]}
    new = checked(changed(config, "graph", graph))["graph"]
    assert new["modes"] == modes and new["adjust"] == ["age"]


def test_a_cohort_needs_no_more_than_an_expression(config):
    new = checked(changed(config, "cohorts.girls", {"where": "SEX == 2"}))["cohorts"]["girls"]
    assert new == {"where": "SEX == 2", "label": "girls", "description": "SEX == 2"}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("evaluation.fold", 5, ["evaluation", "'fold'", "folds"]),
        ("evaluation.folds", "five", ["evaluation.folds", "not of type 'integer'", "'five'"]),
        ("evaluation.folds", 1, ["evaluation.folds", "minimum of 2"]),
        ("graph.threshold.percentile", 100, ["graph.threshold.percentile", "100 is greater than"]),
        ("contrast.percentiles", [70, 0], ["contrast.percentiles.1", "0 is not a percentile"]),
        ("contrast.percentiles", [0.8, 90], ["contrast.percentiles.0", "did you mean 80?"]),
        ("graph.percentile", 0.8, ["graph.percentile", "did you mean 80?"]),
        ("graph.threshold.percentile", 0.5, ["did you mean 50?"]),
        ("contrast.alphas", [-0.1], ["contrast.alphas.0", "minimum of 0"]),
        ("cohorts", {"a/b": {"where": "SEX == 1"}}, ["'a/b'", "folder", "a-z"]),
        ("cohorts", {"..": {"where": "SEX == 1"}}, ["'..'", "folder"]),
        ("cohorts", {}, ["cohorts", "should be non-empty"]),
        ("cohorts.male", {"label": "Male"}, ["cohorts.male", "'where' is a required"]),
        ("cohorts.male.where", "SEX ==", ["cohorts.male.where", "SEX =="]),
        ("cohorts.male.where", "GENDER == 1", ["cohorts.male.where", "'GENDER'", "SEX"]),
        ("cohorts.male.where", "AGE_YEAR < 9", ["cohorts.male.where", "did you mean AGE_YEARS?"]),
        ("groups.td", "__import__('os').system('ls')", ["groups.td"]),
        ("groups", {"td": "SEX == 1"}, ["groups", "two"]),
        ("groups.third", "SEX == 1", ["report.contrast_large", "td-third", "third-asd"]),
        ("graph.transform", "share", ["graph.transform: is for weights of your matrices"]),
        ("graph.adjust", ["age"], ["graph.adjust: only weights", "graph.weights: weighted"]),
        ("graph.adjust", ["IQ"], ["graph.adjust.0", "'IQ'"]),
        ("graph.adjust", {"modes": 3}, ["graph.adjust: only weights"]),
        ("graph.adjust", {"modes": 0}, ["graph.adjust.modes"]),
        ("graph.adjust", {"modes": "some"}, ["graph.adjust.modes", "some"]),
        ("graph.adjust", {"columns": ["age"]}, ["graph.adjust", "'modes'"]),
        ("graph.adjust", {"modes": 2, "columns": ["IQ"]}, ["graph.adjust.columns.0", "'IQ'"]),
        ("cohorts.male.groups", ["td", "adhd"], ["cohorts.male.groups", "'adhd'", "asd"]),
        ("groups", {"a-b": "SEX == 1", "c": "SEX == 2"}, ["groups", "'a-b'"]),
        ("groups", {"cohort": "SEX == 1", "c": "SEX == 2"}, ["groups.cohort", "column"]),
        (
            "cohorts.male.person",
            "SUB_ID",
            ["cohorts.male.person: is for contrasts, such as paired"],
        ),
        ("contrasts", {"x": {"where": "True"}}, ["contrasts.x: give one of variable, paired"]),
        ("contrasts", {"male": {"variable": "SEX"}}, ["contrasts.male", "another"]),
        ("contrasts", {"x": {"variable": "ADOS"}}, ["contrasts.x.variable", "'ADOS'", "ADOS_"]),
        ("contrasts", {"x": {"paired": "SUB_ID", "ranks": True}}, ["contrasts.x.ranks"]),
        ("contrasts", {"x": {"variabel": "SEX"}}, ["contrasts.x", "'variabel'", "variable"]),
        ("source", "adhd", ["source", "'adhd'", "abide, published, simulated"]),
        ("methods", ["cs-p3"], ["methods", "'cs-p3'", "cs-p2"]),
        ("report.cohorts", ["childrn"], ["report.cohorts", "'childrn'", "children"]),
        ("report.contrast_small.td-asd", 91, ["report.contrast_small.td-asd", "91", "70"]),
        ("baselines.embs.best.male", {"epoch": 1}, ["embs", "'epoch'", "epochs"]),
        ("baselines.embs.full.noise", [0.3, 7], ["embs", "noise", "7"]),
        ("sources.published.sha256", "abc", ["sources.published.sha256", "'abc'"]),
        ("seed", 1.0, ["seed", "1.0 is not of type 'integer'"]),
        ("evaluation.folds", 5.0, ["evaluation.folds", "5.0"]),
        ("evaluation.folds", True, ["evaluation.folds", "True"]),
        ("evaluation.test_size", 1e-9, ["evaluation.test_size", "minimum of 0.01"]),
        ("evaluation.test_size", "1e-9", ["evaluation.test_size", "minimum of 0.01"]),
        ("graph.percentile", float("nan"), ["graph.percentile", "nan is not of type 'number'"]),
        ("report.edge_weight", float("inf"), ["report.edge_weight", "inf is not of type"]),
        ("baselines.embs.best.default", {"noise": float("nan")}, ["embs.best.default", "nan"]),
        ("evaluation.svm.C", [float("inf")], ["evaluation.svm.C.0", "inf"]),
        ("cohorts", {False: {"where": "SEX == 1"}}, ["cohorts", "a key as False", "quotes"]),
        ("cohorts", {2019: {"where": "SEX == 1"}}, ["cohorts", "a key as 2019", "quotes"]),
        ("cohorts.subjects", {"where": "SEX == 1"}, ["cohorts.subjects", "another name"]),
        ("cohorts." + 300 * "a", {"where": "SEX == 1"}, ["cohorts", "300 letters", "at most 40"]),
        ("contrasts." + 41 * "a", {"variable": "SEX"}, ["contrasts", "41 letters", "at most 40"]),
        ("groups." + 99 * "a", "SEX == 1", ["groups", "99 letters", "at most 40"]),
        ("cohorts.excluded", {"where": "SEX == 1"}, ["cohorts.excluded", "another name"]),
        ("cohorts.male.label", "Children", ["children and male have the same label"]),
        ("groups.td", {"where": "SEX == 1", "label": "ASD"}, ["groups: two have the same label"]),
        ("results", "res{x}", ["results", "'res{x}'"]),
        ("baselines.sub2vec.best.mael", {"epochs": 1}, ["sub2vec.best", "'mael'", "male?"]),
        ("confirm", [{"name": "x"}], ["confirm.0: give a file, or regions and a contrast"]),
        ("confirm", [{"file": "no.json"}], ["confirm.0: no.json holds no sets", "found.json"]),
        ("confirm", [{"regions": ["T*"]}], ["confirm.0: give the contrast", "td-asd or asd-td"]),
        (
            "confirm",
            [{"regions": ["T*"], "contrast": "a-b"}],
            ["confirm.0: no cohort asks for a-b (td-asd and asd-td)"],
        ),
        (
            "confirm",
            [{"regions": ["T*"], "contrast": "td-asd", "rename": {"a": "b"}}],
            ["confirm.0.rename: does not belong to a claim by"],
        ),
        ("confirm", [{"regoins": ["T*"]}], ["confirm.0", "'regoins'", "regions"]),
        ("seed", None, ["seed", "None is not of type 'integer'"]),
    ],
)
def test_what_cannot_be_used_is_named(config, path, value, words):
    with pytest.raises(InputError) as error:
        checked(changed(config, path, value))
    for word in words:
        assert word in str(error.value)


def test_a_missing_licence_is_named_before_any_work(config, monkeypatch, tmp_path):
    monkeypatch.setenv("MOSEKLM_LICENSE_FILE", str(tmp_path / "none.lic"))
    with pytest.raises(InputError, match=r"contrast\.sdp\.solver: MOSEK's licence was not found"):
        checked(changed(config, "contrast.sdp.solver", "mosek"))


def test_a_missing_key_is_named(config):
    config = copy.deepcopy(config)
    del config["evaluation"]["svm"]["C"]
    with pytest.raises(InputError, match=r"evaluation\.svm: 'C' is a required"):
        checked(config)


def test_all_complaints_come_at_once(config):
    config = changed(changed(config, "seed", "x"), "graph.percentile", 0)
    with pytest.raises(InputError) as error:
        checked(config)
    assert "seed" in str(error.value) and "graph.percentile" in str(error.value)


def test_numbers_that_came_as_texts_are_numbers(config):
    """Snakemake reads what `--config graph='{percentile: 90}'` holds as texts."""
    found = checked(changed(config, "graph", {"percentile": "90", "decimals": "3"}))
    assert found["graph"]["threshold"] == {"percentile": 90}
    assert found["graph"]["decimals"] == 3


@pytest.mark.parametrize(
    ("given", "threshold"),
    [
        ({"percentile": 90}, {"percentile": 90}),
        ({"threshold": {"percentile": 80, "density": 0.1}}, {"density": 0.1}),
        ({"threshold": {"percentile": None, "value": 0.3}}, {"value": 0.3}),
        ({"threshold": None, "weights": "weighted"}, None),
    ],
)
def test_a_graph_has_one_threshold_or_none(config, given, threshold):
    assert checked(changed(config, "graph", config["graph"] | given))["graph"]["threshold"] == (
        threshold
    )


@pytest.mark.parametrize(
    ("source", "graph", "sign"),
    [
        ("folder", {"weights": "weighted", "threshold": None}, "signed"),
        ("folder", {"weights": "weighted", "threshold": None, "sign": "positive"}, "positive"),
        ("folder", {"weights": "weighted", "threshold": {"density": 0.1}}, "positive"),
        ("folder", {}, "positive"),
        ("folder", {"sign": "absolute"}, "absolute"),
        ("simulated", {"weights": "weighted", "threshold": None}, "positive"),
        ("simulated", {"weights": "weighted", "threshold": None, "sign": "signed"}, "signed"),
    ],
)
def test_all_pairs_of_own_data_keep_their_sign(root, source, graph, sign):
    default = read_config(root / "config.yaml")
    merged = read_config(root / "config.yaml")
    merged["graph"] |= graph
    given = {"source": source, "graph": graph}
    found = without_defaults(merged, default, given)["graph"]
    assert graph_settings(found, source)["sign"] == sign


def test_thresholds_that_cannot_be(config):
    for given, words in (
        ({"threshold": {"density": 0.1, "value": 0.3}}, "not both"),
        ({"threshold": None}, "needs one"),
    ):
        with pytest.raises(InputError, match=rf"graph\.threshold: .*{words}"):
            checked(changed(config, "graph", config["graph"] | given))
    assert checked(changed(config, "graph.decimals", "null"))["graph"]["decimals"] is None
    assert checked(changed(config, "contrast.percentiles", ["70", "90.5", *range(71, 98)]))


def test_the_home_folder_is_known(config, monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    config = changed(changed(config, "results", "~/x"), "sources.published.archive", "~/a.zip")
    assert checked(config)["results"] == "/home/someone/x"
    assert checked(config)["sources"]["published"]["archive"] == "/home/someone/a.zip"


def test_best_parameters_of_a_cohort_taken_away_do_no_harm(config):
    assert checked(changed(config, "cohorts.male", None))
    config = changed(config, "baselines.embs.best.mine", {"epochs": 1, "batch_size": 4})
    config["baselines"]["embs"]["best"]["mine"] |= {"embedding_size": 8, "noise": 0.3}
    assert checked(changed(config, "cohorts.mine", None))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", "line 4: the key 'c' is given twice"),
        ("a: [1\n", "cannot be read"),
        ("- a\n", "must hold lines"),
        ("\x00", "cannot be read"),
    ],
)
def test_a_file_that_is_no_config_is_named(tmp_path, text, words):
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(InputError, match=f"mine.yaml.*{words}"):
        read_config(tmp_path / "mine.yaml")


def test_every_file_that_is_shipped_can_be_read(root):
    for path in [root / "config.yaml", *(root / "examples").glob("*.yaml")]:
        assert read_config(path) == yaml.safe_load(path.read_text(encoding="utf-8"))
