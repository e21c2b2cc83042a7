"""Figures: what they show is what was computed, they can be read, the same bytes each time."""

import functools
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast import contrast_subgraph
from contrast_subgraphs.contrast.cohort import cohort_record, sweep_cohort
from contrast_subgraphs.contrast.difference import difference_graph
from contrast_subgraphs.core.atlas import describe_regions
from contrast_subgraphs.core.atomic_files import load_table
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.design import KINDS, CohortGraphs
from contrast_subgraphs.evaluation.scores import load_scores
from contrast_subgraphs.evaluation.summary import control_means
from contrast_subgraphs.report.figures import FIGURES, figure_of
from contrast_subgraphs.report.figures.boundaries import panel_of
from contrast_subgraphs.report.figures.brain import moved_apart, system_runs
from contrast_subgraphs.report.figures.contrasts import plot_contrast
from contrast_subgraphs.report.figures.figure import View
from contrast_subgraphs.report.figures.set_picture import subgraph_at
from contrast_subgraphs.report.figures.style import save
from contrast_subgraphs.report.results import Results
from contrast_subgraphs.report.tables.regions import regions_table
from contrast_subgraphs.report.tables.systems import PAPER_GROUPS, systems_table
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import looks_as_stored
from small_report import small_config, small_contrasts, small_graphs, write_run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def graphs():
    return small_graphs()


@pytest.fixture(scope="module")
def contrasts(graphs):
    return small_contrasts(graphs)


@pytest.fixture(scope="module")
def run(tmp_path_factory, root):
    return write_run(tmp_path_factory.mktemp("run"), root)


def view(cohort="children", source="published", **given):
    """A view of results that hold what is given; sets by ``percentiles``, 80 without them."""
    config = small_config(ROOT) | {"source": source}
    percentiles, report = given.pop("percentiles", {}), config["report"]
    pair = dict.fromkeys(("td-asd", "asd-td"), 80) | percentiles
    report |= {"contrast_large": pair, "contrast_small": pair, "edge_weight": None}
    report |= {"contrast_symmetric": {"symmetric": percentiles.get("symmetric", 90)}}
    results = Results(config)
    if "graphs" in given:
        results.paths["graphs"] = [f"{cohort}.npz"]
    given = {"atlas": load_aal(), "significance": None} | given
    for name, value in given.items():
        one = {cohort: value} if name in ("graphs", "contrasts") else value
        setattr(results, name, one)
    return View(results, cohort)


def draw(name, **given):
    return FIGURES[name].draw(view(**given))


@pytest.fixture(scope="module")
def whole(run):
    """A view of the small run's files."""
    stability = [path for paths in run["stability"].values() for path in paths]
    scores = [path for paths in run["scores"].values() for path in paths]
    files = {"graphs": list(run["graphs"].values()), "splits": list(run["splits"].values())}
    files |= {"contrasts": run["contrasts"], "stability": stability, "scores": scores}
    return View(Results(run["config"], **files, atlas=[run["atlas"]]), "children")


@pytest.fixture(scope="module")
def drawn(graphs, contrasts, whole):
    """Functions that draw each figure of the small run."""
    given = {"graphs": graphs, "contrasts": contrasts}
    made = {name: functools.partial(draw, name, **given) for name in FIGURES}
    made["sets"] = lambda: draw("sets", graphs=graphs, contrasts=several(graphs))
    made["significance"] = lambda: draw("significance", significance=p_values())
    made["sites_forest"] = lambda: draw("sites_forest", sites=sites(), over_sites=over_sites())
    made["other_cohorts"] = lambda: draw("other_cohorts", others=others(), effects=effects())
    for name in ("stability", "leakage", "boundaries_p1", "boundaries_p2"):
        made[name] = functools.partial(FIGURES[name].draw, whole)
    return made


def several(graphs, k=3):
    """Records of the contrasts with `k` sets for the percentile 80."""
    config = {"percentiles": [80], "alphas": [], "solver": "search", "sets": k}
    return {
        name: cohort_record(sweep_cohort(graphs, name, 0, config), "children", name, graphs.roi)
        for name in ("td-asd", "asd-td")
    }


