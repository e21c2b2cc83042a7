"""The simple rules that the paper reads off its scatter plots, evaluated as rules.

A rule selects subjects by the features of the contrast subgraphs and assigns them to a group. Its
precision and recall are measured on the whole cohort (as in the paper, on the subjects that the
subgraphs come from) and on held-out subjects (with subgraphs from the training part of each split),
and both again with permuted labels.
"""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..core.processes import progress
from .learners import ContrastLearner

#: Figure 1 of the paper: 62 edges among the 105 pairs of 15 vertices.
EDGES = 62
PAIRS = 105

COLUMNS = (
    "cohort rule text section figure percentiles predicts part splits vertices subjects selected "
    "correct precision recall share control_precision control_recall permutations note"
)


class Rule(NamedTuple):
    """A rule of the paper: its statement on the groups ``{first}`` and ``{second}``, and where.

    It predicts group 0 or 1 for the people it `selects`, by features (n, 2), which are edge counts
    (`problem` 1) or distances, and by the sizes of the subgraphs, whose percentiles are
    ``report.<figure>``.
    """

    name: str
    text: str
    section: str
    figure: str
    problem: int
    predicts: int
    selects: Callable
    note: str = ""


_FEWER = "fewer edges in {second}-{first} than in {first}-{second}"
RULES = (
    Rule(
        "more than 62 edges",
        f"more than {EDGES} edges in {{second}}-{{first}}: {{second}}",
        *("1.2", "contrast_large", 1, 1),
        lambda x, sizes: x[:, 1] > EDGES,
        "the number belongs to the 15 vertices of the paper's figure",
    ),
    Rule(
        "more than 59 % of the pairs",
        f"more than {EDGES} of {PAIRS} pairs in {{second}}-{{first}} are edges: {{second}}",
        *("1.2", "contrast_large", 1, 1),
        lambda x, sizes: PAIRS * x[:, 1] > EDGES * (sizes[1] * (sizes[1] - 1) // 2),
        "the same rule for a subgraph of any size",
    ),
    Rule(
        "less than half",
        "fewer edges in {second}-{first} than half of those in {first}-{second}: {first}",
        *("1.2", "contrast_large", 1, 0),
        lambda x, sizes: 2 * x[:, 1] < x[:, 0],
    ),
    Rule(
        "smaller, as printed",
        _FEWER + ": {second}",
        *("4.1", "contrast_small", 1, 1),
        lambda x, sizes: x[:, 1] < x[:, 0],
        "as printed; few edges in {second}-{first} should speak for {first}",
    ),
    Rule(
        "smaller, group exchanged",
        _FEWER + ": {first}",
        *("4.1", "contrast_small", 1, 0),
        lambda x, sizes: x[:, 1] < x[:, 0],
        "the rule of Section 4.1 with the group that the definition suggests",
    ),
    Rule(
        "smaller, subgraphs exchanged",
        "fewer edges in {first}-{second} than in {second}-{first}: {second}",
        *("4.1", "contrast_small", 1, 1),
        lambda x, sizes: x[:, 0] < x[:, 1],
        "the rule of Section 4.1 with the order that the definition suggests",
    ),
    Rule(
        "nearer to the first",
        "nearer to the summary graph of {first} than to that of {second}: {first}",
        *("4.1", "contrast_symmetric", 2, 0),
        lambda x, sizes: x[:, 0] < x[:, 1],
        "the diagonal of the symmetric figure",
    ),
)


def rules_table(
    graphs,
    splits,
    figures,
    *,
    draws,
    labels=None,
    n_permutations=0,
    edge_statistic="difference",
    random_state=0,
):
    """Return precision and recall of the paper's rules on a cohort, and with permuted labels.

    There are rows for the ``whole cohort`` and ``held out`` (pooled over `splits`). ``share`` is
    the group's share of the subjects, which is the precision of a random rule.

    Parameters
    ----------
    graphs : CohortGraphs
    splits : ndarray of bool, shape (n_splits, n_graphs)
        True for the test parts.
    figures : mapping
        The config's section ``report``: percentiles of the contrasts for each figure.
    draws : Labels
        The cohort's labels, which are permuted and split.
    labels : sequence of str, optional
        The names of the groups in the table.
    n_permutations : int
    edge_statistic, random_state
        As for the contrast subgraphs.
    """
    labels = labels or graphs.groups
    called = dict(zip(("first", "second"), labels, strict=True))
    learners = _learners(graphs, figures, edge_statistic, random_state)
    own = _counts(learners, figures, graphs.y, splits)
    test_size = splits.mean(axis=1).mean()
    controls = []
    for number in progress(range(n_permutations), f"{draws.name} rules"):
        # As under the paper's protocol: labels are permuted among all, and splits follow them.
        y = draws.permuted(False, "permutation", number)
        parts = draws.splits(y, len(splits), test_size, "permutation", number)
        controls.append(_counts(learners, figures, y, parts))
    rows = []
    for (rule, part), counts in own.items():
        about = {
            "cohort": draws.name,
            "percentiles": ", ".join(f"{k} {v}" for k, v in figures[rule.figure].items()),
            "predicts": labels[rule.predicts],
            "permutations": n_permutations,
        }
        permuted = [control[rule, part] for control in controls]
        rows.append(about | _row(rule, part, counts, permuted, called))
    return pd.DataFrame(rows, columns=COLUMNS.split())


def _row(rule, part, counts, permuted, called):
    """Return the scores of one rule in one part, with those of permuted labels."""
    pooled = {name: sum(one[name] for one in permuted) for name in ("correct", "selected", "of")}
    scores = {
        "precision": _ratio(counts["correct"], counts["selected"]),
        "recall": _ratio(counts["correct"], counts["of"]),
        "share": _ratio(counts["of"], counts["subjects"]),
    }
    return {
        "rule": rule.name,
        "text": rule.text.format(**called),
        "section": rule.section,
        "figure": rule.figure,
        "part": part,
        **counts,
        **scores,
        "control_precision": _ratio(pooled["correct"], pooled["selected"]),
        "control_recall": _ratio(pooled["correct"], pooled["of"]),
        "note": _note(rule, part, scores).format(**called),
    }


def _learners(graphs, figures, edge_statistic, random_state):
    """A learner for each problem, with the percentiles of all its rules' figures."""
    learners = {}
    for problem in (1, 2):
        used = {rule.figure for rule in RULES if rule.problem == problem}
        percentiles = set().union(*(figures[figure].values() for figure in used))
        learners[problem] = ContrastLearner(
            graphs.weights,
            problem=problem,
            percentiles=sorted(percentiles),
            contrasts=graphs.contrasts,
            edge_statistic=edge_statistic,
            random_state=random_state,
        )
    return learners


def _counts(learners, figures, y, splits):
    """Counts of every rule on the whole cohort and, pooled over the splits, held out."""
    all_people = np.arange(len(y))
    parts = {
        "whole cohort": [(all_people, all_people)],
        "held out": [(np.flatnonzero(~split), np.flatnonzero(split)) for split in splits],
    }
    # One fit of each problem for each split serves all rules.
    fits = {
        part: [{k: one.fit(train, y) for k, one in learners.items()} for train, _ in pairs]
        for part, pairs in parts.items()
    }
    found = {}
    for rule, (part, pairs) in itertools.product(RULES, parts.items()):
        learner = learners[rule.problem]
        which = learner.parameters.index({c: figures[rule.figure][c] for c in learner.contrasts})
        counts = dict.fromkeys(("subjects", "selected", "correct", "of"), 0)
        vertices = []
        for fitted, (_, test) in zip(fits[part], pairs, strict=True):
            fit = fitted[rule.problem]
            sizes = [len(nodes) for nodes in learner.node_sets(fit, which)]
            chosen = rule.selects(learner.features(fit, which, test), sizes)
            members = y[test] == rule.predicts
            for name, of in zip(
                counts, (test, test[chosen], test[chosen & members], test[members]), strict=True
            ):
                counts[name] += len(of)
            vertices.append(sizes)
        middle = " and ".join(f"{size:g}" for size in np.median(vertices, axis=0))
        found[rule, part] = counts | {"splits": len(pairs), "vertices": middle}
    return found


def _note(rule, part, scores):
    parts = []
    if rule.note:
        parts = [rule.note]
    if np.isnan(scores["precision"]):
        parts.append("selects nobody")
    elif part == "whole cohort" and scores["precision"] < scores["share"]:
        parts.append("here those it selects are less often of this group than all the subjects")
    return "; ".join(parts)


def _ratio(part, whole):
    if whole:
        return part / whole
    return np.nan
