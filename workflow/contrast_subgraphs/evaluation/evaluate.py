"""One method under one protocol on one cohort, with its permuted controls."""

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..core.checks import check_option
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from ..core.method import Method
from ..core.processes import progress
from ..design.determined import determining, refuse_determining
from .chosen_sets import add_jaccard, stability_table
from .confounds import COLUMNS, Beside, confounds_row, p_added
from .controls import Controls, given_up, labelling_accuracy, labellings, until_enough
from .labels import Labels
from .learners import ContrastFit, EstimatorLearner, make_learner
from .protocols import PROTOCOLS, Protocol
from .ridge import ridge_grid
from .scores import (
    CONTROLS,
    MEASURES,
    PREDICTION_COLUMNS,
    SCORE_COLUMNS,
    parameters_text,
)
from .splits import check_parts


class Evaluation(NamedTuple):
    """The result of `evaluate`: scores, and stability and confounds if there are any."""

    scores: pd.DataFrame
    stability: pd.DataFrame | None
    confounds: pd.DataFrame


def evaluate(
    graphs,
    method,
    *,
    name,
    cohort,
    protocol,
    splits=None,
    test_size=0.2,
    folds=5,
    candidates=None,
    n_permutations=0,
    n_controls=None,
    control_splits=None,
    stop_after=None,
    percentiles=(70, 75, 80, 85, 90, 93, 95, 97),
    edge_statistic="difference",
    adjust=(),
    modes=None,
    embeddings=(),
    reseeded=(),
    site=None,
    blocks=None,
    exchange="auto",
    subjects=None,
    members=None,
    random_state=0,
    n_jobs=None,
):
    """Evaluate one method under one protocol on one cohort, with its permuted controls.

    Parameters
    ----------
    graphs : CohortGraphs
        Graphs of one `person` are never separated by a split or fold.
    method : Method
    name, cohort : str
        The names of the method and the cohort in tables; draws depend on the cohort's name.
    protocol : {"paper", "nested", "sites"}
    splits : ndarray of bool, shape (n_splits, n_members), optional
        True for the test part; not needed for ``sites``.
    test_size, folds
        The share of a test part, and the folds inside the training part.
    candidates : list of dict, optional
        Settings of the SVM to choose from (`svm_grid`).
    n_permutations : int
        Labellings of a test. They go through all splits, unless they are clearly worse after a few
        (`given_up`).
    n_controls : int, optional
        Labellings for the level of chance where nothing is tested: for embeddings, under ``paper``,
        and among all people if labels are permuted within blocks.
    control_splits : int, optional
        The number of splits on which the level of chance is scored.
    stop_after : int, optional
        A test ends once this many labellings have scored as well as the true one.
    percentiles, edge_statistic
        Settings of contrast subgraphs.
    adjust : sequence of str
        Columns of the subjects that are regressed out of the weights, with coefficients from the
        training part.
    modes : int, optional
        The number of modes shared by all people that are removed too.
    embeddings, reseeded : sequence of path
        A file for each parameter set, and one for each other seed.
    site, blocks : array_like of shape (n_graphs,), optional
        Where each graph was measured, and the blocks that labels are permuted within (by default
        sites). With `exchange` ``whole``, `blocks` such as families are permuted and split as
        wholes.
    exchange : {"auto", "within", "whole"}
        As for a `Design`.
    subjects : Subjects, optional
    members : ndarray of bool, shape (n_graphs,), optional
        Who is tested; other people are only trained on. Under ``paper`` all people are tested.
    random_state, n_jobs : int

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If there are too few people, if splits separate what belongs together, or if a variable is
        to be predicted under ``paper``.
    """
    kind = PROTOCOLS[check_option("protocol", protocol, list(PROTOCOLS))]
    if not kind.held_out:
        members = None
    drawn = {"exchange": exchange, "random_state": random_state, "name": cohort}
    labels = Labels(graphs, members=members, blocks=blocks, site=site, **drawn)
    labels.check(test_size, folds)
    if labels.variable and not kind.held_out:
        raise InputError("a variable is predicted under the protocols nested and sites, not paper")
    subjects = _without_determining(subjects, labels, adjust)
    _check_sites_of_groups(labels, method, name)
    learners = _Learners(
        graphs,
        method,
        labels,
        name=name,
        subjects=subjects,
        adjust=list(adjust),
        modes=modes,
        random_state=random_state,
        candidates=candidates,
        percentiles=percentiles,
        edge_statistic=edge_statistic,
    )
    controls = Controls(n_permutations, n_controls, control_splits, stop_after, n_jobs or 1)
    run = _Run(kind(labels, folds, test_size), splits, learners, controls)
    # One thread: sums that are split over threads differ in their last digits.
    with threadpool_limits(1):
        return run.evaluation(embeddings, reseeded)


