"""One self-contained page that tells what a run found: ``report.html``.

Everything on it comes from files of the run. The page asks nothing of the network: its
pictures, styles, scripts and the 3-D viewer (plotly.js and the fsaverage5 surface, both
shipped with nilearn) are inside, and its content security policy forbids the rest.
"""

import base64
import hashlib
import io
import json
import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from .. import __version__
from ..contrast.records import cohort_difference, load_subgraphs
from ..core.atlas import describe_regions
from ..core.errors import InputError
from ..core.files import load_table, save_text
from ..core.graphs import CohortGraphs
from ..core.methods import METHOD_LABELS
from ..data.atlases import load_aal
from .figures.captions import FIGURES, alternative_text, caption
from .figures.style import CONTRAST_LABELS, GROUP_LOOKS
from .findings import leakage_sentences
from .tables.accuracy import accuracy_notes, accuracy_shown
from .tables.cohorts import cohorts_shown
from .tables.comparisons import comparisons_shown
from .tables.formats import number, rounded
from .tables.parameters import parameters_shown
from .tables.runtime import runtime_shown

#: A page that is larger cannot be sent by mail.
LARGEST = 15e6

#: Packages whose versions the page states.
PACKAGES = (
    "contrast-subgraphs",
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "numba",
    "gensim",
    "cvxpy",
    "nilearn",
    "matplotlib",
    "snakemake",
)


def build_report(path, *, config, tables, figures=(), contrasts=(), graphs=(), provenance=None):
    """Write the page.

    Parameters
    ----------
    path : str or pathlib.Path
        The ``.html`` file.
    config : dict
        The run's checked config.
    tables : dict
        Name -> path of the CSV or TSV file. Known are ``accuracy, cohorts, parameters,
        comparisons, rules, solver, runtime, regions, systems, recovery`` and
        ``excluded``; what is not given is left out of the page.
    figures : iterable of str or pathlib.Path
        PNG files ``<figure>.png`` or ``<figure>-<cohort>.png`` (without a cohort: the
        first one of ``report.cohorts``).
    contrasts : iterable of str or pathlib.Path
        Files ``contrast/<cohort>/<contrast>.json`` for the 3-D view.
    graphs : dict
        Cohort -> path of ``graphs/<cohort>.npz``, for the same cohorts.
    provenance : dict, optional
        See `collect_provenance`.

    Raises
    ------
    InputError
        If a file is missing or damaged, a name is unknown, or the page would be larger
        than 15 MB.
    """
    labels = {name: cohort["label"] for name, cohort in config["cohorts"].items()}
    loaded = {name: _load(name, file) for name, file in tables.items()}
    records = [load_subgraphs(file) for file in contrasts]
    proven = _proven(loaded.get("solver"), config["contrast"]["solver"])
    page = {
        "title": "Contrast subgraphs of brain networks",
        "labels": labels,
        "source": config["source"],
        "percentiles": config["report"],
        "numbers": _headline_numbers(loaded.get("accuracy"), labels),
        "sentences": _sentences(loaded.get("accuracy"), labels, proven),
        "tables": {
            name: view for name, view in _tables(loaded, labels, config).items() if view["rows"]
        },
        "notes": accuracy_notes(loaded["accuracy"], labels) if "accuracy" in loaded else [],
        "figures": _figures(figures, config, labels),
        "viewer": _viewer(records, graphs, labels, config["report"]["edge_weight"]),
        "proven": proven,
        "provenance": _provenance_view(provenance or {}, config),
        "version": __version__,
    }
    html = _render(page)
    if len(html.encode()) > LARGEST:
        raise InputError(
            f"{path} would have {len(html.encode()) / 1e6:.1f} MB, more than can be mailed: show "
            "fewer cohorts (report.cohorts in the config)"
        )
    save_text(path, html)


def _proven(solver, ours):
    """Return how many of the run's sets are proven optimal, and how many there are."""
    if solver is None:
        return 0, 0
    rows = solver[solver["solver"] == ours].drop_duplicates(
        ["cohort", "contrast", "percentile", "alpha"]
    )
    return int(rows["optimal"].sum()), len(rows)


# --- tables -------------------------------------------------------------------------


