"""Data of one's own for the tests: made subjects in the formats that people have."""

import numpy as np
import pandas as pd
import yaml
from contrast_subgraphs.data.abide import PHENOTYPES
from contrast_subgraphs.data.phenotypes import HEADER
from contrast_subgraphs.data.series import write_1d


def people(groups, sites=("A", "NA")):
    """Return a BIDS-like table of people: ``{group: number}``."""
    rows = [
        {
            "participant_id": f"sub-{number:03d}",
            "group": group,
            "age": 20 + number % 17 if number % 9 else "n/a",
            "sex": "MF"[number % 2],
            "site": sites[number % len(sites)],
        }
        for number, group in enumerate(
            [group for group, size in groups.items() for _ in range(size)], start=1
        )
    ]
    return pd.DataFrame(rows)


def atlas(p, places=True):
    """Return an atlas's table of `p` regions in four systems."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"index": np.arange(1, p + 1), "label": [f"Région {i}" for i in range(p)]})
    table["network"] = [("Visual", "Default", "Motor", "Limbic")[4 * i // p] for i in range(p)]
    if places:
        table[["x", "y", "z"]] = rng.normal(scale=30, size=(p, 3)).round(1)
    return table


def matrix(rng, p, planted, effect):
    """Return a made weighted matrix with more weight between the `planted` regions."""
    upper = np.triu(rng.normal(0.1, 0.25, (p, p)), 1)
    upper[np.ix_(planted, planted)] += np.triu(np.full((len(planted),) * 2, effect), 1)
    return np.round(upper + upper.T, 6)


def series(rng, p, volumes, planted, effect):
    """Return made series with a signal that the `planted` regions share."""
    values = rng.standard_normal((volumes, p))
    values[:, planted] += effect * rng.standard_normal((volumes, 1))
    return np.round(values, 5)


def write_config(path, data, source, **more):
    """Write a config of seconds for data in the folder `data`."""
    config = {
        "source": "folder",
        "sources": {"folder": {"subjects": str(data / "participants.tsv")} | source},
        "groups": {
            "control": "group == 'control'",
            "patient": {"label": "Patients", "where": "group == 'patient'"},
        },
        "contrast": {"percentiles": [80, 90], "limits": {"nodes": 100, "alternatives": 20}},
        "inference": {"permutations": 0},
        "methods": ["cs-p1", "cs-p2", "edges"],
        "evaluation": {
            "repeats": {"paper": 2, "nested": 2},
            "folds": 2,
            "permutations": 1,
            "svm": {"C": [0.1, 1]},
        },
        "report": {
            "contrast_large": {"control-patient": 80, "patient-control": 80},
            "contrast_small": {"control-patient": 90, "patient-control": 90},
            "contrast_symmetric": {"symmetric": 90},
        },
    }
    path.write_text(yaml.safe_dump(config | more, sort_keys=False), encoding="utf-8")
    return path


def write_release(folder, derivative, codes, subjects=24):
    """Write a release in ABIDE's layout: made series on the regions of another atlas."""
    series_folder = folder / "Outputs" / "dparsf" / "filt_global" / derivative
    series_folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    rows = []
    for number in range(1, subjects + 1):
        site = "NYU" if number % 3 else "UM_1"
        rows.append(
            {
                "SUB_ID": number,
                "SITE_ID": site,
                "FILE_ID": f"{site}_{number:07d}",
                "DX_GROUP": 1 + number % 2,
                "AGE_AT_SCAN": 8.0 + number,
                "SEX": 1,
                "func_mean_fd": 0.1,
            }
        )
        planted = range(10) if number % 2 else range(40, 52)
        values = series(rng, len(codes), 80, list(planted), 1.0)
        name = f"{site}_{number:07d}_{derivative}.1D"
        write_1d(series_folder / name, codes, values)
    table = pd.DataFrame(rows).reindex(columns=list(HEADER))
    table.to_csv(folder / PHENOTYPES, index=False, lineterminator="\n")


def abide_config(path, url, cache, **source):
    """Write a config of seconds for a release at `url`."""
    config = {
        "source": "abide",
        "sources": {"abide": {"url": url, "data_dir": str(cache), "attempts": 1} | source},
        "cohorts": {
            **dict.fromkeys(["children", "adolescents", "eyesclosed", "male"]),
            "everybody": {"where": "True"},
        },
        "contrast": {"percentiles": [80, 90], "limits": {"nodes": 100, "alternatives": 20}},
        "inference": {"permutations": 0},
        "methods": ["cs-p1"],
        "evaluation": {
            "repeats": {"paper": 2, "nested": 2},
            "folds": 2,
            "permutations": 1,
            "svm": {"C": [0.1, 1]},
        },
        "report": {
            "cohorts": ["everybody"],
            "contrast_large": {"td-asd": 80, "asd-td": 80},
            "contrast_small": {"td-asd": 90, "asd-td": 90},
            "contrast_symmetric": {"symmetric": 90},
        },
    }
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path