#: What the nuisance variables can do alone, without any brain data.
_NUISANCE = Method(
    "nuisance variables",
    "plain",
    "contrast_subgraphs.evaluation.references.nuisance:Nuisance",
    inputs="subjects",
    uses_labels=False,
)


class _Learners:
    """Learners of one method, with files of embeddings if it needs them."""

    def __init__(
        self, graphs, method, labels, *, name, subjects, adjust, modes, random_state, **options
    ):
        self.graphs = graphs
        self.method = method
        self.name = name
        self.subjects = subjects
        self.random_state = random_state
        self._labels = labels
        self._adjust = adjust
        self._modes = modes
        self._options = options

    def make(self, embeddings):
        """Return a learner, of adjusted graphs if columns or modes are to be removed."""
        adjusted = self._adjust or self._modes is not None
        if not adjusted or self.method.inputs != "graphs":
            return self._plain(embeddings)
        from .references.adjustment import GraphsAdjusted

        table = None
        if self.subjects is not None:
            table = self.subjects.table
        taken_out = self.graphs, table, self._adjust
        options = {"modes": self._modes, "random_state": self.random_state}
        return GraphsAdjusted(self._plain, *taken_out, embeddings, **options)

    def _plain(self, embeddings, graphs=None):
        if graphs is None:
            graphs = self.graphs
        learner = make_learner(
            graphs,
            self.method,
            name=self.name,
            cohort=self._labels.name,
            embeddings=embeddings,
            subjects=self.subjects,
            random_state=self.random_state,
            **self._options,
        )
        learner.together = self._labels.draws.exchange.together
        return learner

    def compared_with(self, learner):
        """Yield variants to compare a learner with: adjusted features, and no brain data at all."""
        from .references.adjustment import Adjusted

        # Methods that need only the site use no brain data, and some methods adjust themselves.
        needs = self.method.needs
        adjustable = needs != ("site",) and "nuisance" not in needs
        if adjustable and learner.transforms:
            yield "adjusted", Adjusted(learner, self.subjects)
        # The same classifier on nuisance variables alone: what it can do without any brain data.
        known = self.subjects.only("motion", ("nuisance",))
        known.warn_of_gaps(self._labels.name)
        if "alpha" in learner.candidates[0]:
            candidates = ridge_grid()
        else:
            candidates = learner.candidates
        options = {"candidates": candidates, "random_state": self.random_state}
        alone = EstimatorLearner("motion", _NUISANCE, known, **options)
        alone.together = self._labels.draws.exchange.together
        yield "nuisance", alone


