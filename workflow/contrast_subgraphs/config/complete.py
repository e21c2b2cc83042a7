"""What the config leaves to defaults: full groups, pairs of groups, one threshold."""

import itertools

from ..core.graphs import group_label
from ..design import KINDS, contrast_names, named_questions
from ..design.question import kind_of

#: The percentiles that the paper draws, for both contrasts.
_DRAWN = {"contrast_large": (70, 85), "contrast_small": (90, 93)}


def full_groups(groups):
    """Return ``{name: {label, where}}`` for groups given in full or by their expression alone."""
    full = {
        name: {"where": group} if isinstance(group, str) else group
        for name, group in groups.items()
    }
    return {name: {"label": group_label(name), **group} for name, group in full.items()}


def with_contrasts(config):
    """Make each of the config's contrasts a cohort, and draw it if the config does not say how."""
    for name, one in (config.pop("contrasts", None) or {}).items():
        one = {"where": "True", "description": one.get("where", ""), **one}
        config["cohorts"][name] = one
    solved = config["contrast"]["percentiles"]
    names = asked_directions(config["cohorts"], full_groups(config["groups"]))
    for figure, paper in _DRAWN.items() if solved else ():
        for contrast, wanted in zip(names, itertools.cycle(paper)):
            # Only percentiles that are solved can be drawn.
            nearest = min(solved, key=lambda p, wanted=wanted: (abs(p - wanted), p))
            config["report"][figure].setdefault(contrast, nearest)


def asked_directions(cohorts, groups):
    """Return the contrasts of Problem 1 that are named after a question, not after two groups."""
    pairs = by_pairs(cohorts, groups).values()
    each = {name: one for of_pairs in pairs for name, one in of_pairs.items()}
    names = []
    for question in named_questions(each, list(groups)[:2]).values():
        if question.directed and not question.named_by_groups:
            names += question.contrasts[:2]
    return names


def by_pairs(cohorts, groups):
    """Return the cohorts that each one stands for: itself, or one for each pair of groups.

    Two groups are compared at a time. With more groups, each pair has a cohort of its own, under a
    name that no other cohort has: names of groups have no hyphen.

    `cohorts`: what the config says. A cohort with ``groups`` (two names) is for this pair alone;
    `groups`: name -> ``{label, where}``.
    """
    found = {}
    for name, cohort in cohorts.items():
        called = {"label": name, "description": cohort["where"]}
        full = cohort | {key: cohort.get(key, text) for key, text in called.items()}
        if len(groups) == 2 or "groups" in cohort or not KINDS[kind_of(cohort)].by_pairs:
            found[name] = {name: full}
            continue
        found[name] = {}
        for pair in itertools.combinations(groups, 2):
            label = " against ".join(groups[group]["label"] for group in pair)
            if sum(not kind_of(one) for one in cohorts.values()) > 1:
                label = f"{full['label']}: {label}"
            own = {"label": label, "groups": list(pair)}
            found[name]["-".join((name, *pair))] = full | own
    return found


def directions(groups):
    """Return the contrasts of Problem 1 of every pair of groups."""
    pairs = itertools.combinations(groups, 2)
    return [name for pair in pairs for name in contrast_names(pair)[:2]]


def graph_settings(graph, source=""):
    """Return the settings of the graphs with one threshold, or none, and the sign of weights.

    ``percentile`` is short for the threshold of this name. The default's percentile gives way to a
    density or a value. If the config does not say a sign, all pairs of one's own data (`source`
    folder) keep theirs, as in the commands; otherwise weights are positive.
    """
    graph = {
        "measure": "correlation",
        "weights": "binary",
        "adjust": [],
        **graph,
    }
    # Modes, and the columns held constant with them.
    if isinstance(graph["adjust"], dict):
        graph["modes"] = graph["adjust"].get("modes")
        graph["adjust"] = graph["adjust"].get("columns", [])
    threshold = graph.get("threshold") or {}
    threshold = {kind: number for kind, number in threshold.items() if number is not None}
    short = graph.pop("percentile", None)
    if short is not None:
        threshold["percentile"] = short
    if len(threshold) > 1:
        threshold.pop("percentile", None)
    whole = graph["weights"] == "weighted" and not threshold
    usual = "signed" if whole and source == "folder" else "positive"
    return graph | {"threshold": threshold or None, "sign": graph.get("sign") or usual}
