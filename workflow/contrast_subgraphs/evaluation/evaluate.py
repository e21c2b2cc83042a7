"""One method under one protocol on one cohort, with its permuted controls."""

from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from ..core.errors import InputError
from ..core.processes import mapped
from ..methods import method_called
from .learners import ContrastFit, make_learner
from .protocols import PROTOCOLS, Nested, Paper
from .references.adjustment import Adjusted, GraphsAdjusted
from .scores import CONTROLS, MEASURES, SCORE_COLUMNS, TIE, classification_scores, parameters_text
from .splits import (
    check_sizes,
    permuted_labels,
    site_splits,
    stratified_splits,
    warn_of_confounded_sites,
)
from .summary import kept, mean_score


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
    edge_statistic="difference",
    adjust=(),
    embeddings=(),
    reseeded=(),
    site=None,
    own=None,
    subjects=None,
    members=None,
    progress=True,
    processes=1,
):
    """Evaluate one method under one protocol on one cohort, with its permuted controls.

    Parameters
    ----------
    method : str
        A method of `methods.METHODS`, or of `own`.
    protocol : {"paper", "nested", "sites"}
        See `protocols.Paper` and `protocols.Nested`; ``sites`` is nested, with the
        subjects of one site as test part each time.
    graphs : CohortGraphs
    splits : numpy.ndarray of shape (n_repeats, n_subjects), bool
        Test parts (see `splits.read_splits`); not used by ``sites``.
    evaluation : dict
        Config entry ``evaluation``: ``test_size, folds, repeats, permutations, svm``, and if
        wanted ``controls`` and ``stop_after``. Permuted labels are scored on the first
        ``repeats["permuted"]`` splits.
    cohort : str
    seed : int
    percentiles : sequence of float
        Config entry ``contrast.percentiles``: the alphas that cs-p1 and cs-p2 choose from.
    edge_statistic : {"difference", "t", "welch"}
        Config entry ``contrast.edge_statistic``, of the same.
    adjust : sequence of str
        Config entry ``graph.adjust``: columns of the subjects' table that are regressed out of the
        graphs' weights, by coefficients of the training part (under ``paper`` of everybody).
    embeddings : sequence of str or pathlib.Path
        For methods of the kind ``embedding``: one ``.npz`` per parameter set, with ``subject``,
        ``parameters`` (JSON) and ``features`` or ``gram``.
    reseeded : sequence of str or pathlib.Path
        The same embedding drawn from other seeds, a file each.
    site : array_like of shape (n_subjects,), optional
        For ``sites``, and for the control permuted within sites; without it there is none.
    own : dict, optional
        The user's own methods (`methods.named_methods`).
    subjects : Subjects, optional
        For methods that look at more than the graphs.
    members : numpy.ndarray of shape (n_subjects,), bool, optional
        Who is in the cohort, where the graphs hold others too: those are only trained on.
        `splits` is then of the cohort's members. Not under ``paper``.
    progress : bool
        Show a progress bar on stderr.
    processes : int
        Processes among which the permuted labels are divided (where the system can fork);
        the scores are the same with any number.

    Returns
    -------
    Evaluation
        ``scores``: columns `scores.SCORE_COLUMNS`, a row for each repeat (and under
        ``paper`` each parameter set); ``control`` is ``none`` (the true labels), ``reseeded``
        (the true labels, another embedding; ``permutation`` counts them), ``adjusted`` and
        ``nuisance`` (the true labels, features with the nuisance variables regressed out, and
        these variables alone; where any is known, not under ``paper``), ``permuted`` (labels
        permuted among all subjects) or ``permuted_within_site``.
        ``stability``: see `stability_table`; None unless the method extracts contrast
        subgraphs and the protocol is not ``paper``.

    Raises
    ------
    InputError
        If the cohort is too small, or splits, embeddings or settings do not fit it.
    """
    if protocol not in PROTOCOLS:
        raise InputError(f"unknown protocol {protocol!r}: choose from {', '.join(PROTOCOLS)}")
    folds, everybody = evaluation["folds"], np.ones(len(graphs.y), dtype=bool)
    members = everybody if members is None or protocol == "paper" else np.asarray(members)
    check_sizes(graphs.y[members], cohort, evaluation["test_size"], folds, graphs.groups)
    site = None if site is None else np.asarray(site).astype(str)
    site_names = None
    if protocol == "sites":
        splits, site_names = _sites(site, graphs, members, folds, cohort)
    else:
        splits = _own_splits(splits, members, evaluation["repeats"][protocol], cohort)
    rule = Paper(folds) if protocol == "paper" else Nested(folds)

    with threadpool_limits(1):  # sums split over threads would differ in their last digits
        options = {"seed": seed, "cohort": cohort, "own": own, "subjects": subjects}

        def make(embeddings, graphs=graphs):
            given = method, graphs, evaluation["svm"], percentiles, embeddings
            return make_learner(*given, edge_statistic=edge_statistic, **options)

        if adjust and method_called(method, own).inputs == "graphs":
            make = partial(GraphsAdjusted, make, graphs, subjects.table, list(adjust))
        learner = make(embeddings)
        run = partial(_run_labelling, rule, learner, seed, protocol == "sites")
        _, results = run((None, graphs.y, splits, (cohort,)))
        if protocol != "paper":
            add_jaccard(results, len(graphs.roi))
        rows = [_score_row(result, learner, "none", pd.NA, site_names) for result in results]
        for number, path in enumerate(reseeded, 1):
            other = partial(_run_labelling, rule, make([path]), seed, protocol == "sites")
            for result in other((None, graphs.y, splits, (cohort,)))[1]:
                rows.append(_score_row(result, learner, "reseeded", number, site_names))
        if protocol != "paper" and subjects is not None and subjects.nuisance():
            nuisance = make_learner(
                *("motion", graphs, evaluation["svm"]), seed=seed, cohort=cohort, subjects=subjects
            )
            for variant, other in _variants(
                method_called(method, own), learner, nuisance, subjects
            ):
                other_run = partial(_run_labelling, rule, other, seed, protocol == "sites")
                for result in other_run((None, graphs.y, splits, (cohort,)))[1]:
                    rows.append(_score_row(result, other, variant, 0, site_names))
        # A mean over fewer splits has another spread, so like is compared with like.
        few = splits if protocol == "sites" else splits[: evaluation["repeats"].get("permuted")]
        observed = _mean_accuracy([one for one in results if one["repeat"] < len(few)], protocol)
        in_sites = site is not None and _sites_matter(site[members], graphs.y[members])
        # Under `paper` no p means anything; embeddings were chosen on these people.
        tested = protocol != "paper" and method_called(method, own).kind != "embedding"
        for control in CONTROLS:
            if control == "permuted_within_site" and not in_sites:
                continue
            count = evaluation["permutations"]
            # Of a test with sites, the p-value is that of the permutations within them.
            if (control == "permuted" and in_sites) or not tested:
                count = min(count, evaluation.get("controls", count))
            labellings = _labellings(
                control, count, graphs.y, few, site, members, evaluation, protocol, seed, cohort
            )
            found = _until_enough(run, labellings, observed, protocol, evaluation, processes)
            bar = tqdm(
                found,
                desc=f"{cohort} {method} {protocol} {control.replace('_', ' ')}",
                total=count,
                unit="labels",
                disable=not progress,
            )
            for permutation, permuted in bar:
                for result in permuted:
                    rows.append(_score_row(result, learner, control, permutation, site_names))
    scores = pd.DataFrame(rows).astype({"permutation": "Int64"})
    scores = scores.assign(cohort=cohort, method=method, protocol=protocol)[list(SCORE_COLUMNS)]
    if method_called(method, own).kind == "contrast" and protocol != "paper":
        chosen = [(result["fitted"], result["which"]) for result in results]
        return Evaluation(scores, stability_table(learner, chosen, cohort, method, graphs.roi))
    return Evaluation(scores, None)


