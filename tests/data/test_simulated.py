"""The source `simulated`: a release shaped like ABIDE's, with a known answer."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast import sweep
from contrast_subgraphs.contrast.difference import difference_of_summaries, summary_of
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import SubjectGraphs
from contrast_subgraphs.data import abide, simulated
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.data.phenotypes import HEADER, NO_FILE, read_phenotypes
from contrast_subgraphs.graphs.cohorts import build_cohort, check_cohorts, exclusions
from contrast_subgraphs.graphs.correlation import series_graph, site_graphs
from contrast_subgraphs.graphs.expressions import evaluate
from hypothesis import given, settings
from hypothesis import strategies as st
from mirror import Mirror

GROUPS = {"td": "DX_GROUP == 2", "asd": "DX_GROUP == 1"}
COHORTS = {
    "children": "AGE_YEARS <= 9",
    "adolescents": "15 <= AGE_YEARS < 20",
    "eyesclosed": "EYE_STATUS_AT_SCAN == 2",
    "male": "SEX == 1",
}
PERCENTILES = (70, 75, 80, 85, 90, 93, 95, 97)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulated") / "release"
    simulated.write_release({"subjects": 60, "effect": 0.6}, 0, folder)
    return folder


def digests(folder):
    return {
        path.relative_to(folder): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def read(folder, out):
    """Read a release as the workflow does; return graphs, phenotypes, excluded, lengths."""
    source = simulated.release_source(folder)
    abide.fetch_phenotypes(source, out / "p.csv", sites=simulated.SITES)
    parts, tables = [], []
    for site in simulated.SITES:
        series, table = abide.fetch_site(source, out / "p.csv", site)
        graphs, status = site_graphs(series, table)
        parts.append(graphs)
        tables.append(status)
    phenotypes = read_phenotypes(out / "p.csv")
    return (
        SubjectGraphs.concatenate(parts),
        phenotypes,
        exclusions(phenotypes, tables),
        pd.concat(tables),
    )


def test_same_code_reads_it_as_abide(release, tmp_path):
    graphs, phenotypes, excluded, status = read(release, tmp_path)
    assert len(phenotypes) == 60
    assert len(graphs.subject) + len(excluded) == 60
    reasons = excluded["reason"].str.split(":").str[0].value_counts()
    assert set(reasons.index) == {"constant series", "no file in the release"}
    assert status["volumes"].nunique() >= 8
    assert graphs.density()["density"].between(0.199, 0.21).all()
    for name, where in COHORTS.items():
        cohort, members, left_out = build_cohort(graphs, phenotypes, excluded, GROUPS, name, where)
        assert len(set(cohort.y)) == 2
        chosen = np.asarray(evaluate(where, phenotypes), dtype=bool)
        assert len(members) + len(left_out) == chosen.sum()


def test_nilearn_reads_it_too(release, tmp_path):
    with Mirror(release) as mirror:
        source = simulated.release_source(mirror.url) | {"data_dir": str(tmp_path / "cache")}
        abide.fetch_phenotypes(source, tmp_path / "p.csv", sites=simulated.SITES)
        over_http, table = abide.fetch_site(source, tmp_path / "p.csv", "ALDER")
    folder = simulated.release_source(release)
    from_disk, same = abide.fetch_site(folder, tmp_path / "p.csv", "ALDER")
    assert np.array_equal(over_http.series, from_disk.series)
    pd.testing.assert_frame_equal(table, same)


def test_shape_of_the_files(release):
    header = (release / abide.PHENOTYPES).read_text().split("\n")[0]
    assert header == ",".join(HEADER)
    path = next(release.rglob("Alder_*.1D"))
    content = path.read_bytes()
    assert content.endswith(b"\r\n")
    first, second = content.split(b"\r\n")[:2]
    assert first.decode() == "\t".join(f"#{code}" for code in load_aal()["code"])
    values = np.array(second.decode().split("\t"), dtype=float)
    assert np.array_equal(values, values.astype(np.float32))
    assert np.allclose(values, np.round(values, 6), atol=2e-6)


def test_shape_of_the_real_files(release, shared):
    real = (shared / abide.PHENOTYPES).read_text().split("\n")[0]
    assert (release / abide.PHENOTYPES).read_text().split("\n")[0] == real


def test_same_seed_same_bytes(release, tmp_path):
    simulated.write_release({"subjects": 60, "effect": 0.6}, 0, tmp_path / "again")
    assert digests(tmp_path / "again") == digests(release)
    zero, one = (simulated.Brain(seed).draw("Elm_1", "ELM", 1, 0.6) for seed in (0, 1))
    assert not np.array_equal(zero, one)


def test_a_subject_hangs_on_nothing_but_its_name():
    first, second = simulated.Brain(3), simulated.Brain(3)
    a = first.draw("Elm_1", "ELM", 1, 0.5)
    second.draw("Elm_2", "ELM", 2, 0.5)
    assert np.array_equal(a, second.draw("Elm_1", "ELM", 1, 0.5))
    # Without effect the group does not matter.
    assert np.array_equal(first.draw("Elm_1", "ELM", 1, 0), first.draw("Elm_1", "ELM", 2, 0))
    assert not np.array_equal(a, first.draw("Elm_1", "ELM", 2, 0.5))


@settings(deadline=None, max_examples=25, derandomize=True)
@given(st.integers(40, 500), st.integers(0, 10**6))
def test_all_cohorts_exist_for_any_size_and_seed(n_subjects, seed):
    phenotypes = simulated.draw_phenotypes(n_subjects, seed)
    assert len(phenotypes) == n_subjects
    assert tuple(phenotypes.columns) == HEADER
    constant = simulated._constant_regions(phenotypes, seed)
    assert 0 < len(constant) < 0.1 * n_subjects
    usable = phenotypes[~phenotypes["FILE_ID"].isin([*constant, NO_FILE])]
    usable = usable.assign(AGE_YEARS=np.round(usable["AGE_AT_SCAN"]))
    check_cohorts(usable, GROUPS, {name: {"where": w} for name, w in COHORTS.items()})
    assert (phenotypes["FILE_ID"] == NO_FILE).any()
    assert set(phenotypes["SITE_ID"]) <= set(simulated.SITES)
    balance = (usable["DX_GROUP"] == 1).mean()
    assert 0.4 < balance < 0.6


def test_too_few_subjects(tmp_path):
    with pytest.raises(InputError, match="subjects must be .* at least 40, not 39"):
        simulated.write_release({"subjects": 39, "effect": 0}, 0, tmp_path / "x")


def test_series_keep_to_their_band():
    for site, (_, repetition, lengths, _) in simulated._SITES.items():
        series = simulated.Brain(0).draw("x", site, 1, 1.0)
        assert len(series) in lengths
        power = np.abs(np.fft.rfft(series, axis=0)) ** 2
        frequency = np.fft.rfftfreq(len(series), repetition)
        outside = (frequency < 0.0099) | (frequency > 0.1001)
        assert power[outside].sum() < 1e-9 * power.sum()
        # The global signal was regressed out.
        assert np.abs((series / simulated.Brain(0).scale).mean(axis=1)).max() < 1e-9


def test_correlations_are_like_those_of_brains():
    atlas = load_aal()
    brain = simulated.Brain(0)
    r = np.mean(
        [
            np.corrcoef(brain.draw(f"x{i}", site, 1 + i % 2, 0.6), rowvar=False)
            for i, site in enumerate(simulated.SITES * 4)
        ],
        axis=0,
    )
    names, place = atlas["name"].tolist(), atlas[["x", "y", "z"]].to_numpy()
    distance = np.linalg.norm(place[:, None] - place, axis=2)
    pairs = np.triu(np.ones(r.shape, bool), 1)

    def mean(low, high):
        return r[pairs & (distance >= low) & (distance < high)].mean()

    twins = [
        r[names.index(name), names.index(name[:-1] + "R")] for name in names if name[-2:] == "_L"
    ]
    # The real release, 154 subjects: 0.46, 0.29, 0.12, -0.04; mirrored regions 0.51.
    assert 0.4 < mean(0, 15) < 0.7
    assert 0.2 < mean(15, 30) < 0.4
    assert 0.0 < mean(30, 45) < 0.2
    assert -0.1 < mean(60, 200) < 0.0
    assert 0.3 < np.mean(twins) < 0.6
    assert np.linalg.eigvalsh(simulated.region_covariance(atlas)).min() > 0


# Positive control --------------------------------------------------------------------------


def found(effect, n_subjects=120, seed=0):
    """Return the recovery from that many subjects of each group, without files between."""
    brain = simulated.Brain(seed)
    graphs, y = [], np.arange(n_subjects) % 2
    for index, label in enumerate(y):
        site = simulated.SITES[index // 2 % len(simulated.SITES)]
        series = brain.draw(f"s{index}", site, 1 if label else 2, effect)
        graphs.append(series_graph(series))
    graphs = np.stack(graphs)
    td, asd = summary_of(graphs[y == 0]), summary_of(graphs[y == 1])
    records = []
    for contrast in ("td-asd", "asd-td", "symmetric"):
        answers = sweep(
            difference_of_summaries(td, asd, contrast), percentiles=PERCENTILES, solver="search"
        )
        subgraphs = [{"percentile": a.percentile, "nodes": a.nodes.tolist()} for a in answers]
        records.append({"cohort": "x", "contrast": contrast, "subgraphs": subgraphs})
    return simulated.recovery(simulated.truth({"effect": effect}), records)


def test_planted_contrast_subgraphs_come_back():
    table = found(0.6)
    assert table["contrast"].tolist() == ["td-asd", "asd-td"]
    assert (table["precision"] >= 0.9).all()
    assert (table["recall"] >= 0.9).all()
    assert table["planted"].tolist() == [12, 11]


def test_nothing_comes_back_without_effect():
    table = found(0)
    assert (table["recall"] <= 0.4).all()


def test_recovery_by_hand():
    truth = simulated.truth({"effect": 0.3})
    planted = truth["planted"]["td-asd"]["nodes"]
    names = load_aal()["name"]
    assert names[planted].tolist() == truth["planted"]["td-asd"]["regions"]
    assert set(simulated.PLANTED["td-asd"]) == set(names[planted])
    assert not set(planted) & set(truth["planted"]["asd-td"]["nodes"])
    subgraphs = [
        {"percentile": 70, "nodes": list(range(40))},
        {"percentile": 80, "nodes": [*planted[:9], 115]},
        {"percentile": 90, "nodes": planted[:3]},
        {"percentile": None, "nodes": planted},  # a plain alpha
    ]
    table = simulated.recovery(truth, [{"contrast": "td-asd", "subgraphs": subgraphs}])
    row = table.iloc[0]
    assert (row["percentile"], row["found"], row["common"]) == (80, 10, 9)
    assert row["precision"] == 0.9
    assert row["recall"] == 0.75
    nothing = simulated.recovery(
        truth, [{"contrast": "asd-td", "subgraphs": [{"percentile": 97, "nodes": []}]}]
    )
    assert nothing.loc[0, ["precision", "recall"]].tolist() == [0, 0]
