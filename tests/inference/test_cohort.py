"""The test of a cohort: what is permuted within, who is left out, and cohorts without a test."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast import sweep
from contrast_subgraphs.contrast.cohort import (
    cohort_as_tested,
    cohort_record,
    sweep_cohort,
)
from contrast_subgraphs.contrast.difference import difference_graph
from contrast_subgraphs.core.atomic_files import load_npz, save_npz
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import (
    KINDS,
    CohortGraphs,
    contrast_names,
    interaction,
    mode_scores,
    of_variable,
    paired,
    several_groups,
    two_groups,
)
from contrast_subgraphs.design.variable import Variable
from contrast_subgraphs.inference import permutation_test, would_find
from contrast_subgraphs.inference.cohort import (
    _Kept,
    cohort_design,
    cohort_edge_tests,
    cohort_effects,
    cohort_stability,
    cohort_test,
    cohort_would_find,
)

SETTINGS = {
    "permutations": 40,
    "hold": "observed",
    "blocks": "site",
    "covariates": [],
    "halves": 5,
    "nbs_threshold": 2.0,
    "effects": {"folds": 3, "repeats": 2},
}

OPTIONS = {"edge_statistic": "difference", "n_jobs": 1}


@pytest.fixture(scope="module")
def cohort():
    """Graphs of 24 people, their table, and their contrast subgraphs."""
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((24, 8, 8)) < 0.4, 1).astype(np.uint8)
    y = np.arange(24) % 2
    names = np.array([f"s{i:02d}" for i in range(24)])
    roi = np.arange(8).astype(str)
    adjacency = upper + upper.transpose(0, 2, 1)
    graphs = CohortGraphs(adjacency, y, names, roi, ("control", "patient"))
    members = pd.DataFrame(
        {
            "subject": names,
            "site": np.repeat(["NA", "b"], 12),
            "age": rng.normal(10, 1, 24),
            "sex": ["f", "m", "m"] * 8,
        }
    )
    records = []
    for contrast in contrast_names(graphs.groups):
        solutions = sweep(difference_graph(graphs, contrast), percentiles=[70, 90])
        subgraphs = [solution.to_dict(roi) for solution in solutions]
        records.append({"contrast": contrast, "subgraphs": subgraphs})
    return graphs, members, records


def run(cohort, members=None, records=None, name="young", **changes):
    graphs, own, solved = cohort
    members = own if members is None else members
    options = OPTIONS | {
        key: changes.pop(key) for key in ("kept", "stamp", "n_jobs") if key in changes
    }
    settings = SETTINGS | changes
    if records is None:
        records = found_by_the_contrasts(graphs, members, settings, name) or solved
    return cohort_test(graphs, members, records, settings, 0, name, **options)


def found_by_the_contrasts(graphs, members, settings, name):
    """Return the records of the stage contrast, if they depend on the settings of the tests."""
    config = {"percentiles": [70, 90], "solver": "exact"}
    try:
        graphs, known = cohort_as_tested(graphs, members, settings, 0, name, config)
    except InputError:  # said by the tests too
        return None
    return [
        cohort_record(
            sweep_cohort(graphs, contrast, 0, config, **known), name, contrast, graphs.roi
        )
        for contrast in graphs.contrasts
        if known
    ]


def test_the_table_has_the_contrast_stage_s_subgraphs(cohort):
    table = run(cohort)
    assert table["contrast"].unique().tolist() == [
        "control-patient",
        "patient-control",
        "symmetric",
    ]
    known = [entry["objective"] for record in cohort[2] for entry in record["subgraphs"]]
    assert table["objective"].tolist() == known
    assert {"density_control", "density_patient"} <= set(table)
    assert set(table["blocks"]) == {"site"} and set(table["adjusted"]) == {""}
    assert table["p_familywise"].between(1 / 41, 1).all() and (table["permutations"] == 40).all()


def test_what_would_have_been_found_is_by_the_statistics_that_are_kept(cohort, tmp_path):
    graphs, members, _ = cohort
    run(cohort, kept=tmp_path / "null.npz")
    of_cohort = SETTINGS, 0, "young"
    found = cohort_would_find(graphs, members, *of_cohort, kept=tmp_path / "null.npz")
    design = cohort_design(graphs, members, *of_cohort)[1]
    options = {"percentiles": [70, 90], "n_permutations": 40, "hold": "observed"}
    test = permutation_test(graphs.weights, design, **options)
    plain = would_find(graphs.weights, design, test).table()
    pd.testing.assert_frame_equal(found.drop(columns="cohort"), plain)
    # Among several cohorts the level is that of Holm's step: it takes a larger difference, or none
    # that such weights can have suffices.
    kept = {"kept": tmp_path / "null.npz", "level": 0.025}
    corrected = cohort_would_find(graphs, members, *of_cohort, **kept)
    assert not (corrected["difference"] <= found["difference"]).any()
    assert set(corrected["level"]) == {0.025}
    assert found["cohort"].tolist() == ["young"]
    few = members.assign(site=graphs.y.astype(str))  # one group at each site: there is no test
    found = cohort_would_find(graphs, few, *of_cohort, kept=tmp_path / "none.npz")
    assert found.empty and list(found)[1:] == list(plain)


def test_without_sites_labels_are_permuted_freely(cohort):
    free = run(cohort, blocks="none")
    without = run(cohort, members=cohort[1].drop(columns="site"))
    pd.testing.assert_frame_equal(free, without)
    one_site = run(cohort, members=cohort[1].assign(site="all"))
    pd.testing.assert_frame_equal(free, one_site)  # "within each site" would say nothing
    assert not np.array_equal(free["null_mean"], run(cohort)["null_mean"])


def test_adjusted_subgraphs_are_solved_anew(cohort):
    table = run(cohort, covariates=["age", "sex"])
    assert set(table["adjusted"]) == {"age+sex"}
    assert not np.allclose(table["alpha"], run(cohort)["alpha"])


def test_people_without_a_covariate_are_left_out_and_counted(cohort):
    members = cohort[1].copy()
    members.loc[3, "age"] = np.nan
    with pytest.warns(UserWarning, match="1 of 24 people lack age"):
        run(cohort, members=members, covariates=["age"])


def test_a_cohort_that_allows_no_test_has_no_p(cohort):
    members = cohort[1].assign(site=np.where(cohort[0].y == 0, "a", "b"))
    with pytest.warns(UserWarning, match="young allows no permutation test: every block"):
        table = run(cohort, members=members)
    assert len(table) == 6 and table["p"].isna().all() and (table["permutations"] == 0).all()


def test_what_does_not_fit_is_named(cohort):
    with pytest.raises(InputError, match="a column of the people.*'iq'.*sources.folder.site"):
        run(cohort, covariates=["iq"])
    with pytest.raises(InputError, match="different people"):
        run(cohort, members=cohort[1][::-1])
    records = [
        {**record, "subgraphs": [{**entry, "nodes": [0, 1]} for entry in record["subgraphs"]]}
        for record in cohort[2]
    ]
    with pytest.raises(InputError, match="different runs"):
        run(cohort, records=records)


def test_tables_and_figure_of_cohorts_with_and_without_a_test(cohort, tmp_path):
    from contrast_subgraphs.core.atomic_files import save_table
    from contrast_subgraphs.report.figures import FIGURES
    from contrast_subgraphs.report.figures.figure import View
    from contrast_subgraphs.report.figures.style import save
    from contrast_subgraphs.report.results import Results
    from contrast_subgraphs.report.tables import TABLES

    config = {
        "source": "folder",
        "groups": {"control": {}, "patient": {}},
        "cohorts": {"old": {}, "young": {}},
        "methods": [],
    }
    save_table(run(cohort), tmp_path / "young.csv")
    members = cohort[1].assign(site=np.where(cohort[0].y == 0, "a", "b"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        none = run(cohort, members=members).assign(cohort="old")
    save_table(none, tmp_path / "old.csv")
    graphs = cohort[0]
    for name, people in (("old", members), ("young", cohort[1])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tests = cohort_edge_tests(graphs, people, SETTINGS, 0, name, **OPTIONS)
            effects, held = cohort_effects(
                *(graphs, people, cohort[2], SETTINGS, 0, name), **OPTIONS
            )
            shares = cohort_stability(graphs, people, [70, 90], SETTINGS, 0, name, **OPTIONS)
        assert len(tests) == (0 if name == "old" else 12)
        sets = effects[effects["contrast"] != "chosen"]
        assert len(sets) == (0 if name == "old" else 2 * 2)
        assert len(effects) == len(sets) + (name == "young")
        assert len(held) == len(sets) * len(graphs.y)
        assert {"cohort", "effect", "low", "in_sample", "blocks", "adjusted"} <= set(effects)
        assert len(shares) == (0 if name == "old" else 3 * 2 * 8)
        save_table(tests, tmp_path / f"{name}.group_tests.csv")
        save_table(shares, tmp_path / f"{name}.regions.csv")
        save_table(effects, tmp_path / f"{name}.effects.csv")
    paths = {
        "inference": [tmp_path / "old.csv", tmp_path / "young.csv"],
        "group_tests": [tmp_path / f"{name}.group_tests.csv" for name in ("old", "young")],
        "effects": [tmp_path / f"{name}.effects.csv" for name in ("old", "young")],
        "shares": [tmp_path / f"{name}.regions.csv" for name in ("old", "young")],
    }
    given = Results(config, **paths)
    TABLES["group_tests"].save(given, tmp_path / "tables")
    beside = TABLES["group_tests"].load(tmp_path / "tables" / "group_tests.csv")
    assert (
        beside["test"].tolist()
        == ["contrast subgraph", "nbs-extent", "nbs-intensity", "max-t", "fdr"] * 3
    )
    assert len(given.shares) == 48
    TABLES["effects"].save(given, tmp_path / "tables")
    effects = TABLES["effects"].load(tmp_path / "tables" / "effects.csv")
    assert len(effects) == 5 and effects["cohort"].unique().tolist() == ["young"]
    text = (tmp_path / "tables" / "effects.md").read_text(encoding="utf-8")
    assert "| In new " in text and "| In these " in text
    TABLES["significance"].save(given, tmp_path / "tables")
    table = TABLES["significance"].load(tmp_path / "tables" / "significance.csv")
    assert table["cohort"].tolist() == ["old"] * 6 + ["young"] * 6
    text = (tmp_path / "tables" / "significance.md").read_text(encoding="utf-8")
    assert "old: these groups allow no permutation test" in text
    assert "young: 40 random permutations within each site." in text
    save(FIGURES["significance"].draw(View(given)), tmp_path / "figure.png")


@pytest.mark.parametrize("hold", ["null", "observed"])
def test_more_permutations_continue_those_that_are_there(cohort, hold, tmp_path):
    kept, other = tmp_path / "kept.npz", tmp_path / "other.npz"
    run(cohort, permutations=73, kept=kept, hold=hold)
    first = np.load(kept)["null"]
    table = run(cohort, permutations=130, kept=kept, hold=hold)
    again = run(cohort, permutations=130, kept=other, n_jobs=2, hold=hold)
    assert np.array_equal(np.load(kept)["null"][:73], first) and table.equals(again)
    assert kept.read_bytes() == other.read_bytes()
    # Fewer than are there, a damaged file, or one of another test.
    run(cohort, permutations=73, kept=kept, hold=hold)
    assert np.array_equal(np.load(kept)["null"], first)
    kept.write_bytes(kept.read_bytes()[:100])
    run(cohort, permutations=130, kept=kept, hold=hold)
    assert kept.read_bytes() == other.read_bytes()
    assert not run(cohort, permutations=130, kept=kept, name="b", hold=hold).equals(table)


def test_kept_statistics_of_other_code_are_not_used(cohort, tmp_path):
    kept = tmp_path / "kept.npz"
    table = run(cohort, kept=kept, stamp="old")
    arrays = load_npz(kept)
    save_npz(kept, **(arrays | {"null": arrays["null"] + 1}))
    assert (run(cohort, kept=kept, stamp="old")["null_mean"] > table["null_mean"]).all()
    assert run(cohort, kept=kept, stamp="new").equals(table)


def test_a_known_subgraph_that_is_not_the_best_is_said(cohort):
    empty = {"objective": 0.0, "optimal": False, "nodes": []}
    worse = [
        {**record, "subgraphs": [entry | empty for entry in record["subgraphs"]]}
        for record in cohort[2]
    ]
    with pytest.warns(UserWarning, match="those of the best one"):
        again = run(cohort, records=worse)
    assert again["p"].equals(run(cohort)["p"])


@pytest.mark.parametrize("covariates", [[], ["age"]])
@pytest.mark.parametrize("hold", ["null", "observed"])
def test_one_set_is_found_and_tested(cohort, hold, covariates):
    """The sets of the stage contrast are those that the tests would find themselves."""
    graphs, members, _ = cohort
    table = run(cohort, hold=hold, covariates=covariates)
    _, design = cohort_design(graphs, members, SETTINGS | {"covariates": covariates}, 0, "young")
    test = permutation_test(
        graphs.weights, design, percentiles=[70, 90], hold=hold, n_permutations=40
    ).table()
    for column in ("alpha", "objective", "size", "p_familywise"):
        np.testing.assert_allclose(table[column], test[column], rtol=1e-9)
    if hold == "null":
        assert not np.allclose(table["alpha"], run(cohort)["alpha"])


@pytest.mark.parametrize("statistic", ["difference", "t"])
@pytest.mark.parametrize(
    "asked", ["variable", "ranks", "paired", "interaction", "growth", "several"]
)
def test_what_a_cohort_asks_is_its_design_s_test(asked, statistic, tmp_path):
    """The sets of the stage contrast are those of the test, which is that of the labels."""
    rng, n = np.random.default_rng(1), 24
    upper = np.triu(rng.normal(size=(n, 8, 8)), 1)
    y, value, site = np.arange(n) % 2, rng.normal(size=n), np.repeat(["a", "b"], n // 2)
    person, names = np.arange(n) // 2, np.array([f"s{i:02d}" for i in range(n)])
    groups = {"variable": (), "ranks": (), "several": ("u", "v", "w")}.get(asked, ("u", "v"))
    labels = {"variable": value, "ranks": value, "several": np.arange(n) % 3}.get(asked, y)
    kind = {"ranks": "variable", "growth": "interaction"}.get(asked, asked)
    question = KINDS[kind]("mine", ranks=asked == "ranks")
    if asked == "growth":  # of people who come twice
        labels = person % 2
    more = {
        "paired": {"person": person},
        "interaction": {"value": value},
        "growth": {"value": value, "person": person},
    }.get(asked, {})
    adjacency, roi = upper + upper.transpose(0, 2, 1), np.arange(8).astype(str)
    graphs = CohortGraphs(adjacency, labels, names, roi, groups, "mine", question, **more)
    members = pd.DataFrame({"subject": names, "site": site} | more)
    settings = {"percentiles": [70, 90], "solver": "exact", "edge_statistic": statistic}
    records = [
        cohort_record(sweep_cohort(graphs, name, 0, settings), "mine", name, roi, statistic)
        for name in graphs.contrasts
    ]
    run = SETTINGS | {"permutations": 30}
    found = cohort_test(graphs, members, records, run, 0, "mine", edge_statistic=statistic)
    subjects = person if asked == "growth" else names
    common = {"blocks": site, "subjects": subjects, "random_state": 0, "name": "mine"}
    design = {
        "variable": lambda: of_variable(value, called="mine", **common),
        "ranks": lambda: of_variable(value, called="mine", ranks=True, **common),
        "paired": lambda: paired(y, person, name="mine"),
        "interaction": lambda: interaction(y, value, called="mine", **common),
        "growth": lambda: interaction(labels, value, called="mine", **common),
        "several": lambda: several_groups(np.arange(n) % 3, **common),
    }[asked]()
    test = permutation_test(
        adjacency,
        design,
        percentiles=[70, 90],
        edge_statistic=statistic,
        hold="observed",
        n_permutations=30,
    )
    assert found["contrast"].unique().tolist() == list(graphs.contrasts)
    for column in ("alpha", "objective", "p_familywise", "null_mean"):
        np.testing.assert_allclose(found[column], test.table()[column], rtol=1e-12)
    assert set(found["blocks"]) == {"person" if asked == "paired" else "site"}
    graphs.save(file := tmp_path / "mine.npz")
    again = CohortGraphs.load(file)
    assert again.contrasts == graphs.contrasts and np.array_equal(again.y, labels)
    for part in more:
        assert np.array_equal(getattr(again, part), getattr(graphs, part))


def test_a_covariate_that_explains_the_variable_is_one_error(cohort):
    graphs, members, _ = cohort
    asked = replace(graphs, y=members["age"].to_numpy(), groups=(), question=Variable("age"))
    changed = SETTINGS | {"covariates": ["age"]}
    with pytest.raises(InputError, match="age determines the variable"):
        cohort_design(asked, members, changed, 0, "young")


def test_what_is_kept_of_thousands_has_a_key(tmp_path):
    """Their relabellings are a number of more than 4,300 digits."""
    graphs = np.random.default_rng(0).random((1700, 1)).astype(np.float32)
    statistic = of_variable(np.arange(1700.0)).statistic(graphs)
    assert _Kept(tmp_path / "kept.npz", "").begin(statistic, np.zeros((3, 1))).shape == (0, 3, 1)


def test_graphs_of_one_density_are_tested_for_the_other_side(cohort):
    graphs, members, records = cohort
    table = cohort_test(graphs, members, records, SETTINGS, 0, "one", **OPTIONS)
    assert table["p_other_side"].isna().all()
    # The first 4 connections of each person, so that all have the same number.
    weights = graphs.adjacency.copy()
    for one in weights:
        first, second = np.nonzero(np.triu(one))
        one[first[4:], second[4:]] = 0
        one[second[4:], first[4:]] = 0
    alike = CohortGraphs(weights, graphs.y, graphs.subject, graphs.roi, graphs.groups)
    entries = []
    for contrast in alike.contrasts:
        solutions = sweep(difference_graph(alike, contrast), percentiles=[70, 90])
        entries.append(cohort_record(solutions, "one", contrast, alike.roi))
    table = cohort_test(alike, members, entries, SETTINGS, 0, "one", **OPTIONS)
    given = table.groupby("contrast")["p_other_side"].first()
    assert given[list(alike.contrasts[:2])].between(0, 1).all()
    assert np.isnan(given["symmetric"])


def test_contrasts_are_tested_given_modes_too(cohort):
    graphs, members, _ = cohort
    table = run(cohort)
    # 24 people have two modes: a tenth of the people, at most five.
    assert set(table["modes"]) == {2}
    given = table.groupby("contrast", sort=False)["p_given_modes"].first()
    scores = mode_scores(graphs.weights, 2)
    design = two_groups(
        graphs.y, labels=[0, 1], blocks=members["site"], covariates=scores, name="young"
    )
    asked = {"percentiles": [70, 90], "n_permutations": 40, "solver": "search"}
    test = permutation_test(graphs.weights, design, **asked)
    np.testing.assert_allclose(given, test.pvalue_contrast.min(axis=1))
    # Modes that are in the model already are not added again.
    table = run(cohort, members=members.assign(**scores), covariates=list(scores))
    assert table["p_given_modes"].isna().all() and set(table["modes"]) == {0}
