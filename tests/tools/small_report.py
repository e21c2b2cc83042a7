"""A small run with everything that the report shows, made by the real parts in seconds."""

import json

import numpy as np
from contrast_subgraphs.config import checked
from contrast_subgraphs.contrast import CONTRASTS
from contrast_subgraphs.contrast.cohort import cohort_record, sweep_cohort
from contrast_subgraphs.core.atlas import COLUMNS
from contrast_subgraphs.core.atomic_files import save_json, save_table, save_text
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.splits import make_splits, read_splits
from contrast_subgraphs.methods import METHODS
from contrast_subgraphs.report.results import Results
from contrast_subgraphs.report.tables import TABLES

#: TD has more edges among the first, ASD among the second (rows of the AAL atlas).
PLANTED = {"td": [4, 6, 7, 9, 12, 15, 60, 92], "asd": [36, 37, 40, 41, 70, 71, 72, 76]}

PERCENTILES = [80, 90, 95]


def small_graphs(n=40, seed=0):
    """Return random graphs on the AAL regions with the two planted subgraphs."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    probability = np.full((n, 116, 116), 0.2)
    for group, nodes in enumerate(PLANTED.values()):
        for i in np.flatnonzero(y == group):
            probability[i][np.ix_(nodes, nodes)] = 0.6
    upper = np.triu(rng.random(probability.shape) < probability, 1).astype(np.uint8)
    return CohortGraphs(
        weights=upper + upper.transpose(0, 2, 1),
        y=y,
        subject=np.array([f"S{i:03d}" for i in range(n)]),
        roi=load_aal()["name"].to_numpy(str),
    )


def small_contrasts(graphs, cohort="children"):
    """Return the three contrasts' records of a cohort."""
    config = {"percentiles": PERCENTILES, "alphas": [], "solver": "search"}
    return {
        name: json.loads(
            json.dumps(
                cohort_record(sweep_cohort(graphs, name, 0, config), cohort, name, graphs.roi)
            )
        )
        for name in CONTRASTS
    }


def small_config(root):
    """Return the checked config of the small run: two cohorts, percentiles 80, 90 and 95."""
    import yaml

    config = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    config["source"] = "published"
    config["cohorts"] = {name: config["cohorts"][name] for name in ("children", "adolescents")}
    config["contrast"]["percentiles"] = PERCENTILES
    config["methods"] = ["cs-p1", "cs-p2", "edges"]
    config["report"] |= {
        "contrast_large": {"td-asd": 80, "asd-td": 80},
        "contrast_small": {"td-asd": 95, "asd-td": 95},
        "contrast_symmetric": {"symmetric": 90},
    }
    config["evaluation"] |= {"folds": 2, "permutations": 2, "repeats": {"paper": 2, "nested": 2}}
    return checked(config)


