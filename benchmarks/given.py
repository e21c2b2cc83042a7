"""Is a difference that of sites, of motion, or of what all brains share? ABIDE's four cohorts.

    nice -n 19 python -m benchmarks.given FOLDER

The graphs are those of the default run (each person's strongest 20 % of pairs) from the files that
`benchmarks.replication` reads. Each direction of each cohort is tested over the default penalties
(199 relabellings): freely, within sites, and within sites given motion (mean displacement and its
logarithm) or five modes that all people share. It writes docs/measured/given.csv.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from contrast_subgraphs.data.phenotypes import read_phenotypes
from contrast_subgraphs.design import mode_scores
from contrast_subgraphs.graphs import expressions
from contrast_subgraphs.inference import permutation_test

from . import ROOT
from .replication import nuisance, read
from .scenarios import quiet

MODES = 5
PERMUTATIONS = 199
MOTION = ("func_mean_fd", "log_motion")


def cohorts(folder, people):
    """Yield the name of each cohort of the default config, and which people are in it."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    phenotypes = read_phenotypes(folder / "Phenotypic_V1_0b_preprocessed1.csv")
    phenotypes = phenotypes.set_index("FILE_ID").loc[people["FILE_ID"]].reset_index()
    for name, cohort in config["cohorts"].items():
        yield name, np.asarray(expressions.evaluate(cohort["where"], phenotypes), dtype=bool)


def tests_of(graphs, y, people, name):
    """Yield what is held constant, and the test."""
    held = nuisance(people)
    site = held.pop("site")
    motion = {column: held[column] for column in MOTION}
    models = {
        "freely": {},
        "within_sites": {"blocks": site},
        "given_motion": {"blocks": site, "covariates": motion},
        "given_modes": {"blocks": site, "covariates": mode_scores(graphs, MODES)},
    }
    for model, options in models.items():
        test = permutation_test(
            graphs,
            y,
            labels=["td", "asd"],
            n_permutations=PERMUTATIONS,
            solver="search",
            name=name,
            **options,
        )
        yield model, test


def main():
    """Test each cohort, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    graphs, _, y, people, _ = read(folder)
    rows = []
    for name, among in cohorts(folder, people):
        found = {}
        with quiet():
            for model, test in tests_of(graphs[among], y[among], people[among], name):
                for contrast, p in zip(test.contrasts[:2], test.pvalue_contrast, strict=False):
                    found.setdefault(contrast, {})[model] = p.min()
        rows += [{"cohort": name, "contrast": key, **values} for key, values in found.items()]
        print(pd.DataFrame(rows[-2:]).round(4).to_string(index=False), flush=True)
    output = ROOT / "docs" / "measured" / "given.csv"
    pd.DataFrame(rows).round(6).to_csv(output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