def _variants(method, learner, nuisance, subjects):
    """Yield what stands beside a method: its features adjusted, and no brain at all."""
    # Those that need nothing but the site see no brain; some adjust themselves.
    adjustable = method.needs != ("site",) and "nuisance" not in method.needs
    if adjustable and getattr(learner, "transforms", True):
        yield "adjusted", Adjusted(learner, subjects)
    yield "nuisance", nuisance


def _run_labelling(rule, learner, seed, pooled, labelling):
    """Results of one labelling: of what was fitted they keep the node sets alone."""
    permutation, y, parts, names = labelling
    results = []
    for row in rule.run(learner, y, parts, seed, *names):
        row["sets"] = learner.node_sets(row["fitted"], row["which"])
        if not isinstance(row["fitted"], ContrastFit):
            row["fitted"] = None  # features of everybody, for each split
        results.append(row)
    if pooled:
        people = np.concatenate([row["people"] for row in results])
        decisions = np.concatenate([row["decision"] for row in results])
        area = classification_scores(y[people], decisions)["roc_auc"]
        results = [row | {"pooled_roc_auc": area} for row in results]
    return permutation, results


def _labellings(control, count, y, splits, site, members, evaluation, protocol, seed, cohort):
    """Yield permuted labels, each with splits stratified by them; those of ``sites`` stay.

    The labels of who is only trained on are permuted among themselves.
    """
    within = site if control == "permuted_within_site" else None
    blocks = within
    if not members.all():
        blocks = np.where(members, "cohort ", "others ").astype(object)
        blocks += "" if within is None else within
    for permutation in range(count):
        names = (cohort, "permutation", permutation)
        if within is not None:
            names = (cohort, "permutation within site", permutation)
        permuted = permuted_labels(y, seed, *names, site=blocks)
        if protocol != "sites":
            size = evaluation["test_size"]
            splits = _placed(
                stratified_splits(permuted[members], len(splits), size, seed, *names), members
            )
        yield permutation, permuted, splits, names


