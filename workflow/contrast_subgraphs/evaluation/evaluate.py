"""One method under one protocol on one cohort, with its permuted controls."""

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..core.checks import check_option
from ..core.columns import whole_identifiers
from ..core.errors import InputError
from ..core.processes import progress
from ..design.determined import determining, refuse_determining
from .chosen_sets import add_jaccard, stability_table
from .confounds import COLUMNS, Beside, confounds_row, p_added
from .controls import (
    Labels,
    given_up,
    labelling_accuracy,
    labellings,
    until_enough,
    without_others,
)
from .learners import ContrastFit, EstimatorLearner, make_learner
from .protocols import PROTOCOLS, Nested, Paper
from .ridge import ridge_grid
from .scores import (
    CONTROLS,
    MEASURES,
    PREDICTION_COLUMNS,
    SCORE_COLUMNS,
    classification_scores,
    parameters_text,
)
from .splits import check_cohort, check_parts, site_splits, warn_of_confounded_sites


class Evaluation(NamedTuple):
    """What `evaluate` returns: scores, and where there are any stability and confounds."""

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

    `splits` (n_repeats, n_subjects) are the test parts, of the cohort's `members`: other people are
    only trained on. ``sites`` tests one `site` at a time. `n_permutations` labellings are a test;
    `n_controls` show the level of chance where there is none: of embeddings, under ``paper``, and
    among all people where labels are permuted within `blocks` (by default sites). All are scored
    on `control_splits` of the splits, those of a test on the rest too unless it is plain before
    (`given_up`) that they score less; a test ends once `stop_after` have scored as well as the true
    labels. `adjust`: columns that are regressed out of the graphs' weights by coefficients of the
    training part, `modes`: how many modes that all people share are, too;
    `embeddings`: a file for each parameter set, `reseeded`: one for each other seed.
    No split or fold separates the graphs of a person (or family), whose labels are permuted by
    `exchange` as those of a `Design`.
    """
    check_option("protocol", protocol, PROTOCOLS)
    nested = protocol != "paper"
    if members is None or not nested:
        members = np.ones(len(graphs.y), dtype=bool)
    members = np.asarray(members)
    check_cohort(graphs, cohort, test_size, folds, members)
    variable = not graphs.groups
    if variable and not nested:
        raise InputError("a variable is predicted under the protocols nested and sites, not paper")
    if subjects is not None:
        if adjust:
            refuse_determining(subjects.table[list(adjust)], graphs.y, "adjust", variable=variable)
        subjects = subjects.without(graphs.y, cohort)
    if site is not None:
        site = whole_identifiers(site, "sites")
    if blocks is None:
        blocks = site
    else:
        blocks = whole_identifiers(blocks, "blocks")
    if not variable and site is not None:
        _check_sites_of_groups(site, graphs.y, method, name, cohort)
    labels = Labels(graphs.y, members, graphs.person, blocks, exchange)
    site_names = None
    if protocol == "sites":
        splits, site_names = _sites(site, graphs, members, folds, cohort)
    else:
        splits = labels.placed(_checked_splits(splits, members, cohort))
    check_parts(splits, graphs.y, graphs.person, cohort, graphs.groups)
    learners = _Learners(
        graphs,
        method,
        name=name,
        cohort=cohort,
        candidates=candidates,
        percentiles=percentiles,
        edge_statistic=edge_statistic,
        adjust=list(adjust),
        modes=modes,
        subjects=subjects,
        random_state=random_state,
    )
    if nested:
        rule = Nested
    else:
        rule = Paper
    run = _Run(
        labels=labels,
        splits=splits,
        rule=rule(folds, graphs.person),
        protocol=protocol,
        cohort=cohort,
        seed=random_state,
        rows=_Rows(len(splits), site_names),
    )
    with threadpool_limits(1):  # sums split over threads would differ in their last digits
        learner = learners.make(embeddings)
        results = run.true_labels(learner)
        if nested:
            add_jaccard(results, len(graphs.roi))
        run.rows.add(results, learner, "none")
        for number, path in enumerate(reseeded, 1):
            run.rows.add(run.true_labels(learners.make([path])), learner, "reseeded", number)
        # The best of many parameter sets over few splits is better than that over many.
        few = len(splits)
        if protocol == "nested":
            few = min(control_splits or len(splits), len(splits))
        confounds = []
        beside = None
        if nested and subjects is not None and subjects.nuisance():
            if not variable:
                beside = Beside(subjects, run.blocks, few)
            confounds = run.confounds(results, learner, method, subjects, beside)
        # Under `paper` no p-value means anything, and embeddings were chosen on these people.
        added = run.permuted(
            learner,
            results,
            beside=beside,
            tested=nested and method.kind != "embedding",
            few=few,
            count=n_permutations,
            n_controls=n_controls or n_permutations,
            stop_after=stop_after,
            test_size=test_size,
            called=name,
            n_jobs=n_jobs or 1,
        )
    for row in confounds:
        row["p_added"] = p_added(row.pop("root"), added)
    about = {"cohort": cohort, "method": name, "protocol": protocol}
    stability = None
    if method.kind == "contrast" and nested:
        chosen = [(result["fitted"], result["which"]) for result in results]
        stability = stability_table(learner, chosen, cohort, name, graphs.roi)
    variants = zip(("none", "adjusted"), confounds, strict=False)
    confounds = pd.DataFrame(
        [about | {"variant": variant} | row for variant, row in variants], columns=COLUMNS
    )
    if variable:
        columns = PREDICTION_COLUMNS
    else:
        columns = SCORE_COLUMNS
    return Evaluation(run.rows.table(about, columns), stability, confounds)


class _Learners:
    """Learners of one method, from files of embeddings where it needs these."""

    def __init__(self, graphs, method, *, adjust, modes, subjects, random_state, **shared):
        self._graphs = graphs
        self._method = method
        self._adjust = adjust
        self._modes = {"modes": modes, "random_state": random_state}
        self._subjects = subjects
        self._shared = shared | {"subjects": subjects, "random_state": random_state}

    def make(self, embeddings):
        """Return a learner; with `adjust` or modes one of adjusted graphs."""
        adjusted = self._adjust or self._modes["modes"] is not None
        if not adjusted or self._method.inputs != "graphs":
            return self._plain(embeddings)
        from .references.adjustment import GraphsAdjusted

        table = None
        if self._subjects is not None:
            table = self._subjects.table
        taken_out = self._graphs, table, self._adjust
        return GraphsAdjusted(self._plain, *taken_out, embeddings, **self._modes)

    def _plain(self, embeddings, graphs=None):
        if graphs is None:
            graphs = self._graphs
        learner = make_learner(graphs, self._method, embeddings=embeddings, **self._shared)
        learner.person = graphs.person
        return learner


@dataclass(frozen=True)
class _Run:
    """The splits of one cohort under one protocol, with true and with permuted labels."""

    labels: Labels
    splits: np.ndarray
    rule: Any  # a protocol: `Nested` or `Paper`
    protocol: str
    cohort: str
    seed: int
    rows: "_Rows"

    def true_labels(self, learner):
        """Return the results of the true labels, one for each split and parameter set."""
        labelling = None, self.labels.y, self.splits, (self.cohort,)
        return self._results(learner, labelling)[1]

    @property
    def blocks(self):
        """Within which labels are permuted for a test, if not among all."""
        if self.labels.in_blocks:
            return self.labels.within
        return None

    def _results(self, learner, labelling, hopeless=None, beside=None):
        pooled = self.protocol == "sites"
        return _run_labelling(self.rule, self.seed, pooled, learner, labelling, hopeless, beside)

    def confounds(self, results, learner, method, subjects, beside):
        """Score what a method is compared with; return rows of how confounds explain its scores.

        `beside`: of groups, what the scores are compared with.
        """
        y = self.labels.y
        of_groups = beside is not None
        options = {"site": self.blocks, "random_state": self.seed, "beside": beside}
        rows = []
        if of_groups:
            rows.append(confounds_row(results, y, subjects, **options))
        for variant, other in _variants(method, learner, subjects, self.cohort, self.seed):
            found = self.true_labels(other)
            self.rows.add(found, other, variant, 0)
            if variant == "adjusted" and of_groups:
                rows.append(confounds_row(found, y, subjects, **options))
        return rows

    def permuted(
        self,
        learner,
        results,
        *,
        beside,
        tested,
        few,
        count,
        n_controls,
        stop_after,
        test_size,
        called,
        n_jobs,
    ):
        """Score permuted labels: as a test of the true ones, or as the level of chance.

        `few`: the splits on which a mere level of chance is scored; a test may give a labelling up
        after these. Returns what the scores of each labelling add to nuisance variables (`beside`).
        """
        added = []
        labels = self.labels
        in_blocks = labels.in_blocks
        # Splits of a variable, and of people with both labels, are drawn whatever the labels.
        fixed = self.protocol == "sites" or labels.y.dtype.kind == "f" or labels.varies
        if in_blocks:
            controls = CONTROLS
        else:
            controls = CONTROLS[:1]
        for control in controls:
            # Of a test with blocks, the p-value is that of the permutations within them.
            test = tested and control == controls[-1]
            planned = few
            number = min(count, n_controls)
            if test:
                planned = len(self.splits)
                number = count
            observed = [one for one in results if one["repeat"] < planned]
            beaten = labelling_accuracy(observed, self.protocol), planned
            compared = None
            if control == controls[-1]:
                compared = beside
            work = partial(self._results, learner, beside=compared)
            if test:
                work = partial(work, hopeless=partial(given_up, results, few))
            drawn = labellings(
                labels,
                control,
                number,
                self.splits[:planned],
                fixed=fixed,
                test_size=test_size,
                seed=self.seed,
                cohort=self.cohort,
            )
            found = until_enough(work, drawn, beaten, self.protocol, stop_after, n_jobs)
            what = f"{self.cohort} {called} {self.protocol} {control.replace('_', ' ')}"
            for permutation, permuted in progress(found, what, number):
                self.rows.add(permuted, learner, control, permutation, planned)
                if compared is not None:
                    added.append(permuted[0]["added"])
        return added


class _Rows:
    """The rows of the table of scores."""

    def __init__(self, n_splits, site_names):
        self._n_splits = n_splits
        self._site_names = site_names
        self._rows = []

    def add(self, results, learner, control, permutation=pd.NA, planned=None):
        """Add a row for each result of one labelling; `planned`: the splits it was to have."""
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


def _checked_splits(splits, members, cohort):
    """Return the splits as an array; raise InputError unless they are of the members."""
    splits = np.asarray(splits)
    if splits.ndim != 2 or splits.shape[1] != members.sum() or splits.dtype != bool:
        raise InputError(f"cohort {cohort}: the splits do not match its {members.sum()} people")
    return splits


def _check_sites_of_groups(site, y, method, name, cohort):
    """Say where sites determine the groups; refuse a method that takes the sites out of weights."""
    if not determining({"site": site}, y):
        return
    if {"site", "weights"} <= set(method.needs):
        raise InputError(
            f"cohort {cohort}: {name} takes the sites out of the weights, and here site determines "
            f"the group, so that nothing of it is left: leave {name} out of the methods"
        )
    warnings.warn(
        f"cohort {cohort}: site determines the group (each site, or block, has people of one "
        "group only): what tells the groups apart may be the scanner",
        stacklevel=3,
    )


def _variants(method, learner, subjects, cohort, random_state):
    """Yield what a method is compared with: its features adjusted, and no brain at all."""
    from .references.adjustment import Adjusted
    from .references.nuisance import Nuisance

    # Those that need nothing but the site see no brain; some adjust themselves.
    adjustable = method.needs != ("site",) and "nuisance" not in method.needs
    if adjustable and getattr(learner, "transforms", True):
        yield "adjusted", Adjusted(learner, subjects)
    known = subjects.only("motion", ("nuisance",))
    known.warn_of_gaps("motion", cohort)
    if "alpha" in learner.candidates[0]:
        candidates = ridge_grid()
    else:
        candidates = learner.candidates
    options = {"candidates": candidates, "random_state": random_state}
    alone = EstimatorLearner("motion", Nuisance, known, **options)
    alone.person = learner.person
    yield "nuisance", alone


def _run_labelling(rule, random_state, pooled, learner, labelling, hopeless=None, beside=None):
    """Results of one labelling: of what was fitted they keep the node sets alone.

    The first has what its scores add to nuisance variables (`beside`,`confounds.Beside.root`).
    """
    permutation, y, parts, names = labelling
    results = []
    for row in rule.run(learner, y, parts, random_state, *names):
        row["sets"] = learner.node_sets(row["fitted"], row["which"])
        if not isinstance(row["fitted"], ContrastFit):
            row["fitted"] = None  # features of all people, for each split
        results.append(row)
        if hopeless is not None and hopeless([one["accuracy"] for one in results]):
            break
    if pooled and y.dtype.kind != "f":
        people = np.concatenate([row["people"] for row in results])
        decisions = np.concatenate([row["decision"] for row in results])
        area = classification_scores(y[people], decisions)["roc_auc"]
        results = [row | {"pooled_roc_auc": area} for row in results]
    if beside is not None:
        results[0]["added"] = beside.root(results, y)
    return permutation, results


def _sites(site, graphs, members, folds, cohort):
    """A split for each site; who is there but not in the cohort is in neither part."""
    if site is None or len(site) != len(graphs.y):
        raise InputError(f"cohort {cohort}: the protocol sites needs the site of every subject")
    splits, names = site_splits(site, graphs.y, folds, graphs.groups)
    if graphs.groups:
        warn_of_confounded_sites(site[members], graphs.y[members], cohort, graphs.groups[1])
    there = [row for row, split in enumerate(splits) if split[members].any()]
    if len(there) < 2:
        raise InputError("leave one site out: all the subjects are from one site")
    parts = np.where(splits & ~members, -1, splits.astype(int))
    if graphs.person is not None:  # who was at two sites does not train for either
        parts = without_others(parts, graphs.person)
    return parts[there], [names[row] for row in there]
