"""Protocols: who may see what."""

import numpy as np
from contrast_subgraphs.evaluation.protocols import Nested, Paper, first_best
from contrast_subgraphs.evaluation.splits import stratified_splits
from tiny_cohort import labels_of


def labels(td, asd):
    return np.random.default_rng(0).permutation([0] * td + [1] * asd)


def test_ties_go_to_the_first():
    assert first_best(np.array([0.5, 0.7, 0.7])) == 1
    assert first_best(np.array([0.1 + 0.2, 0.3])) == 0
    assert first_best(np.array([0.3, 0.1 + 0.2])) == 0


class Spy:
    """A learner that notes on whom it is fitted; its second set is the best inside."""

    parameters = [{"a": 1}, {"a": 2}]
    candidates = [{"C": 1}, {"C": 10}]
    uses_labels = True

    def __init__(self):
        self.fits = []

    def fit(self, train, y):
        self.fits.append(set(train.tolist()))
        return len(self.fits) - 1

    def cross_validate(self, fitted, y, fold):
        self.validated = fitted
        return np.array([[0.5, 0.6], [0.7, 0.7]])

    def decision(self, fitted, which, candidate, y, train, test):
        assert not set(test) & set(train)
        return np.ones(len(test))


def test_nested_fits_inside_the_training_part_only():
    y = labels(20, 20)
    splits, spy = stratified_splits(y, 2, 0.2, 0, "tiny"), Spy()
    rows = list(Nested(labels_of(y), 5).run(spy, y, splits))
    assert [(row["repeat"], row["which"], row["candidate"]) for row in rows] == [
        (0, 1, 0),
        (1, 1, 0),
    ]
    assert len(spy.fits) == 12
    for repeat, split in enumerate(splits):
        train, test = set(np.flatnonzero(~split)), set(np.flatnonzero(split))
        outer, *inner = spy.fits[6 * repeat : 6 * repeat + 6]
        assert outer == train
        left_out = [train - fold for fold in inner]
        assert set.union(*left_out) == train and sum(map(len, left_out)) == len(train)
        assert not any(fold & test for fold in inner)


def test_paper_fits_on_everybody_once_and_scores_every_parameter_set():
    y = labels(20, 20)
    splits, spy = stratified_splits(y, 2, 0.2, 0, "tiny"), Spy()
    rows = list(Paper(labels_of(y), 5).run(spy, y, splits))
    assert spy.fits == [set(range(40))]
    assert [(row["repeat"], row["which"], row["candidate"]) for row in rows] == [
        (0, 0, 1),
        (0, 1, 0),
        (1, 0, 1),
        (1, 1, 0),
    ]