def _load(name, path):
    if name not in _KNOWN_TABLES:
        raise InputError(f"the report knows no table {name!r}: {', '.join(_KNOWN_TABLES)}")
    columns = _KNOWN_TABLES[name]
    text = {"parameters": str, "percentiles": str, "value": str, "paper_value": str}
    table = load_table(path, columns, dtype={c: t for c, t in text.items() if c in columns})
    return table


_KNOWN_TABLES = {
    "accuracy": ("cohort", "method", "protocol", "mean", "std", "parameters", "control_mean"),
    "cohorts": ("cohort", "description", "td", "asd", "paper_td", "paper_asd"),
    "parameters": ("cohort", "method", "parameter", "value", "paper_value"),
    "comparisons": ("cohort", "protocol", "method", "other", "difference", "p_holm"),
    "rules": ("cohort", "rule", "part", "precision", "recall"),
    "solver": ("cohort", "contrast", "percentile", "alpha", "solver", "objective", "optimal"),
    "runtime": ("stage", "job", "seconds", "cpu_seconds", "memory_mb"),
    "regions": ("cohort", "contrast", "percentile", "region", "degree"),
    "systems": ("cohort", "contrast", "percentile", "grouping", "group", "count"),
    "recovery": ("cohort", "contrast", "percentile", "planted", "found", "precision", "recall"),
    "excluded": ("subject", "reason"),
}


def _tables(loaded, labels, config):
    """Return what is shown of each table: texts under readable headings."""
    show = {
        "accuracy": lambda table: accuracy_shown(table, labels),
        "cohorts": lambda table: cohorts_shown(table, labels),
        "parameters": lambda table: parameters_shown(table, labels),
        "comparisons": lambda table: comparisons_shown(table, labels),
        "runtime": runtime_shown,
        "rules": lambda table: _rules_shown(table, labels),
        "solver": lambda table: _solver_shown(table, labels),
        "regions": lambda table: _regions_shown(table, labels, config),
        "systems": lambda table: _systems_shown(table, labels, config),
        "recovery": lambda table: rounded(_named(table, labels)),
        "excluded": _excluded_shown,
    }
    shown = {name: show[name](table) for name, table in loaded.items()}
    if "systems" in loaded:
        shown["claims"] = _claims_shown(loaded["systems"], labels, config)
    return {name: _view(table) for name, table in shown.items()}


def _view(table):
    """Return a data frame of texts as the template wants it."""
    texts = table.astype(object).where(table.notna(), "").astype(str)
    columns = [
        {"label": str(label), "numeric": bool(texts[label].map(_is_number).all())}
        for label in texts.columns
    ]
    return {"columns": columns, "rows": texts.to_numpy().tolist()}


def _is_number(text):
    return re.fullmatch(r"(< |−|-)?[\d.,]+(e-?\d+)?( ?[±to()%/ ].*)?|", text.strip()) is not None


def _named(table, labels):
    """Return a copy with the names of cohorts, contrasts and methods as people write them."""
    table = table.copy()
    table["cohort"] = table["cohort"].map(lambda name: labels.get(name, name))
    if "contrast" in table:
        table["contrast"] = table["contrast"].map(lambda name: CONTRAST_LABELS.get(name, name))
    return table


def _at(percentile):
    return "" if pd.isna(percentile) else f"{percentile:g}"


def _rules_shown(table, labels):
    table = _named(table, labels)
    shown = {"Dataset": table["cohort"], "Rule": table["rule"], "Measured on": table["part"]}
    if {"text", "section"} <= set(table):
        shown["Rule"] = table["text"] + " (Section " + table["section"].astype(str) + ")"
    for column, heading in (("selected", "Selected"), ("correct", "Correct")):
        if column in table:
            shown[heading] = table[column]
    shown["Precision"] = table["precision"].map(number)
    shown["Recall"] = table["recall"].map(number)
    for column, heading in (
        ("share", "Precision at random"),
        ("control_precision", "Precision, permuted"),
    ):
        if column in table:
            shown[heading] = table[column].map(number)
    return pd.DataFrame(shown)


