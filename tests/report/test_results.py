"""Files that a run's report reads: another cohort's, emptied or changed ones are noticed."""

import json

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast.records import cohort_record, sweep_cohort
from contrast_subgraphs.core.atomic_files import save_json, save_table
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import CohortGraphs
from contrast_subgraphs.report.results import Results

CONFIG = {"source": "abide", "cohorts": {}, "methods": [], "groups": {"td": {}, "asd": {}}}


@pytest.fixture
def given(tmp_path):
    """A cohort's graphs and records; what changes a record before it is read."""
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((12, 8, 8)) < 0.4, 1).astype(np.uint8)
    upper[:6, :3, :3] = np.triu(np.ones((3, 3)), 1)
    names = np.array([f"S{k}" for k in range(12)])
    regions = np.array([f"R{k}" for k in range(8)])
    y = np.repeat([0, 1], 6)
    graphs = CohortGraphs(upper + upper.transpose(0, 2, 1), y, names, regions)
    graphs.save(tmp_path / "graphs/a.npz")

    def read(kind="contrasts", solver="search", **changes):
        found = sweep_cohort(graphs, "td-asd", 0, {"percentiles": [80], "solver": solver})
        record = json.loads(json.dumps(cohort_record(found, "a", "td-asd", graphs.roi)))
        record["subgraphs"][0] |= changes
        path = tmp_path / ("a/td-asd.json" if kind == "contrasts" else "a/td-asd.densdp.json")
        save_json(path, record)
        paths = {"graphs": [tmp_path / "graphs/a.npz"], kind: [path]}
        return Results(CONFIG | {"contrast": {"solver": "search"}}, **paths).records(kind)

    return read


def test_a_record_agrees_with_the_graphs(given):
    (record,) = given()
    (entry,) = record["subgraphs"]
    assert entry["nodes"]
    more = entry["objective"] * (1 + 1e-4)
    with pytest.raises(InputError, match="in the graphs"):
        given(objective=more, upper_bound=more, gap=0, optimal=True)
    with pytest.raises(InputError, match="regions that are not those of the graphs"):
        given(regions=["X"] * len(entry["nodes"]))
    with pytest.raises(InputError, match="by the solver search"):
        given("densdp")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("rules", "a.csv"),
        ("group_tests", "a.group_tests.csv"),
        ("shares", "a.regions.csv"),
        ("inference", "a.csv"),
        ("stability", "a/cs-p1.stability.csv"),
    ],
)
def test_tables_of_another_cohort_or_without_rows_are_noticed(tmp_path, kind, name):
    columns = (
        "cohort contrast percentile index share share_permuted region count splits z p test "
        "p_familywise blocks adjusted rule part"
    ).split()
    table = pd.DataFrame([["a", *[1] * (len(columns) - 1)]], columns=columns)
    tested = {"inference": [tmp_path / "inference" / "a.csv"]}
    save_table(table, tested["inference"][0])
    paths = tested | {kind: [tmp_path / name]}
    attribute = "significance" if kind == "inference" else kind
    for content, words in ((table.assign(cohort="b"), "another cohort"), (table[:0], "no rows")):
        save_table(content, tmp_path / name)
        if kind == "shares" and words == "no rows":
            continue  # groups that are too small to be halved
        with pytest.raises(InputError, match=words):
            getattr(Results(CONFIG, **paths), attribute)
    save_table(table, tmp_path / name)
    assert len(getattr(Results(CONFIG, **paths), attribute)) == 1
