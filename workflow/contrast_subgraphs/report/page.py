"""One self-contained page that shows what a run found: ``report.html``.

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
from ..core.atomic_files import load_table, save_text
from ..core.errors import InputError
from ..core.extras import optional
from ..core.graphs import contrast_names
from .figures import FIGURES, About, Looks, figure_of
from .findings import abstract, answers, findings, last_words, leakage_sentences
from .given import Given
from .names import PAPER_SOURCES, Names, pictured
from .tables import TABLES
from .tables.significance import CHANCE
from .tables.subgraphs import density, density_text
from .tables.systems import CLAIMS
from .tables.table import Shown

#: A page that is larger cannot be sent by mail.
LARGEST = 15e6

#: Sections in their order: heading, and whether there is something to show.
SECTIONS = {
    "where": (
        "Where the groups differ",
        lambda page: (
            page["viewer"]
            or "subgraphs" in page["figures"]
            or {"subgraphs", "regions", "recovery"} & set(page["tables"])
        ),
    ),
    "real": (
        "Is it real?",
        lambda page: (
            {"real", "significance"} & set(page["figures"])
            or {"significance", "group_tests"} & set(page["tables"])
        ),
    ),
    "predict": ("What it can predict", lambda page: "accuracy" in page["tables"]),
    "paper": (
        "Beside the paper",
        lambda page: (
            page["names"].paper and {"claims", "rules", "parameters"} & set(page["tables"])
        ),
    ),
    "data": (
        "The data",
        lambda page: (
            page["warnings"]
            or "data" in page["figures"]
            or {"cohorts", "excluded"} & set(page["tables"])
        ),
    ),
    "provenance": ("Provenance", lambda page: True),
    "cite": ("How to cite", lambda page: True),
}

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
    path,
    *,
    config,
    tables,
    figures=(),
    contrasts=(),
    graphs=(),
    atlas=None,
    warned=(),
    provenance=None,
):
    """Write the page.

    Parameters
    ----------
    path : str or pathlib.Path
        The ``.html`` file.
    config : dict
        The run's checked config.
    tables : dict
        Name -> path of the CSV or TSV file: those of `TABLES`, and ``excluded``; what is
        not given is left out of the page.
    figures : iterable of str or pathlib.Path
        PNG files ``<figure>.png`` or ``<figure>-<cohort>.png`` (without a cohort: the
        first one of ``report.cohorts``).
    contrasts : iterable of str or pathlib.Path
        Files ``contrast/<cohort>/<contrast>.json`` for the 3-D view.
    graphs : dict
        Cohort -> path of ``graphs/<cohort>.npz``, for the same cohorts.
    atlas : str or pathlib.Path
        ``data/atlas.tsv``, with contrasts.
    warned : iterable of str or pathlib.Path
        Records of the jobs' warnings, a warning a line; those that do not exist had none.
    provenance : dict, optional
        See `collect_provenance`.

    Returns
    -------
    list of str
        The three lines with which a run ends.

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
    about = {
        cohort: (findings(loaded, names, config, cohort), loaded, names, cohort)
        for cohort in config["report"]["cohorts"]
    }
    first, *others = about
    proven = _proven(loaded.get("subgraphs"))
    accuracy = loaded.get("accuracy")
    page = {
        "title": "Do the brain networks of {} and {} differ?".format(*names.group_labels(first)),
        "names": names,
        "groups": names.group_labels(first),
        "directions": list(names.contrasts(first).values()),
        "cohort": names("cohort", first),
        "abstract": abstract(*about[first]),
        "others": [text for one in others if (text := abstract(*about[one]))],
        "answers": answers(*about[first]),
        "sentences": [] if accuracy is None else leakage_sentences(accuracy, names, proven),
        "tables": _tables(loaded, names, config, tables),
        "figures": _figures(figures, config, names),
        "viewer": _viewer(given, names, config),
        "proven": proven,
        "network": _network(config, given),
        "warnings": _warnings(warned),
        "provenance": _provenance_view(provenance or {}, config),
        "version": __version__,
    }
    page["sections"] = {name: heading for name, (heading, needs) in SECTIONS.items() if needs(page)}
    html = _render(page)
    if len(html.encode()) > LARGEST:
        raise InputError(
            f"{path} would have {len(html.encode()) / 1e6:.1f} MB, too large to email: show "
            "fewer cohorts (report.cohorts in the config)"
        )
    save_text(path, html)
    return last_words(*about[first], path)


def _network(config, given):
    """Say in a few words what a network of the run is."""
    count = len(given.atlas) if given.paths["graphs"] else 0
    what = f"{count} regions of the brain" if count else "regions of the brain"
    graph = config.get("graph") or {}
    threshold = graph.get("threshold") or {}
    known = config["source"] in (*PAPER_SOURCES, "simulated")  # own matrices can be anything
    if known and "percentile" in threshold and graph.get("measure") == "correlation":
        return (
            f"{what}, connected where the correlation of their signals is among the highest "
            f"{100 - threshold['percentile']:g} % of all pairs"
        )
    adjusted = ", ".join(graph.get("adjust") or ())
    less = f", less what {adjusted} explain of their weights" if adjusted else ""
    return f"{what} and the connections between them{less}"


def _proven(subgraphs):
    """Return how many of the run's sets are proven optimal, and how many there are."""
    if subgraphs is None:
        return 0, 0
    return int(subgraphs["optimal"].sum()), len(subgraphs)


