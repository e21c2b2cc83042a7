"""Protocols: whose labels a method may see when, what is chosen where, and who is tested."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.errors import InputError
from .labels import Labels
from .scores import classification_scores, scores_of
from .splits import site_splits, warn_of_confounded_sites


@dataclass(frozen=True)
class Protocol:
    """What the protocols share: the labels with their draws, and the folds inside a split.

    Parameters
    ----------
    labels : Labels
    folds : int
        Of the cross-validation inside a training part.
    test_size : float
        The share of the people in a test part.
    """

    #: What it is called in the config, and in the tables.
    name: ClassVar[str]
    #: Whether test people are unseen until they are tested, so that a p-value means something.
    held_out: ClassVar[bool] = True

    labels: Labels
    folds: int
    test_size: float = 0.2

    def parts(self, splits):
        """Return the parts that are tested, (n, n_graphs), and what these are called if anything.

        `splits`: the random test parts of the cohort's members. In the parts 1 is tested, 0 trains
        and -1 does neither.
        """
        splits = np.asarray(splits)
        members = self.labels.members.sum()
        if splits.ndim != 2 or splits.shape[1] != members or splits.dtype != bool:
            raise InputError(
                f"cohort {self.labels.name}: the splits do not match its {members} people"
            )
        return self.labels.placed(splits), None

    def redrawn(self, y, parts, *names):
        """Return the parts that go with permuted labels: as many, stratified by these."""
        if not self.labels.stratified:
            return parts
        return self.labels.splits(y, len(parts), self.test_size, *names)

    def first(self, n_parts, wanted):
        """Return on how many parts the level of chance is scored, where `wanted` are asked for."""
        return n_parts

    def pooled(self, rows, y):
        """Return the rows of all parts with what can be said of all people together."""
        return rows

    def inner_folds(self, y, train, *names):
        """Return the fold of each of the training people."""
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
        inner = [fitted] * self.folds
        if learner.uses_labels:
            inner = [learner.fit(train[fold[train] != number], y) for number in range(self.folds)]
        accuracy = learner.cross_validate(inner, y, fold)
        which = first_best(accuracy.max(axis=1))
        return fitted, which, first_best(accuracy[which])

    def first(self, n_parts, wanted):
        """A level of chance needs fewer parts than the accuracy."""
        return min(wanted or n_parts, n_parts)


class Sites(Nested):
    """Leave one site out: as `Nested`, but each part is a site, whatever the labels are."""

    name = "sites"

    def parts(self, splits):
        """Return a part for each site; people of other cohorts at this site are in neither."""
        labels = self.labels
        site = labels.site
        if site is None or len(site) != len(labels.y):
            raise InputError(
                f"cohort {labels.name}: the protocol sites needs the site of every subject"
            )
        at_site, names = site_splits(site, labels.y, self.folds, labels.groups)
        members = labels.members
        if labels.groups:
            about = labels.name, labels.groups[1]
            warn_of_confounded_sites(site[members], labels.y[members], *about)
        there = [row for row, split in enumerate(at_site) if split[members].any()]
        if len(there) < 2:
            raise InputError("leave one site out: all the subjects are from one site")
        parts = np.where(at_site & ~members, -1, at_site.astype(int))
        # People who were at two sites train for neither.
        return labels.apart(parts)[there], [names[row] for row in there]

    def redrawn(self, y, parts, *names):
        """The sites stay what they are."""
        return parts

    def first(self, n_parts, wanted):
        """All sites are needed: they test different people."""
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