#: Both directions of one cohort at the penalty that is shown.
SHOWN = [{"contrast": name, "percentile": 80} for name in ("td-asd", "asd-td")]


def sites(count=20):
    """The effects at each site, of which one has too few people and another none of a group."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame([{"site": f"SITE {k}"} | one for one in SHOWN for k in range(count)])
    table["effect"] = rng.normal(0.04, 0.05, len(table))
    table.loc[table["site"] == "SITE 7", "effect"] = np.nan
    table["n_first"] = np.tile(rng.integers(2, 80, count), 2)
    table["n_second"] = table["n_first"] + 1
    table["used"] = (table["n_first"] > 2) & table["effect"].notna()
    return table.assign(cohort="children", error=0.3 / np.sqrt(table["n_first"]))


def test_wide_intervals_on_one_side_leave_the_sites_their_room():
    """Arrows at one edge alone, as in a few small sites with one sign."""
    wide = sites(6)
    far = wide["site"] == "SITE 3"
    wide["effect"] = np.where(far, 0.9, 0.2)
    wide["error"] = np.where(far, 0.2, 0.02)
    figure = draw("sites_forest", sites=wide, over_sites=over_sites())
    figure.draw_without_rendering()
    for panel in figure.axes:
        assert panel.get_position().width > 0.35


def over_sites():
    """The means over these sites."""
    about = {"cohort": "children", "holds": 18, "count": 19, "mean": 0.04, "low": 0.03}
    about |= {"high": 0.05, "i2": 0.3, "predicted_low": 0.01, "predicted_high": 0.07}
    return pd.DataFrame([about | one for one in SHOWN])


def others():
    """Each of four cohorts' sets in the three others; one has too few people."""
    names = ("children", "adolescents", "eyesclosed", "male")
    pairs = [(one, two) for one in names for two in names if one != two]
    rows = [{"cohort": one, "elsewhere": two} | each for each in SHOWN for one, two in pairs]
    table = pd.DataFrame(rows)
    table["effect"] = np.linspace(-0.03, 0.09, len(table))
    table.loc[5, "effect"] = np.nan
    return table.assign(low=table["effect"] - 0.04, high=table["effect"] + 0.04)


def effects():
    """The effects in held-out people of one of these cohorts."""
    about = {"cohort": "children", "effect": 0.03, "low": -0.02, "high": 0.08, "d": 0.2}
    return pd.DataFrame([about | one for one in SHOWN])


def p_values():
    """A table of permutation tests of two cohorts."""
    rows = [
        {
            "cohort": cohort,
            "contrast": contrast,
            "percentile": percentile,
            "alpha": 0.1,
            "z": percentile / 20 - 2,
            "null_mean": 1.0,
            "null_sd": 0.5,
            "null_low": 0.3,
            "null_high": 2.1,
            "z_critical": 2.4,
            "p_familywise": 0.04 if percentile > 88 else 0.3,
        }
        for cohort in ("children", "adolescents")
        for contrast in ("td-asd", "asd-td", "symmetric")
        for percentile in (70, 75, 80, 85, 90, 93, 95, 97)
    ]
    return pd.DataFrame(rows)


