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

from .. import __version__
from ..contrast.records import cohort_difference
from ..core.errors import InputError
from ..core.extras import optional
from ..core.files import load_table, save_text
from .figures import FIGURES, About, figure_of
from .findings import leakage_sentences
from .given import Given
from .names import Names, pictured
from .tables import TABLES
from .tables.formats import number
from .tables.systems import CLAIMS
from .tables.table import Shown

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


def build_report(
    path, *, config, tables, figures=(), contrasts=(), graphs=(), atlas=None, provenance=None
):
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
    atlas : str or pathlib.Path
        ``data/atlas.tsv``, with contrasts.
    provenance : dict, optional
        See `collect_provenance`.

    Raises
    ------
    InputError
        If a file is missing or damaged, a name is unknown, or the page would be larger
        than 15 MB.
    """
    names = Names.of(config)
    loaded = {name: _load(name, file) for name, file in tables.items()}
    files = {"contrasts": list(contrasts), "graphs": list(dict(graphs).values()), "atlas": [atlas]}
    given = Given(config, **files)
    proven = _proven(loaded.get("solver"), config["contrast"]["solver"])
    page = {
        "title": "Contrast subgraphs of brain networks",
        "names": names,
        "source": config["source"],
        "numbers": _headline_numbers(loaded.get("accuracy"), names),
        "sentences": _sentences(loaded.get("accuracy"), names, proven),
        "tables": _tables(loaded, names, config),
        "figures": _figures(figures, config, names),
        "viewer": _viewer(given, names, config["report"]["edge_weight"]),
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

#: Tables of which the page shows the pictured subgraphs alone.
_PICTURED = ("regions", "systems")


def _load(name, path):
    if name == "excluded":
        return load_table(path, ("subject", "reason"))
    if name not in TABLES:
        raise InputError(f"the report knows no table {name!r}: {', '.join([*TABLES, 'excluded'])}")
    return TABLES[name].load(path)


def _tables(loaded, names, config):
    """Return what is shown of each table that has rows."""
    shown = {}
    for name, table in loaded.items():
        if name in _PICTURED:
            table = _pictured(table, names, config)
        if name == "excluded":
            shown[name] = Shown(_excluded(table), "Subjects left out, by reason.", [])
        elif len(table):
            shown[name] = TABLES[name].shown(table, names)
        if name == "systems" and names.paper and len(table):
            shown["claims"] = CLAIMS.shown(table, names)
    return {name: _view(one) for name, one in shown.items() if len(one.texts)}


def _view(shown):
    """Return a table as the template wants it."""
    texts = shown.texts.astype(str)
    columns = [
        {"label": str(label), "numeric": bool(texts[label].map(_is_number).all())}
        for label in texts.columns
    ]
    return {
        "columns": columns,
        "rows": texts.to_numpy().tolist(),
        "caption": shown.caption,
        "notes": shown.notes,
    }


def _is_number(text):
    return re.fullmatch(r"(< |−|-)?[\d.,]+(e-?\d+)?( ?[±to()%/ ].*)?|", text.strip()) is not None


def _pictured(table, names, config):
    """Return the rows of the subgraphs that the figures show."""
    parts = [table[:0]]
    for cohort in config["report"]["cohorts"]:
        for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):
            for contrast, percentile in pictured(config, names, figure, cohort).items():
                here = (table["cohort"] == cohort) & (table["contrast"] == contrast)
                parts.append(table[here & (table["percentile"] == percentile)])
    return pd.concat(parts).drop_duplicates()


def _excluded(table):
    """Count the subjects left out for each reason."""
    reasons = table.groupby("reason", sort=False)["subject"].agg(["size", _few])
    return pd.DataFrame(
        {"Reason": reasons.index, "Subjects": reasons["size"], "Which": reasons["_few"]}
    )


def _few(subjects):
    subjects = list(map(str, subjects))
    return ", ".join(subjects[:5]) + (f" and {len(subjects) - 5} more" if len(subjects) > 5 else "")


def _headline_numbers(accuracy, names):
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
        "of": f"{names('method', method)} on {names('cohort', cohort)}",
        "items": [
            {"label": label, "value": number(value), "note": note}
            for label, value, note in numbers
            if not pd.isna(value)
        ],
    }


def _sentences(accuracy, names, proven):
    return [] if accuracy is None else leakage_sentences(accuracy, names, proven)


# --- figures ------------------------------------------------------------------------


def _figures(paths, config, names):
    """Return the figures by section: cohort by cohort, each in the order of `FIGURES`."""
    shown = {}
    for path in paths:
        name, cohort = figure_of(path, config)
        figure, about = FIGURES[name], About(config, names, cohort)
        picture, width, height = _png(path)
        shown[name, cohort] = {
            "id": f"figure-{name}" + (f"-{cohort}" if cohort else ""),
            "title": figure.title + (f", {about.label}" if cohort else ""),
            "alt": figure.alt(about),
            "caption": figure.caption(about),
            "picture": picture,
            "width": width,
            "height": height,
            "section": figure.section,
        }
    order, places = list(FIGURES), list(names.cohorts)
    ordered = sorted(
        shown, key=lambda key: (places.index(key[1]) if key[1] else -1, order.index(key[0]))
    )
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


def _viewer(given, names, edge_weight):
    """Return what the 3-D view shows, or None if there is nothing or no place for it."""
    cohorts = []
    for cohort in (name for name in names.cohorts if name in given.contrasts):
        if cohort not in given.graphs:
            raise InputError(f"contrast subgraphs of {cohort} are given, its graphs are not")
        graphs, looks = given.graphs[cohort], names.looks(cohort)
        signed = cohort_difference(graphs, next(iter(looks.contrasts)))
        records = given.contrasts[cohort]
        cohorts.append(
            {
                "name": cohort,
                "label": names("cohort", cohort),
                "contrasts": [
                    _contrast_view(records[name], look.label, graphs, signed, edge_weight)
                    for name, look in looks.contrasts.items()
                    if name in records
                ],
            }
        )
    if not cohorts or given.atlas[["x", "y", "z"]].isna().any(axis=None):
        return None
    return {
        "cohorts": cohorts,
        "regions": given.atlas.to_dict("list"),
        "surface": _surface(),
        "colours": [look.colour for look in names.looks().groups],
        "groups": names.group_labels(),
        "edge_weight": edge_weight,
    }


def _contrast_view(record, label, graphs, signed, edge_weight):
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
    return {"name": record["contrast"], "label": label, "subgraphs": subgraphs}


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
    yaml = optional("yaml", "workflow")
    view = {"lists": {}, "tables": {}, "config": yaml.safe_dump(config, sort_keys=False)}
    for heading, value in provenance.items():
        if isinstance(value, dict):
            view["lists"][heading] = {str(k): str(v) for k, v in value.items()}
        elif value:
            view["tables"][heading] = _view(Shown(pd.DataFrame(value), heading.capitalize(), []))
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