def _solver_shown(table, labels):
    table = _named(table, labels)
    shown = {
        "Dataset": table["cohort"],
        "Contrast": table["contrast"],
        "Percentile": table["percentile"].map(_at),
        "α": table["alpha"].map(lambda v: number(v, 4)),
        "Solver": table["solver"],
        "Objective": table["objective"].map(lambda v: number(v, 4)),
    }
    for column, heading, digits in (
        ("upper_bound", "Upper bound", 4),
        ("gap", "Gap", 4),
        ("seconds", "Seconds", 2),
    ):
        if column in table:
            shown[heading] = [number(v, digits) for v in table[column]]
    shown["Proven optimal"] = table["optimal"].map({True: "yes", False: "no"})
    return pd.DataFrame(shown)


def _pictured(table, config):
    """Return the rows of the subgraphs that the figures show."""
    report = config["report"]
    parts = []
    for cohort in config["report"]["cohorts"]:
        for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):
            for contrast, percentile in report[figure].items():
                here = (table["cohort"] == cohort) & (table["contrast"] == contrast)
                parts.append(table[here & (table["percentile"] == percentile)])
    return pd.concat(parts).drop_duplicates()


def _regions_shown(table, labels, config):
    table = _named(_pictured(table, config), labels)
    return pd.DataFrame(
        {
            "Dataset": table["cohort"],
            "Contrast": table["contrast"],
            "Percentile": table["percentile"].map(_at),
            "Region": table["region"],
            "Hemisphere": table["hemisphere"],
            "System": table["system"],
            "Weighted degree": table["degree"].map(lambda v: number(v, 3)),
        }
    )


def _claims_shown(table, labels, config):
    """Return a row for each pictured subgraph, a column for each group that the paper names."""
    table = _named(_pictured(table, config), labels)
    rows = []
    keys = ["cohort", "contrast", "percentile"]
    for (cohort, contrast, percentile), part in table.groupby(keys, sort=False):
        everything = part[part["grouping"] == "all"].iloc[0]
        groups = part[part["grouping"] == "paper"]
        rows.append(
            {
                "Dataset": cohort,
                "Contrast": contrast,
                "Percentile": _at(percentile),
                "Regions": everything["count"],
                "Left / right": f"{everything['left']} / {everything['right']}",
                "Laterality": number(everything["laterality"]),
                **{
                    group.capitalize(): f"{count} ({number(expected, 1)})"
                    for group, count, expected in zip(
                        groups["group"], groups["count"], groups["expected"], strict=True
                    )
                },
            }
        )
    return pd.DataFrame(rows)


def _systems_shown(table, labels, config):
    table = _pictured(table, config)
    table = _named(table[table["grouping"] != "all"], labels)
    return pd.DataFrame(
        {
            "Dataset": table["cohort"],
            "Contrast": table["contrast"],
            "Percentile": table["percentile"].map(_at),
            "Kind": table["grouping"],
            "Group": table["group"],
            "Left": table["left"],
            "Right": table["right"],
            "Midline": table["midline"],
            "Regions": table["count"],
            "At random": table["expected"].map(lambda v: number(v, 1)),
            "p": table["p_value"].map(_p),
        }
    )


def _p(value):
    return "< 0.001" if value < 0.001 else number(value, 3)


def _excluded_shown(table):
    """Count the subjects left out for each reason."""
    reasons = table.groupby("reason", sort=False)["subject"].agg(["size", _few])
    return pd.DataFrame(
        {"Reason": reasons.index, "Subjects": reasons["size"], "Which": reasons["_few"]}
    )


def _few(subjects):
    subjects = list(map(str, subjects))
    return ", ".join(subjects[:5]) + (f" and {len(subjects) - 5} more" if len(subjects) > 5 else "")


def _headline_numbers(accuracy, labels):
    """Return the numbers at the top: one method on one cohort, from the paper to nested."""
    if accuracy is None:
        return None
    rows = accuracy[accuracy["method"].isin(["cs-p2", "cs-p1"])]
    if rows.empty:
        return None
    cohort = rows["cohort"].iloc[0]
    rows = rows[rows["cohort"] == cohort]
    method = "cs-p2" if (rows["method"] == "cs-p2").any() else "cs-p1"
    rows = rows[rows["method"] == method].set_index("protocol")
    numbers = []
    if "paper" in rows.index:
        row = rows.loc["paper"]
        numbers += [
            ("in the paper", row.get("paper_mean"), "printed in its Table 2"),
            ("ours, same protocol", row["mean"], "test subjects helped to choose"),
            ("same, permuted diagnoses", row["control_mean"], "nothing there to learn"),
        ]
    if "nested" in rows.index:
        row = rows.loc["nested"]
        numbers += [
            ("ours, nested", row["mean"], "all chosen in the training part"),
            ("nested, permuted diagnoses", row["control_mean"], "nothing there to learn"),
        ]
    return {
        "of": f"{METHOD_LABELS[method]} on {labels.get(cohort, cohort)}",
        "items": [
            {"label": label, "value": number(value), "note": note}
            for label, value, note in numbers
            if not pd.isna(value)
        ],
    }


