"""Held-out effects: by hand, without an effect, with one, and what must not change them."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast.features import extract
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import interaction, of_variable, paired, two_groups
from contrast_subgraphs.inference import effect_size
from contrast_subgraphs.inference.effect_size import held_out_effect
from scipy import stats


@pytest.fixture(autouse=True)
def few_relabellings(monkeypatch):
    monkeypatch.setattr(effect_size, "CALIBRATION", 20)
    monkeypatch.setattr(effect_size, "CHOICE_CALIBRATION", 10)


def sample(seed, n=60, p=12, effect=0.0, density=0.3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    chance = np.full((n, p, p), density)
    chance[y == 0, :5, :5] += effect
    upper = np.triu(rng.random((n, p, p)) < chance, 1).astype(int)
    return upper + upper.transpose(0, 2, 1), y


def by_hand(graphs, y, percentile, folds):
    """Effect and d of the first group minus the second, in plain numpy."""
    effects, ds = [], []
    for fold in folds:
        above = below = squares = 0
        for k in range(fold.max() + 1):
            means = [graphs[(fold != k) & (y == g)].mean(axis=0) for g in (0, 1)]
            [nodes] = extract(means[0] - means[1], [percentile])[1]
            part = graphs[fold == k][:, nodes][:, :, nodes]
            density = part.sum(axis=(1, 2)) / (len(nodes) * (len(nodes) - 1))
            first, second = (density[y[fold == k] == g] for g in (0, 1))
            weight = len(first) * len(second) / (len(first) + len(second))
            above += weight * (first.mean() - second.mean())
            below += weight
            squares += first.var() * len(first) + second.var() * len(second)
        effects.append(above / below)
        ds.append(effects[-1] / np.sqrt(squares / (len(y) - 2 * (fold.max() + 1))))
    return np.mean(effects), np.mean(ds)


def test_it_is_what_plain_numpy_gives():
    graphs, y = sample(0, effect=0.2)
    noise = np.triu(np.random.default_rng(0).normal(size=graphs.shape), 1)  # no ties of sets
    graphs = graphs + noise + noise.transpose(0, 2, 1)
    found = held_out_effect(graphs, y, percentiles=[70, 90], n_repeats=3)
    design = two_groups(y)
    folds = [design.folds(5, repeat) for repeat in range(3)]
    for k, percentile in enumerate((70, 90)):
        effect, d = by_hand(graphs, y, percentile, folds)
        assert found.effect[0, k] == pytest.approx(effect)
        assert found.d[0, k] == pytest.approx(d)


def test_the_children_s_set_is_nothing_in_children_who_did_not_choose_it(published):
    """The published graphs, recomputed: .086 in the people who chose, nothing in others."""
    graphs = published("children")
    found = held_out_effect(
        graphs.adjacency, graphs.y, percentiles=80, subjects=graphs.subject, n_repeats=4
    )
    design = two_groups(graphs.y, subjects=graphs.subject)
    folds = [design.folds(5, repeat) for repeat in range(4)]
    effect, d = by_hand(graphs.adjacency, graphs.y, 80, folds)
    assert found.effect[0, 0] == pytest.approx(effect, abs=0.003)
    assert found.d[0, 0] == pytest.approx(d, abs=0.03)
    assert found.in_sample[0, 0] == pytest.approx(0.0857, abs=0.0001)
    assert found.low[0, 0] < 0 < found.high[0, 0] and abs(effect) < 0.03


def test_without_an_effect_it_is_none_and_with_one_it_is_that():
    effects, covered = [], []
    for seed in range(30):
        graphs, y = sample(seed + 50)
        found = held_out_effect(graphs, y, percentiles=80, random_state=seed, n_repeats=4)
        effects.append(found.effect[0, 0])
        covered.append(found.low[0, 0] <= 0 <= found.high[0, 0])
        assert found.in_sample[0, 0] > 0.1
    assert abs(np.mean(effects)) < 0.02 and np.mean(covered) >= 0.85
    graphs, y = sample(0, n=200, effect=0.3)
    found = held_out_effect(graphs, y, percentiles=80)
    assert found.nodes[0][0].tolist() == [0, 1, 2, 3, 4]
    assert found.effect[0, 0] == pytest.approx(0.3, abs=0.05) and found.low[0, 0] > 0.2
    assert found.effect[0, 0] <= found.in_sample[0, 0] + 1e-9
    inside = graphs[:, :5, :5].sum(axis=(1, 2)) / 20  # every fold finds the planted set
    np.testing.assert_allclose(found.inside[0, 0], inside)
    table = found.table()
    assert table["contrast"].tolist() == ["0-1", "1-0", "chosen"] and table["size"][0] == 5
    assert table[:2].notna().all().all()
    # Every training part chooses this set too.
    assert table["share_chosen"].tolist()[:2] == [1, 0]
    one, chosen = table.iloc[0], table.iloc[2]
    for part in ("effect", "d", "in_sample", "size", "empty", "folds", "repeats"):
        assert chosen[part] == pytest.approx(one[part]), part


def chosen_by_hand(graphs, y, percentiles, fold):
    """Effect and d of one assignment to folds, its choices made by plain loops over inner folds."""
    count = fold.max() + 1

    def measured(rest, here, direction, percentile):
        means = [graphs[rest & (y == g)].mean(axis=0) for g in (direction, 1 - direction)]
        [nodes] = extract(means[0] - means[1], [percentile])[1]
        part = graphs[here][:, nodes][:, :, nodes]
        density = part.sum(axis=(1, 2)) / (len(nodes) * (len(nodes) - 1))
        first, second = (density[y[here] == g] for g in (direction, 1 - direction))
        weight = len(first) * len(second) / (len(first) + len(second))
        squares = first.var() * len(first) + second.var() * len(second)
        return np.array([weight * (first.mean() - second.mean()), weight, squares])

    def sd(direction, percentile):
        parts = [measured(fold != k, fold == k, direction, percentile) for k in range(count)]
        return np.sqrt(sum(squares for _, _, squares in parts) / (len(y) - 2 * count))

    total, choices, units = 0, [], 0
    for k in range(count):
        best = {}
        for direction in (0, 1):
            for percentile in percentiles:
                above, below, squares = sum(
                    measured((fold != k) & (fold != j), fold == j, direction, percentile)
                    for j in range(count)
                    if j != k
                )
                best[above / below / np.sqrt(squares)] = direction, percentile
        choices.append(best[max(best)])
        part = measured(fold != k, fold == k, *choices[-1])
        total = total + part
        units += part[0] / sd(*choices[-1])
    return total[0] / total[1], units / total[1], choices


def test_direction_and_penalty_are_chosen_without_the_people_measured():
    graphs, y = sample(4, effect=0.15)
    noise = np.triu(np.random.default_rng(0).normal(size=graphs.shape), 1)  # no ties of sets
    graphs = graphs + noise + noise.transpose(0, 2, 1)
    found = held_out_effect(graphs, y, percentiles=[60, 80, 90], n_folds=4, n_repeats=2)
    share = np.zeros((2, 3))
    effects, ds = [], []
    for repeat in range(2):
        fold = two_groups(y).folds(4, repeat)
        effect, d, choices = chosen_by_hand(graphs, y, [60, 80, 90], fold)
        effects.append(effect)
        ds.append(d)
        for direction, percentile in choices:
            share[direction, [60, 80, 90].index(percentile)] += 1 / 8
    assert found.chosen.effect == pytest.approx(np.mean(effects))
    assert found.chosen.d == pytest.approx(np.mean(ds))
    np.testing.assert_allclose(found.chosen.share, share)
    assert (share > 0).sum() > 1  # not all alike, or the test says little


def test_without_an_effect_the_chosen_one_is_none_where_the_best_of_all_is_not():
    effects, best, covered = [], [], []
    for seed in range(25):
        graphs, y = sample(seed + 90, n=40, p=8)
        found = held_out_effect(
            graphs, y, percentiles=[60, 90], n_folds=4, n_repeats=2, random_state=seed
        )
        effects.append(found.chosen.effect)
        best.append(found.effect.max())
        covered.append(found.chosen.low <= 0 <= found.chosen.high)
    error = np.std(effects) / np.sqrt(25)
    assert np.mean(best) > 3 * error  # chosen by what is then told
    assert np.mean(effects) < 2 * error and np.mean(covered) >= 0.8


def test_with_two_folds_nothing_is_chosen():
    graphs, y = sample(0)
    found = held_out_effect(graphs, y, percentiles=80, n_folds=2, n_repeats=2)
    table = found.table()
    assert found.chosen is None and table["contrast"].tolist() == ["0-1", "1-0"]
    assert table["share_chosen"].isna().all()


def test_too_few_people_to_choose_by_are_measured_all_the_same():
    """Four numbers of each person: those outside two folds of three do not tell them apart."""
    rng = np.random.default_rng(0)
    graphs, y = sample(0, n=14, p=6)
    covariates = {f"c{k}": rng.normal(size=14) for k in range(4)}
    found = held_out_effect(
        graphs, y, percentiles=60, covariates=covariates, n_folds=3, n_repeats=1
    )
    assert found.chosen is None and found.effect.shape == (2, 1)


def test_covariates_take_their_part_of_the_effect():
    """The first group moves more, and motion makes edges: nothing is left of the difference."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    motion = rng.normal(size=300) + 1.5 * (y == 0)
    upper = np.triu(rng.normal(size=(300, 8, 8)) + 0.5 * motion[:, None, None], 1)
    graphs = upper + upper.transpose(0, 2, 1)
    plain = held_out_effect(graphs, y, percentiles=50, n_repeats=3)
    held = {"covariates": {"motion": motion}, "n_repeats": 3}
    adjusted = held_out_effect(graphs, y, percentiles=50, **held)
    assert plain.low[0, 0] > 0.4
    assert adjusted.low[0, 0] < 0 < adjusted.high[0, 0] and adjusted.covariates == ("motion",)
    # A difference beside the covariate stays whole, though both go together.
    graphs[y == 0, :4, :4] += 1 - np.eye(4)
    beside = held_out_effect(graphs, y, percentiles=80, **held)
    assert beside.nodes[0][0].tolist() == [0, 1, 2, 3]
    assert beside.effect[0, 0] == pytest.approx(1, abs=0.25)


