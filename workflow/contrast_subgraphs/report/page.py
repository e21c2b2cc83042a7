"""One self-contained page that shows what a run found: ``report.html``.

Everything on it comes from files of the run. The page needs no network: its pictures, styles,
scripts and the 3-D viewer (plotly.js and the fsaverage5 surface, both shipped with nilearn) are
embedded, and its content security policy forbids everything else.
"""

import base64
import io
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atomic_files import check_sealed, load_table, save_text
from ..core.checks import in_words
from ..core.data_warnings import with_people
from ..core.errors import InputError
from ..core.extras import optional
from .figures import FIGURES, figure_of
from .figures.figure import View
from .findings import (
    answer,
    cards,
    findings,
    last_words,
    leakage_sentences,
    motion_in_scores,
    verdict,
)
from .methods_facts import Facts
from .methods_text import methods_text, save_methods
from .motion import motion_of_people
from .names import Names, rows_of
from .readme import save_readme
from .results import Results
from .sentences import sentence, templates, unbroken
from .tables import TABLES
from .tables.significance import chance
from .tables.systems import CLAIMS
from .tables.table import Shown
from .viewer import viewer

#: So far from the density that was asked for, a graph has another one: ties are kept.
DENSITY_SLACK = 0.02

#: A larger page could not be sent by email.
LARGEST = 10e6


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
    reading="",
    provenance=None,
    members=None,
    left_out=None,
    texts=None,
):
    """Write the page; return the three lines with which a run ends.

    `path`: the ``.html`` file; `config`: the run's checked config; `tables`: name -> CSV or TSV
    file: those of `TABLES`, and ``excluded``; `figures`: PNG files ``<figure>.png`` or
    ``<figure>-<cohort>.png``; `contrasts`: files ``contrast/<cohort>/<contrast>.json`` for the 3-D
    view; `graphs`: cohort -> ``graphs/<cohort>.npz``, for the same cohorts; `atlas`:
    ``data/atlas.tsv``, with contrasts; `warned`: records of the jobs' warnings, those that exist;
    `reading`: how own files were read; `provenance`: see `collect_provenance`; `members` and
    `left_out`: cohort -> ``graphs/<cohort>.tsv`` and ``graphs/<cohort>.excluded.tsv``; `texts`: the
    folder in which the text for a methods section and a list of all files are written too. What is
    not given is left out of the page.
    """
    names = Names.of(config)
    loaded = {name: _load(name, file) for name, file in tables.items()}
    results = _results(config, loaded, contrasts, graphs, atlas)
    found = findings(loaded, names, config)
    facts = Facts(
        config=config,
        names=names,
        tables=loaded,
        found=found,
        regions=_regions(results),
        proven=_proven(loaded.get("subgraphs")),
        members=_people(members),
        left_out=_people(left_out),
        provenance=provenance or {},
    )
    methods = methods_text(facts)
    # The texts use the same facts as the page, so that both always agree.
    if texts is not None:
        save_methods(methods, texts)
        made = [name for name in tables if name in TABLES]
        save_readme(texts, facts, results, made, figures)
    cohorts = [one.cohort for one in found]
    page = _story(facts) | {
        "tables": _tables(loaded, results, tables),
        "figures": _figures(figures, results, cohorts),
        "viewer": viewer(results, cohorts),
        "network": _network(results, config),
        "warnings": _warnings(warned, names),
        "reading": reading,
        "methods": _methods_view(methods),
    }
    html = _render(page)
    if len(html.encode()) > LARGEST:
        raise InputError(
            f"{path} would have {len(html.encode()) / 1e6:.1f} MB, too large to email: show "
            "fewer cohorts (report.cohorts in the config)"
        )
    save_text(path, html)
    return last_words(found, names, path)


def _results(config, loaded, contrasts, graphs, atlas):
    """Return the `Results` behind the page, with tables as they are in their files."""
    files = {"contrasts": list(contrasts), "graphs": list(dict(graphs).values()), "atlas": [atlas]}
    results = Results(config, **files)
    # They are not computed again, so that page and files cannot differ.
    results.significance = loaded.get("significance")
    results.omnibus = loaded.get("omnibus")
    results.effects = loaded.get("effects")
    results.shares = loaded.get("regions")
    results.over_sites = loaded.get("over_sites")
    return results


