"""A further kind of question is one file: from the config to the page."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml
from own_data import matrix
from workflow_runs import ROOT, copy_checkout, run

QUADRATIC = '''
"""Where is a turning point of a variable?"""

from .question import Question
from .variable import of_variable


class Quadratic(Question):
    """Weights that are larger at both ends of a variable than in its middle."""

    kind = "quadratic"
    role = "value"
    option = "For a table: a column of numbers, at whose ends there is more than in its middle."
    refused = {"groups": "is of two; a turning point has none"} | Question.refused
    of_groups = False
    by_pairs = False
    named_by_groups = False
    compares = False
    task = "predict"

    def outcome(self, codes, value):
        return value

    @property
    def contrasts(self):
        return f"valley-of-{self.called}", f"peak-of-{self.called}", "symmetric"

    def make_design(self, graphs, **common):
        bend = (graphs.y - graphs.y.mean()) ** 2
        return of_variable(bend, called=self.called, **common)

    def title(self, labels):
        return f"Is there a turning point of {self.column}?"

    def statement(self, labels):
        return f"{self.column} has a turning point"

    def contrast_labels(self, labels):
        return f"Valley of {self.column}", f"Peak of {self.column}", "Symmetric"

    def unit(self, values=None):
        return f"standard deviation of squared {self.column}"

    def ends(self, labels):
        return f"extreme {self.column}", f"middle {self.column}"

    def sides(self, labels):
        return tuple(f"at {end}" for end in self.ends(labels))
'''
#: Commands of a user, and a script, which give the same set.
SCRIPT = """
import json

from click.testing import CliRunner
from contrast_subgraphs import permutation_test
from contrast_subgraphs.cli import main
from contrast_subgraphs.data.files import read_matrices
from contrast_subgraphs.design.quadratic import Quadratic
import pandas as pd

table = ["people.tsv", "--files", "{id}.csv", "--quadratic", "age"]
small = {
    "find": ["--percentile", "90", "--problem", "1"],
    "test": ["--percentile", "90", "-n", "19"],
    "evaluate": ["--percentile", "90", "--method", "cs-p1", "--repeats", "2", "-n", "2"],
}
for command, options in small.items():
    done = CliRunner().invoke(main, [command, *table, *options, "--json"])
    assert done.exit_code == 0, done.output
    print(json.dumps(json.loads(done.stdout)))

people = pd.read_csv("people.tsv", sep="\\t")
graphs = read_matrices([f"{name}.csv" for name in people["participant_id"]])
design = Quadratic(called="age", column="age").design_of(people["age"].to_numpy())
result = permutation_test(graphs, design, percentiles=90, n_permutations=19)
assert result.contrasts[0] == "valley-of-age"
"""
BENT = list(range(3, 8))


@pytest.mark.slow
def test_a_seventh_kind_from_one_file(tmp_path):
    checkout = copy_checkout(ROOT, tmp_path / "checkout")
    folder = checkout / "workflow" / "contrast_subgraphs" / "design"
    (folder / "quadratic.py").write_text(QUADRATIC)
    rng = np.random.default_rng(0)
    ages = rng.uniform(8, 60, 24).round(1)
    names = [f"s{k:02d}" for k in range(len(ages))]
    table = pd.DataFrame({"participant_id": names, "age": ages})
    table.to_csv(tmp_path / "people.tsv", sep="\t", index=False)
    for name, age in zip(names, ages, strict=True):
        graph = 3 + matrix(rng, 20, [], 0)
        bend = ((age - ages.mean()) / ages.std()) ** 2
        graph[np.ix_(BENT, BENT)] += 0.8 * bend * (1 - np.eye(len(BENT)))
        np.savetxt(tmp_path / f"{name}.csv", graph, delimiter=",")
    people = {"subjects": str(tmp_path / "people.tsv"), "files": "{id}.csv", "kind": "matrix"}
    config = {
        "source": "folder",
        "sources": {"folder": people},
        "graph": {"weights": "weighted", "threshold": None},
        "contrasts": {"growth": {"quadratic": "age"}},
        "contrast": {"percentiles": [90]},
        "inference": {"permutations": 99, "halves": 6},
        "methods": ["cs-p1"],
        "evaluation": {"protocols": ["nested"], "repeats": {"nested": 2}, "permutations": 2},
    }
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump(config, sort_keys=False))
    done = run(checkout, tmp_path / "run", configs=(mine,))
    assert done.returncode == 0, done.stdout
    tested = pd.read_csv(tmp_path / "run/results/folder/inference/growth.csv")
    assert tested.set_index("contrast").loc["valley-of-growth", "p_familywise"] <= 0.05
    page = (tmp_path / "run/results/folder/report.html").read_text(encoding="utf-8")
    for words in ("Is there a turning point of age?", "age has a turning point", "at extreme age"):
        assert words in page
    assert '<p class="abstract">Yes: age has a turning point by more than chance' in page
    assert "for each standard deviation of squared age" in page
    assert "the slope for one standard deviation of squared age" in page  # the methods section
    predicted = pd.read_csv(tmp_path / "run/results/folder/tables/prediction.csv")
    assert predicted["cohort"].tolist() == ["growth"]
    # The commands and a user's own script ask it too.
    (tmp_path / "ask.py").write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": str(checkout / "workflow")}
    asked = subprocess.run(
        [sys.executable, "ask.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert asked.returncode == 0, asked.stderr
    found, tested, evaluated = map(json.loads, asked.stdout.splitlines())
    assert found["quadratic"] == "age" and found["people"] == len(ages)
    assert found["subgraphs"][0]["contrast"] == "valley-of-age"
    assert found["subgraphs"][0]["nodes"] == BENT
    assert tested["tests"][0]["p"] <= 0.05 and tested["tests"][0]["held_out_effect"] > 0.3
    assert evaluated["prediction"][0]["method"] == "cs-p1"
    # A key that it refuses is named.
    config["contrasts"]["growth"]["ranks"] = True
    mine.write_text(yaml.safe_dump(config, sort_keys=False))
    refused = run(checkout, tmp_path / "run", configs=(mine,))
    assert refused.returncode != 0 and "contrasts.growth.ranks: is for a variable" in refused.stdout