def test_no_set_is_no_effect_and_said():
    graphs, y = sample(0)
    with pytest.warns(UserWarning, match="no fold has a set"):
        found = held_out_effect(graphs, y, percentiles=[], alphas=[0.999], n_repeats=2)
    assert found.effect.tolist() == [[0], [0]] and found.d.tolist() == [[0], [0]]
    assert found.empty.tolist() == [[1], [1]] and np.isnan(found.low).all()


def test_groups_that_separate_completely_have_a_finite_d():
    graphs = np.zeros((24, 6, 6))
    graphs[:12, :3, :3] = 1 - np.eye(3)
    with pytest.warns(UserWarning, match="no fold has a set"):  # in the other direction
        found = held_out_effect(graphs, np.repeat([0, 1], 12), percentiles=80)
    assert found.effect[0, 0] == 1 and 3 < found.d[0, 0] < np.inf
    assert 0 < found.low[0, 0] < 1


@pytest.mark.parametrize("edge_statistic", ["t", "welch"])
def test_sets_by_t_are_measured_in_the_graphs_own_weights(edge_statistic):
    graphs, y = sample(1, effect=0.4)
    found = held_out_effect(graphs, y, percentiles=80, edge_statistic=edge_statistic, n_repeats=2)
    assert found.effect[0, 0] == pytest.approx(0.4, abs=0.15)