#: Figures that are compared with stored pictures.
STORED = ("answer", "contrast_large", "alpha_path")


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_can_be_read_and_is_the_same_each_time(name, drawn, tmp_path):
    figure = drawn[name]()
    save(figure, tmp_path / "a.pdf", tmp_path / "a.png")
    # Whatever differs between two drawings is among the numbers of the PDF. How pictures are
    # written is the same code for all, so those with a stored picture are compared.
    again = ["pdf", "png"] if name in STORED else ["pdf"]
    save(drawn[name](), *(tmp_path / f"b.{ending}" for ending in again))
    pdf = (tmp_path / "a.pdf").read_bytes()
    for ending in again:
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
    if name in STORED:
        assert looks_as_stored(tmp_path / "a.png", name) < 3
    assert b"/Subtype /Type3" not in pdf and b"/FontFile2" in pdf  # letters are text
    assert b"CreationDate" not in pdf

    renderer = figure.canvas.get_renderer()
    page = figure.bbox
    texts = [text for text in _texts(figure) if text.get_visible() and text.get_text().strip()]
    assert texts
    for text in texts:
        assert text.get_fontsize() >= 7, text.get_text()
        box = text.get_window_extent(renderer)
        inside = box.x0 > -1 and box.y0 > -1 and box.x1 < page.x1 + 1 and box.y1 < page.y1 + 1
        assert inside, f"{text.get_text()!r} is cut"
    cores = [_core(text.get_window_extent(renderer)) for text in texts]
    for (a, ours), (b, theirs) in itertools.combinations(zip(texts, cores, strict=True), 2):
        assert not ours.overlaps(theirs), f"{a.get_text()!r} is on {b.get_text()!r}"


def test_each_set_has_a_colour_and_a_region_in_two_sets_has_both(graphs):
    records = several(graphs)
    shared = records["td-asd"]["subgraphs"][0]
    shared["further"][0]["nodes"] = [shared["nodes"][0], *shared["further"][0]["nodes"][1:]]
    figure = draw("sets", graphs=graphs, contrasts=records)
    drawn = [one for axes in figure.subfigs[0].get_axes() for one in axes.collections]
    markers = max(drawn, key=lambda one: len(one.get_facecolor()))
    found = [shared, *shared["further"]]
    assert len(markers.get_offsets()) == sum(len(one["nodes"]) for one in found)
    assert len({tuple(colour) for colour in markers.get_facecolor()}) == 3
    assert len(set(markers.get_sizes())) > 1  # a larger ring below
    texts = " ".join(text.get_text() for text in _texts(figure))
    assert f"1   {len(shared['nodes'])} regions" in texts
    assert f"{shared['explained']:.0%} explained" in texts


def _texts(figure):
    """All texts drawn, tick labels only where an axis is shown."""
    import matplotlib.text

    hidden = set()
    for axes in _axes(figure):
        for axis in (axes.xaxis, axes.yaxis):
            shown = {id(label) for tick in axis._update_ticks() for label in _labels(tick)}
            if not axes.axison:
                shown = set()
            ours = {id(t) for t in axis.findobj(matplotlib.text.Text)} - {id(axis.label)}
            hidden |= ours - shown
            if not axes.axison:
                hidden.add(id(axis.label))
    return [t for t in figure.findobj(matplotlib.text.Text) if id(t) not in hidden]


def _labels(tick):
    return [label for label in (tick.label1, tick.label2) if label.get_visible()]


def _axes(figure):
    return [axes for axes in figure.get_axes()]


def _core(box):
    """The box without its margin: letters touch only if cores do."""
    from matplotlib.transforms import Bbox

    dx, dy = min(2, box.width / 4), min(3, box.height / 4)
    return Bbox.from_extents(box.x0 + dx, box.y0 + dy, box.x1 - dx, box.y1 - dy)


def _offsets(axes):
    """Points of each group in a scatter plot, and how many subjects they stand for."""
    return [
        (np.asarray(points.get_offsets()), points.get_sizes())
        for points in axes.collections
        if len(points.get_offsets()) and points.get_label()[:3] in ("TD ", "ASD")
    ]


def test_scatter_plot_shows_the_edges_of_each_subject(graphs, contrasts):
    figure = draw("contrast_large", graphs=graphs, contrasts=contrasts, percentiles={"asd-td": 90})
    axes = next(a for a in figure.get_axes() if "TD−ASD" in a.get_xlabel())
    sets = [
        subgraph_at(contrasts[name], percentile)["nodes"]
        for name, percentile in (("td-asd", 80), ("asd-td", 90))
    ]
    for group, (points, sizes) in enumerate(_offsets(axes)):
        expected = sorted(
            tuple(sum(graph[u, v] for u, v in itertools.combinations(s, 2)) for s in sets)
            for graph in graphs.adjacency[graphs.y == group]
        )
        number = np.rint(sizes / min(sizes)).astype(int)
        shown = sorted(map(tuple, np.rint(points).astype(int).repeat(number, axis=0)))
        assert shown == expected