def _warnings(paths):
    """Return ``(job, warnings)`` of the jobs that warned, each warning once."""
    seen, found = set(), []
    for path in map(Path, paths):
        if not path.exists():
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        new = [line for line in dict.fromkeys(lines) if line.strip() and line not in seen]
        seen.update(new)
        if new:
            found.append((f"{path.parent.name}: {path.stem}", new))
    return found


# --- tables -------------------------------------------------------------------------

#: Tables of which the page shows the pictured subgraphs alone, and the pictured cohorts'.
_PICTURED = ("regions", "systems")
_LONG = ("subgraphs", "sets", "alternatives", "solver", "significance")


def _load(name, path):
    if name == "excluded":
        return load_table(path, ("subject", "reason"))
    if name not in TABLES:
        raise InputError(f"the report has no table {name!r}: {', '.join([*TABLES, 'excluded'])}")
    return TABLES[name].load(path)


def _tables(loaded, names, config, paths):
    """Return what is shown of each table that has rows."""
    shown = {}
    for name, table in loaded.items():
        if name in _PICTURED:
            table = _pictured(table, names, config)
        if name == "significance" and len(table):
            shown["chance"] = CHANCE.shown(table, names)
        if name in _LONG:
            table = table[table["cohort"].isin(config["report"]["cohorts"])]
        if name == "excluded":
            shown[name] = Shown(_excluded(table), "Subjects left out, by reason.", [])
        elif len(table):
            shown[name] = TABLES[name].shown(table, names)
        if name == "systems" and names.paper and len(table):
            shown["claims"] = CLAIMS.shown(table, names)
    return {name: _view(one, paths.get(name, "")) for name, one in shown.items() if len(one.texts)}


def _view(shown, path=""):
    """Return a table as the template wants it, the CSV inside as a link."""
    texts = shown.texts.astype(str)
    columns = [{"label": str(label), "style": _style(texts[label])} for label in texts.columns]
    data = base64.b64encode(Path(path).read_bytes()).decode() if path else ""
    return {
        "columns": columns,
        "rows": texts.to_numpy().tolist(),
        "caption": shown.caption,
        "notes": shown.notes,
        "file": Path(path).name,
        "data": f"data:text/csv;base64,{data}" if path else "",
    }


def _style(column):
    """Return how the cells of a column are set: words that are not many stay on a line."""
    if column.map(_is_number).all():
        return "number"
    return "short" if column.str.len().max() <= 24 else "long"


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
        raise InputError(f"{path} is missing or is not a picture ({error})") from error
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


def _viewer(given, names, config):
    """Return what the 3-D view shows, or None if there is nothing or no place for it."""
    edge_weight = config["report"]["edge_weight"]
    cohorts = []
    for cohort in (name for name in names.cohorts if name in given.contrasts):
        if cohort not in given.graphs:
            raise InputError(f"contrast subgraphs of {cohort} are given, its graphs are not")
        graphs, looks = given.graphs[cohort], Looks.of(names, cohort)
        first = pictured(config, names, "contrast_large", cohort)
        first |= pictured(config, names, "contrast_symmetric", cohort)
        records = given.contrasts[cohort]
        cohorts.append(
            {
                "name": cohort,
                "label": names("cohort", cohort),
                "groups": names.group_labels(cohort),
                "contrasts": [
                    {
                        "name": name,
                        "label": look.label,
                        "first": _place(records[name], first[name]),
                        "subgraphs": _subgraphs(records[name], graphs, edge_weight),
                    }
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
        "colours": [look.colour for look in Looks.of(names).groups],
        "edge_weight": edge_weight,
        "measure": "mean weight" if names.weighted else "density",
    }


def _place(record, percentile):
    """Return the place of the pictured subgraph in a record; 0 if it is not there."""
    at = [subgraph["percentile"] for subgraph in record["subgraphs"]]
    return at.index(percentile) if percentile in at else 0


def _subgraphs(record, graphs, edge_weight):
    weights = cohort_difference(graphs, record["contrast"])
    signed = cohort_difference(graphs, contrast_names(graphs.groups)[0])
    views = []
    for subgraph in record["subgraphs"]:
        nodes = np.array(subgraph["nodes"], dtype=int)
        inside = weights[np.ix_(nodes, nodes)]
        rows, columns = np.nonzero(np.triu(inside >= edge_weight, 1))
        dense = [density(graphs.adjacency[graphs.y == group], nodes) for group in (0, 1)]
        views.append(
            {
                "percentile": subgraph["percentile"],
                "alpha": float(f"{subgraph['alpha']:.6g}"),
                "objective": float(f"{subgraph['objective']:.6g}"),
                "bound": float(f"{subgraph['upper_bound']:.6g}"),
                "optimal": bool(subgraph["optimal"]),
                "density": None if len(nodes) < 2 else [density_text(one) for one in dense],
                "nodes": nodes.tolist(),
                "degree": inside.sum(axis=1).round(4).tolist(),
                "edges": [
                    [int(nodes[i]), int(nodes[j]), round(float(signed[nodes[i], nodes[j]]), 4)]
                    for i, j in zip(rows, columns, strict=True)
                ],
            }
        )
    return views


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
    """Return what a run is made from, for `build_report`.

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
