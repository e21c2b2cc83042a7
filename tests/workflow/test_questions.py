"""The workflow on other questions than two groups, of made people."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
import yaml
from one_set import check_files
from own_data import matrix
from workflow_runs import run

#: What the questions are, and the regions that each of their contrasts has more weight in.
CONTRASTS = {
    "older": {"variable": "age", "where": "visit == 1", "label": "Age"},
    "dose": {"variable": "treated", "where": "visit == 2"},
    "change": {"paired": "who"},
    "faster": {"interaction": "age", "where": "visit == 1", "groups": ["quick", "slow"]},
}
PLANTED = {
    "older/more-with-older": range(5),
    "older/less-with-older": range(6, 10),
    "dose/more-with-dose": range(11, 15),
    "treatment/yes-no": range(11, 15),
    "change/first-second": range(16, 20),
    "faster/faster-in-quick": range(21, 26),
}


@pytest.fixture(scope="module")
def finished(checkout, tmp_path_factory):
    """Folder of the results. Slow: five cohorts, four of them tested."""
    folder, rng = tmp_path_factory.mktemp("questions"), np.random.default_rng(0)
    rows = []
    ages = rng.uniform(8, 60, 32).round(1).tolist()
    for person, visit in itertools.product(range(32), (1, 2)):
        age = ages[person]
        arm, treated = ("quick", "slow")[person % 2], person // 2 % 2
        one = {"who": f"p{person}", "visit": visit, "arm": arm, "treated": treated, "age": age}
        rows.append({"participant_id": f"s{len(rows):02d}", **one})
        z = (age - 34) / 25
        graph = 3 + matrix(rng, 28, [], 0)
        for regions, effect in (
            (PLANTED["older/more-with-older"], z),
            (PLANTED["older/less-with-older"], -z),
            (PLANTED["dose/more-with-dose"], treated),
            (PLANTED["change/first-second"], visit == 1),
            (PLANTED["faster/faster-in-quick"], z if arm == "quick" else -z),
        ):
            graph[np.ix_(regions, regions)] += 0.6 * effect * (1 - np.eye(len(regions)))
        graph = np.round(graph * 1024) / 1024  # of which sums are exact
        np.savetxt(folder / f"s{len(rows) - 1:02d}.csv", graph, delimiter=",")
    table = pd.DataFrame(rows)
    table.loc[6, "age"] = np.nan
    table.drop(index=9).to_csv(folder / "people.tsv", sep="\t", index=False)
    config = {
        "source": "folder",
        "sources": {"folder": {"subjects": str(folder / "people.tsv")}},
        "graph": {"weights": "weighted", "threshold": None},
        "groups": {
            **{"first": "visit == 1", "second": "visit == 2"},
            **{arm: f"arm == '{arm}'" for arm in ("quick", "slow")},
            **{"yes": "treated == 1 and visit == 2", "no": "treated == 0 and visit == 2"},
        },
        "cohorts": {"treatment": {"where": "visit == 2", "groups": ["yes", "no"]}},
        "contrasts": CONTRASTS,
        "contrast": {"percentiles": [90]},
        "inference": {"permutations": 39, "halves": 6, "nbs_threshold": 2},
        "evaluation": {"protocols": ["nested"]},
        "methods": ["cs-p1"],
    }
    config["sources"]["folder"] |= {"files": "{id}.csv", "kind": "matrix"}
    config["contrasts"]["change"]["groups"] = ["first", "second"]
    (folder / "mine.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    results = folder / "run" / "results" / "folder"
    wanted = [f"results/folder/inference/{name}.csv" for name in CONTRASTS]
    wanted += ["results/folder/contrast/treatment/yes-no.json", "results/folder/data/atlas.tsv"]
    done = run(checkout, folder / "run", *wanted, configs=(folder / "mine.yaml",))
    assert done.returncode == 0, done.stdout
    return results


@pytest.mark.slow
def test_what_was_planted_is_found(finished):
    results = finished
    for place, regions in PLANTED.items():
        [found] = json.loads((results / f"contrast/{place}.json").read_text())["subgraphs"]
        assert found["optimal"] and found["nodes"] == list(regions), place
        cohort, contrast = place.split("/")
        if cohort in CONTRASTS:
            tested = pd.read_csv(results / f"inference/{cohort}.csv").set_index("contrast")
            assert tested.loc[contrast, "p_familywise"] == 1 / 40, place


@pytest.mark.slow
def test_a_variable_of_two_values_is_two_groups(finished):
    """Alpha is the mean over other relabellings, which each cohort draws for itself."""
    found = [
        json.loads((finished / f"contrast/{place}.json").read_text())["subgraphs"]
        for place in ("dose/more-with-dose", "treatment/yes-no")
    ]
    for one, other in zip(*found, strict=True):
        assert one["nodes"] == other["nodes"]
        assert one["alpha"] == pytest.approx(other["alpha"], rel=0.05)


@pytest.mark.slow
def test_who_is_left_out_is_said(finished):
    results = finished
    # The record leaves room for the noun for people, which the page takes from the config.
    for cohort, words in (
        ("older", "cohort older: 1 of 32 {people} are left out: age not known"),
        ("change", "cohort change: 1 of 63 graphs are left out: one of the two groups only"),
    ):
        assert words in (results / f"logs/graphs/cohort-{cohort}.warnings").read_text()
    left = pd.read_csv(results / "graphs/older.excluded.tsv", sep="\t")
    assert left["subject"].tolist() == ["s06"]
    members = pd.read_csv(results / "graphs/change.tsv", sep="\t")
    assert members["person"].value_counts().eq(2).all() and "p0" in set(members["person"])
    assert set(pd.read_csv(results / "inference/change.csv")["blocks"]) == {"person"}


@pytest.mark.slow
def test_a_card_of_each_kind_of_question_is_of_one_set(finished, root, tmp_path):
    """p, set, effect, stability, picture, rows of tables and page: one contrast, alpha, regions."""
    check_files([finished.parents[2] / "mine.yaml"], root, finished, CONTRASTS, tmp_path)
