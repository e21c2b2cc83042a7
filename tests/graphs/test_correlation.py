"""From series to graphs."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.atomic_files import load_table, save_table
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import SubjectGraphs
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.data.series import SiteSeries, constant_rois
from contrast_subgraphs.graphs.correlation import (
    MEASURES,
    connectivity,
    correlation_graphs,
    series_graph,
    site_graphs,
    warn_of_left_out,
)
from contrast_subgraphs.graphs.threshold import threshold_graph, transformed
from hypothesis import given, settings
from hypothesis import strategies as st


def draw(seed, volumes=60, regions=12):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((volumes, 3)) @ rng.standard_normal((3, regions)) + (
        rng.standard_normal((volumes, regions))
    )


def correlation_graph(series, percentile=80, decimals=3):
    return series_graph(series, decimals=decimals, threshold={"percentile": percentile})


def by_hand(series, percentile, decimals):
    """The rule, pair by pair."""
    p = series.shape[1]
    centred = series - series.mean(axis=0)
    value = {}
    for i in range(p):
        for j in range(i):
            a, b = centred[:, i], centred[:, j]
            value[i, j] = round(float(a @ b / np.sqrt((a @ a) * (b @ b))), decimals)
    ranked = sorted(value.values())
    position = (len(ranked) - 1) * percentile / 100
    low = int(position)
    high = min(low + 1, len(ranked) - 1)
    threshold = ranked[low] + (position - low) * (ranked[high] - ranked[low])
    graph = np.zeros((p, p), int)
    for (i, j), r in value.items():
        graph[i, j] = graph[j, i] = r >= threshold - 1e-12
    return graph


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(0, 10**6), st.sampled_from([0, 50, 80, 87.3, 99]), st.integers(2, 6))
def test_rule_of_the_paper(seed, percentile, decimals):
    series = draw(seed)
    graph = correlation_graph(series, percentile, decimals)
    assert graph.dtype == np.uint8
    assert np.array_equal(graph, by_hand(series, percentile, decimals))


@settings(deadline=None, max_examples=20, derandomize=True)
@given(st.integers(0, 10**6))
def test_graph_depends_on_correlations_only(seed):
    series, rng = draw(seed), np.random.default_rng(seed)
    graph = correlation_graph(series, 80, None)
    order = rng.permutation(12)
    moved = series[:, order] * rng.uniform(0.5, 2, 12) + rng.normal(0, 5, 12)
    assert np.array_equal(correlation_graph(moved, 80, None), graph[order][:, order])
    assert not graph.diagonal().any()
    assert graph.sum() // 2 == 14  # of 66 pairs, those from the 80th percentile on


def test_ties_at_the_threshold_are_edges():
    rng = np.random.default_rng(1)
    base = rng.standard_normal((50, 1))
    series = np.hstack([np.tile(base, 6), rng.standard_normal((50, 2))])
    graph = correlation_graph(series, 80)
    assert graph[:6, :6].sum() == 30  # 15 of 28 pairs have the correlation 1
    assert graph.sum() == 30


def test_strong_negative_correlations_are_no_edges():
    series = draw(3)
    series[:, 1] = -series[:, 0]
    assert correlation_graph(series, 50)[0, 1] == 0


def test_constant_regions_are_found_in_the_series():
    series = draw(0)
    series[:, 4], series[:, 7] = 0.1, 0  # np.corrcoef of 0.1 gives 1e-17s, not NaN
    assert constant_rois(series).tolist() == [4, 7]
    with pytest.raises(InputError, match="region 4"):
        correlation_graph(series)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite(bad):
    series = draw(0)
    series[3, 2] = bad
    with pytest.raises(InputError, match="not finite"):
        correlation_graph(series)
    with pytest.raises(InputError, match="subject 1: .*not finite"):
        correlation_graphs([draw(1), series])


def test_shapes():
    for series in (np.zeros(3), np.zeros((2, 5)), np.zeros((9, 1))):
        with pytest.raises(InputError, match="shape"):
            correlation_graph(series)
    graphs = correlation_graphs([draw(1, 40), draw(2, 70)])
    assert graphs.shape == (2, 12, 12)


def site(subjects, codes):
    series = [draw(seed, 30 + seed, len(codes)) for seed in range(len(subjects))]
    return SiteSeries.stack(subjects, series, codes)


def test_graphs_of_a_site(tmp_path):
    aal = load_aal()
    full = site(["a", "b", "c"], aal["code"])
    full.series[full.start[1] : full.start[2], 3] = 0
    full.save(tmp_path / "s.npz")
    table = pd.DataFrame(
        {
            "subject": ["a", "b", "c", "d"],
            "status": ["fetched"] * 3 + ["missing"],
            "reason": ["", "", "", "the server answered 404"],
            "volumes": [30, 31, 32, 0],
        }
    )
    graphs, status = site_graphs(SiteSeries.load(tmp_path / "s.npz"), table)
    assert graphs.subject.tolist() == ["a", "c"]
    assert graphs.roi.tolist() == aal["name"].tolist()
    assert status["status"].tolist() == ["used", "excluded", "used", "missing"]
    assert status["reason"].tolist() == [
        "",
        "constant series: Frontal_Sup_R",
        "",
        "the server answered 404",
    ]
    assert status["density"].notna().tolist() == [True, False, True, False]
    assert status["edges"][0] == graphs.adjacency[0].sum() // 2
    for name, series in full:
        if name != "b":
            expected = correlation_graph(series)
            assert np.array_equal(graphs.take([name]).adjacency[0], expected)
    graphs.save(tmp_path / "g.npz")
    again = SubjectGraphs.load(tmp_path / "g.npz")
    assert np.array_equal(again.adjacency, graphs.adjacency)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_series_are_saved_as_they_are(tmp_path, kind):
    first = site(["a", "b"], [1, 2, 5])
    first = SiteSeries.stack(
        ["a", "b"], [v.astype(kind).astype(float) for _, v in first], [1, 2, 5]
    )
    first.save(tmp_path / "1.npz")
    first.save(tmp_path / "2.npz")
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
    again = SiteSeries.load(tmp_path / "1.npz")
    assert again.series.dtype == np.float64
    assert np.array_equal(again.series, first.series)
    assert [(name, len(v)) for name, v in again] == [("a", 30), ("b", 31)]
    (tmp_path / "2.npz").write_bytes((tmp_path / "1.npz").read_bytes()[:-200])
    with pytest.raises(InputError, match=r"2\.npz is damaged"):
        SiteSeries.load(tmp_path / "2.npz")


def test_other_atlases_and_empty_sites(tmp_path):
    codes = [1, 2, 5]
    table = pd.DataFrame({"subject": ["a"], "status": "fetched", "reason": "", "volumes": 30})
    graphs, _ = site_graphs(site(["a"], codes), table)
    assert graphs.roi.tolist() == ["1", "2", "5"]
    nobody, status = site_graphs(site([], codes), table[:0])
    assert len(nobody.subject) == 0 and len(status) == 0
    # From files, in which a column without values has no type.
    save_table(table[:0], tmp_path / "t.tsv")
    site([], codes).save(tmp_path / "s.npz")
    nobody, status = site_graphs(
        SiteSeries.load(tmp_path / "s.npz"), load_table(tmp_path / "t.tsv", ["subject"])
    )
    assert len(nobody.subject) == 0 and len(status) == 0
    nobody.save(tmp_path / "g.npz")
    nobody = SubjectGraphs.load(tmp_path / "g.npz")
    joined = SubjectGraphs.concatenate([nobody, graphs])
    assert joined.subject.tolist() == ["a"]
    with pytest.raises(InputError, match="no subject has a usable series"):
        SubjectGraphs.concatenate([nobody])
    with pytest.raises(InputError, match="a has more than one graph"):
        SubjectGraphs.concatenate([graphs, graphs])
    other, _ = site_graphs(site(["b"], [1, 2, 6]), table.assign(subject="b"))
    with pytest.raises(InputError, match="different regions"):
        SubjectGraphs.concatenate([graphs, other])
    with pytest.raises(InputError, match="no graph for the subject z"):
        graphs.take(["z"])


def test_a_constant_that_went_through_a_filter_is_still_constant():
    series, rng = draw(1, 120, 10), np.random.default_rng(0)
    for noise in (1e-13, 1e-7):  # double and single precision
        filtered = series.copy()
        filtered[:, 4] = 1000.3 * (1 + noise * rng.standard_normal(120))
        assert constant_rois(filtered).tolist() == [4]
    mostly = 1000.3 * (1 + 1e-13 * rng.standard_normal((120, 10)))
    mostly[:, :3] = series[:, :3]
    assert constant_rois(mostly).tolist() == list(range(3, 10))
    weak = series * np.where(np.arange(10) == 4, 0.01, 1)
    assert len(constant_rois(weak)) == 0


def test_many_ties_at_the_threshold_are_told():
    rng = np.random.default_rng(0)
    few = np.column_stack([rng.permutation([0.0, 0, 1, 1]) for _ in range(20)])
    stacked = SiteSeries.stack(["a"], [few], np.arange(20))
    table = pd.DataFrame({"subject": ["a"], "status": "fetched", "reason": "", "volumes": 4})
    with pytest.warns(UserWarning, match=r"1 of [0-9]+ people .* 0\.2 .* a has 0\.[3-9]"):
        site_graphs(stacked, table)


def test_a_table_that_was_cut_is_not_taken(tmp_path):
    stacked = SiteSeries.stack(["a", "b"], [draw(0), draw(1)], np.arange(12))
    table = pd.DataFrame({"subject": ["a"], "status": "fetched", "reason": "", "volumes": 60})
    with pytest.raises(InputError, match="does not fit their series"):
        site_graphs(stacked, table)


def test_other_measures_and_weights():
    from nilearn.connectome import ConnectivityMeasure

    series = draw(3)
    kind = ConnectivityMeasure(kind="partial correlation")
    partial = kind.fit_transform([series])[0]
    assert np.allclose(connectivity(series, "partial"), partial, atol=1e-6)
    z = series_graph(series, threshold=None, weights="weighted")
    assert z.dtype == np.float32
    r = np.corrcoef(series, rowvar=False)
    upper = np.triu_indices(12, 1)
    assert np.allclose(z[upper], np.maximum(np.arctanh(r[upper]), 0), atol=1e-6)
    assert np.array_equal(z, z.T) and not z.diagonal().any()
    twin = np.column_stack([series, series[:, 0]])  # r = 1, z would be infinite
    assert np.isfinite(series_graph(twin, threshold=None, weights="weighted")).all()
    for name in MEASURES:
        matrix = connectivity(series, name)
        assert np.allclose(matrix, matrix.T)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(0, 10**6), st.sampled_from(["positive", "absolute"]))
def test_thresholds(seed, sign):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(9, 9)).round(1)
    matrix += matrix.T
    upper = np.triu_indices(9, 1)
    strength = np.abs(matrix[upper]) if sign == "absolute" else matrix[upper]
    edges = threshold_graph(matrix, {"value": 0.4}, sign=sign)[upper]
    assert np.array_equal(edges, strength >= 0.4)
    dense = threshold_graph(matrix, {"density": 0.25}, sign=sign)[upper]
    assert dense.sum() >= 9 and (strength[dense == 1].min() > strength[dense == 0]).all()
    assert (strength > strength[dense == 1].min()).sum() < 9
    weighted = threshold_graph(matrix, {"value": 0.4}, "weighted", sign)[upper]
    assert np.allclose(weighted, np.where(edges, strength, 0))
    assert not threshold_graph(np.zeros((9, 9)), {"percentile": 80}, zeros=False).any()
    with pytest.raises(InputError, match="one of percentile, density, value"):
        threshold_graph(matrix, {"value": 0.4, "density": 0.2})


def test_counts_are_shares_or_logarithms():
    counts = np.array([[9, 4, 1], [4, 9, 0], [1, 0, 9]])
    assert transformed(counts) is counts
    shares = transformed(counts, "share")
    assert shares[np.triu_indices(3, 1)].tolist() == [0.8, 0.2, 0.0]
    np.testing.assert_array_equal(transformed(7 * counts, "share"), shares)
    assert transformed(counts, "log1p")[0, 1] == np.log(5)
    assert not transformed(np.zeros((3, 3)), "share").any()
    with pytest.raises(InputError, match="transform: log1p is for counts, and a weight is -4"):
        transformed(-counts, "log1p")


def test_negative_weights_that_are_left_out_are_counted():
    rng = np.random.default_rng(0)
    weights, names = rng.normal(size=(4, 15)) - 0.3, np.array([f"s{k}" for k in range(4)])
    data = SubjectGraphs(weights, names, load_aal()["name"].to_numpy(str)[:6])
    table = pd.DataFrame({"subject": names, "status": "fetched", "reason": "", "volumes": 0})
    share = (weights < 0).mean()
    how = {"threshold": None, "weights": "weighted"}
    with pytest.warns(UserWarning, match=f"{share:.2%} of the pairs have a negative weight"):
        site_graphs(data, table, **how, sign="positive")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        site_graphs(data, table, **how, sign="absolute")
        site_graphs(replace(data, weights=np.abs(weights)), table, **how)


def test_signed_weights_are_kept_as_they_are():
    rng = np.random.default_rng(0)
    weights, names = rng.normal(size=(4, 15)) - 0.3, np.array([f"s{k}" for k in range(4)])
    data = SubjectGraphs(weights, names, load_aal()["name"].to_numpy(str)[:6])
    table = pd.DataFrame({"subject": names, "status": "fetched", "reason": "", "volumes": 0})
    how = {"threshold": None, "weights": "weighted", "sign": "signed"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graphs, _ = site_graphs(data, table, **how)
    assert np.allclose(graphs.weights, weights)
    z = series_graph(rng.normal(size=(40, 6)), **how)
    assert (z < 0).any() and np.array_equal(z, z.T)
    strongest = threshold_graph(square_of(weights)[0], {"density": 0.2}, "weighted", "signed")
    assert np.array_equal(
        strongest, threshold_graph(square_of(weights)[0], {"density": 0.2}, "weighted")
    )


@pytest.mark.parametrize(
    ("reasons", "own", "words"),
    [
        (["constant series: A"] * 2, True, "2 of 9 people are left out: a region without signal "
         "(regions: drop would drop A instead)"),
        (["constant series: A", "constant series: B, A"], False, "2 of 9 people are left out: a "
         "region without signal (A and B)"),
        (["no file", "constant series: A", "no file"], True, "3 of 9 people are left out: 2 for no "
         "file and 1 for a region without signal (regions: drop would drop A instead)"),
        (["no file in the release"], False, None),
        ([], True, None),
    ],
)  # fmt: skip
def test_people_who_are_left_out_are_counted(reasons, own, words):
    excluded = pd.DataFrame({"reason": pd.Series(reasons, dtype=object)})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warn_of_left_out(excluded, 9, own)
    assert [str(one.message) for one in told] == ([words] if words else [])


@pytest.mark.parametrize("weight", [0.1, 2.0**26 + 1])
def test_weights_are_not_rounded(weight):
    graph = threshold_graph(np.full((3, 3), weight), threshold=None, weights="weighted")
    assert (graph[np.triu_indices(3, 1)] == weight).all()