class _Run:
    """One method under one protocol: scores of the true labels, and of permuted ones."""

    def __init__(self, protocol: Protocol, splits, learners: _Learners, controls: Controls):
        self._protocol = protocol
        self._labels = protocol.labels
        self._learners = learners
        self._controls = controls
        self._parts, names = protocol.parts(splits)
        labels = self._labels
        check_parts(self._parts, labels.y, labels.together, labels.name, labels.groups)
        self._rows = _Rows(len(self._parts), names)
        #: The number of parts on which a mere level of chance is scored. The best of many parameter
        #: sets over few splits is better than that over many, so that `paper` uses all of them.
        self._few = protocol.first(len(self._parts), controls.splits)

    def evaluation(self, embeddings, reseeded):
        """Score everything; return the `Evaluation`."""
        learner = self._learners.make(embeddings)
        results = self._true_labels(learner)
        if self._protocol.held_out:
            add_jaccard(results, len(self._learners.graphs.roi))
        self._rows.add(results, learner, "none")
        for number, path in enumerate(reseeded, 1):
            other = self._true_labels(self._learners.make([path]))
            self._rows.add(other, learner, "reseeded", number)
        beside = self._beside()
        confounds = self._confounds(results, learner, beside)
        added = self._permuted(learner, results, beside)
        # Only now: p compares with the permuted labels, which are scored last.
        for row in confounds:
            row["p_added"] = p_added(row.pop("root"), added)
        columns = SCORE_COLUMNS
        if self._labels.variable:
            columns = PREDICTION_COLUMNS
        return Evaluation(
            self._rows.table(self._about(), columns),
            self._stability(learner, results),
            self._confounds_table(confounds),
        )

    def _about(self):
        """The columns that all rows of all tables share."""
        return {
            "cohort": self._labels.name,
            "method": self._learners.name,
            "protocol": self._protocol.name,
        }

    def _true_labels(self, learner):
        """Return the results of the true labels, one for each part and parameter set."""
        return self._results(learner, (None, self._labels.y, self._parts, ()))[1]

    def _results(self, learner, labelling, hopeless=None, beside=None):
        """Return the number of a labelling and its results.

        Of what was fitted, results keep only the node sets. The first one has what the scores add
        to nuisance variables (`beside`). No more parts are scored once `hopeless` is true of the
        accuracies.
        """
        permutation, y, parts, names = labelling
        results = []
        for row in self._protocol.run(learner, y, parts, *names):
            row["sets"] = learner.node_sets(row["fitted"], row["which"])
            if not isinstance(row["fitted"], ContrastFit):
                # Features of all people in each split would fill the memory.
                row["fitted"] = None
            results.append(row)
            if hopeless is not None and hopeless([one["accuracy"] for one in results]):
                break
        results = self._protocol.pooled(results, y)
        if beside is not None:
            results[0]["added"] = beside.root(results, y)
        return permutation, results

    @property
    def _confounded(self):
        """Whether nuisance variables are known that scores can be compared with."""
        subjects = self._learners.subjects
        return self._protocol.held_out and subjects is not None and bool(subjects.nuisance())

    def _beside(self):
        """Return the nuisance variables that scores of groups are compared with, if known."""
        if not self._confounded or self._labels.variable:
            return None
        return Beside(self._learners.subjects, self._labels.blocks, self._few)

    def _confounds(self, results, learner, beside):
        """Score the variants of a method; return rows on how confounds explain the scores."""
        if not self._confounded:
            return []
        about = self._labels.y, self._learners.subjects, beside
        options = {"site": self._labels.blocks, "random_state": self._learners.random_state}
        rows = []
        if beside is not None:
            rows.append(confounds_row(results, *about, **options))
        for variant, other in self._learners.compared_with(learner):
            found = self._true_labels(other)
            self._rows.add(found, other, variant, 0)
            if variant == "adjusted" and beside is not None:
                rows.append(confounds_row(found, *about, **options))
        return rows

    def _confounds_table(self, rows):
        """Return the rows on how confounds explain the plain and the adjusted scores."""
        variants = zip(("none", "adjusted"), rows, strict=False)
        about = self._about()
        return pd.DataFrame(
            [about | {"variant": variant} | row for variant, row in variants], columns=COLUMNS
        )

    def _stability(self, learner, results):
        """Return how often each region is in a set, for methods that find sets in training."""
        if self._learners.method.kind != "contrast" or not self._protocol.held_out:
            return None
        chosen = [(result["fitted"], result["which"]) for result in results]
        about = self._labels.name, self._learners.name
        return stability_table(learner, chosen, *about, self._learners.graphs.roi)

    def _permuted(self, learner, results, beside):
        """Score permuted labels, as a test of the true ones or as the level of chance.

        Returns what the scores of each labelling add to nuisance variables (`beside`).
        """
        if self._controls.permutations and not self._labels.draws.changes(self._labels.y):
            text = (
                f"cohort {self._labels.name}: no two {PEOPLE} (or whole blocks) with as many "
                "graphs have different labels, so that permuting changes nothing: there is no "
                "control"
            )
            warnings.warn(DataWarning(text), stacklevel=4)
            return []
        # Under `paper` people are tested on whom all was fitted, and parameters of embeddings were
        # chosen on these very people: in both cases a p-value would mean nothing.
        tested = self._protocol.held_out and self._learners.method.kind != "embedding"
        if self._labels.within is None:
            return self._control(learner, results, CONTROLS[0], tested, beside)
        self._control(learner, results, CONTROLS[0], False, None)
        # With blocks the p-value is that of the permutations within them.
        return self._control(learner, results, CONTROLS[1], tested, beside)

    def _control(self, learner, results, control, tested, beside):
        """Score one kind of permuted labels; return what the scores of each add to `beside`."""
        planned = self._few
        number = self._controls.without_test
        work = partial(self._results, learner, beside=beside)
        if tested:
            # A test scores all parts, except for labellings that are clearly worse after a few.
            planned = len(self._parts)
            number = self._controls.permutations
            work = partial(work, hopeless=partial(given_up, results, self._few))
        protocol = self._protocol.name
        observed = [one for one in results if one["repeat"] < planned]
        beaten = labelling_accuracy(observed, protocol), planned
        in_blocks = control == CONTROLS[1]
        drawn = labellings(self._protocol, in_blocks, number, self._parts[:planned])
        how = self._controls.stop_after, self._controls.n_jobs
        found = until_enough(work, drawn, beaten, protocol, *how)
        name = self._labels.name, self._learners.name, protocol, control.replace("_", " ")
        added = []
        for permutation, permuted in progress(found, " ".join(name), number):
            self._rows.add(permuted, learner, control, permutation, planned)
            if beside is not None:
                added.append(permuted[0]["added"])
        return added


