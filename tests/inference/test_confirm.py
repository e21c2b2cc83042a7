"""Sets that were chosen elsewhere, tested in new data."""

import itertools
import json

import numpy as np
import pytest
from click.testing import CliRunner
from contrast_subgraphs import contrast_subgraph, save
from contrast_subgraphs.cli import main
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import CohortGraphs
from contrast_subgraphs.inference import FixedSet, confirm, load_sets, named_set, permutation_test

ROI = [f"R{k}" for k in range(6)]
CLAIM = FixedSet("claim", ("R0", "R1", "R2"), "a-b")


def made(n=10, effect=0.0, seed=0, p=6):
    rng = np.random.default_rng(seed)
    graphs = rng.normal(size=(n, p, p))
    y = np.repeat(["a", "b"], n // 2)
    graphs[: n // 2, :3, :3] += effect / 2
    return graphs + graphs.transpose(0, 2, 1), y


def test_p_is_that_of_all_relabellings():
    """Five and five people, by brute force over the 252 ways to deal out the labels."""
    graphs, y = made()
    i, j = np.triu_indices(3, 1)
    inside = graphs[:, i, j].mean(axis=1)
    differences = []
    for first in itertools.combinations(range(10), 5):
        chosen = np.isin(np.arange(10), first)
        one, other = inside[chosen], inside[~chosen]
        pooled = (one.var(ddof=1) + other.var(ddof=1)) / 5
        differences.append((one.mean() - other.mean()) / np.sqrt(pooled))
    observed = differences[0]  # the first five are a
    expected = np.mean(np.array(differences) >= observed - 1e-12)
    with pytest.warns(UserWarning, match="only 252 relabellings"):
        found = confirm(graphs, y, CLAIM, regions=ROI)
    assert found.exact and found.permutations == 251
    assert found.pvalue[0] == pytest.approx(expected)
    assert found.effect[0] == pytest.approx(inside[:5].mean() - inside[5:].mean())
    error = np.sqrt(inside[:5].var(ddof=1) / 5 + inside[5:].var(ddof=1) / 5)
    assert found.high[0] - found.effect[0] == pytest.approx(2.306004 * error, rel=1e-5)


def test_the_other_direction_is_the_other_tail():
    graphs, y = made(effect=2.0, n=40)
    against = FixedSet("against", CLAIM.regions, "b-a")
    found = confirm(graphs, y, [CLAIM, against], regions=ROI, n_permutations=200)
    assert found.effect[0] == pytest.approx(-found.effect[1])
    assert found.pvalue[0] < 0.05 and found.pvalue[1] > 0.9
    assert found.pvalue_holm[0] == pytest.approx(2 * found.pvalue[0])
    assert found.table()["pairs"].tolist() == [3, 3]


def test_it_finds_what_a_search_does_not():
    """The power of one test is above that of the test over all sets, on the same people."""
    found = 0
    searched = 0
    for seed in range(12):
        graphs, y = made(n=24, effect=0.7, seed=seed)
        one = confirm(graphs, y, CLAIM, regions=ROI, n_permutations=99)
        found += one.pvalue[0] <= 0.05
        test = permutation_test(graphs, y, percentiles=80, n_permutations=99)
        searched += test.pvalue[0, 0] <= 0.05
    assert found > searched


def test_covariates_pairs_and_variables():
    graphs, y = made(n=40, effect=2.0)
    age = np.random.default_rng(1).normal(size=40)
    inside = graphs[:, *np.triu_indices(3, 1)].mean(axis=1)
    model = np.column_stack([y == "a", np.ones(40), age])
    slope = np.linalg.lstsq(model, inside, rcond=None)[0][0]
    adjusted = confirm(graphs, y, CLAIM, regions=ROI, covariates={"age": age}, n_permutations=50)
    assert adjusted.effect[0] == pytest.approx(slope)
    person = np.tile(np.arange(20), 2).astype(str)
    paired = confirm(graphs, y, CLAIM, regions=ROI, paired=True, subjects=person, n_permutations=50)
    differences = inside[:20] - inside[20:]
    assert paired.effect[0] == pytest.approx(differences.mean())
    half = 2.093024 * differences.std(ddof=1) / np.sqrt(20)
    assert paired.high[0] - paired.effect[0] == pytest.approx(half, rel=1e-4)
    dose = FixedSet("dose", CLAIM.regions, "less-with-dose")
    values = np.where(y == "a", 0.0, 1.0) + 0.1 * age
    slope = confirm(graphs, values, dose, regions=ROI, variable="dose", n_permutations=50)
    assert slope.effect[0] > 0 and slope.pvalue[0] < 0.05


def test_interval_and_p_are_of_one_model():
    """Blocks differ ten times as much as people, and hold other shares of both groups.

    Each pair of regions is a set without a difference. With labels that are exchanged within blocks
    p knows nothing of the blocks, and neither may effect and interval.
    """
    rng = np.random.default_rng(0)
    y = np.array(list("aabbbbbb" + "aaaabbbb" + "aaaaaabb"))
    block = np.repeat([0, 1, 2], 8)
    # The first group is in blocks with larger weights, in all pairs.
    numbers = rng.normal(size=(24, 190)) + 10.0 * block[:, None]
    pairs = np.triu_indices(20, 1)
    graphs = np.zeros((24, 20, 20))
    graphs[:, *pairs] = numbers
    graphs += graphs.transpose(0, 2, 1)
    roi = [f"R{k}" for k in range(20)]
    sets = [FixedSet(f"{i} {j}", (roi[i], roi[j]), "a-b") for i, j in zip(*pairs, strict=True)]
    age = rng.normal(size=24) + block
    for covariates in (None, {"age": age}):
        found = confirm(
            graphs, y, sets, regions=roi, blocks=block, covariates=covariates, n_permutations=399
        )
        assert ((found.low <= 0) & (found.high >= 0)).mean() > 0.9
        # One side of a 95 % interval leaves out as much as a one-sided p of .025.
        differs = found.low > 0
        assert ((found.pvalue > 0.06) & differs).sum() == 0
        assert ((found.pvalue < 0.01) & ~differs).sum() == 0
        assert ((found.pvalue <= 0.025) != differs).mean() < 0.05


def test_p_and_interval_allow_for_a_small_group_that_spreads_more():
    """Of 200 sets without a difference hardly more than 5 % are confirmed."""
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b"], [8, 24])
    graphs = np.zeros((32, 21, 21))
    pairs = np.triu_indices(21, 1)
    graphs[:, *pairs] = rng.normal(size=(32, 210)) * np.where(y == "a", 3.0, 1.0)[:, None]
    graphs += graphs.transpose(0, 2, 1)
    roi = [f"R{k}" for k in range(21)]
    sets = [FixedSet(f"{i} {j}", (roi[i], roi[j]), "a-b") for i, j in zip(*pairs, strict=True)]
    found = confirm(graphs, y, sets, regions=roi, n_permutations=199)
    assert (found.pvalue <= 0.05).mean() < 0.1
    assert ((found.pvalue <= 0.025) != (found.low > 0)).mean() < 0.05


def test_pairs_between_two_lists():
    claim = named_set("R[01]", ROI, "a-b", between=["R2", "R3"])
    i, j = np.triu_indices(6, 1)
    expected = {(0, 2), (0, 3), (1, 2), (1, 3)}
    chosen = claim.pairs(ROI)
    assert set(zip(i[chosen].tolist(), j[chosen].tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: FixedSet("x", ("R0",), "a-b"), "has no pair"),
        (lambda: FixedSet("x", ("R0", "R0", "R1"), "a-b"), "R0 is named twice"),
        (lambda: FixedSet("x", ("R0",), "a-b", ("R0",)), "has no pair"),
        (lambda: FixedSet("x", (), "a-b", ("R0", "R1")), "has no pair"),
        (lambda: named_set("R0", ROI, "a-b", between=[]), "second list of regions is empty"),
        (lambda: named_set("Q*", ROI, "a-b"), "no region is called Q"),
        (
            lambda: confirm(*made(), FixedSet("x", ("R0", "Z"), "a-b"), regions=ROI),
            "1 of its regions are not among these 6 .Z.*another atlas",
        ),
        (
            lambda: confirm(*made(), FixedSet("x", ("R0", "R1"), "td-asd"), regions=ROI),
            "none of these data's .a-b and b-a.*give their groups the names",
        ),
        (lambda: confirm(*made(), [], regions=ROI), "at least one set"),
        (lambda: confirm(*made(), CLAIM, regions=ROI[:5]), "5 names of regions, and 6 regions"),
        (
            lambda: confirm(
                *made(), FixedSet("x", ("R0", "R1"), "a-b", atlas=("R0",) * 90), regions=ROI
            ),
            "chosen among 90 regions, and these data have 6",
        ),
    ],
)
def test_what_cannot_be_is_said(build, words):
    with pytest.raises(InputError, match=words):
        build()


@pytest.fixture
def folders(tmp_path):
    """Matrices of two studies, each of two groups, with the same planted set."""
    for study, seed in (("old", 0), ("new", 1)):
        graphs, y = made(n=24, effect=3.0, seed=seed)
        for k, (graph, group) in enumerate(zip(graphs, y, strict=True)):
            folder = tmp_path / study / str(group)
            folder.mkdir(parents=True, exist_ok=True)
            style = {"delimiter": ",", "header": ",".join(ROI), "comments": ""}
            np.savetxt(folder / f"s{k:02d}.csv", graph, **style)
    return tmp_path


def test_the_people_of_a_run_are_known_from_its_files(tmp_path):
    """A file of a contrast lies in the folder of the results that holds the cohort's graphs."""
    graphs, y = made(n=24, effect=3.0)
    names = np.arange(24).astype(str)
    cohort = CohortGraphs(graphs, (y == "b").astype(int), names, np.array(ROI), ("a", "b"), "all")
    cohort.save(tmp_path / "graphs" / "all.npz")
    folder = tmp_path / "contrast" / "all"
    folder.mkdir(parents=True)
    record = {"cohort": "all", "contrast": "a-b", "subgraphs": [{"regions": ["R0", "R1", "R2"]}]}
    (folder / "a-b.json").write_text(json.dumps(record))
    sets = load_sets(folder / "a-b.json")
    with pytest.raises(InputError, match="24 of these 24 graphs are among those that chose"):
        confirm(cohort.weights, y, sets, regions=ROI)
    others, labels = made(n=24, effect=3.0, seed=1)
    assert confirm(others, labels, sets, regions=ROI, n_permutations=50).pvalue[0] < 0.05


def test_what_python_saves_is_read_once_its_direction_is_given(tmp_path):
    graphs, y = made(n=24, effect=3.0)
    difference = graphs[y == "a"].mean(axis=0) - graphs[y == "b"].mean(axis=0)
    np.fill_diagonal(difference, 0)
    found = contrast_subgraph(difference, percentile=80, names=ROI)
    for name, saved in (("one.json", found), ("several.json", [found])):
        save(saved, tmp_path / name)
        with pytest.raises(InputError, match="does not say in which direction"):
            load_sets(tmp_path / name)
        [one] = load_sets(tmp_path / name, contrast="a-b")
        assert one.regions == found.regions and one.name == "a-b at percentile 80"
        # The regions of a set are not all regions: the other people have more.
        assert one.pairs(ROI).sum() == len(one.regions) * (len(one.regions) - 1) / 2
    assert load_sets(tmp_path / name, {"R0": "R9"}, contrast="b-a")[0].regions[0] == "R9"


def test_find_saves_what_confirm_reads(folders, monkeypatch):
    monkeypatch.chdir(folders)

    def cli(*arguments, code=0):
        done = CliRunner().invoke(main, [*map(str, arguments)])
        assert done.exit_code == code, done.output
        return done.stdout if code == 0 else done.stderr

    old = ("old/a", "old/b")
    new = ("new/a", "new/b")
    cli("find", *old, "--percentile", 80, "-p", 1, "--save", "found.json")
    assert {one.contrast for one in load_sets("found.json")} <= {"a-b", "b-a"}
    said = cli("confirm", "found.json", *new)
    assert said.startswith("a-b at percentile 80 (3 pairs): confirmed; a-b ")
    assert "one-sided p = 0.00" in said and "no search" in said
    assert "are among those that chose the set" in cli("confirm", "found.json", *old, code=1)
    assert "give their groups the names" in cli(
        "confirm", "found.json", *new, "--names", "td,asd", code=1
    )
    # The same people with slightly other numbers, and graphs of another kind: both are said.
    done = CliRunner().invoke(main, ["confirm", "found.json", *old, "--edges", "80"])
    assert done.exit_code == 0
    assert "have the name of one who chose the set" in done.stderr
    assert "weights: the set was found with any number, and these data have 0 or 1" in done.stderr
    found = json.loads(cli("confirm", "a-b: R[0-2]", *new, "--json"))
    assert found["sets"][0]["set"] == "R[0-2]" and found["sets"][0]["pairs"] == 3
    (folders / "names.csv").write_text("from,to\nR0,R5\n")
    renamed = load_sets("found.json", {"R0": "R5"})
    assert "R5" in renamed[0].regions
    cli("confirm", "found.json", *new, "--rename", "names.csv")
    with pytest.raises(InputError, match="says a-b, and contrast b-a"):
        load_sets("found.json", contrast="b-a")
    sets = json.loads((folders / "found.json").read_text())["sets"]
    unnamed = [{"regions": one["regions"]} for one in sets if one["contrast"] == "a-b"]
    (folders / "unnamed.json").write_text(json.dumps({"subgraphs": unnamed}))
    assert cli("confirm", "unnamed.json", *new, "--contrast", "a-b").startswith("a-b (3 pairs): c")
    for bad, words in (
        ("unnamed.json", "does not say in which direction"),
        ("names.csv", "holds no sets"),
        ("nothing.json", "there is no file nothing.json"),
        ("a-b: Q*", "no region is called Q"),
    ):
        assert words in cli("confirm", bad, *new, code=1)
