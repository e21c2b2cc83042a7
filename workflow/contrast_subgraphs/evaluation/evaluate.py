"""One method under one protocol on one cohort, with its permuted controls."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ..core.errors import InputError
from ..core.methods import method_called
from ..core.processes import mapped
from .learners import make_learner
from .protocols import PROTOCOLS, Nested, Paper
from .scores import SCORE_COLUMNS, parameters_text
from .splits import (
    check_sizes,
    permuted_labels,
    site_splits,
    stratified_splits,
    warn_of_confounded_sites,
)


class Evaluation(NamedTuple):
    """What `evaluate` returns: scores, and for contrast subgraphs their stability."""

    scores: pd.DataFrame
    stability: pd.DataFrame | None


def evaluate(
    method,
    protocol,
    graphs,
    splits,
    evaluation,
    *,
    cohort,
    seed=0,
    percentiles=(70, 75, 80, 85, 90, 93, 95, 97),
    embeddings=(),
    site=None,
    own=None,
    progress=True,
    processes=1,
):
    """Evaluate one method under one protocol on one cohort, with its permuted controls.

    Parameters
    ----------
    method : str
        A method of `core.methods.METHODS`, or of `own`.
    protocol : {"paper", "nested", "sites"}
        See `protocols.Paper` and `protocols.Nested`; ``sites`` is nested, with the
        subjects of one site as test part each time.
    graphs : CohortGraphs
    splits : numpy.ndarray of shape (n_repeats, n_subjects), bool
        Test parts (see `protocols.read_splits`); not used by ``sites``.
    evaluation : dict
        Config entry ``evaluation``: ``test_size, folds, repeats, permutations, svm``.
    cohort : str
    seed : int
    percentiles : sequence of float
        Config entry ``contrast.percentiles``: the alphas that cs-p1 and cs-p2 choose from.
    embeddings : sequence of str or pathlib.Path
        For methods of the kind ``embedding``: one ``.npz`` a parameter set, with ``subject``,
        ``parameters`` (JSON) and ``features`` or ``gram``.
    site : array_like of shape (n_subjects,), optional
        For ``sites``.
    own : dict, optional
        The user's own methods (`core.methods.named_methods`).
    progress : bool
        Show a progress bar on stderr.
    processes : int
        Processes among which the true labels and the permuted ones are divided (where
        the system can fork); the scores are the same with any number.

    Returns
    -------
    Evaluation
        ``scores``: columns `statistics.SCORE_COLUMNS`, a row for each repeat (and under
        ``paper`` each parameter set); ``control`` is ``none`` or ``permuted``.
        ``stability``: see `stability_table`; None unless the method extracts contrast
        subgraphs and the protocol is not ``paper``.

    Raises
    ------
    InputError
        If the cohort is too small, or splits, embeddings or settings do not fit it.
    """
    if protocol not in PROTOCOLS:
        raise InputError(f"unknown protocol {protocol!r}: choose from {', '.join(PROTOCOLS)}")
    folds = evaluation["folds"]
    check_sizes(graphs.y, cohort, evaluation["test_size"], folds)
    site_names = None
    if protocol == "sites":
        splits, site_names = _sites(site, graphs, folds, cohort)
    else:
        splits, site = _own_splits(splits, graphs, evaluation["repeats"][protocol], cohort), None
    rule = Paper(folds) if protocol == "paper" else Nested(folds)

    rows, chosen = [], []
    with threadpool_limits(1):  # sums split over threads would differ in their last digits
        learner = make_learner(
            *(method, graphs, evaluation["svm"], percentiles, embeddings),
            seed=seed,
            cohort=cohort,
            own=own,
        )
        run = partial(_run_labelling, rule, learner, seed)
        labellings = _labellings(graphs.y, splits, site, evaluation, seed, cohort)
        results = tqdm(
            mapped(run, labellings, processes),
            desc=f"{cohort} {method} {protocol}",
            total=1 + evaluation["permutations"],
            unit="labels",
            disable=not progress,
        )
        for permutation, found in results:
            for result in found:
                rows.append(_score_row(result, learner, permutation, site_names))
                if permutation is None and protocol != "paper":
                    chosen.append((result["fitted"], result["which"]))
    scores = pd.DataFrame(rows).astype({"permutation": "Int64"})
    scores = scores.assign(cohort=cohort, method=method, protocol=protocol)[list(SCORE_COLUMNS)]
    if method_called(method, own).kind == "contrast" and protocol != "paper":
        return Evaluation(scores, stability_table(learner, chosen, cohort, method, graphs.roi))
    return Evaluation(scores, None)


def _run_labelling(rule, learner, seed, labelling):
    permutation, y, parts, names = labelling
    return permutation, list(rule.run(learner, y, parts, seed, *names))


def _labellings(y, splits, site, evaluation, seed, cohort):
    """Yield the true labels, then the permuted ones, each with splits stratified by them.

    The splits of ``sites`` stay, and labels are permuted inside the sites.
    """
    yield None, y, splits, (cohort,)
    for permutation in range(evaluation["permutations"]):
        names = (cohort, "permutation", permutation)
        permuted = permuted_labels(y, seed, cohort, permutation, site)
        if site is None:
            splits = stratified_splits(permuted, len(splits), evaluation["test_size"], seed, *names)
        yield permutation, permuted, splits, names


def _own_splits(splits, graphs, repeats, cohort):
    splits = np.asarray(splits)
    if splits.ndim != 2 or splits.shape[1] != len(graphs.y) or splits.dtype != bool:
        raise InputError(f"cohort {cohort}: the splits do not fit its {len(graphs.y)} subjects")
    if len(splits) < repeats:
        raise InputError(f"cohort {cohort}: {repeats} repeats need more than {len(splits)} splits")
    return splits[:repeats]


def _sites(site, graphs, folds, cohort):
    if site is None or len(site) != len(graphs.y):
        raise InputError(f"cohort {cohort}: leave one site out needs the site of each subject")
    splits, names = site_splits(site, graphs.y, folds)
    warn_of_confounded_sites(site, graphs.y, cohort)
    return splits, names


def _score_row(result, learner, permutation, site_names):
    return {
        "control": "none" if permutation is None else "permuted",
        "permutation": pd.NA if permutation is None else permutation,
        "repeat": result["repeat"],
        "site": site_names[result["repeat"]] if site_names else pd.NA,
        "parameters": parameters_text(learner.parameters[result["which"]]),
        "svm": parameters_text(learner.candidates[result["candidate"]]),
        **{name: result[name] for name in SCORE_COLUMNS[-5:]},
    }


def stability_table(learner, chosen, cohort, method, roi):
    """Count how often each region is in a contrast subgraph of a training part.

    Parameters
    ----------
    learner : ContrastLearner
    chosen : list of (ContrastFit, int)
        For each split what was fitted on its training part, and the parameter set chosen.
    cohort, method : str
    roi : numpy.ndarray of shape (n_rois,)
        Names of the regions.

    Returns
    -------
    pandas.DataFrame
        Columns ``cohort, method, contrast, percentile`` (a number, or ``chosen`` for the
        one that the inner cross-validation chose), ``index`` (of the region, from 0),
        ``region, count, splits``. Regions that are never chosen have a row too.
    """
    blocks = []
    for c, contrast in enumerate(learner.contrasts):
        sets = {
            str(percentile): [fit.subgraphs[contrast][level] for fit, _ in chosen]
            for level, percentile in enumerate(learner.percentiles)
        }
        sets["chosen"] = [
            fit.subgraphs[contrast][learner.levels[which][c]] for fit, which in chosen
        ]
        for name, subgraphs in sets.items():
            count = np.bincount(np.concatenate(subgraphs), minlength=len(roi))
            blocks.append(
                pd.DataFrame(
                    {
                        "cohort": cohort,
                        "method": method,
                        "contrast": contrast,
                        "percentile": name,
                        "index": np.arange(len(roi)),
                        "region": roi,
                        "count": count,
                        "splits": len(chosen),
                    }
                )
            )
    return pd.concat(blocks, ignore_index=True)