class _Rows:
    """The rows of the table of scores."""

    def __init__(self, n_splits, site_names):
        self._n_splits = n_splits
        self._site_names = site_names
        self._rows = []

    def add(self, results, learner, control, permutation=pd.NA, planned=None):
        """Add a row for each result of one labelling; `planned` splits were intended."""
        for result in results:
            repeat = result["repeat"]
            site = pd.NA
            if self._site_names:
                site = self._site_names[repeat]
            about = {
                "control": control,
                "permutation": permutation,
                "splits": planned or self._n_splits,
                "repeat": repeat,
                "site": site,
                "parameters": parameters_text(learner.parameters[result["which"]]),
                "svm": parameters_text(learner.candidates[result["candidate"]]),
            }
            scored = ("train", "test", *MEASURES, "r", "mae")
            self._rows.append(about | {name: result.get(name, np.nan) for name in scored})

    def table(self, about, columns):
        """Return all rows as a table with these columns."""
        scores = pd.DataFrame(self._rows).astype({"permutation": "Int64"}).assign(**about)
        return scores[list(columns)]


def _without_determining(subjects, labels, adjust):
    """Return the subjects without nuisance variables that are the prediction target itself."""
    if subjects is None:
        return None
    if adjust:
        columns = subjects.table[list(adjust)]
        refuse_determining(columns, labels.y, "adjust", variable=labels.variable)
    return subjects.without(labels.y, labels.name)


def _check_sites_of_groups(labels, method, name):
    """Warn if sites determine the groups; refuse a method that removes sites from the weights."""
    if labels.variable or labels.site is None:
        return
    cohort = labels.name
    if not determining({"site": labels.site}, labels.y):
        return
    if {"site", "weights"} <= set(method.needs):
        raise InputError(
            f"cohort {cohort}: {name} takes the sites out of the weights, and here site determines "
            f"the group, so that nothing of it is left: leave {name} out of the methods"
        )
    text = (
        f"cohort {cohort}: site determines the group (each site, or block, has {PEOPLE} of one "
        "group only): what tells the groups apart may be the scanner"
    )
    warnings.warn(DataWarning(text), stacklevel=3)