def test_it_hangs_on_neither_processes_nor_the_order_of_the_people():
    graphs, y = sample(2, effect=0.1)
    names = np.array([f"person {k:02}" for k in range(len(y))])
    options = {"percentiles": [70, 90], "n_repeats": 2}
    found = held_out_effect(graphs, y, subjects=names, **options).table()
    assert found.equals(held_out_effect(graphs, y, subjects=names, n_jobs=2, **options).table())
    order = np.random.default_rng(0).permutation(len(y))
    turned = held_out_effect(graphs[order], y[order], subjects=names[order], **options).table()
    np.testing.assert_allclose(found.iloc[:, 1:], turned.iloc[:, 1:])


def test_bad_input_is_named():
    graphs, y = sample(0, n=12)
    with pytest.raises(InputError, match="6 is too small for 6 folds"):
        held_out_effect(graphs, y, n_folds=6)
    with pytest.raises(InputError, match="n_folds"):
        held_out_effect(graphs, y, n_folds=1)
    with pytest.raises(InputError, match="penalty"):
        held_out_effect(graphs, y, percentiles=[])


def test_few_people_far_apart_are_a_large_effect():
    rng = np.random.default_rng(0)
    graphs = 0.1 * rng.normal(size=(12, 8, 8))
    graphs[6:, :4, :4] += 0.5
    found = held_out_effect(
        graphs + graphs.transpose(0, 2, 1), np.repeat(["a", "b"], 6), percentiles=80
    )
    assert found.d[1, 0] > 5 and found.low[1, 0] > 0