def _story(facts):
    """Return the parts of the page that follow from the facts alone, by their names there."""
    names = facts.names
    config = facts.config
    tables = facts.tables
    found = facts.found
    first = found[0]
    return {
        "title": names.title(first.cohort),
        "names": names,
        "config": config,
        "groups": names.group_labels(first.cohort),
        "sides": names.sides(first.cohort),
        "where": names.question(first.cohort).where(),
        "slope": not names.compares(first.cohort),
        "directions": list(names.contrasts(first.cohort).values()),
        "first": first,
        "verdict": verdict(found, names),
        "answer": answer(found, names),
        "cards": cards(found, tables, names, config["inference"]["halves"]),
        "cohorts": _listed(found, names),
        "sentences": _leakage(tables.get("accuracy"), names, facts.proven),
        "moved": motion_of_people(facts.members, names, config),
        "motion": motion_in_scores(tables.get("confounds"), first.cohort, names),
        "proven": facts.proven,
        "provenance": _provenance_view(facts.provenance, config),
        "version": facts.provenance.get("run", {}).get("version", ""),
    }


def _proven(sets):
    """The number of sets that are proved optimal, and the number of all sets."""
    if sets is None:
        return 0, 0
    return int(sets["optimal"].sum()), len(sets)


def _listed(found, names):
    """The cohorts in the list at the beginning of a page with several of them."""
    if len(names.cohorts) == 1:
        return []
    return [one for one in found if one.found]


def _leakage(accuracy, names, proven):
    if accuracy is None:
        return []
    return leakage_sentences(accuracy, names, proven)


def _regions(results):
    """The number of regions of the graphs; empty without graphs."""
    if results.paths["graphs"]:
        return len(results.atlas)
    return ""


def _people(paths):
    """Return the tables of people of each cohort."""
    return {name: load_table(path, ["subject"]) for name, path in dict(paths or {}).items()}


def _network(results, config):
    """A sentence that says what the graphs are."""
    regions = _regions(results)
    of_series = config["source"] != "folder" or config["sources"]["folder"]["kind"] != "matrix"
    limit = (config.get("graph") or {}).get("threshold") or {}
    asked = limit.get("density", 1 - limit.get("percentile", 100) / 100)
    other = ""
    # Only the graphs themselves tell whether they have the density that was asked for.
    if asked and results.paths["graphs"]:
        other = _other_densities(results.graphs.values(), asked)
    return sentence("findings.txt", "network", regions, config, of_series, other)


def _other_densities(cohorts, asked):
    """Say how dense graphs are of which a density was asked that they do not have; else "".

    Graphs of zeros and ones, or of few streamlines, have ties and pairs without weight.
    """
    found = []
    for graphs in cohorts:
        found.append((graphs.weights != 0).mean(axis=1))
    found = np.concatenate(found)
    if np.abs(found - asked).max() <= DENSITY_SLACK:
        return ""
    return in_words(dict.fromkeys(f"{100 * one:.0f}" for one in (found.min(), found.max())), "to")


def _warnings(paths, names):
    """Return ``(job, warnings)`` for jobs with warnings, each warning only once."""
    seen = set()
    found = []
    for path in map(Path, paths):
        if not path.exists():
            continue
        lines = with_people(path.read_text(encoding="utf-8"), names.subjects).splitlines()
        # Several jobs make the same design, and give the same warning.
        new = [line for line in dict.fromkeys(lines) if line.strip() and line not in seen]
        seen.update(new)
        if new:
            found.append((f"{path.parent.name}: {path.stem}", new))
    return found


# --- tables -------------------------------------------------------------------------

#: Tables of which the page shows only the pictured subgraphs, or only the pictured cohorts.
_PICTURED = ("regions", "systems")
_LONG = ("subgraphs", "sets", "alternatives", "solver", "significance", "effects", "sites")


def _load(name, path):
    if name == "excluded":
        return load_table(path, ("subject", "reason"))
    if name not in TABLES:
        raise InputError(f"the report has no table {name!r}: {', '.join([*TABLES, 'excluded'])}")
    return TABLES[name].load(path)


def _tables(loaded, results, paths):
    """Return the shown part of each table that has rows."""
    names = results.names
    config = results.config
    shown = {}
    for name, table in loaded.items():
        if name in _PICTURED:
            table = _pictured(table, results)
        if name == "significance" and len(table):
            shown["chance"] = chance(results.effects).shown(table, names)
        if name in _LONG:
            table = table[table["cohort"].isin(config["report"]["cohorts"])]
        if name == "excluded":
            called = names.subjects.capitalize()
            shown[name] = Shown(_excluded(table, called), f"{called} left out, by reason.", [])
        elif len(table):
            shown[name] = TABLES[name].shown(table, names)
        if name == "systems" and names.paper and len(table):
            shown["claims"] = CLAIMS.shown(table, names)
    return {name: _view(one, paths.get(name, "")) for name, one in shown.items() if len(one.texts)}


