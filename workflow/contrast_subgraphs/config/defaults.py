"""The defaults of a config: which of them apply, and what is left to them.

Their values are in ``config.yaml``, at the top of the repository, which a user's files are laid
over. Here is which of them do not apply to one's own data or groups (`without_defaults`), and what
a config need not spell out: full groups, pairs of groups, one threshold.
"""

import copy
import itertools
from pathlib import Path

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


def fill_in(config):
    """Write into a checked config what it leaves to defaults."""
    config["results"] = str(Path(config["results"]).expanduser())
    published = config["sources"]["published"]
    if "://" not in published["archive"]:
        published["archive"] = str(Path(published["archive"]).expanduser())
    config["contrast"].setdefault("edge_statistic", "difference")
    hold = config["inference"].get("hold", "auto")
    if hold == "auto":
        hold = "observed"
        if config["source"] == "folder":
            hold = "null"
    # YAML reads null as None.
    config["inference"]["hold"] = hold or "null"
    config["groups"] = full_groups(config["groups"])
    config["graph"] = graph_settings(config["graph"], config["source"])
    pairs = by_pairs(config["cohorts"], config["groups"])
    config["cohorts"] = {name: one for of in pairs.values() for name, one in of.items()}
    shown = config["report"]["cohorts"]
    if shown == "all":
        shown = list(config["cohorts"])
    config["report"]["cohorts"] = [one for name in shown for one in pairs.get(name, [name])]
    if config.get("only_graphs"):
        # No stage after the graphs has anything to do, and no group can be too small.
        config["cohorts"] = {}
        config["report"]["cohorts"] = []
    for baseline in config["baselines"].values():
        best = baseline["best"]
        best |= {one: best[name] for name in pairs.keys() & best.keys() for one in pairs[name]}


# --- which apply ----------------------------------------------------------------------------


def without_defaults(config, defaults, given):
    """Return a config without the defaults that do not apply to one's own data or groups.

    Files laid over ``config.yaml`` add to it. But the paper's groups are not compared with
    others, and its cohorts do not apply to the user's own data: what no file names goes. If
    ``config.yaml`` itself was edited, everything in it is meant.

    `config`, `defaults`, `given`: the merged config, what ``config.yaml`` alone says, and what is
    laid over it.

    >>> config = {"source": "folder", "groups": {}, "report": {"cohorts": "all"}}
    >>> config["cohorts"] = {"male": {"where": "SEX == 1"}, "old": {"where": "AGE > 60"}}
    >>> own = without_defaults(config, config, {"source": "folder", "cohorts": {"old": {}}})
    >>> own["cohorts"]
    {'old': {'where': 'AGE > 60'}}
    """
    config = copy.deepcopy(dict(config))
    # The cohorts of an overlay come after the default ones, in their own order.
    if isinstance(config.get("cohorts"), dict):
        order = [*defaults["cohorts"], *config["cohorts"]]
        config["cohorts"] = {n: config["cohorts"][n] for n in order if n in config["cohorts"]}
    if not all(isinstance(config.get(part), dict) for part in ("groups", "cohorts", "report")):
        # `checked` reports this.
        return config
    own_data = given.get("source") == "folder"
    own_groups = bool(config["groups"].keys() - defaults["groups"].keys())
    asked = given.get("report") or {}
    if own_groups:
        _without_other_groups(config, defaults, given)
    if own_groups or own_data:
        # The paper's pictures do not apply: show what stands out most, with edges above alpha.
        config["report"]["edge_weight"] = asked.get("edge_weight")
        if "contrast_large" not in asked:
            config["report"].setdefault("clearest", True)
    percentiles = config.get("contrast", {}).get("percentiles")
    _draw_what_is_solved(config["report"], asked, percentiles)
    if own_data:
        _without_other_data(config, given)
    return config


def _without_other_groups(config, defaults, given):
    """Take out the groups that no file names, and draw each pair as the paper's is drawn."""
    named = given.get("groups") or {}
    config["groups"] = {name: one for name, one in config["groups"].items() if name in named}
    own = directions(name for name, group in config["groups"].items() if group is not None)
    paper = directions(defaults["groups"])
    for figure in ("contrast_large", "contrast_small"):
        drawn = config["report"].get(figure, {})
        asked = {}
        for place, name in enumerate(own):
            # Unless the config says otherwise.
            asked[name] = drawn.get(name, drawn.get(paper[place % 2]))
        asked |= {name: value for name, value in drawn.items() if name not in paper}
        config["report"][figure] = {
            name: value for name, value in asked.items() if value is not None
        }


def _without_other_data(config, given):
    """Take out the cohorts, pictures and settings that are those of the paper's data."""
    report = config["report"]
    if isinstance(config.get("graph"), dict) and "sign" not in (given.get("graph") or {}):
        # `graph_settings` knows a sign for all pairs.
        config["graph"].pop("sign", None)
    named = given.get("cohorts") or {}
    paper = config["cohorts"]
    own = {name: cohort for name, cohort in paper.items() if name in named}
    contrasts = given.get("contrasts") or {}
    if contrasts and not (own or given.get("groups")):
        config["groups"] = {}
        report["contrast_large"] = {}
        report["contrast_small"] = {}
    # A question without directions is asked next to the comparison of the groups.
    if not own and not any(map(_directed, contrasts.values())):
        label = f"all {report.get('subjects', 'participants')}"
        own = {"all": {"label": label, "description": "", "where": "True"}}
    config["cohorts"] = own
    if "cohorts" not in (given.get("report") or {}):
        report["cohorts"] = "all"
    for baseline in (config.get("baselines") or {}).values():
        for name in (paper.keys() - own.keys()) & baseline.get("best", {}).keys():
            del baseline["best"][name]


def _directed(entry):
    """Whether one of the config's contrasts has two directions."""
    return not isinstance(entry, dict) or KINDS[kind_of(entry)].directed


def _draw_what_is_solved(report, asked, percentiles):
    """Let figures for which no file names a percentile show the nearest one that is solved."""
    if not isinstance(percentiles, list) or not percentiles:
        return
    if not all(isinstance(one, int | float) for one in percentiles):
        # `checked` reports this.
        return
    for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):
        own = asked.get(figure) or {}
        for name, wanted in report.get(figure, {}).items():
            if name not in own and wanted not in percentiles:
                report[figure][name] = min(percentiles, key=lambda one: (abs(one - wanted), one))