def test_rules_of_the_paper_on_the_published_children(published):
    """FACTS of the paper: more than 62 edges among the 15 regions is true of 11 ASD and 1 TD."""
    graphs = published("children")
    contrasts = {}
    for name, percentile in (("td-asd", 70), ("asd-td", 85)):
        found = contrast_subgraph(
            difference_graph(graphs, name), percentile=percentile, solver="search"
        )
        subgraph = {"percentile": percentile, "alpha": found.alpha, "nodes": found.nodes.tolist()}
        contrasts[name] = {"cohort": "children", "contrast": name, "subgraphs": [subgraph]}
    figure = draw(
        "contrast_large",
        graphs=graphs,
        contrasts=contrasts,
        percentiles={"td-asd": 70, "asd-td": 85},
    )
    texts = {text.get_text() for text in _texts(figure)}
    for title in ("TD−ASD, percentile 70: 23 regions,", "ASD−TD, percentile 85: 15 regions,"):
        assert any(text.startswith(title) for text in texts)
    (rules,) = (text for text in texts if "rules" in text)
    assert "more than 62 edges\nin ASD−TD:\n   11 ASD, 1 TD" in rules


def test_rule_of_62_edges_is_drawn_for_15_regions_only(graphs, contrasts):
    size = len(subgraph_at(contrasts["asd-td"], 80)["nodes"])
    assert size != 15
    figure = draw("contrast_large", graphs=graphs, contrasts=contrasts)
    assert not any("62" in text.get_text() for text in _texts(figure))
    figure = draw("contrast_large", graphs=graphs, contrasts=contrasts, source="folder")
    assert not any("rule" in text.get_text() for text in _texts(figure))


def test_percentile_that_was_not_computed_is_named(contrasts):
    with pytest.raises(InputError, match=r"children at the percentile 85 .* one of 80, 90, 95"):
        subgraph_at(contrasts["td-asd"], 85)


def test_alpha_path_has_one_cell_for_each_member(contrasts):
    figure = draw("alpha_path", contrasts={"asd-td": contrasts["asd-td"]})
    size, _, members = figure.get_axes()
    sizes = [len(subgraph["nodes"]) for subgraph in contrasts["asd-td"]["subgraphs"]]
    assert list(size.lines[0].get_xdata()) == sizes
    assert len(members.patches) == sum(sizes)


def test_equal_alphas_are_one_row_of_the_path(contrasts):
    record = dict(contrasts["td-asd"])
    first = record["subgraphs"][0]
    record["subgraphs"] = [first, {**first, "percentile": 85}, *record["subgraphs"][1:]]
    figure = draw("alpha_path", contrasts={"td-asd": record})
    labels = [label.get_text() for label in figure.get_axes()[0].get_yticklabels()]
    assert len(labels) == 3 and labels[0].startswith("80, 85; ")


def test_equal_sets_are_said_to_be_equal(graphs, contrasts):
    figure = draw("contrast_small", graphs=graphs, contrasts=contrasts)
    texts = [text.get_text() for text in _texts(figure)]
    assert sum("the same set as at the percentile 80" in text for text in texts) == 2


def test_the_matrix_has_the_regions_of_a_system_beside_each_other():
    from contrast_subgraphs.report.figures.brain import by_system

    atlas = load_aal().iloc[[0, 92, 1, 93]].reset_index(drop=True)
    assert by_system(atlas)[1].tolist() == [0, 2, 1, 3]


def test_unproven_optimum_shows_its_bound(contrasts):
    record = {
        **contrasts["td-asd"],
        "subgraphs": [dict(s) for s in contrasts["td-asd"]["subgraphs"]],
    }
    record["subgraphs"][0] |= {"optimal": False, "upper_bound": 99.0}
    value = draw("alpha_path", contrasts={"td-asd": record}).get_axes()[1]
    ends = [segment[1, 0] for lines in value.collections for segment in lines.get_segments()]
    assert 99.0 in ends


