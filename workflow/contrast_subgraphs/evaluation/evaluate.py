"""One method under one protocol on one cohort, with its permuted controls."""

import warnings
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..core.checks import check_option
from ..core.columns import whole_identifiers
from ..core.errors import InputError
from ..core.processes import mapped, progress
from ..design.determined import determining, refuse_determining
from ..design.exchange import PERMUTED, varies_within
from .confounds import COLUMNS, Beside, confounds_row, p_added
from .learners import ContrastFit, EstimatorLearner, make_learner
from .protocols import PROTOCOLS, Nested, Paper
from .ridge import ridge_grid
from .scores import (
    CONTROLS,
    MEASURES,
    PREDICTION_COLUMNS,
    SCORE_COLUMNS,
    TIE,
    classification_scores,
    parameters_text,
)
from .splits import (
    check_cohort,
    check_parts,
    permuted_labels,
    site_splits,
    stratified_splits,
    warn_of_confounded_sites,
)
from .summary import mean_accuracy

#: A labelling is given up when the splits that are left would have to score this many standard
#: errors better than those before (normal tail .001).
GIVEN_UP = 3.0


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
    embeddings=(),
    reseeded=(),
    site=None,
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
    among all people where labels are permuted within sites. All are scored on `control_splits` of
    the splits, those of a test on the rest too unless it is plain before (`given_up`) that they
    score less; a test ends once `stop_after` have scored as well as the true labels. `adjust`:
    columns that are regressed out of the graphs' weights by coefficients of the training part;
    `embeddings`: a file for each parameter set, `reseeded`: one for each other seed. No split or
    fold separates the graphs of a person (or family), whose labels are permuted by `exchange` as
    those of a `Design`.
    """
    check_option("protocol", protocol, PROTOCOLS)
    nested, everybody = protocol != "paper", np.ones(len(graphs.y), dtype=bool)
    members = np.asarray(members) if nested and members is not None else everybody
    check_cohort(graphs, cohort, test_size, folds, members)
    variable = not graphs.groups
    if variable and not nested:
        raise InputError("a variable is predicted under the protocols nested and sites, not paper")
    person = graphs.person
    within_people = _within_people(graphs, exchange)
    if subjects is not None:
        if adjust:
            refuse_determining(subjects.table[list(adjust)], graphs.y, "adjust", variable=variable)
        subjects = subjects.without(graphs.y, cohort)
    site = None if site is None else whole_identifiers(site, "sites")
    if not variable and site is not None:
        _check_sites_of_groups(site, graphs.y, method, name, cohort)
    site_names = None
    if protocol == "sites":
        splits, site_names = _sites(site, graphs, members, folds, cohort)
    else:
        splits = np.asarray(splits)
        if splits.ndim != 2 or splits.shape[1] != members.sum() or splits.dtype != bool:
            raise InputError(f"cohort {cohort}: the splits do not match its {members.sum()} people")
        splits = _placed(splits, members)
        if person is not None and not members.all():
            splits = _without_others(splits, person)
    check_parts(splits, graphs.y, person, cohort, graphs.groups)
    # Labels are permuted within people, sites, or among all, as in the tests (`exchange_of`).
    if within_people:
        site, person = person, None
    # The best of many parameter sets over few splits is better than that over many.
    few = min(control_splits or len(splits), len(splits)) if protocol == "nested" else len(splits)
    # Permuted within sites, if that differs from among all and changes anything.
    names = [] if site is None else set(site[members])
    within = [set(graphs.y[members & (site == name)]) for name in names]
    in_sites = len(within) > 1 and max(map(len, within)) > 1
    # Under `paper` no p-value means anything, and embeddings were chosen on these people.
    tested = nested and method.kind != "embedding"
    rule = Nested(folds, graphs.person) if nested else Paper(folds, graphs.person)
    # Splits of a variable, and of people with both labels, are drawn whatever the labels.
    fixed = protocol == "sites" or variable or varies_within(graphs.y, graphs.person)
    rows, n = [], len(splits)

    def add(results, learner, control, permutation=pd.NA, planned=None):
        for result in results:
            about = {"control": control, "permutation": permutation, "splits": planned or n}
            about |= {
                "repeat": result["repeat"],
                "site": site_names[result["repeat"]] if site_names else pd.NA,
                "parameters": parameters_text(learner.parameters[result["which"]]),
                "svm": parameters_text(learner.candidates[result["candidate"]]),
            }
            scored = ("train", "test", *MEASURES, "r", "mae")
            rows.append(about | {name: result.get(name, np.nan) for name in scored})

    with threadpool_limits(1):  # sums split over threads would differ in their last digits
        shared = {"name": name, "candidates": candidates, "edge_statistic": edge_statistic}
        shared |= {"percentiles": percentiles, "subjects": subjects, "cohort": cohort}

        def make(embeddings, graphs=graphs):
            learner = make_learner(
                graphs, method, embeddings=embeddings, random_state=random_state, **shared
            )
            learner.person = graphs.person
            return learner

        if adjust and method.inputs == "graphs":
            from .references.adjustment import GraphsAdjusted

            make = partial(GraphsAdjusted, make, graphs, subjects.table, list(adjust))
        learner = make(embeddings)
        run = partial(_run_labelling, rule, random_state, protocol == "sites")
        own = None, graphs.y, splits, (cohort,)
        _, results = run(learner, own)
        if nested:
            add_jaccard(results, len(graphs.roi))
        add(results, learner, "none")
        for number, path in enumerate(reseeded, 1):
            add(run(make([path]), own)[1], learner, "reseeded", number)
        confounds, beside, permuted_roots = [], None, []
        if nested and subjects is not None and subjects.nuisance():
            options = {"site": site if in_sites else None, "random_state": random_state}
            if not variable:
                beside = Beside(subjects, options["site"], few)
                options["beside"] = beside
                confounds.append(confounds_row(results, graphs.y, subjects, **options))
            for variant, other in _variants(method, learner, subjects, cohort, random_state):
                found = run(other, own)[1]
                add(found, other, variant, 0)
                if variant == "adjusted" and not variable:
                    confounds.append(confounds_row(found, graphs.y, subjects, **options))
        for control in CONTROLS:
            if control == "permuted_within_site" and not in_sites:
                continue
            # Of a test with sites, the p-value is that of the permutations within them.
            test = tested and (control == "permuted_within_site" or not in_sites)
            count = n_permutations if test else min(n_permutations, n_controls or n_permutations)
            planned = len(splits) if test else few
            observed = [one for one in results if one["repeat"] < planned]
            beaten = _mean_accuracy(observed, protocol), planned
            hopeless = partial(given_up, results, few) if test and nested else None
            labellings = _labellings(
                *(control, count, graphs.y, splits[:planned], site, person, members),
                *(test_size, fixed, random_state, cohort),
            )
            within_sites = control == "permuted_within_site"
            compared = beside if within_sites or not in_sites else None
            work = partial(run, learner, hopeless=hopeless, beside=compared)
            found = _until_enough(work, labellings, beaten, protocol, stop_after, n_jobs or 1)
            what = f"{cohort} {name} {protocol} {control.replace('_', ' ')}"
            for permutation, permuted in progress(found, what, count):
                add(permuted, learner, control, permutation, planned)
                if compared is not None:
                    permuted_roots.append(permuted[0]["added"])
    for row in confounds:
        row["p_added"] = p_added(row.pop("root"), permuted_roots)
    about = {"cohort": cohort, "method": name, "protocol": protocol}
    scores = pd.DataFrame(rows).astype({"permutation": "Int64"}).assign(**about)
    scores = scores[list(PREDICTION_COLUMNS if variable else SCORE_COLUMNS)]
    variants = zip(("none", "adjusted"), confounds, strict=False)
    confounds = pd.DataFrame(
        [about | {"variant": variant} | row for variant, row in variants], columns=COLUMNS
    )
    stability = None
    if method.kind == "contrast" and nested:
        chosen = [(result["fitted"], result["which"]) for result in results]
        stability = stability_table(learner, chosen, cohort, name, graphs.roi)
    return Evaluation(scores, stability, confounds)


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
    """Yield what stands beside a method: its features adjusted, and no brain at all."""
    from .references.adjustment import Adjusted
    from .references.nuisance import Nuisance

    # Those that need nothing but the site see no brain; some adjust themselves.
    adjustable = method.needs != ("site",) and "nuisance" not in method.needs
    if adjustable and getattr(learner, "transforms", True):
        yield "adjusted", Adjusted(learner, subjects)
    known = subjects.only("motion", ("nuisance",))
    known.warn_of_gaps("motion", cohort)
    candidates = ridge_grid() if "alpha" in learner.candidates[0] else learner.candidates
    options = {"candidates": candidates, "random_state": random_state}
    alone = EstimatorLearner("motion", Nuisance, known, **options)
    alone.person = learner.person
    yield "nuisance", alone


def _run_labelling(rule, random_state, pooled, learner, labelling, hopeless=None, beside=None):
    """Results of one labelling: of what was fitted they keep the node sets alone.

    The first has what its scores add `beside` nuisance variables (`confounds.Beside.root`).
    """
    permutation, y, parts, names = labelling
    results = []
    for row in rule.run(learner, y, parts, random_state, *names):
        row["sets"] = learner.node_sets(row["fitted"], row["which"])
        if not isinstance(row["fitted"], ContrastFit):
            row["fitted"] = None  # features of everybody, for each split
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


def given_up(results, few, accuracies):
    """Say whether a labelling can no longer reach the mean accuracy of the true one, `results`.

    After the first `few` splits, if the rest would have to be better by `GIVEN_UP` standard errors;
    a split's deviation is that of the true labels, at least that of its test part's coins.
    """
    own = np.array([one["accuracy"] for one in results])
    done, left = len(accuracies), len(own) - len(accuracies)
    if done < few or left == 0:
        return False
    mean = np.mean(accuracies)
    wanted = (own.sum() - done * mean) / left - mean
    deviation = max(own.std(ddof=1), 0.5 / np.sqrt(results[0]["test"]))
    return bool(wanted > GIVEN_UP * deviation * np.sqrt(1 / done + 1 / left))


def _labellings(
    control, count, y, splits, site, person, members, test_size, fixed, random_state, cohort
):
    """Yield permuted labels, each with splits stratified by them unless these are `fixed`.

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
        permuted = permuted_labels(y, random_state, *names, site=blocks, person=person)
        if not fixed:
            drawn = stratified_splits(
                permuted[members],
                len(splits),
                test_size,
                random_state,
                *names,
                person=None if person is None else person[members],
            )
            splits = _placed(drawn, members)
            if person is not None and not members.all():
                splits = _without_others(splits, person)
        yield permutation, permuted, splits, names


