"""Protocols: which labels a method may see, where choices are made, and who is tested."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.errors import InputError
from .labels import Labels
from .scores import classification_scores, scores_of
from .splits import site_splits, warn_of_confounded_sites


@dataclass(frozen=True)
class Protocol:
    """The base of the protocols: labels with their draws, and the folds inside a split.

    Parameters
    ----------
    labels : Labels
    folds : int
        For the cross-validation inside a training part.
    test_size : float
        The share of the people in a test part.
    """

    #: Its name in the config and in tables.
    name: ClassVar[str]
    #: Whether test people are unseen until they are tested, so that a p-value means something.
    held_out: ClassVar[bool] = True

    labels: Labels
    folds: int
    test_size: float = 0.2

    def parts(self, splits):
        """Return the parts that are tested, (n, n_graphs), and their names if they have any.

        `splits` are the random test parts of the cohort's members. In the result 1 is tested, 0 is
        trained on, and -1 is neither.
        """
        splits = np.asarray(splits)
        members = self.labels.members.sum()
        if splits.ndim != 2 or splits.shape[1] != members or splits.dtype != bool:
            raise InputError(
                f"cohort {self.labels.name}: the splits do not match its {members} people"
            )
        return self.labels.placed(splits), None

    def redrawn(self, y, parts, *names):
        """Return the parts for permuted labels: equally many, stratified by these labels."""
        if not self.labels.stratified:
            return parts
        return self.labels.splits(y, len(parts), self.test_size, *names)

    def first(self, n_parts, wanted):
        """Return the number of parts for the level of chance, given the number `wanted`."""
        return n_parts

    def pooled(self, rows, y):
        """Return the rows of all parts, with scores that need all people together."""
        return rows

    def inner_folds(self, y, train, *names):
        """Return the fold of each person in the training part."""
        return self.labels.draws.inner_folds(y, train, self.folds, *names)


class Paper(Protocol):
    """The paper's protocol: fitted on the *whole* cohort, test subjects and labels included.

    Each split chooses the SVM's parameters by cross-validation in its training part. Every
    parameter set is scored; the best is picked from the test scores afterwards.
    """

    name = "paper"
    held_out = False

    def run(self, learner, y, parts, *names):
        """Yield a row of results for each part and parameter set."""
        # The leak of the paper's protocol: sets are found with the labels of the test subjects too.
        all_people = learner.fit(np.arange(len(y)), y)
        for repeat, part in enumerate(parts):
            train = np.flatnonzero(part == 0)
            test = np.flatnonzero(part == 1)
            fold = self.inner_folds(y, train, *names, repeat)
            accuracy = learner.cross_validate([all_people] * self.folds, y, fold)
            for which in range(len(learner.parameters)):
                candidate = first_best(accuracy[which])
                yield _test(learner, all_people, repeat, which, candidate, y, train, test)


class Nested(Protocol):
    """Everything is fitted and chosen inside the training part of each split.

    The parameter set and the SVM's parameters are those with the best mean accuracy in a
    cross-validation inside the training part (the first set, then the smallest C); a learner that
    uses labels is fitted anew without each fold.
    """

    name = "nested"

    def run(self, learner, y, parts, *names):
        """Yield a row of results for each part."""
        for repeat, part in enumerate(parts):
            train = np.flatnonzero(part == 0)
            test = np.flatnonzero(part == 1)
            fold = self.inner_folds(y, train, *names, repeat)
            fitted, which, candidate = self.choose(learner, y, train, fold)
            yield _test(learner, fitted, repeat, which, candidate, y, train, test)

    def choose(self, learner, y, train, fold):
        """Fit on the training part: the fitted learner, its parameter set and SVM chosen."""
        fitted = learner.fit(train, y)
        if len(learner.parameters) == len(learner.candidates) == 1:
            return fitted, 0, 0
        # Features without labels may be shared by the inner folds; others would see the labels of
        # the fold that they are scored on.
        inner = [fitted] * self.folds
        if learner.uses_labels:
            inner = [learner.fit(train[fold[train] != number], y) for number in range(self.folds)]
        accuracy = learner.cross_validate(inner, y, fold)
        which = first_best(accuracy.max(axis=1))
        return fitted, which, first_best(accuracy[which])

    def first(self, n_parts, wanted):
        """Return the number `wanted`: a level of chance needs fewer parts than the accuracy."""
        return min(wanted or n_parts, n_parts)


class Sites(Nested):
    """Leave one site out: as `Nested`, but each part is a site, whatever the labels are."""

    name = "sites"

    def parts(self, splits):
        """Return a part for each site; people at it who are no members are in neither part."""
        labels = self.labels
        site = labels.site
        if site is None or len(site) != len(labels.y):
            raise InputError(
                f"cohort {labels.name}: the protocol sites needs the site of every subject"
            )
        at_site, names = site_splits(site, labels.y, self.folds, labels.groups)
        members = labels.members
        if not labels.variable:
            about = labels.name, labels.groups[1]
            warn_of_confounded_sites(site[members], labels.y[members], *about)
        there = [row for row, split in enumerate(at_site) if split[members].any()]
        if len(there) < 2:
            raise InputError("leave one site out: all the subjects are from one site")
        parts = np.where(at_site & ~members, -1, at_site.astype(int))
        # People who were measured at two sites are not trained on when either is tested.
        return labels.apart(parts)[there], [names[row] for row in there]

    def redrawn(self, y, parts, *names):
        """Return the same parts: sites do not depend on the labels."""
        return parts

    def first(self, n_parts, wanted):
        """Return all parts: each site tests different people."""
        return n_parts

    def pooled(self, rows, y):
        """Add the area under the ROC curve over the people of all sites."""
        if self.labels.variable:
            return rows
        people = np.concatenate([row["people"] for row in rows])
        decisions = np.concatenate([row["decision"] for row in rows])
        area = classification_scores(y[people], decisions)["roc_auc"]
        return [row | {"pooled_roc_auc": area} for row in rows]


#: The protocols by their names; `sites` is an option of the evaluation.
PROTOCOLS = {protocol.name: protocol for protocol in (Paper, Nested, Sites)}


def first_best(accuracy):
    """Index of the largest value, or of the first one among those equal up to rounding."""
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