def write_run(folder, root):
    """Write graphs, contrasts, scores and tables of the small run.

    Returns
    -------
    dict
        ``config, tables, contrasts, graphs, atlas``: the arguments of `build_report`; and
        ``scores``, ``stability``, ``splits``: paths by cohort.
    """
    config = small_config(root)
    graphs, files = {}, {"scores": {}, "stability": {}, "splits": {}}
    members, contrasts = [], []
    atlas = folder / "data/atlas.tsv"
    save_table(load_aal()[list(COLUMNS)], atlas)
    for seed, cohort in enumerate(config["cohorts"]):
        graphs[cohort] = small_graphs(40, seed)
        graphs[cohort].save(folder / f"graphs/{cohort}.npz")
        members.append(folder / f"graphs/{cohort}.tsv")
        save_table(_members(graphs[cohort]), members[-1])
        for name, record in small_contrasts(graphs[cohort], cohort).items():
            contrasts.append(folder / f"contrast/{cohort}/{name}.json")
            save_json(contrasts[-1], record)
        splits = folder / f"evaluation/splits/{cohort}.csv"
        save_table(make_splits(graphs[cohort], cohort=cohort, repeats=2, folds=2), splits)
        files["splits"][cohort] = splits
        for protocol in config["evaluation"]["protocols"]:
            for method in config["methods"]:
                result = evaluate(
                    graphs[cohort],
                    METHODS[method],
                    name=method,
                    cohort=cohort,
                    protocol=protocol,
                    splits=read_splits(splits, graphs[cohort].subject)[:2],
                    folds=2,
                    n_permutations=2,
                    percentiles=PERCENTILES,
                )
                path = folder / f"evaluation/{protocol}/{cohort}/{method}.csv"
                save_table(result.scores, path)
                files["scores"].setdefault(cohort, []).append(path)
                if result.stability is not None:
                    stability = path.with_suffix(".stability.csv")
                    save_table(result.stability, stability)
                    files["stability"].setdefault(cohort, []).append(stability)
    paths = {cohort: folder / f"graphs/{cohort}.npz" for cohort in graphs}
    given = Results(
        config,
        members=members,
        graphs=list(paths.values()),
        contrasts=contrasts,
        atlas=[atlas],
        scores=[path for some in files["scores"].values() for path in some],
    )
    tables = {}
    for name in (
        *("subgraphs", "accuracy", "comparisons", "parameters", "cohorts", "regions", "systems"),
        "alternatives",
    ):
        TABLES[name].save(given, folder / "tables")
        tables[name] = folder / f"tables/{name}.csv"
    tables["excluded"] = folder / "graphs/excluded.tsv"
    save_text(tables["excluded"], "subject\treason\nS900\tregion 3 is constant\n")
    return files | {
        "config": config,
        "tables": tables,
        "contrasts": contrasts,
        "graphs": paths,
        "atlas": atlas,
    }


def _members(graphs):
    import pandas as pd

    return pd.DataFrame({"subject": graphs.subject, "group": np.where(graphs.y == 0, "td", "asd")})


#: Of the tests of the small run.
INFERENCE = {
    "permutations": 39,
    "halves": 4,
    "effects": {"folds": 3, "repeats": 2},
    "covariates": [],
    "blocks": None,
}


def add_tests(made, folder, few=4):
    """Test and measure the sets of a run of `write_run`; return it with these tables beside it.

    The tables are also in ``tested``, as `Results` reads them. `few`: relabellings for intervals.
    """
    from contrast_subgraphs.contrast.files import load_subgraphs
    from contrast_subgraphs.core.atomic_files import load_table
    from contrast_subgraphs.inference import effect_size
    from contrast_subgraphs.inference.cohort import (
        cohort_effects,
        cohort_stability,
        cohort_test,
    )

    kinds = {"inference": [], "effects": [], "shares": []}
    usual = effect_size.CALIBRATION
    effect_size.CALIBRATION = few
    for cohort, path in made["graphs"].items():
        graphs = CohortGraphs.load(path)
        members = load_table(path.with_suffix(".tsv"), ["subject"])
        records = [load_subgraphs(one) for one in made["contrasts"] if one.parent.name == cohort]
        of_cohort = INFERENCE, 0, cohort
        found = {
            "inference": cohort_test(graphs, members, records, *of_cohort),
            "effects": cohort_effects(graphs, members, records, *of_cohort)[0],
            "shares": cohort_stability(graphs, members, PERCENTILES, *of_cohort),
        }
        for kind, table in found.items():
            kinds[kind].append(folder / f"{kind}/{cohort}.csv")
            save_table(table, kinds[kind][-1])
    effect_size.CALIBRATION = usual
    tested = Results(
        made["config"],
        graphs=list(made["graphs"].values()),
        contrasts=made["contrasts"],
        atlas=[made["atlas"]],
        **kinds,
    )
    tables = dict(made["tables"])
    for name in ("significance", "effects", "regions"):
        TABLES[name].save(tested, folder / "tables")
        tables[name] = folder / f"tables/{name}.csv"
    return made | {"tables": tables, "tested": tested}
