"""Protocols: which subjects a method may see when, and what is chosen where."""

from dataclasses import dataclass

import numpy as np

from .scores import scores_of
from .splits import inner_folds

#: The protocols; `sites` (leave one site out) is an option of the evaluation.
PROTOCOLS = ("paper", "nested", "sites")


@dataclass(frozen=True)
class Paper:
    """The paper's protocol: fitted on the *whole* cohort, test subjects and labels included.

    Each split chooses the SVM's parameters by cross-validation in its training part, whose folds
    keep each `person` together. Every parameter set is scored; the best is picked from the test
    scores afterwards.
    """

    folds: int
    person: np.ndarray | None = None

    def run(self, learner, y, splits, seed, *names):
        """Yield a row of results for each split and parameter set."""
        all_people = learner.fit(np.arange(len(y)), y)
        for repeat, test_part in enumerate(splits):
            train = np.flatnonzero(~test_part)
            test = np.flatnonzero(test_part)
            fold = inner_folds(y, train, self.folds, seed, *names, repeat, person=self.person)
            accuracy = learner.cross_validate([all_people] * self.folds, y, fold)
            for which in range(len(learner.parameters)):
                candidate = first_best(accuracy[which])
                yield _test(learner, all_people, repeat, which, candidate, y, train, test)


@dataclass(frozen=True)
class Nested:
    """Everything is fitted and chosen inside the training part of each split.

    Splits are true (1) for the test part, or -1 for who is in neither. The parameter set and the
    SVM's parameters are those with the best mean accuracy in a cross-validation inside the training
    part (the first set, then the smallest C), whose folds keep each `person` together; a learner
    that uses labels is fitted anew without each fold.
    """

    folds: int
    person: np.ndarray | None = None

    def run(self, learner, y, splits, seed, *names):
        """Yield a row of results for each split."""
        for repeat, part in enumerate(splits):
            train = np.flatnonzero(part == 0)
            test = np.flatnonzero(part == 1)
            fold = inner_folds(y, train, self.folds, seed, *names, repeat, person=self.person)
            fitted, which, candidate = self.choose(learner, y, train, fold)
            yield _test(learner, fitted, repeat, which, candidate, y, train, test)

    def choose(self, learner, y, train, fold):
        """Fit on the training part: the fitted learner, its parameter set and SVM chosen."""
        fitted = learner.fit(train, y)
        if len(learner.parameters) == len(learner.candidates) == 1:
            return fitted, 0, 0
        inner = [fitted] * self.folds
        if learner.uses_labels:
            inner = [learner.fit(train[fold[train] != number], y) for number in range(self.folds)]
        accuracy = learner.cross_validate(inner, y, fold)
        which = first_best(accuracy.max(axis=1))
        return fitted, which, first_best(accuracy[which])


def first_best(accuracy):
    """Index of the largest value; of the first among those that differ by rounding only."""
    return int(np.argmax(np.round(accuracy, 9)))


def _test(learner, fitted, repeat, which, candidate, y, train, test):
    """Fit the SVM on the training subjects and score it on the test subjects."""
    decision = learner.decision(fitted, which, candidate, y, train, test)
    return {
        "repeat": repeat,
        "which": which,
        "candidate": candidate,
        "fitted": fitted,
        "train": len(train),
        "test": len(test),
        "people": test,
        "decision": decision,
        **scores_of(y[test], decision),
    }