def _until_enough(run, labellings, observed, protocol, evaluation, processes):
    """Yield the permuted labellings' results until enough scored as well as the true labels.

    Sequential Monte Carlo p-values (Besag and Clifford, Biometrika 1991): where it is plain
    that permuted labels score as well, more of them add nothing new. The p-value
    (1 + exceedances) / (1 + permutations) holds all the same.
    """
    exceeding, enough = 0, evaluation.get("stop_after") or np.inf
    # Several processes work ahead a little; what is beyond the end is not used.
    for batch in batched(labellings, 1 if processes == 1 else 4 * processes):
        for permutation, results in mapped(run, batch, min(processes, len(batch))):
            yield permutation, results
            exceeding += _mean_accuracy(results, protocol) >= observed - TIE
            if exceeding >= enough:
                return


def batched(items, size):
    """Yield lists of `size` items (itertools.batched is not in Python 3.11)."""
    items = iter(items)
    while batch := list(islice(items, size)):
        yield batch


def _mean_accuracy(results, protocol):
    """The accuracy of one labelling, as the table has it."""
    table = pd.DataFrame(
        [
            {"parameters": result["which"], "test": result["test"], "accuracy": result["accuracy"]}
            for result in results
        ]
    )
    return mean_score(kept(table, protocol), "accuracy", protocol)


def _sites_matter(site, y):
    """Whether a permutation within sites differs from one among all, and changes anything."""
    return len(set(site)) > 1 and any(len(set(y[site == name])) == 2 for name in set(site))


def _own_splits(splits, members, repeats, cohort):
    splits = np.asarray(splits)
    if splits.ndim != 2 or splits.shape[1] != members.sum() or splits.dtype != bool:
        raise InputError(f"cohort {cohort}: the splits do not match its {members.sum()} subjects")
    if len(splits) < repeats:
        raise InputError(
            f"cohort {cohort}: {repeats} repeats need as many splits, not {len(splits)}"
        )
    return _placed(splits[:repeats], members)


def _placed(splits, members):
    """Splits of the cohort's members as splits of everybody: the others train."""
    placed = np.zeros((len(splits), len(members)), dtype=bool)
    placed[:, members] = splits
    return placed


def _sites(site, graphs, members, folds, cohort):
    """A split for each site; who is there but not in the cohort is in neither part."""
    if site is None or len(site) != len(graphs.y):
        raise InputError(f"cohort {cohort}: the protocol sites needs the site of every subject")
    splits, names = site_splits(site, graphs.y, folds, graphs.groups)
    warn_of_confounded_sites(site[members], graphs.y[members], cohort, graphs.groups[1])
    there = [row for row, split in enumerate(splits) if split[members].any()]
    if len(there) < 2:
        raise InputError("leave one site out: all the subjects are from one site")
    parts = np.where(splits & ~members, -1, splits.astype(int))
    return parts[there], [names[row] for row in there]


def add_jaccard(results, n_regions):
    """Add to each split's results how much its node sets share with those of the other splits.

    Parameters
    ----------
    results : list of dict
        Each with its node sets; gets ``jaccard``, the mean over these and the
        other splits of the Jaccard index (regions in both / regions in either). NaN where
        there are no sets, or nothing to compare with.
    n_regions : int
    """
    sets = [one["sets"] for one in results]
    chosen = np.zeros((len(sets), len(sets[0]), n_regions))
    for split, nodes in enumerate(sets):
        for number, one in enumerate(nodes):
            chosen[split, number, one] = 1
    both = np.einsum("ikr,jkr->ijk", chosen, chosen)
    sizes = chosen.sum(axis=2)
    either = sizes[:, None] + sizes[None, :] - both
    share = np.divide(both, either, out=np.full(both.shape, np.nan), where=either > 0)
    share[np.arange(len(sets)), np.arange(len(sets))] = np.nan
    for one, shares in zip(results, share, strict=True):
        known = shares[~np.isnan(shares)]
        one["jaccard"] = float(known.mean()) if len(known) else np.nan


def _score_row(result, learner, control, permutation, site_names):
    return {
        "control": control,
        "permutation": permutation,
        "repeat": result["repeat"],
        "site": site_names[result["repeat"]] if site_names else pd.NA,
        "parameters": parameters_text(learner.parameters[result["which"]]),
        "svm": parameters_text(learner.candidates[result["candidate"]]),
        **{name: result.get(name, np.nan) for name in ("train", "test", *MEASURES)},
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