def _sentences(accuracy, labels, proven):
    return [] if accuracy is None else leakage_sentences(accuracy, labels, proven)


# --- figures ------------------------------------------------------------------------


def figure_of(path):
    """Return the figure's name and its cohort (None: the first), from the file's name.

    Raises
    ------
    InputError
        If there is no such figure.
    """
    name, _, cohort = Path(path).stem.partition("-")
    if name not in FIGURES:
        raise InputError(f"the report knows no figure {name!r}: {', '.join(FIGURES)}")
    return name, cohort or None


def _figures(paths, config, labels):
    """Return the figures by section, in the order of `FIGURES`."""
    first = config["report"]["cohorts"][0]
    shown = {}
    for path in paths:
        name, cohort = figure_of(path)
        about = FIGURES[name]
        cohort = (cohort or first) if about.by_cohort else None
        label = labels.get(cohort, cohort) if cohort else ""
        picture, width, height = _png(path)
        shown[name, cohort] = {
            "id": f"figure-{name}" + (f"-{cohort}" if cohort else ""),
            "title": about.title + (f", {label}" if label else ""),
            "alt": alternative_text(name, label),
            "caption": caption(name, config, cohort),
            "picture": picture,
            "width": width,
            "height": height,
            "section": about.section,
        }
    order = {name: place for place, name in enumerate(FIGURES)}
    places = {cohort: place for place, cohort in enumerate(labels)}
    ordered = sorted(shown, key=lambda key: (places.get(key[1], -1), order[key[0]]))
    sections = {}
    for key in ordered:
        sections.setdefault(shown[key]["section"], []).append(shown[key])
    return sections


def _png(path):
    """Return a picture as a data URI of few colours, and its size in CSS pixels.

    A figure of the full width, 1400 pixels, gets 980: as wide as the page's text.
    """
    from PIL import Image

    try:
        picture = Image.open(path)
        picture.load()
    except (OSError, SyntaxError) as error:
        raise InputError(f"{path} is missing or no picture ({error})") from error
    width, height = picture.size
    small = io.BytesIO()
    picture.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE).save(
        small, "png", optimize=True
    )
    data = min(small.getvalue(), Path(path).read_bytes(), key=len)
    return (
        "data:image/png;base64," + base64.b64encode(data).decode(),
        round(width * 0.7),
        round(height * 0.7),
    )


# --- the 3-D view -------------------------------------------------------------------


def _viewer(records, graphs, labels, edge_weight):
    """Return what the 3-D view shows, or None if there is nothing or no place for it."""
    by_cohort = {}
    for record in records:
        by_cohort.setdefault(record["cohort"], {})[record["contrast"]] = record
    cohorts, regions = [], None
    for cohort in [*(name for name in labels if name in by_cohort)]:
        if cohort not in graphs:
            raise InputError(f"contrast subgraphs of {cohort} are given, its graphs are not")
        stack = CohortGraphs.load(graphs[cohort])
        if regions is None:
            regions = describe_regions(stack.roi, load_aal())
        cohorts.append(
            {
                "name": cohort,
                "label": labels[cohort],
                "contrasts": [
                    _contrast_view(by_cohort[cohort][name], stack, edge_weight)
                    for name in CONTRAST_LABELS
                    if name in by_cohort[cohort]
                ],
            }
        )
    if not cohorts or regions[["x", "y", "z"]].isna().any(axis=None):
        return None
    return {
        "cohorts": cohorts,
        "regions": regions.to_dict("list"),
        "surface": _surface(),
        "colours": {"td": GROUP_LOOKS[0].colour, "asd": GROUP_LOOKS[1].colour},
        "edge_weight": edge_weight,
    }