def _view(shown, path=""):
    """Return a table in the form of the template, with the CSV embedded as a link."""
    texts = shown.texts.astype(str).map(unbroken)
    columns = [{"label": str(label), "style": _style(texts[label])} for label in texts.columns]
    data = ""
    if path:
        data = base64.b64encode(Path(path).read_bytes()).decode()
    return {
        "columns": columns,
        "rows": texts.to_numpy().tolist(),
        "caption": shown.caption,
        "notes": shown.notes,
        "file": Path(path).name,
        "data": f"data:text/csv;base64,{data}" if path else "",
    }


def _style(column):
    """Return the style of a column's cells: short texts stay on one line."""
    if column.str.strip().str.fullmatch(r"(<\s|−|-|\+)?[\d.,]+(e-?\d+)?(\s?[±to()%/ ].*)?|").all():
        return "number"
    if column.str.len().max() <= 24:
        return "short"
    return "long"


def _pictured(table, results):
    """Return the rows of the subgraphs that the figures show."""
    # An empty part first, so that the columns are there even if no set is pictured.
    parts = [table[:0]]
    for cohort in results.config["report"]["cohorts"]:
        for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):
            for contrast, at in View(results, cohort).sets(figure).items():
                parts.append(rows_of(table, cohort=cohort, contrast=contrast, percentile=at))
    clearest = View(results).clearest
    for contrast, at in clearest.sets("contrast_clearest").items():
        parts.append(rows_of(table, cohort=clearest.cohort, contrast=contrast, percentile=at))
    return pd.concat(parts).drop_duplicates()


def _excluded(table, called):
    """Count the subjects left out for each reason."""
    return pd.DataFrame(
        {"Reason": reason, called: len(some), "Which": in_words(some, most=5)}
        for reason, some in table.groupby("reason", sort=False)["subject"]
    )


# --- figures ------------------------------------------------------------------------


def _figures(paths, results, cohorts):
    """Return the figures by section, cohort by cohort, in the order of `FIGURES`."""
    shown = {}
    for path in paths:
        # The name of the file says what it shows, so that the page needs no list of its own.
        name, cohort = figure_of(path, results.config)
        figure = FIGURES[name]
        view = View(results, cohort)
        if not figure.there(view):
            continue
        picture, width, height = _png(path)
        title = figure.words("title", view)
        place = -1
        ending = ""
        sizes = ""
        if cohort:
            title = f"{title}, {view.label}"
            place = cohorts.index(cohort)
            ending = f"-{cohort}"
            if results.paths["graphs"]:
                sizes = view.sizes
        shown[place, list(FIGURES).index(name)] = (
            figure.section,
            {
                "name": name,
                "id": f"figure-{name}{ending}",
                "title": title,
                "alt": figure.words("alt", view),
                "caption": figure.words("caption", view),
                "sizes": sizes,
                "picture": picture,
                "width": width,
                "height": height,
                "place": place,
                "label": view.label,
            },
        )
    sections = {}
    for _, (section, one) in sorted(shown.items()):
        sections.setdefault(section, []).append(one)
    return sections


def _png(path):
    """Return a picture as a data URI of few colours, and its size in CSS pixels.

    A figure of full width has 1400 pixels, and is shown with 980, the width of the page's text.
    """
    from PIL import Image

    check_sealed(path)
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
    # Few colours usually make a smaller file, but not always.
    data = base64.b64encode(min(small.getvalue(), Path(path).read_bytes(), key=len)).decode()
    return f"data:image/png;base64,{data}", round(width * 0.7), round(height * 0.7)


def _methods_view(methods):
    """Return the text for a methods section in the form of the template: HTML, and files."""
    from markupsafe import Markup

    files_of = {}
    for name, how in (("methods.md", "md"), ("references.bib", "bib")):
        data = base64.b64encode(methods.printed(how).encode()).decode()
        files_of[name] = f"data:text/plain;charset=utf-8;base64,{data}"
    return {"html": Markup(methods.printed("html")), "files": files_of}


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
    from markupsafe import Markup

    folder = files("contrast_subgraphs") / "report" / "assets"
    assets = {
        name: Markup((folder / name).read_text(encoding="utf-8"))
        for name in ("page.css", "page.js", "viewer.js")
    }
    in_space = page["viewer"] and page["viewer"]["surface"]
    plotly = files("nilearn") / "plotting" / "data" / "js" / "plotly-gl3d-latest.min.js"
    # The script must not end the element that it is embedded in.
    plotly = plotly.read_text(encoding="utf-8").replace("</script", "<\\/script")
    if in_space:
        assets["plotly"] = Markup(plotly)
    else:
        assets["plotly"] = ""
    # Escaped, so that no text in the data can end the script element around it.
    data = json.dumps(page["viewer"], separators=(",", ":"), allow_nan=False)
    data = Markup(data.replace("<", "\\u003c"))
    return templates().get_template("page.html").render(**page, assets=assets, viewer_data=data)