def test_boundary_is_that_of_the_classifier(whole, drawn):
    panel = panel_of(whole, "cs-p1")
    axes = drawn["boundaries_p1"]().get_axes()[0]
    line = next(c for c in axes.collections if c.get_linewidth()[0] == 0.9 and c.get_paths())
    vertices = np.concatenate([path.vertices for path in line.get_paths() if len(path.vertices)])
    step = np.ptp(axes.get_xlim()) / 150
    sides = panel.decide(vertices + [step, -step]), panel.decide(vertices - [step, -step])
    assert (np.sign(sides[0]) != np.sign(sides[1])).mean() > 0.95


def test_classifier_of_a_panel_never_saw_the_test_part(whole):
    panel = panel_of(whole, "cs-p2")
    changed = replace(panel, y=np.where(panel.test, 1 - panel.y, panel.y))
    points = panel.features[:5]
    assert np.array_equal(panel.decide(points), changed.decide(points))


def test_leakage_shows_means_and_controls_of_the_table(run, drawn):
    accuracy = load_table(run["tables"]["accuracy"])
    scores = load_scores(run["scores"]["children"])
    panel = drawn["leakage"]().get_axes()[0]
    shown = np.round([x for line in panel.lines for x in line.get_xdata()], 9)
    here = accuracy[accuracy["cohort"] == "children"]
    for row in here.itertuples():
        assert round(row.mean, 9) in shown
    own = scores[(scores["method"] == "cs-p1") & (scores["protocol"] == "nested")]
    assert set(np.round(control_means(own), 9)) <= set(shown)


def test_leakage_without_permutations_and_without_the_paper(run):
    accuracy = load_table(run["tables"]["accuracy"])
    accuracy = accuracy[accuracy["protocol"] == "nested"].copy()
    accuracy[["control_mean", "control_std", "p_value", "paper_mean", "paper_std"]] = np.nan
    scores = load_scores(run["scores"]["children"])
    figure = draw("leakage", accuracy=accuracy, scores=scores[scores["control"] == "none"])
    assert {text.get_text() for text in figure.legends[0].get_texts()} == {"ours, nested"}


def test_empty_subgraph_is_drawn(graphs, contrasts):
    empty = {"percentile": 97, "alpha": 1.0, "objective": 0.0, "upper_bound": 0.0}
    empty |= {"optimal": True, "nodes": [], "regions": []}
    records = {n: {**r, "subgraphs": [*r["subgraphs"], empty]} for n, r in contrasts.items()}
    figure = draw(
        "contrast_large",
        graphs=graphs,
        contrasts=records,
        percentiles={"td-asd": 97, "asd-td": 97},
    )
    assert any("no pair differs" in text.get_text() for text in _texts(figure))
    draw("contrast_symmetric", graphs=graphs, contrasts=records, percentiles={"symmetric": 97})
    draw("alpha_path", contrasts=records)


@pytest.mark.parametrize("atlas", [None, [f"R{i}" for i in range(116)]])
@pytest.mark.parametrize("name", ["answer", "contrast_large", "contrast_symmetric"])
def test_more_edges_than_can_be_told_apart_are_a_matrix(name, atlas, graphs, contrasts):
    def with_more(record, n):
        first = record["subgraphs"][0]
        nodes = list(range(n))
        return {**record, "subgraphs": [{**first, "nodes": nodes, "alpha": -1.0, "percentile": 80}]}

    known = load_aal() if atlas is None else describe_regions(atlas, load_aal())
    for n, matrices in ((12, 0), (30, 1)):
        records = {key: with_more(one, n) for key, one in contrasts.items()}
        given = {"graphs": graphs, "contrasts": records, "percentiles": {"symmetric": 80}}
        images = [i for a in draw(name, atlas=known, **given).get_axes() for i in a.images]
        assert len(images) == matrices * (1 if name == "contrast_symmetric" else 2)
        for image in images:
            assert image.get_array().shape == (n, n)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_a_subgraph_with_few_edges_is_drawn(count):
    from contrast_subgraphs.report.figures.brain import draw_brain
    from contrast_subgraphs.report.figures.style import new_figure

    edges = [(0, k + 1, 1.0, "#123456", "-") for k in range(count)]
    figure = new_figure(2, 2)
    draw_brain(figure.subplots(), load_aal(), [3, 5, 30, 60], 20, "#123456", edges, views="z")
    drawn = [
        c for axes in figure.get_axes() for c in axes.collections if hasattr(c, "get_segments")
    ]
    assert sum(len(c.get_segments()) for c in drawn) == count


