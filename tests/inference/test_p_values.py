"""Scores that are comparable over statistics of other shapes, and p of the largest."""

import numpy as np
import pytest
from contrast_subgraphs.inference.p_values import (
    critical_between,
    critical_statistics,
    min_p_scores,
    p_value,
)
from contrast_subgraphs.inference.tail import REACHED


def skewed(rng, count):
    """Statistics of one normal and one skewed null, as of large and of small sets."""
    return np.column_stack([rng.normal(size=count), rng.exponential(size=count) ** 2])


@pytest.mark.parametrize("count", [80, 1000])
def test_each_statistic_is_among_the_largest_scores_as_often(count):
    largest = np.zeros(2)
    for seed in range(40):
        scores = min_p_scores(skewed(np.random.default_rng(seed), count))
        top = np.sort(scores.max(axis=1))[-count // 20]
        largest += (scores >= top).sum(axis=0)
    assert 0.35 < largest[0] / largest.sum() < 0.65


def test_the_largest_score_is_of_either_and_the_largest_z_of_the_skewed_one():
    by_score, by_z = [], []
    for seed in range(60):
        every = skewed(np.random.default_rng(seed), 1000)
        z = (every - every.mean(axis=0)) / every.std(axis=0)
        by_score.append(min_p_scores(every).max(axis=0).argmax())
        by_z.append(z.max(axis=0).argmax())
    assert 0.3 < np.mean(by_score) < 0.8
    assert np.mean(by_z) > 0.95


@pytest.mark.parametrize("count", [20, 300])
@pytest.mark.parametrize("law", ["skewed", "counts"])
def test_p_of_the_smallest_p_is_its_rank_among_all(count, law):
    """Valid whoever is observed: p is small in no more than its share, ties or not."""
    rng = np.random.default_rng(0)
    every = skewed(rng, count) if law == "skewed" else rng.poisson(1.0, size=(count, 3)) * 1.0
    most = min_p_scores(every).max(axis=1)
    p = np.array([p_value(one, np.delete(most, k)).p for k, one in enumerate(most)])
    for level in (0.05, 0.1, 0.5):
        assert (p <= level).mean() <= level + 1e-12
    if law == "skewed":  # and in no fewer: the most extreme of each do not tie
        assert len(set(p)) == count


def test_scores_are_those_of_ranks_but_for_the_tail():
    every = skewed(np.random.default_rng(1), 1000)
    scores = min_p_scores(every)
    for values, score in zip(every.T, scores.T, strict=True):
        order = np.argsort(values)
        assert (np.diff(score[order]) > 0).all()
        ranks = np.arange(1000, 0, -1) / 1000
        middle = ranks >= REACHED / 1000
        np.testing.assert_allclose(score[order][middle], -np.log(ranks)[middle], atol=1e-3)
        assert score.max() > np.log(1000 / REACHED)  # beyond the rank where the tail begins


def test_units_rounding_and_constants_change_nothing():
    every = skewed(np.random.default_rng(2), 300)
    scores = min_p_scores(every)
    np.testing.assert_allclose(min_p_scores(every * [1e6, 1e-6] + [3, -7e-6]), scores, atol=1e-6)
    assert (min_p_scores(np.full((50, 2), 0.1)) < 0.02).all()
    twice = np.repeat(every[:, :1], 2, axis=1) + [0, 1e-13]
    np.testing.assert_allclose(min_p_scores(twice)[:, 0], min_p_scores(twice)[:, 1], atol=1e-6)


def test_another_statistic_is_beyond_between_two_relabellings():
    rng = np.random.default_rng(3)
    every = rng.exponential(size=(400, 2, 2))
    scores = min_p_scores(every)
    least = critical_statistics(every, scores, 0.05)
    between = critical_between(every, scores, 0.05)
    for place in np.ndindex(2, 2):
        values = every[(slice(None), *place)]
        last = values[values < least[place]].max()
        assert last <= between[place] <= least[place]
    assert (between < least).any()
    assert np.isnan(critical_between(every[:10], scores[:10], 0.05)).all()
