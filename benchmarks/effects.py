"""How large are the differences in people who did not choose the sets? All cohorts, all graphs.

    python -m benchmarks.effects [COHORT ...] [--output docs/effects.csv]

CONTRAST_SUBGRAPHS_DATA names the folder with the authors' published graphs, and with the files that
`benchmarks.sites` describes. First the four cohorts of the published graphs at the paper's eight
percentiles; then the four cohorts and all 989 people from the series at one percentile: graphs
without weights (edges from the 80th percentile of the correlations) and with (Fisher's z of all
pairs), as they are and adjusted for age, its square, sex, motion and its logarithm, the logarithm
of the series' length and site (without one person whose motion is not known). Labels are permuted
within sites. CPU seconds of one thread.
"""

import argparse
import time
import warnings

import numpy as np
import pandas as pd
import yaml
from contrast_subgraphs import held_out_effect
from contrast_subgraphs.contrast.alpha import PERCENTILES
from contrast_subgraphs.graphs import expressions
from contrast_subgraphs.inference.effect_size import CHOSEN
from threadpoolctl import threadpool_limits

from . import ROOT
from .inference import published
from .sites import release
from .solver import ARCHIVE

#: Of the graphs from the series.
PERCENTILE = 80


def measured(stack, y, site, percentiles, covariates=None, **said):
    """Table of one cohort with what it is of, and the CPU seconds it took."""
    start = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = held_out_effect(
            stack,
            np.array(["td", "asd"])[y],
            labels=("td", "asd"),
            percentiles=percentiles,
            blocks=site,
            covariates=covariates,
        ).table()
    table = table.assign(**said, people=len(y), seconds=time.process_time() - start)
    shown = (table["percentile"] == PERCENTILE) | (table["contrast"] == CHOSEN)
    print(table[shown].round(3).to_string(index=False), flush=True)
    return table


def of_series(asked):
    """The cohorts asked for from the series: weighted or not, adjusted or not."""
    graphs, subjects, phenotypes = release(ARCHIVE.parent)
    pairs = np.triu_indices(len(graphs.roi), 1)
    people = subjects.table
    motion = people["motion"].to_numpy()
    covariates = {
        "age": people["age"].to_numpy(),
        "age squared": people["age"].to_numpy() ** 2,
        "sex": people["sex"].to_numpy(str),
        "motion": motion,
        "log motion": np.log(motion + 0.02),
        "log volumes": np.log(people["volumes"].to_numpy()),
        "site": people["site"].to_numpy(str),
    }
    cohorts = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["cohorts"]
    members = {name: expressions.evaluate(of["where"], phenotypes) for name, of in cohorts.items()}
    members["everybody"] = np.ones(len(graphs.y), dtype=bool)
    for cohort in asked or members:
        rows = np.flatnonzero(members[cohort])
        known = np.isfinite(motion[rows])
        weighted = np.zeros((len(rows), *graphs.adjacency.shape[1:]), dtype=np.float32)
        weighted[:, *pairs] = subjects.weights[rows]
        weighted += weighted.transpose(0, 2, 1)
        for weights, stack in (("no", graphs.adjacency[rows]), ("yes", weighted)):
            for adjusted in ("no", "yes"):
                kept = known if adjusted == "yes" else np.ones_like(known)
                held = {name: value[rows][kept] for name, value in covariates.items()}
                yield measured(
                    *(stack[kept], graphs.y[rows][kept], held["site"], [PERCENTILE]),
                    covariates=held if adjusted == "yes" else None,
                    cohort=cohort,
                    graphs="series",
                    weighted=weights,
                    adjusted=adjusted,
                )


def main():
    """Measure all, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cohorts", nargs="*", help="of the series; none of the published graphs")
    parser.add_argument("--output", default=str(ROOT / "docs" / "effects.csv"))
    arguments = parser.parse_args()
    said = {"graphs": "published", "weighted": "no", "adjusted": "no"}
    tables = []
    if not arguments.cohorts:
        tables = [
            measured(graphs.adjacency, graphs.y, site, PERCENTILES, cohort=cohort, **said)
            for cohort, graphs, site in published(ARCHIVE)
        ]
        seconds = sum(table["seconds"][0] for table in tables)
        print(f"published graphs, {len(PERCENTILES)} percentiles: {seconds:.1f} CPU seconds")
    tables += of_series(arguments.cohorts)
    first = ["graphs", "cohort", "people", "weighted", "adjusted"]
    table = pd.concat(tables, ignore_index=True)
    table = table[first + [name for name in table if name not in first]]
    table.round(4).to_csv(arguments.output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