def test_regions_of_another_atlas_are_drawn_on_a_circle(graphs, contrasts, tmp_path):
    other = describe_regions([f"R{i}" for i in range(116)], load_aal())
    figure = draw("contrast_large", graphs=graphs, contrasts=contrasts, atlas=other)
    save(figure, tmp_path / "circle.png")
    circle = [a for a in figure.get_axes() if a.get_aspect() == 1 and a.collections]
    for axes in circle:  # nothing is moved off the circle, and all have their names
        (points,) = axes.collections
        assert np.allclose(np.hypot(*np.asarray(points.get_offsets()).T), 1)
        assert len(axes.texts) == len(points.get_offsets())
    assert len(circle) == 2
    save(draw("difference", graphs=graphs, atlas=other), tmp_path / "difference.png")
    save(draw("degrees", graphs=graphs, atlas=other), tmp_path / "degrees.png")
    assert not any(text.get_text() == "L" for text in _texts(figure))


@pytest.mark.parametrize("question", ["variable", "interaction"])
@pytest.mark.parametrize("name", ["answer", "contrast_large", "alpha_path", "difference"])
def test_what_goes_with_a_variable_is_drawn_in_its_words(name, question, graphs):
    value = np.linspace(20, 60, len(graphs.y))
    asked = {"question": KINDS[question]("age", column="AGE"), "cohort": "age"}
    asked["weights"] = graphs.weights * 1.0
    asked |= {"y": value, "groups": ()} if question == "variable" else {"value": value}
    people = replace(graphs, **asked)
    config = {"percentiles": [80], "alphas": [], "solver": "search"}
    records = {
        contrast: json.loads(
            json.dumps(
                cohort_record(
                    sweep_cohort(people, contrast, 0, config), "age", contrast, graphs.roi
                )
            )
        )
        for contrast in people.contrasts
    }
    settings = small_config(ROOT)
    settings["cohorts"]["age"] = {question: "AGE", "label": "Age"}
    settings["report"] |= {
        "cohorts": ["age"],
        "contrast_large": dict.fromkeys(people.contrasts, 80),
    }
    results = Results(settings, graphs=["age.npz"])
    results.graphs, results.contrasts = {"age": people}, {"age": records}
    results.atlas, results.significance = load_aal(), None
    seen = View(results, "age")
    texts = " ".join(text.get_text() for text in _texts(FIGURES[name].draw(seen)))
    texts += " ".join(FIGURES[name].words(kind, seen) for kind in ("title", "alt", "caption"))
    assert re.search("(higher|with|over|against) AGE", texts)
    if question == "variable":
        assert not re.search(r"\b(TD|ASD|groups?|diagnos\w+)\b", texts)
    if name == "contrast_large":  # what is drawn, and what is said of it
        assert "come from these very participants" in texts and "held-out" not in texts
        first = people.contrasts[0]
        key = {"cohort": "age", "contrast": first, "percentile": 80}
        held = pd.DataFrame({**key, "subject": people.subject, "weight": value / 100})
        results.held_out = pd.concat([held, held.assign(contrast=people.contrasts[1])])
        results.effects = pd.DataFrame([key])
        assert any("held-out" in text.get_text() for text in _texts(FIGURES[name].draw(seen)))
        assert "outside its fold" in FIGURES[name].words("caption", seen)