def _until_enough(run, labellings, beaten, protocol, stop_after, n_jobs):
    """Yield the permuted labellings' results until enough scored as well as the true labels.

    Sequential Monte Carlo (Besag and Clifford, Biometrika 1991): the p-value
    (1 + exceedances) / (1 + permutations) stays valid.
    """
    exceeding, enough = 0, stop_after or np.inf
    observed, planned = beaten
    # Several processes work ahead a little; what is beyond the end is not used.
    for batch in iter(lambda: list(islice(labellings, 4 * n_jobs if n_jobs > 1 else 1)), []):
        for permutation, results in mapped(run, batch, min(n_jobs, len(batch))):
            yield permutation, results
            whole = len({result["repeat"] for result in results}) == planned
            exceeding += whole and _mean_accuracy(results, protocol) >= observed - TIE
            if exceeding >= enough:
                return


def _mean_accuracy(results, protocol):
    """The accuracy of one labelling, as the table has it."""
    table = pd.DataFrame(results, columns=["which", "test", "accuracy"])
    return mean_accuracy(table.rename(columns={"which": "parameters"}), protocol)


def _placed(splits, members):
    """Splits of the cohort's members as splits of everybody: the rest trains."""
    placed = np.zeros((len(splits), len(members)), dtype=bool)
    placed[:, members] = splits
    return placed