def _contrast_view(record, graphs, edge_weight):
    signed = cohort_difference(graphs, "td-asd")
    weights = cohort_difference(graphs, record["contrast"])
    subgraphs = []
    for subgraph in record["subgraphs"]:
        nodes = np.array(subgraph["nodes"], dtype=int)
        inside = weights[np.ix_(nodes, nodes)]
        rows, columns = np.nonzero(np.triu(inside >= edge_weight, 1))
        subgraphs.append(
            {
                "percentile": subgraph["percentile"],
                "alpha": float(f"{subgraph['alpha']:.6g}"),
                "objective": float(f"{subgraph['objective']:.6g}"),
                "bound": float(f"{subgraph['upper_bound']:.6g}"),
                "optimal": bool(subgraph["optimal"]),
                "nodes": nodes.tolist(),
                "degree": inside.sum(axis=1).round(4).tolist(),
                "edges": [
                    [int(nodes[i]), int(nodes[j]), round(float(signed[nodes[i], nodes[j]]), 4)]
                    for i, j in zip(rows, columns, strict=True)
                ],
            }
        )
    return {
        "name": record["contrast"],
        "label": CONTRAST_LABELS[record["contrast"]],
        "subgraphs": subgraphs,
    }


def _surface():
    """Return nilearn's fsaverage5 pial surface in 0.01 mm and 16 bits, as base64."""
    from nilearn.datasets import fetch_surf_fsaverage
    from nilearn.surface import load_surf_mesh

    fsaverage = fetch_surf_fsaverage("fsaverage5")  # ships with nilearn
    halves = []
    for side in ("left", "right"):
        mesh = load_surf_mesh(fsaverage[f"pial_{side}"])
        places = np.rint(np.asarray(mesh.coordinates) * 100).astype("<i2")
        faces = np.asarray(mesh.faces).astype("<u2")
        halves.append(
            {
                name: base64.b64encode(values.tobytes()).decode()
                for name, values in (("places", places), ("faces", faces))
            }
        )
    return halves


# --- where it all comes from --------------------------------------------------------


def collect_provenance(config, data=(), root=None):
    """Return what a run rests on, for `build_report`.

    Parameters
    ----------
    config : dict
    data : iterable of str or pathlib.Path
        Files whose hashes are stated: the archive, the phenotypes, the graphs.
    root : str or pathlib.Path, optional
        Folder of the checkout, for its commit.

    Returns
    -------
    dict
        ``run`` (source, seed, version, commit), ``versions`` and ``files`` (file, bytes,
        sha256).
    """
    run = {"source": config["source"], "seed": config["seed"], "version": __version__}
    if root is not None:
        commit = _git(root, "rev-parse", "HEAD")
        if commit:
            run["commit"] = commit + (" with changes" if _git(root, "status", "-s", "-uno") else "")
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    hashes = []
    for path in data:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        hashes.append({"file": str(path), "bytes": Path(path).stat().st_size, "sha256": digest})
    return {"run": run, "versions": versions, "files": hashes}


def _git(root, *command):
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *command], capture_output=True, text=True, check=False
        )
    except OSError:  # no git here
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _provenance_view(provenance, config):
    """Return lists and tables for the template, and the config as YAML."""
    view = {"lists": {}, "tables": {}, "config": yaml.safe_dump(config, sort_keys=False)}
    for heading, value in provenance.items():
        if isinstance(value, dict):
            view["lists"][heading] = {str(k): str(v) for k, v in value.items()}
        elif value:
            view["tables"][heading] = _view(pd.DataFrame(value))
    return view


# --- the page -----------------------------------------------------------------------


def _render(page):
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("contrast_subgraphs", "report/assets"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = files("contrast_subgraphs") / "report" / "assets"
    assets = {
        name: Markup((folder / name).read_text(encoding="utf-8"))
        for name in ("page.css", "page.js", "viewer.js")
    }
    assets["plotly"] = Markup(_plotly()) if page["viewer"] else ""
    return environment.get_template("page.html").render(
        **page, assets=assets, viewer_data=Markup(_script_safe(page["viewer"]))
    )


def _plotly():
    """Return the source of plotly.js that nilearn ships for its own views."""
    path = files("nilearn") / "plotting" / "data" / "js" / "plotly-gl3d-latest.min.js"
    return path.read_text(encoding="utf-8").replace("</script", "<\\/script")


def _script_safe(value):
    """Return JSON that cannot end the script element it stands in."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
