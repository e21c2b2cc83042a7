"""What the table ``accuracy`` means, in plain sentences with its own numbers."""

import pandas as pd

#: A p-value up to here counts as better than permuted labels.
LEVEL = 0.05


def leakage_sentences(accuracy, names, proven=None):
    """Say in up to five sentences what leakage does to the accuracies.

    Each sentence is there only if the table has its numbers: without permutations,
    without one of the protocols or without the paper's numbers it is left out or shorter.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        The table ``accuracy`` (see `statistics.accuracy_table`).
    names : Names
    proven : tuple of int, optional
        How many of how many contrast subgraphs are proven optimal.

    Returns
    -------
    list of str
    """
    contrast = accuracy[accuracy["method"].isin(["cs-p1", "cs-p2"])]
    if contrast.empty:
        return []
    paper = contrast[contrast["protocol"] == "paper"]
    nested = contrast[contrast["protocol"] == "nested"]
    sentences = []
    if len(paper):
        sentences.append(_reproduced(paper, names))
        if paper["control_mean"].notna().any():
            sentences.append(_control(paper, names))
        sentences.append(
            "Under that protocol, as we read Section 4.2 and the appendix, contrast subgraphs are "
            "extracted from all subjects, the test part and its diagnoses included, and the "
            "parameters kept are those with the best test accuracy, so that the test subjects have "
            "already helped to choose what they are tested with."
        )
    if len(nested):
        sentences.append(_nested(nested, accuracy))
    sentences.append(_fair(proven, both=len(paper) > 0 and len(nested) > 0))
    return sentences


def _reproduced(paper, names):
    first = paper["cohort"].iloc[0]
    here = paper[paper["cohort"] == first]
    text = f"Under the paper's protocol, contrast subgraphs classify {names('cohort', first)} with "
    text += f"an accuracy of {_each(here, 'mean', names)}"
    printed = paper[paper["paper_mean"].notna()]
    if printed.empty:
        return text + "."
    if here["paper_mean"].notna().all():
        text += f", where the paper prints {_listed([_two(v) for v in here['paper_mean']])}"
    near = (printed["mean"] - printed["paper_mean"]).abs() <= 2 * printed["paper_std"] + 1e-12
    return text + (
        f"; in {_of(near)} our mean lies within two of the paper's standard deviations, so the "
        f"published numbers {_can(near)} be reproduced."
    )


def _control(paper, names):
    paper = paper[paper["control_mean"].notna()]
    first = paper["cohort"].iloc[0]
    here = paper[paper["cohort"] == first]
    text = (
        "With the diagnoses permuted at random, so that there is nothing to learn, the same "
        f"protocol scores {_each(here, 'control_mean', names)} on {names('cohort', first)}"
    )
    if _enough_permutations(paper):
        no_better = paper["p_value"] > LEVEL
        text += (
            f"; in {_of(no_better)} the true diagnoses do not score better than the permuted ones "
            f"do by chance (p > {LEVEL})"
        )
    return text + "."


def _nested(nested, accuracy):
    text = (
        "When subgraphs, alpha and classifier are chosen and fitted inside the training part alone "
        f"(nested), the accuracy is {_range(nested['mean'])}"
    )
    controlled = nested[nested["control_mean"].notna()]
    if len(controlled):
        text += f" (permuted diagnoses: {_range(controlled['control_mean'])})"
        if _enough_permutations(controlled):
            better = controlled["p_value"] <= LEVEL
            text += f", in {_of(better)} better than permuted diagnoses do by chance (p ≤ {LEVEL})"
    edges = accuracy[(accuracy["method"] == "edges") & (accuracy["protocol"] == "nested")]
    if len(edges):
        text += (
            "; a plain linear classifier on all edges, measured alike, scores "
            f"{_range(edges['mean'])}"
        )
    return text + "."


def _enough_permutations(rows):
    """Say whether a p-value of `LEVEL` can be reached at all."""
    return bool((1 / (1 + rows["permutations"]) <= LEVEL).all())


def _fair(proven, both):
    text = "None of this touches what contrast subgraphs are made for: "
    if proven and proven[1]:
        text += f"they are well defined ({proven[0]} of {proven[1]} here are proven optimal) and "
    text += "they describe, in a form that can be read, how the graphs of these two groups differ"
    if both:
        return text + (
            "; it means that the accuracy under the paper's protocol describes the subjects at "
            "hand, a use that is common in the field, while the nested one is what to expect for "
            "new people."
        )
    return text + "."


def _each(rows, column, names):
    return _listed(
        [
            f"{_two(value)} ({names('method', method)})"
            for value, method in zip(rows[column], rows["method"], strict=True)
        ]
    )


def _listed(items):
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def _two(value):
    return "?" if pd.isna(value) else f"{value:.2f}"


def _range(values):
    low, high = _two(values.min()), _two(values.max())
    return low if low == high else f"{low} to {high}"


def _of(flags):
    flags = pd.Series(flags)
    noun = "pair of cohort and method" if len(flags) == 1 else "pairs of cohort and method"
    return f"{int(flags.sum())} of {len(flags)} {noun}"


def _can(near):
    return "can" if near.all() else "can mostly" if near.mean() > 0.5 else "cannot"
