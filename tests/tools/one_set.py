"""One set, one story: what is checked of the cards and the page of any run.

Name, p, effect, stability, picture and rows of tables of a card are of one contrast, alpha and set
of regions, whatever is asked.
"""

import html
import json
import re

import pytest
from contrast_subgraphs.config import effective
from contrast_subgraphs.core.atomic_files import load_table
from contrast_subgraphs.core.checks import plural
from contrast_subgraphs.report.figures.answer import _sets
from contrast_subgraphs.report.figures.figure import View
from contrast_subgraphs.report.figures.set_picture import subgraph_at
from contrast_subgraphs.report.findings import findings
from contrast_subgraphs.report.formats import p_text, p_value, signed
from contrast_subgraphs.report.names import Names, region_label, rows_of
from contrast_subgraphs.report.page import build_report
from contrast_subgraphs.report.results import Results
from contrast_subgraphs.report.tables import TABLES
from contrast_subgraphs.report.tables.significance import chance


def row_of(table, **key):
    """Return the one row of a table with these values."""
    [row] = rows_of(table, **key).to_dict("records")
    return row


def check_numbers(results, tables, found):
    """Regions, alpha, p, effect and stability of each card are those of one row of each table."""
    for cohort in found:
        for one in cohort.found:
            key = {"cohort": cohort.cohort, "contrast": one.contrast}
            key |= {"percentile": one.percentile}
            set_, test, effect = (
                row_of(tables[name], **key) for name in ("subgraphs", "significance", "effects")
            )
            assert len(one.regions) == set_["size"] == test["size"] == effect["size"]
            assert set_["alpha"] == pytest.approx(test["alpha"])
            assert set_["objective"] == pytest.approx(test["objective"])
            assert one.p == test["p_familywise"] and one.z == test["z"]
            assert one.effect["effect"] == effect["effect"] and one.effect["d"] == effect["d"]
            regions = rows_of(tables["regions"], **key)
            assert list(regions["region"].astype(str)) == list(map(str, one.regions))
            assert one.share == pytest.approx(regions["share"].mean())
            shares = rows_of(results.shares, **key)
            chosen = shares[shares["region"].astype(str).isin(map(str, one.regions))]
            assert one.share == pytest.approx(chosen["share"].mean())


def check_pictures(results, found):
    """What is drawn of a cohort are the sets of its cards, in their order."""
    atlas = results.atlas["name"].astype(str)
    for cohort in found:
        view = View(results, cohort.cohort)
        pictured = view.sets("contrast_large")
        drawn = dict(_sets(view))
        assert list(drawn) == [one.side for one in cohort.found]
        for one in cohort.found:
            assert pictured[one.contrast] == one.percentile
            nodes = subgraph_at(view.contrasts[one.contrast], one.percentile)["nodes"]
            assert sorted(atlas.iloc[nodes]) == sorted(map(str, one.regions))
            assert sorted(drawn[one.side].nodes) == sorted(nodes)
            assert bool(drawn[one.side].perhaps) == (one.p > cohort.level)


def check_table_of_p(tables, names, found):
    """The short table of p-values has the sets of the cards."""
    shown = chance(tables["effects"]).shown(tables["significance"], names).texts
    for cohort in found:
        for one in cohort.found:
            row = row_of(shown, Cohort=cohort.label, Contrast=one.label)
            assert float(row["At percentile"]) == one.percentile
            assert row["p (family-wise)"] == p_value(one.p)


def check_page(page, tables, names, found):
    """Cards, the table of cohorts and the view of single sets, read from the page itself."""
    said = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))
    view = re.search(r'id="viewer-data">(.*?)</script>', page, re.DOTALL).group(1)
    shown = {one["name"]: one for one in json.loads(view)["cohorts"]}
    regions = json.loads(view)["regions"]["name"]
    cells = re.search(r'id="table-found".*?</table>', page, re.DOTALL).group()
    rows = [re.sub(r"<[^>]+>", " ", row) for row in cells.split("<tr>")[2:]]
    for cohort, row in zip(found, rows, strict=True):
        # 1. The row of the cohort: the first set, and the effect that was not selected.
        first = cohort.found[0]
        row = re.sub(r"\s+", " ", html.unescape(row))
        assert cohort.label in row and f" {first.side} " in row
        assert f" {len(first.regions)}: " in row and signed(cohort.measured["effect"]) in row
        contrasts = {one["name"]: one for one in shown[cohort.cohort]["contrasts"]}
        for one in cohort.found:
            # 2. The view opens with the set of the card: its penalty, regions and effect.
            key = {"cohort": cohort.cohort, "contrast": one.contrast}
            set_ = row_of(tables["subgraphs"], **key, percentile=one.percentile)
            contrast = contrasts[one.contrast]
            assert contrast["first"] == one.percentile
            [opened] = [s for s in contrast["subgraphs"] if s["percentile"] == one.percentile]
            assert opened["alpha"] == pytest.approx(set_["alpha"], rel=1e-5)
            named = {region_label(name) for name in one.regions}
            assert {regions[node] for node in opened["nodes"]} == named
            assert opened["new"] == signed(one.effect["effect"])
            assert bool(opened["perhaps"]) == (one.p > cohort.level)
    # 3. The cards are of the first cohort.
    for one in found[0].found:
        assert f"{one.label} {p_text(one.p)}" in said
        count = plural(len(one.regions), "region")
        assert f"{count}: {names.measure} {signed(one.effect['effect'])}" in said
        assert f"{100 * one.share:.0f} %; with permuted" in said


def check_files(configs, root, results, cohorts, folder):
    """Check tables, pictures and page of cohorts of a run of which only the tests were made."""
    config = effective(configs, root / "config.yaml")
    config["cohorts"] = {name: config["cohorts"][name] for name in cohorts}
    config["report"] |= {"cohorts": list(cohorts), "clearest": True}
    files = {
        "graphs": [results / f"graphs/{name}.npz" for name in cohorts],
        "contrasts": [
            path
            for name in cohorts
            for path in sorted(results.glob(f"contrast/{name}/*.json"))
            if ".densdp" not in path.name
        ],
        "atlas": [results / "data/atlas.tsv"],
    }
    ends = {"inference": "", "effects": ".effects", "shares": ".regions"}
    for kind, end in ends.items():
        files[kind] = [results / f"inference/{name}{end}.csv" for name in cohorts]
    tested = Results(config, **files)
    paths = {}
    for name in ("subgraphs", "regions", "significance", "effects"):
        TABLES[name].save(tested, folder)
        paths[name] = folder / f"{name}.csv"
    build_report(
        folder / "report.html",
        config=config,
        tables=paths,
        contrasts=files["contrasts"],
        graphs=dict(zip(cohorts, files["graphs"], strict=True)),
        atlas=files["atlas"][0],
    )
    tables = {name: load_table(path) for name, path in paths.items()}
    names = Names.of(config)
    found = findings(tables, names, config)
    assert {one.cohort for one in found} == set(cohorts) and all(one.found for one in found)
    check_numbers(tested, tables, found)
    check_pictures(tested, found)
    check_table_of_p(tables, names, found)
    check_page((folder / "report.html").read_text(encoding="utf-8"), tables, names, found)
