"""Each site measured inside the set that the others choose, and the mean over sites."""

import warnings

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast import contrast_subgraph
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.design import CohortGraphs, NoTest
from contrast_subgraphs.inference import site_effects, sites
from contrast_subgraphs.inference.pooling import pooled_effect


def made(n_sites=5, each=12, effect=1.0, seed=0, p=8):
    """Graphs of sites with a planted set in the first four regions, more in `a`."""
    rng = np.random.default_rng(seed)
    n = n_sites * each
    graphs = rng.normal(size=(n, p * (p - 1) // 2))
    y = np.tile(["a", "b"], n // 2)
    planted = np.zeros((p, p), dtype=bool)
    planted[:4, :4] = True
    graphs[np.ix_(y == "a", planted[np.triu_indices(p, 1)])] += effect
    return graphs, y, np.repeat([f"site {k}" for k in range(n_sites)], each)


def test_the_set_is_found_without_the_site_and_measured_in_it():
    """Plainly: for each site the contrast subgraph of the others, and Welch's error within it."""
    graphs, y, site = made()
    found = site_effects(graphs, y, site, percentiles=80)
    squares = square_of(graphs)
    for place, name in enumerate(found.sites):
        rest = site != name
        means = [squares[rest & (y == group)].mean(axis=0) for group in "ab"]
        difference = means[0] - means[1]
        nodes = contrast_subgraph(difference, percentile=80).nodes
        here = squares[~rest][:, nodes][:, :, nodes]
        mean = here.sum(axis=(1, 2)) / (len(nodes) * (len(nodes) - 1))
        one = mean[y[~rest] == "a"]
        other = mean[y[~rest] == "b"]
        assert found.nodes[0][0][place].tolist() == list(nodes)
        assert found.effect[0, 0, place] == pytest.approx(one.mean() - other.mean())
        error = np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other))
        assert found.error[0, 0, place] == pytest.approx(error)
    row = found.means().iloc[0]
    assert row["holds"] == row["count"] == 5 and row["low"] > 0


def test_the_mean_is_that_of_paule_and_mandel_with_hartung_and_knapp():
    """The weighted squares are as many as their degrees, and the interval is that of t."""
    effect = np.array([0.1, 0.5, -0.2, 0.4, 0.9])
    error = np.array([0.1, 0.2, 0.15, 0.1, 0.3])
    found = pooled_effect(effect, error)
    weight = 1 / (error**2 + found.tau**2)
    mean = (weight * effect).sum() / weight.sum()
    assert found.mean == pytest.approx(mean)
    assert (weight * (effect - mean) ** 2).sum() == pytest.approx(4)
    assert found.high - found.mean == pytest.approx(2.776445 * found.error, rel=1e-5)
    assert found.predicted_low < found.low < found.mean < found.high < found.predicted_high
    same = pooled_effect([0.3] * 4, [0.1] * 4)
    assert same.tau == 0 and same.i2 == 0
    assert same.error == pytest.approx(0.05)  # equal effects have only their errors
    # Of sites that differ less than their errors say, the scatter itself counts.
    alike = np.array([0.1, 0.12, 0.08])
    plain = pooled_effect(alike, [0.03] * 3)
    assert plain.error == pytest.approx(alike.std(ddof=1) / np.sqrt(3))
    # What any two effects share is added; a negative estimate of it is not.
    shared = pooled_effect(alike, [0.03] * 3, np.full((3, 3), 4e-4))
    assert shared.error == pytest.approx(np.hypot(plain.error, 0.02))
    assert pooled_effect(alike, [0.03] * 3, np.full((3, 3), -4e-4)).error == plain.error
    assert np.isnan(pooled_effect([0.3], [0.1]).low) and pooled_effect([], []).count == 0


def test_sites_with_too_few_people_are_listed_and_not_in_the_mean():
    graphs, y, site = made()
    site = np.where((site == "site 4") & (y == "b"), "site 3", site)
    found = site_effects(graphs, y, site)
    assert found.used.tolist() == [True] * 4 + [False]
    table = found.table()
    assert set(table["site"]) == set(found.sites)
    assert table.loc[table["site"] == "site 4", "effect"].isna().all()
    assert found.means()["count"].eq(4).all() and found.means()["mean"].notna().all()


def test_a_variable_and_pairs():
    graphs, y, site = made(each=16)
    dose = np.where(y == "a", 1.0, 0.0) + np.random.default_rng(1).normal(0, 0.1, len(y))
    slope = site_effects(graphs, dose, site, variable="dose")
    assert slope.contrasts == ("more-with-dose", "less-with-dose")
    assert slope.means().loc[0, "low"] > 0
    person = np.repeat(np.arange(len(y) // 2), 2).astype(str)
    level = np.random.default_rng(2).normal(0, 20, len(y) // 2)[:, None].repeat(2, axis=0)
    pairs = site_effects(graphs + level, y, site, paired=True, subjects=person)
    assert pairs.means().loc[0, "low"] > 0
    # Levels of persons are out: the same errors as without them.
    plain = site_effects(graphs, y, site, paired=True, subjects=person)
    np.testing.assert_allclose(pairs.error[0], plain.error[0], rtol=1e-6)


def test_it_does_not_depend_on_order_or_processes():
    graphs, y, site = made()
    names = [f"s{k}" for k in range(len(y))]
    order = np.random.default_rng(3).permutation(len(y))
    one = site_effects(graphs, y, site, subjects=names)
    other = site_effects(
        graphs[order], y[order], site[order], subjects=np.array(names)[order], n_jobs=2
    )
    pd.testing.assert_frame_equal(one.table(), other.table(), rtol=1e-9)
    np.testing.assert_allclose(one.covariance, other.covariance, rtol=1e-9, atol=1e-15)


def test_effects_of_sites_vary_together_where_chance_chooses_their_sets():
    """Plainly: what each effect loses if the other site does not choose either."""
    graphs, y, site = made(n_sites=4, effect=0.0)
    found = site_effects(graphs, y, site, percentiles=80)
    squares = square_of(graphs)

    def effect(own, left_out):
        rest = ~np.isin(site, left_out)
        means = [squares[rest & (y == group)].mean(axis=0) for group in "ab"]
        nodes = contrast_subgraph(means[0] - means[1], percentile=80).nodes
        first, second = np.triu_indices(len(nodes), 1)
        mean = squares[:, nodes[first], nodes[second]].mean(axis=1)
        return mean[(site == own) & (y == "a")].mean() - mean[(site == own) & (y == "b")].mean()

    one, other = found.sites[1], found.sites[3]
    changes = [effect(own, [own]) - effect(own, [one, other]) for own in (one, other)]
    assert found.covariance[0, 0, 1, 3] == pytest.approx(changes[0] * changes[1])
    assert found.covariance[0, 0, 3, 1] == found.covariance[0, 0, 1, 3]
    # With a strong effect all choose the same set, and nothing is shared.
    strong = site_effects(*made(n_sites=4, effect=3.0), percentiles=80)
    assert (strong.covariance[0, 0] == 0).all()


def test_two_sites_without_which_nobody_can_choose_are_taken_as_dependent():
    found = site_effects(*made(n_sites=2), percentiles=80)
    assert found.covariance[0, 0, 0, 1] == pytest.approx(found.error[0, 0].prod())


def test_a_person_at_two_sites_chooses_for_neither():
    graphs, y, site = made(each=16)
    person = np.arange(len(y))
    person[0] = person[-1]  # at the first and at the last site
    y = np.where(person == person[-1], y[-1], y)
    with pytest.warns(UserWarning):
        found = site_effects(graphs, y, site, subjects=person.astype(str))
    rest = (site != "site 0") & (person != person[0])
    means = [square_of(graphs[rest & (y == group)]).mean(axis=0) for group in "ab"]
    nodes = contrast_subgraph(means[0] - means[1], percentile=80).nodes
    assert found.nodes[0][0][0].tolist() == list(nodes)


def test_a_site_in_which_nothing_varies_does_not_have_all_the_weight():
    graphs, y, site = made()
    graphs[site == "site 2"] = 0.0
    found = site_effects(graphs, y, site)
    flat = found.sites.index("site 2")
    others = np.arange(5) != flat
    assert found.effect[0, 0, flat] == 0
    assert found.error[0, 0, flat] == pytest.approx(np.median(found.error[0, 0, others]))
    assert found.pooled("a-b").mean > 0.5 * found.effect[0, 0, others].mean()


def test_what_cannot_be_is_said():
    graphs, y, site = made()
    with pytest.raises(InputError, match="all graphs are of one site"):
        site_effects(graphs, y, ["x"] * len(y))
    with pytest.raises(NoTest, match="a mean needs two such sites"):
        site_effects(graphs, y, (np.arange(len(y)) // 2).astype(str))
    with pytest.raises(InputError, match="at least one penalty"):
        site_effects(graphs, y, site, percentiles=())


def cohort(**columns):
    """Graphs of a cohort with the table of its people, and a call of `cohort_sites`."""
    weights, y, site = made()
    names = np.array([f"s{k:02d}" for k in range(len(y))])
    roi = np.array([f"R{k}" for k in range(8)])
    graphs = CohortGraphs(weights, (y == "b").astype(int), names, roi, ("a", "b"))
    members = pd.DataFrame({"subject": names, "site": site} | columns)
    settings = {"blocks": None, "covariates": [], "exchange": "auto"}

    def measured(members=members, tests=None):
        tests = found_by_tests() if tests is None else tests
        effects = pd.DataFrame(columns=["contrast", "percentile", "d"])
        return sites.cohort_sites(
            graphs, members, tests, effects, settings, 0, "all", edge_statistic="difference"
        )

    return graphs, members, measured


def found_by_tests(**columns):
    """Return the tests of two directions at a percentile and at a plain value, which looks best."""
    rows = [
        {"contrast": name, "percentile": at, "alpha": 0.1, "z": z, "p": p, "p_contrast": p}
        for name in ("a-b", "b-a")
        for at, z, p in ((80.0, 2.0, 0.02), (np.nan, 3.0, 0.01))
    ]
    return pd.DataFrame(rows).assign(**columns)


def test_a_cohort_is_measured_at_the_percentile_that_is_shown():
    """Not at plain values of alpha, which have no picture, even where their p is smaller."""
    graphs, members, measured = cohort()
    table, means = measured()
    assert set(table["percentile"]) == {80.0} and len(table) == 10
    plain = site_effects(graphs.weights, graphs.labels, members["site"], subjects=graphs.subject)
    np.testing.assert_allclose(table["effect"], plain.table()["effect"])
    assert means["count"].tolist() == [5, 5]


def test_people_without_a_site_are_left_out_and_counted():
    graphs, members, measured = cohort()
    members.loc[[0, 1, 59], "site"] = [None, "unknown", None]  # as tables of people have it
    with pytest.warns(UserWarning, match="all: 3 of 60 people have no site: they are left out"):
        table, _ = measured()
    rest = (members["site"].notna() & (members["site"] != "unknown")).to_numpy()
    plain = site_effects(
        graphs.weights[rest],
        graphs.labels[rest],
        members["site"][rest],
        subjects=members["subject"][rest],
    )
    np.testing.assert_allclose(table["effect"], plain.table()["effect"])


def test_one_site_next_to_people_without_any_is_said():
    _, members, measured = cohort(site=["A"] * 40 + [None] * 20)
    with pytest.warns(UserWarning, match="20 of 60 people have no site, and the others are at one"):
        table, means = measured()
    assert table.empty and means.empty


def test_a_cohort_without_a_mean_over_sites_says_why():
    _, members, measured = cohort()
    small = members.assign(site=[f"x{k // 2}" for k in range(60)])
    with pytest.warns(UserWarning, match="all: no mean over its sites: .*two such sites"):
        table, means = measured(small)
    assert table.empty and means.empty and list(table)[1:] == sites.COLUMNS
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is expected of these, and nothing said
        assert measured(members.assign(site="one"))[0].empty
        assert measured(members.drop(columns="site"))[0].empty
        assert measured(tests=found_by_tests(z=np.nan))[0].empty
    # What is wrong with the data is not hidden.
    with pytest.raises(InputError, match="different people"):
        measured(members.assign(subject=members["subject"][::-1].to_numpy()))
