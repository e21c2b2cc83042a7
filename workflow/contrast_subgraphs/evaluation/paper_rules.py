"""The simple rules that the paper reads off its scatter plots, evaluated as rules.

A rule selects subjects from the features of the contrast subgraphs and says which group
they belong to. Its precision and recall are measured on the whole cohort (as the paper
looks at it: the subjects also gave the subgraphs), and on held-out subjects (subgraphs
from the training part of each split), and both again with permuted labels.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tqdm import tqdm

from .learners import ContrastLearner
from .splits import permuted_labels, stratified_splits

#: Figure 1 of the paper: 62 edges among the 105 pairs of 15 vertices.
EDGES, PAIRS = 62, 105

COLUMNS = (
    "cohort rule text section figure percentiles predicts part splits vertices subjects selected "
    "correct precision recall share control_precision control_recall permutations note"
)


@dataclass(frozen=True)
class Rule:
    """A rule of the paper.

    Attributes
    ----------
    name, text, section : str
        What it is called here, what it says of the groups ``{first}`` (the paper's TD) and
        ``{second}`` (ASD), where the paper says it.
    figure : str
        The config's entry ``report.<figure>`` gives the percentiles of its subgraphs.
    problem : int
        1 for edge counts (first-second, second-first), 2 for distances (to either).
    predicts : int
        0 for the first group, 1 for the second.
    selects : callable
        ``(features (n, 2), sizes of the subgraphs) -> bool (n,)``.
    note : str
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
    cohort,
    labels=None,
    n_permutations=0,
    edge_statistic="difference",
    random_state=0,
    verbose=0,
):
    """Precision and recall of the paper's rules on one cohort.

    `splits` (n_repeats, n_subjects): test parts (see `splits.read_splits`); `figures`: config entry
    ``report``: percentiles of ``contrast_large``, ``contrast_small`` and ``contrast_symmetric``;
    `labels`: what the two groups are called in the texts; their names by default; `n_permutations`:
    controls with permuted labels, the same as for the methods; `edge_statistic`: one of
    "difference", "t", "welch"; `verbose`: show a progress bar on stderr. Returns: two rows for each
    rule, ``part`` being ``whole cohort`` or ``held out``. Columns `COLUMNS`: ``percentiles`` and
    ``vertices`` (median sizes) of the subgraphs; ``subjects``, ``selected`` and ``correct`` are
    counts, pooled over the splits; ``precision`` = correct / selected, ``recall`` = correct / those
    of the group, ``share`` = the group's share of the subjects, which a rule that selects at random
    has as precision; the same two with permuted labels, pooled; a note.
    """
    test_size, labels = splits.mean(axis=1).mean(), labels or graphs.groups
    called = dict(zip(("first", "second"), labels, strict=True))
    extractor = _Figures(graphs, figures, edge_statistic, random_state)
    own = _counts(extractor, graphs.y, splits)
    controls = []
    for number in tqdm(
        range(n_permutations), desc=f"{cohort} rules", unit="labels", disable=not verbose
    ):
        name = cohort, "permutation", number
        y = permuted_labels(graphs.y, random_state, *name)
        parts = stratified_splits(y, len(splits), test_size, random_state, *name)
        controls.append(_counts(extractor, y, parts))
    rows = []
    for rule in RULES:
        for part in ("whole cohort", "held out"):
            counts = own[rule.name, part]
            control = [c[rule.name, part] for c in controls]
            pooled = {name: sum(c[name] for c in control) for name in ("correct", "selected", "of")}
            rows.append(
                {
                    "cohort": cohort,
                    "rule": rule.name,
                    "text": rule.text.format(**called),
                    "section": rule.section,
                    "figure": rule.figure,
                    "percentiles": ", ".join(f"{k} {v}" for k, v in figures[rule.figure].items()),
                    "predicts": labels[rule.predicts],
                    "part": part,
                    "splits": len(splits) if part == "held out" else 1,
                    "vertices": " and ".join(f"{size:g}" for size in counts["vertices"]),
                    "subjects": counts["subjects"],
                    "selected": counts["selected"],
                    "correct": counts["correct"],
                    "precision": _ratio(counts["correct"], counts["selected"]),
                    "recall": _ratio(counts["correct"], counts["of"]),
                    "share": _ratio(counts["of"], counts["subjects"]),
                    "control_precision": _ratio(pooled["correct"], pooled["selected"]),
                    "control_recall": _ratio(pooled["correct"], pooled["of"]),
                    "permutations": n_permutations,
                    "note": _note(rule, part, counts).format(**called),
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS.split())


class _Figures:
    """Extracts the subgraphs of all the rules' figures from a training part.

    The two figures of Problem 1 share a learner, and so a difference graph.
    """

    def __init__(self, graphs, percentiles, edge_statistic, random_state):
        self.learners, self.which = {}, {}
        for problem in (1, 2):
            names = {rule.figure for rule in RULES if rule.problem == problem}
            grid = sorted({p for name in names for p in percentiles[name].values()})
            learner = ContrastLearner(
                graphs.adjacency,
                problem=problem,
                percentiles=grid,
                labels=graphs.groups,
                edge_statistic=edge_statistic,
                random_state=random_state,
            )
            self.learners[problem] = learner
            for name in names:
                wanted = {contrast: percentiles[name][contrast] for contrast in learner.contrasts}
                self.which[name] = learner.parameters.index(wanted)

    def measure(self, train, test, y):
        """For each figure: features of the test subjects, sizes of the subgraphs, labels."""
        fitted = {problem: learner.fit(train, y) for problem, learner in self.learners.items()}
        found = {}
        for figure, problem in {rule.figure: rule.problem for rule in RULES}.items():
            learner, fit, which = self.learners[problem], fitted[problem], self.which[figure]
            levels = zip(learner.contrasts, learner.levels[which], strict=True)
            sizes = [len(fit.subgraphs[contrast][level]) for contrast, level in levels]
            found[figure] = learner.features(fit, which, test), sizes, y[test]
        return found


def _counts(figures, y, splits):
    """Counts of every rule on the whole cohort and, pooled over the splits, held out."""
    everybody = np.arange(len(y))
    parts = {
        "whole cohort": [(everybody, everybody)],
        "held out": [(np.flatnonzero(~split), np.flatnonzero(split)) for split in splits],
    }
    found = {}
    for part, pairs in parts.items():
        measured = [figures.measure(train, test, y) for train, test in pairs]
        for rule in RULES:
            found[rule.name, part] = _count(rule, [one[rule.figure] for one in measured])
    return found


def _count(rule, tables):
    selected = correct = of = subjects = 0
    for x, sizes, y in tables:
        chosen, members = rule.selects(x, sizes), y == rule.predicts
        selected += int(chosen.sum())
        correct += int((chosen & members).sum())
        of += int(members.sum())
        subjects += len(y)
    return {
        "selected": selected,
        "correct": correct,
        "of": of,
        "subjects": subjects,
        "vertices": np.median([sizes for _, sizes, _ in tables], axis=0),
    }


def _note(rule, part, counts):
    parts = [rule.note] if rule.note else []
    if counts["selected"] == 0:
        parts.append("selects nobody")
    elif part == "whole cohort" and _ratio(counts["correct"], counts["selected"]) < _ratio(
        counts["of"], counts["subjects"]
    ):
        parts.append("here those it selects are less often of this group than all the subjects")
    return "; ".join(parts)


def _ratio(part, whole):
    return part / whole if whole else np.nan