def test_systems_are_labelled_in_the_order_of_the_atlas():
    runs = system_runs(load_aal())
    assert runs[0][:2] == ("frontal", 0) and runs[-1] == ("cerebellum", 90, 115)
    assert sum(last - first + 1 for _, first, last in runs) == 116


@settings(deadline=None, max_examples=25, derandomize=True)
@given(st.lists(st.tuples(st.floats(-60, 60), st.floats(-60, 60)), min_size=1, max_size=8))
def test_markers_are_moved_apart_and_no_farther_than_needed(places):
    places = np.array(places)
    moved = moved_apart(places, 10.0)
    gaps = [np.hypot(*(a - b)) for a, b in itertools.combinations(moved, 2)]
    assert min(gaps, default=10) > 8
    far = all(np.hypot(*(a - b)) >= 10 for a, b in itertools.combinations(places, 2))
    assert not far or np.array_equal(moved, places)


# --- captions -----------------------------------------------------------------------


def about(config, name, cohort="children"):
    return View(Results(config), cohort if FIGURES[name].by_cohort else None)


def test_captions_follow_the_config_and_say_what_differs_from_the_paper(root):
    config = small_config(root)
    config["cohorts"]["male"] = config["cohorts"]["children"]
    config["report"]["contrast_large"] = {"td-asd": 70, "asd-td": 85}

    def caption(name, cohort="children"):
        return FIGURES[name].words("caption", about(config, name, cohort))

    large = caption("contrast_large")
    assert "percentile 70" in large and "percentile 85" in large and "optimum at 85" in large
    config["report"]["contrast_large"]["asd-td"] = 93
    changed = caption("contrast_large")
    assert "percentile 93" in changed and "optimum at 85" not in changed
    assert "optimum at 90" in caption("contrast_symmetric")
    assert "optimum at 90" not in caption("contrast_symmetric", "male")
    config["source"] = "simulated"
    config["report"]["contrast_large"]["asd-td"] = 85
    assert "optimum at 85" not in caption("contrast_large")


def test_captions_name_the_groups_of_the_config(root):
    config = small_config(root)
    config["source"] = "folder"
    config["groups"] = {"control": {"label": "Controls"}, "patient": {"label": "Patients"}}
    for name in ("contrast_large", "contrast_small"):
        at = config["report"][name].values()
        config["report"][name] = dict(zip(("control-patient", "patient-control"), at, strict=True))
    for name, figure in FIGURES.items():
        text = figure.words("caption", about(config, name)) + figure.words(
            "alt", about(config, name)
        )
        assert not re.search(r"\b(TD|ASD)\b", text), name
        assert name == "example" or not re.search(r"Figure \d of the paper", text), name
    assert "Patients−Controls at the percentile 80" in FIGURES["contrast_large"].words(
        "caption", about(config, "contrast_large")
    )


def test_every_figure_has_a_caption_and_an_alternative_text(root, drawn):
    config = small_config(root)
    assert set(drawn) == set(FIGURES)
    for name, figure in FIGURES.items():
        assert len(figure.words("caption", about(config, name))) > 80
        assert len(figure.words("alt", about(config, name))) > 30
        if figure.by_cohort:
            assert "Children" in figure.words("caption", about(config, name))
            assert figure_of(f"{name}-x.png", config) == (name, "x")


# --- tables of regions --------------------------------------------------------------


def test_regions_table_has_each_region_with_its_degree(graphs, contrasts):
    table = regions_table(contrasts.values(), {"children": graphs}, load_aal())
    assert len(table) == sum(len(s["nodes"]) for c in contrasts.values() for s in c["subgraphs"])
    difference = difference_graph(graphs, "asd-td")
    part = table[(table["contrast"] == "asd-td") & (table["percentile"] == 90)]
    nodes = subgraph_at(contrasts["asd-td"], 90)["nodes"]
    assert sorted(part["index"]) == nodes
    for row in part.itertuples():
        assert row.region == graphs.roi[row.index]
        assert row.degree == pytest.approx(difference[row.index, nodes].sum())
    assert part["degree"].is_monotonic_decreasing


