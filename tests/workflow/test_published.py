"""The workflow on the authors' published graphs gives the values known for them."""

import json
import subprocess
import sys

import pandas as pd
import pytest
import yaml

#: Contrast, percentile: alpha, objective, size, regions where the set is small enough to list.
BEST_SETS = {
    ("td-asd", 70): (0.033752, 5.697017, 23, None),
    ("td-asd", 80): (0.054945, 2.796311, 14, None),
    ("td-asd", 90): (
        0.089089,
        0.870094,
        8,
        "Frontal_Sup_Orb_L Frontal_Mid_L Frontal_Mid_R Frontal_Mid_Orb_R Frontal_Inf_Tri_R "
        "Frontal_Inf_Orb_R Parietal_Inf_L Cerebelum_Crus2_L",
    ),
    ("asd-td", 80): (0.050235, 5.880691, 25, None),
    ("asd-td", 85): (
        0.065934,
        2.783752,
        15,
        "Frontal_Inf_Oper_L Olfactory_L Hippocampus_L Hippocampus_R ParaHippocampal_L Amygdala_L "
        "Amygdala_R Fusiform_R Caudate_L Caudate_R Putamen_L Pallidum_L Thalamus_L Heschl_R "
        "Cerebelum_3_R",
    ),
    ("asd-td", 93): (
        0.104396,
        0.749215,
        6,
        "Hippocampus_R Amygdala_R Fusiform_R Thalamus_L Heschl_R Cerebelum_3_R",
    ),
    ("symmetric", 70): (0.068289, 6.908948, 31, None),
    ("symmetric", 90): (
        0.115777,
        0.727237,
        7,
        "Frontal_Sup_Orb_L Frontal_Mid_L Frontal_Mid_R Frontal_Mid_Orb_R Frontal_Inf_Orb_R "
        "Frontal_Sup_Medial_R Parietal_Inf_L",
    ),
}


@pytest.fixture(scope="module")
def results(root, shared, tmp_path_factory):
    """Folder of a run on the published graphs: contrast subgraphs and the paper's protocol.

    Slow: 24 proofs, 989 people; without the sets nearly as good, which no test here reads.
    """
    folder = tmp_path_factory.mktemp("published")
    config = {
        "source": "published",
        "sources": {"published": {"archive": str(shared / "contrast-subgraph-master.zip")}},
        "contrast": {"alternatives": 0},
        "methods": ["cs-p1", "cs-p2"],
        "evaluation": {"permutations": 0, "protocols": ["paper"]},
        "inference": {"permutations": 0},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    place = folder / "results" / "published"
    targets = [f"contrast/children/{c}.json" for c in ("td-asd", "asd-td", "symmetric")]
    targets += ["tables/cohorts.csv", "tables/accuracy.csv", "tables/parameters.md"]
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")]
    command += ["--directory", str(folder), "--configfile", str(folder / "config.yaml")]
    command += ["--cores", "2", *(f"results/published/{target}" for target in targets)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-5000:]
    return place


def test_cohorts_have_the_paper_s_sizes(results):
    table = pd.read_csv(results / "tables" / "cohorts.csv").set_index("cohort")
    sizes = {name: (row["td"], row["asd"]) for name, row in table.iterrows()}
    assert sizes == {
        "children": (52, 49),
        "adolescents": (121, 116),
        "eyesclosed": (158, 136),
        "male": (418, 420),
    }
    assert (table["td"] == table["paper_td"]).all() and (table["asd"] == table["paper_asd"]).all()


@pytest.mark.parametrize(("contrast", "percentile"), BEST_SETS)
def test_children_have_the_best_sets_known(results, contrast, percentile):
    path = results / "contrast" / "children" / f"{contrast}.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    (found,) = [s for s in record["subgraphs"] if s["percentile"] == percentile]
    alpha, objective, size, regions = BEST_SETS[contrast, percentile]
    assert found["alpha"] == pytest.approx(alpha, abs=1e-6)
    assert found["objective"] == pytest.approx(objective, abs=1e-6)
    assert len(found["nodes"]) == size
    assert regions is None or found["regions"] == regions.split()


def test_every_set_is_proven_optimal(results):
    for contrast in ("td-asd", "asd-td", "symmetric"):
        path = results / "contrast" / "children" / f"{contrast}.json"
        record = json.loads(path.read_text(encoding="utf-8"))
        assert [s["optimal"] for s in record["subgraphs"]] == [True] * 8


def test_the_paper_s_protocol_gives_the_paper_s_accuracies(results):
    table = pd.read_csv(results / "tables" / "accuracy.csv")
    assert set(zip(table["cohort"], table["method"], strict=True)) == {
        (cohort, method)
        for cohort in ("children", "adolescents", "eyesclosed", "male")
        for method in ("cs-p1", "cs-p2")
    }
    away = (table["mean"] - table["paper_mean"]).abs() / table["paper_std"]
    assert (away[table["method"] == "cs-p2"] <= 2).all()