def _within_people(graphs, exchange):
    """Whether labels are permuted within the people who have several graphs."""
    check_option("exchange", exchange, PERMUTED)
    if graphs.person is None or exchange == "whole":
        return False
    varies = varies_within(graphs.y, graphs.person)
    if exchange == "within" and not varies and len(set(graphs.person)) < len(graphs.y):
        raise InputError(
            "all graphs of each person have one label, so that exchange: within leaves nothing to "
            "permute: take exchange: whole (or auto), which exchanges whole people"
        )
    return varies


def _without_others(splits, person):
    """Splits in whose training part no other graph is of a person in the test part."""
    parts = splits.astype(int)
    for part in parts:
        part[np.isin(person, person[part == 1]) & (part == 0)] = -1
    return parts


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
        parts = _without_others(parts, graphs.person)
    return parts[there], [names[row] for row in there]


def add_jaccard(results, n_regions):
    """Add to each split's results ``jaccard``: how much its node sets share with other splits'.

    The mean Jaccard index (regions in both / regions in either); NaN without any to compare with.
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


def stability_table(learner, chosen, cohort, method, roi):
    """Count how often each region is in a contrast subgraph of a training part.

    `chosen`: what each split fitted and chose, which is one more ``percentile``.
    """
    splits, regions = len(chosen), {"index": np.arange(len(roi)), "region": roi}
    blocks = []
    for c, contrast in enumerate(learner.contrasts):
        sets = {
            str(percentile): [fit.subgraphs[contrast][level] for fit, _ in chosen]
            for level, percentile in enumerate(learner.percentiles)
        }
        sets["chosen"] = [
            fit.subgraphs[contrast][learner.levels[which][c]] for fit, which in chosen
        ]
        for percentile, subgraphs in sets.items():
            about = {"cohort": cohort, "method": method, "contrast": contrast}
            count = np.bincount(np.concatenate(subgraphs), minlength=len(roi))
            about |= {"percentile": percentile, **regions, "count": count, "splits": splits}
            blocks.append(pd.DataFrame(about))
    return pd.concat(blocks, ignore_index=True)
