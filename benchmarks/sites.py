"""Leave one site out over the whole ABIDE release: accuracies and CPU seconds of each method.

    python -m benchmarks.sites FOLDER [METHOD ...] [--cohort NAME [--pool]]

FOLDER holds ``abide_connectivity.npz`` (``subject``, ``volumes``, and of each series the upper
triangle of its ``correlation`` and, with the diagonal, of its ``covariance``), the phenotypic
file and ``aal116.csv``. Prints a row for each method: accuracy pooled over people, area under
the ROC curve over all people and inside sites, the same accuracy with the nuisance variables
regressed out of the features, how much the node sets of two training parts share, and CPU
seconds of one thread (the controls of the row included, without permutations). With a cohort of
``config.yaml`` the same for 20 random splits of it (``inside`` is then the area in the test part).
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from contrast_subgraphs.data.phenotypes import read_phenotypes
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.splits import stratified_splits
from contrast_subgraphs.evaluation.subject_data import Subjects
from contrast_subgraphs.evaluation.summary import accuracy_table
from contrast_subgraphs.graphs import expressions
from contrast_subgraphs.graphs.threshold import threshold_graph
from contrast_subgraphs.methods import METHODS

from . import ROOT


def release(folder):
    """Return the graphs of everybody, all that is known of them, and their phenotypes."""
    data = np.load(folder / "abide_connectivity.npz")
    table = read_phenotypes(folder / "Phenotypic_V1_0b_preprocessed1.csv").set_index("FILE_ID")
    table = table.loc[data["subject"]].reset_index()
    atlas = pd.read_csv(folder / "aal116.csv", keep_default_na=False)
    r = data["correlation"].astype(float)
    upper = np.triu_indices(len(atlas), 1)
    adjacency = np.zeros((len(r), len(atlas), len(atlas)), dtype=np.uint8)
    for matrix, row in zip(adjacency, r, strict=True):
        full = np.zeros(matrix.shape)
        full[upper] = np.round(row, 3)
        matrix[:] = threshold_graph(full + full.T)
    people = pd.DataFrame(
        {
            "site": table["SITE_ID"],
            "age": table["AGE_AT_SCAN"],
            "sex": table["SEX"].map({1: "male", 2: "female"}),
            "motion": table["func_mean_fd"],
            "volumes": data["volumes"],
        }
    )
    y = (table["DX_GROUP"] == 1).to_numpy(int)
    graphs = CohortGraphs(adjacency, y, data["subject"], atlas["name"].to_numpy(str))
    systems, covariances = atlas["system"].to_numpy(str), data["covariance"].astype(float)
    return graphs, Subjects(people, np.arctanh(r), systems, covariances), table


def main():
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("methods", nargs="*")
    parser.add_argument("--cohort", help="one of config.yaml: 20 splits of it, not sites")
    parser.add_argument("--pool", action="store_true", help="train on the others as well")
    asked = parser.parse_args()
    graphs, subjects, phenotypes = release(asked.folder)
    members, splits, protocol = None, None, "sites"
    if asked.cohort:
        protocol = "nested"
        config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
        where = config["cohorts"][asked.cohort]["where"]
        members = expressions.evaluate(where, phenotypes)
        if not asked.pool:
            parts = graphs.adjacency[members], graphs.y[members], graphs.subject[members]
            graphs, subjects = CohortGraphs(*parts, graphs.roi), subjects[members]
            members = None
        y = graphs.y if members is None else graphs.y[members]
        splits = stratified_splits(y, 20, 0.2, 0, asked.cohort)
    kinds = ("contrast", "plain")
    for method in asked.methods or [m for m in METHODS if METHODS[m].kind in kinds]:
        start = time.process_time()
        scores = evaluate(
            graphs,
            METHODS[method],
            name=method,
            cohort=asked.cohort or "everybody",
            protocol=protocol,
            splits=splits,
            site=subjects.table["site"],
            subjects=subjects,
            members=members,
        ).scores
        seconds = time.process_time() - start
        row = accuracy_table(scores).iloc[0]
        columns = {
            "accuracy": "mean",
            "auc": "pooled_roc_auc",
            "inside": "roc_auc",
            "adjusted": "adjusted_mean",
            "nuisance": "nuisance_mean",
            "same": "jaccard",
        }
        numbers = " ".join(f"{name} {row[column]:.3f}" for name, column in columns.items())
        print(f"{method:15s} {numbers} cpu {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