@settings(deadline=None, max_examples=20, derandomize=True)
@given(st.sets(st.integers(0, 115), min_size=1, max_size=30))
def test_systems_table_counts_every_region_once(nodes):
    atlas = load_aal()
    graphs = small_graphs(4)
    record = {"cohort": "c", "contrast": "td-asd", "subgraphs": [_subgraph(sorted(nodes))]}
    table = systems_table(regions_table([record], {"c": graphs}, atlas), graphs.roi, atlas)
    assert (table["left"] + table["right"] + table["midline"] == table["count"]).all()
    everything = table[table["grouping"] == "all"].iloc[0]
    systems = table[table["grouping"] == "system"]
    assert everything["count"] == systems["count"].sum() == len(nodes)
    assert systems["expected"].sum() == pytest.approx(len(nodes))
    left = sum(atlas["hemisphere"][i] == "L" for i in nodes)
    assert everything["left"] == left


def _subgraph(nodes):
    return {"percentile": 80, "alpha": 0.1, "nodes": nodes, "regions": [], "optimal": True}


def test_groups_of_the_paper_are_those_of_the_atlas():
    names = load_aal()["name"]
    sizes = {g: int(names.str.startswith(b).sum()) for g, b in PAPER_GROUPS.items()}
    assert sizes == {
        "cerebellum": 26,
        "prefrontal": 20,
        "posterior parietal": 10,
        "inferior and middle temporal": 4,
        "striatum": 4,
        "limbic": 12,
    }


def test_what_is_expected_is_the_mean_over_random_sets():
    """And there is no p: regions of one system go together, in sets of permuted labels too."""
    atlas = load_aal().iloc[:8].copy()
    atlas["system"] = ["frontal"] * 3 + ["limbic"] * 5
    w = np.zeros((2, 8, 8))
    graphs = CohortGraphs(w, np.array([0, 1]), np.array(["a", "b"]), atlas["name"].to_numpy(str))
    record = {"cohort": "c", "contrast": "td-asd", "subgraphs": [_subgraph([0, 1, 5])]}
    table = systems_table(regions_table([record], {"c": graphs}, atlas), graphs.roi, atlas)
    row = table[(table["grouping"] == "system") & (table["group"] == "frontal")].iloc[0]
    sets = list(itertools.combinations(range(8), 3))
    assert row["expected"] == pytest.approx(np.mean([len({0, 1, 2} & set(one)) for one in sets]))
    assert not {"p", "p_value", "laterality_p"} & set(table)


def test_regions_of_another_run_are_an_error(graphs, contrasts):
    atlas = load_aal()
    with pytest.raises(InputError, match="its graphs are not"):
        regions_table(contrasts.values(), {}, atlas)
    record = {"cohort": "c", "contrast": "td-asd", "subgraphs": [_subgraph([0, 300])]}
    with pytest.raises(InputError, match="vertex 300"):
        regions_table([record], {"c": graphs}, atlas)


def test_another_atlas_has_no_systems(graphs):
    names = [f"R{i}" for i in range(116)]
    record = {"cohort": "c", "contrast": "td-asd", "subgraphs": [_subgraph([0, 3])]}
    other = CohortGraphs(graphs.adjacency, graphs.y, graphs.subject, np.array(names))
    table = regions_table([record], {"c": other}, load_aal())
    assert list(table["region"]) and (table["system"] == "").all()
    assert systems_table(table, names, load_aal()).empty


def test_a_drawn_set_shows_itself_in_notebooks():
    """Jupyter knows figures of matplotlib only once pyplot has been imported."""
    difference = np.array([[0, 3, 2], [3, 0, 1], [2, 1, 0]])
    found = contrast_subgraph(difference, alpha=0.5)
    shown = plot_contrast(difference, found)._repr_png_()
    assert shown.startswith(b"\x89PNG") and len(shown) > 2000