def test_effects_of_ranks_are_in_the_graphs_own_weights():
    """The set is found by ranks; what is measured in it is a weight, not a rank."""
    rng = np.random.default_rng(0)
    age, upper = rng.normal(size=80), np.triu(rng.normal(size=(80, 8, 8)), 1)
    upper[:, :4, :4] += np.triu(np.ones((4, 4)), 1) * age[:, None, None]
    graphs = 100 * (upper + upper.transpose(0, 2, 1))
    found = held_out_effect(graphs, of_variable(age, ranks=True), percentiles=80, n_repeats=2)
    assert found.nodes[0][0].tolist() == [0, 1, 2, 3]
    assert found.effect[0, 0] == pytest.approx(100, rel=0.25)
    np.testing.assert_allclose(found.inside[0, 0], graphs[:, :4, :4].sum(axis=(1, 2)) / 12)


PERSON = np.repeat(np.arange(24), 3)
TIME = np.tile([0.0, 1.0, 3.0], 24)
#: Designs whose answer lies within people, and which of their graphs they take.
WITHIN = {
    "pairs": lambda some: paired(TIME[some], PERSON[some]),
    "groups that vary": lambda some: two_groups(TIME[some] > 0, subjects=PERSON[some]),
    "change": lambda some: of_variable(TIME[some], subjects=PERSON[some]),
    "changes": lambda some: interaction(PERSON[some] % 2, TIME[some], subjects=PERSON[some]),
    "persons as a covariate": lambda some: of_variable(
        TIME[some], subjects=PERSON[some], covariates={"person": pd.Categorical(PERSON[some])}
    ),
}


@pytest.mark.parametrize("what", WITHIN)
def test_what_people_differ_by_is_nothing_to_an_effect_within_them(what):
    some = TIME < 3 if what == "pairs" else TIME < 9
    rng = np.random.default_rng(0)
    levels = 5 * rng.normal(size=(24, 8, 8))[PERSON[some]]
    graphs = rng.normal(size=levels.shape)
    found = [
        held_out_effect(
            one + one.transpose(0, 2, 1), WITHIN[what](some), percentiles=80, n_repeats=2
        )
        for one in (graphs, graphs + levels)
    ]
    for part in ("effect", "d", "low", "high"):
        np.testing.assert_allclose(*(getattr(one, part) for one in found), atol=1e-9, err_msg=part)


def test_the_interval_of_pairs_is_that_of_their_differences():
    rng = np.random.default_rng(0)
    person, second = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    upper = np.triu(rng.normal(size=(40, 8, 8)) + 3 * rng.normal(size=(20, 8, 8))[person], 1)
    upper[second == 0, :4, :4] += np.triu(np.full((4, 4), 9.0), 1)
    graphs = upper + upper.transpose(0, 2, 1)
    design = paired(second, person)
    found = held_out_effect(graphs, design, percentiles=80, n_repeats=3)
    weight = graphs[:, :4, :4].sum(axis=(1, 2)) / 12
    difference = weight[::2] - weight[1::2]
    assert found.effect[0, 0] == pytest.approx(difference.mean())
    squares = []
    for repeat in range(3):
        fold = design.folds(5, repeat)[::2]
        means = np.bincount(fold, difference) / np.bincount(fold)
        squares.append(((difference - means[fold]) ** 2).sum())
    error = np.sqrt(np.mean(squares) / (20 - 5) / 20)
    half = found.inflation[0] * stats.t.ppf(0.975, 15) * error
    assert found.high[0, 0] - found.effect[0, 0] == pytest.approx(half)
    within = [np.sqrt(of / 2 / (20 - 5)) for of in squares]  # of single graphs within people
    assert found.d[0, 0] == pytest.approx(np.mean(difference.mean() / within))


def test_graphs_of_one_person_are_no_independent_people():
    """Each graph three times: as many people, and the same interval."""
    graphs, y = sample(0, n=40, p=8, effect=0.4)
    found = [
        held_out_effect(
            np.repeat(graphs, times, axis=0),
            np.repeat(y, times),
            subjects=np.repeat(np.arange(40), times),
            percentiles=80,
            n_repeats=2,
        )
        for times in (1, 3)
    ]
    for part in ("effect", "low", "high"):
        np.testing.assert_allclose(*(getattr(one, part) for one in found), err_msg=part)
