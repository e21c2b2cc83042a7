"""What a run found: the numbers of its first screen and sentences, from its tables.

The sentences are in ``templates/findings.txt``.
"""

import itertools
import math
from dataclasses import dataclass, replace

import pandas as pd

from ..core.checks import in_words
from ..core.holm import LEVEL, holm
from ..evaluation.summary import control_accuracy, p_values, smallest_p
from ..inference.chosen_penalty import cohort_levels
from ..inference.effect_size import CHOSEN
from .formats import p_text
from .names import by_clarity, clearest, pictured, region_label, rows_of
from .sentences import sentence

#: A p-value above LEVEL is plain if this many permutations scored as well as the true labels.
PLAINLY = 5

#: An accuracy below this helps nobody to classify a single person: one in five is wrong.
RELIABLE = 0.8

CONTRAST_METHODS = ("cs-p1", "cs-p2")


@dataclass(frozen=True)
class Finding:
    """A contrast subgraph of one direction, and what the tables say of it."""

    label: str  # what the contrast is called
    more: str  # label of the group with more connections, or of the end of a variable
    less: str
    side: str  # in whom, or with what, the set is more connected
    per: str  # of what the difference is one unit, if not between two groups
    percentile: float
    regions: list  # in order of weighted degree, the largest first
    systems: dict  # system -> how many of the regions, the most first; empty without systems
    density_more: float | None  # in the people from whom the set was chosen; None for a slope
    density_less: float | None
    p: float | None = None  # family-wise, over all penalties and contrasts; None without a test
    z: float | None = None  # standard deviations above permuted labels
    permutations: int | None = None
    effect: dict | None = None  # `effect, low, high, d` in people who did not choose the set
    share: float | None = None  # mean share of the half samples that choose its regions
    share_permuted: float | None = None
    critical: float | None = None  # the share that is evidence for a region
    steady: int | None = None  # how many regions of the set exceed it
    contrast: str = ""  # its name in the tables
    #: Of graphs of one density, p without what the opposite direction brings with it.
    other_side: float | None = None
    p_contrast: float | None = None  # over the penalties of its contrast alone
    given_modes: float | None = None  # the same, given this many modes that all people share
    modes: int = 0

    def where(self, most=3):
        """Say in a few words where the regions are: how many of them in which system.

        Not which system is struck most, since a large one has more regions to begin with.
        """
        if self.systems:
            shown = list(self.systems.items())
            if len(shown) > most:
                shown = shown[: most - 1]
                shown.append(("elsewhere", len(self.regions) - sum(n for _, n in shown)))
            return ", ".join(f"{count} {name}" for name, count in shown)
        few = [region_label(region) for region in self.regions[:most]]
        return ("" if len(few) == len(self.regions) else "among them ") + in_words(few)


@dataclass(frozen=True)
class CohortFindings:
    """What was found in a cohort."""

    cohort: str
    label: str
    sizes: str  # how many of which group
    found: list  # a `Finding` of each direction, the clearer first, without the empty ones
    p: float | None  # the smallest family-wise p of the cohort's contrasts; None without a test
    by: str  # the label of that contrast, which can be the symmetric one
    accuracy: pd.Series | None  # row of the contrast subgraphs on held-out people
    directed: bool = True  # whether it has two directions, which can have sets that are pictured
    #: `effect, low, high, d` where direction and penalty were chosen without the people measured,
    #: and `alike`: in which share of the choices the direction is that of the first set.
    chosen: dict | None = None
    at: float | None = None  # the percentile that `p` is of
    level: float = LEVEL  # p up to this is beyond chance, given the p of the other cohorts

    @property
    def measured(self):
        """The effect that stands first: chosen without the people measured, where that was done."""
        return self.chosen or (self.found[0].effect if self.found else None)


def findings(tables, names, config):
    """Return what was found in each cohort, the one with the clearest difference first.

    Of each direction the set is taken that `clearest` gives; without a test the one that the config
    pictures. Last come tests without a direction, such as those of several groups at once.
    """
    shown = config["report"]["cohorts"]
    cohorts = [*shown, *(cohort for cohort in names.cohorts if cohort not in shown)]
    order = by_clarity(tables.get("significance"), cohorts)
    found = [_of_cohort(tables, names, config, cohort) for cohort in order]
    omnibus = tables.get("omnibus", pd.DataFrame(columns=["cohort", "p_familywise"]))
    undirected = []
    for name, p in zip(omnibus["cohort"], omnibus["p_familywise"], strict=True):
        label = names.question(name).called_in_text(names("cohort", name))
        undirected.append(CohortFindings(name, label, "", [], p, "", None, directed=False))
    levels = cohort_levels(tables.get("significance"), omnibus)
    found, undirected = (
        [replace(one, level=levels.get(one.cohort, LEVEL)) for one in some]
        for some in (found, undirected)
    )
    return [*sorted(found, key=lambda one: not one.found), *undirected]


def _of_cohort(tables, names, config, cohort):
    significance = tables.get("significance")
    found = _in_order(tables, names, config, cohort)
    best, sizes, counts = None, "", rows_of(tables.get("cohorts"), cohort=cohort)
    if significance is not None:
        tested = rows_of(significance, cohort=cohort).dropna(subset="p_familywise")
        # The smallest p of the cohort may be that of the symmetric contrast, which has no
        # direction.
        best = next(tested.sort_values("p_familywise", kind="stable").itertuples(), None)
    if counts is not None and len(counts):
        row, pair = counts.iloc[0], names.pair(cohort)
        people, graphs = (int(row.get(name, 0)) for name in ("people", "graphs"))
        sizes = names.who(cohort, people, graphs, [int(row[name]) for name in pair])
    return CohortFindings(
        cohort=cohort,
        label=names("cohort", cohort),
        sizes=sizes,
        found=found,
        p=best and float(best.p_familywise),
        by=names("contrast", best.contrast) if best else "",
        accuracy=held_out(tables.get("accuracy"), cohort),
        chosen=_chosen(rows_of(tables.get("effects"), cohort=cohort), found),
        at=best and float(best.percentile),
    )


def _in_order(tables, names, config, cohort):
    """Return the `Finding` of each direction that has a set, the one to be told first first."""
    if "subgraphs" not in tables or "regions" not in tables:
        return []
    percentiles = pictured(config, names, "contrast_large", cohort)
    places = {contrast: place for place, contrast in enumerate(percentiles)}
    shown = clearest(tables.get("significance"), cohort, places, tables.get("effects"))
    untested = [contrast for contrast in percentiles if contrast not in shown]
    percentiles |= shown
    found = [
        _finding(tables, names, cohort, contrast, percentiles[contrast], places[contrast])
        for contrast in (*shown, *untested)
    ]
    return [one for one in found if one]


def _chosen(effects, found):
    """Return the effect at what was chosen without the people measured; None without one."""
    rows = rows_of(effects, contrast=CHOSEN)
    if not found or rows is None or rows.empty:
        return None
    alike = rows_of(effects, contrast=found[0].contrast)["share_chosen"].sum()
    return rows.iloc[0][["effect", "low", "high", "d"]].to_dict() | {"alike": float(alike)}


def _finding(tables, names, cohort, contrast, at, place):
    """Return what the tables say of one set; None if it has no pair of regions.

    `place`: 0 in the first direction, 1 in the second one.
    """
    key = {"cohort": cohort, "contrast": contrast, "percentile": at}
    row, regions = (rows_of(tables[name], **key) for name in ("subgraphs", "regions"))
    if row.empty or row["size"].iloc[0] < 2:
        return None
    systems = regions["system"].dropna()
    systems = systems[systems.astype(str) != ""].value_counts(sort=False)
    known, densities, labels = {}, [None, None], names.group_labels(cohort)
    if names.compares(cohort):
        columns = [f"{names.column}_{group}" for group in names.pair(cohort)]
        densities = [row[column].iloc[0] for column in columns]
    tested = rows_of(tables.get("significance"), **key)
    if tested is not None and tested["p_familywise"].notna().any():
        test = tested.iloc[0]
        known = {"p": float(test["p_familywise"]), "permutations": int(test["permutations"])}
        known["z"] = float(test.get("z", float("nan")))
        known["p_contrast"] = float(test["p_contrast"])
        if not pd.isna(test.get("p_other_side")):
            known["other_side"] = float(test["p_other_side"])
        if not pd.isna(test.get("p_given_modes")):
            known |= {"given_modes": float(test["p_given_modes"]), "modes": int(test["modes"])}
    effects = rows_of(tables.get("effects"), **key)
    if effects is not None and effects["effect"].notna().any():
        known["effect"] = effects.iloc[0][["effect", "low", "high", "d", "in_sample"]].to_dict()
    if regions["share"].notna().any():
        known["share"] = float(regions["share"].mean())
        known["share_permuted"] = float(regions["share_permuted"].mean())
        if regions["share_critical"].notna().any():
            known["critical"] = float(regions["share_critical"].max())
            if known["critical"] < 1:  # else no region can exceed it
                known["steady"] = int((regions["share"] > regions["share_critical"]).sum())
    return Finding(
        contrast=contrast,
        label=names("contrast", contrast),
        more=labels[place],
        less=labels[1 - place],
        side=names.sides(cohort)[place],
        per=units(tables, names, cohort)[place],
        percentile=at,
        regions=list(regions["region"]),
        systems=systems.sort_values(ascending=False, kind="stable").to_dict(),
        density_more=densities[place],
        density_less=densities[1 - place],
        **known,
    )


def units(tables, names, cohort):
    """Say of what a cohort's differences are slopes, in each direction; "" where they are none."""
    values = None
    counts = rows_of(tables.get("cohorts"), cohort=cohort)
    if counts is not None and len(counts) and "values" in counts:
        values = counts["values"].iloc[0]
    return names.question(cohort).units(values)


def held_out(accuracy, cohort):
    """Return the row of the contrast subgraphs on held-out people (CS-P1 if it ran), or None.

    Random splits come before sites that are left out in turn; where only sites were, it is theirs.
    Not the better of two methods: the accuracy of the best of several is overestimated. Of groups,
    `control` is the accuracy of the permuted labels that p is from.
    """
    # The protocol of the paper is not among them: its sets saw the people who are classified.
    for protocol, method in itertools.product(("nested", "sites"), CONTRAST_METHODS):
        rows = rows_of(accuracy, cohort=cohort, protocol=protocol, method=method)
        if rows is None or rows.empty:
            continue
        if "control_mean" in rows:
            rows = rows.assign(control=control_accuracy(rows))
        return rows.iloc[0]
    return None


def verdict(found, names):
    """Say whether the groups differ by more than chance in any of the cohorts.

    Cohorts and questions are corrected for their number by Holm's step-down method: each of those
    that are named holds at the level.

    Returns ``word`` (Yes; Perhaps, where only the uncorrected p is small; No; or empty without a
    test), ``beyond`` (the cohorts that are named), ``perhaps`` (those of which only the uncorrected
    p is small), ``tested`` (how many), ``p`` (the smallest), ``corrected`` (the same corrected),
    ``few`` (the permutations, where this few give none smaller), ``enough`` (how many can give one
    at the level, where these cannot).
    """
    tested = [one for one in found if one.p is not None]
    order = [*names.cohorts, *(one.cohort for one in tested)]
    tested.sort(key=lambda one: order.index(one.cohort))
    p = [one.p for one in tested]
    # Several cohorts are several tests: the most extreme of them is corrected for their number.
    adjusted = holm(p)
    beyond = [one for one, value in zip(tested, adjusted, strict=True) if value <= LEVEL]
    perhaps = [one for one in tested if one.p <= LEVEL and one not in beyond]
    word = ""
    if tested:
        word = "No"
    if perhaps:
        word = "Perhaps"
    if beyond:
        word = "Yes"
    corrected = float(min(adjusted, default=1.0))
    few = min((one.found[0].permutations or 0 for one in tested if one.found), default=0)
    # The smallest corrected p that this number of permutations allows.
    least = len(tested) / (few + 1)
    limited = least > LEVEL / 10 and corrected <= 1.001 * least
    return {
        "word": word,
        "beyond": beyond,
        "perhaps": perhaps,
        "tested": len(tested),
        "p": min(p, default=None),
        "corrected": corrected,
        "few": few if limited else 0,
        "enough": _permutations_needed(len(tested)) if limited and corrected > LEVEL else 0,
    }


def answer(found, names):
    """Say in a few plain sentences what was found, for an abstract."""
    if not found or not found[0].found:
        return ""
    return sentence("findings.txt", "answer", verdict(found, names), found, names, LEVEL)


def cards(found, tables, names, halves):
    """Return a reader's questions of the clearest cohort, answered; `halves`: of the people."""
    first = found[0]
    kinds = ["size", "chance", "local", "elsewhere", "stable", "value"]
    known = {"enough": None}
    predicted = held_out(tables.get("prediction"), first.cohort)
    if predicted is not None:
        known["row"] = {k: None if pd.isna(value) else value for k, value in predicted.items()}
        least = 1 / (1 + predicted.get("permutations", math.inf))
        if least > LEVEL and predicted["p_value"] <= 1.001 * least:
            known["enough"] = _permutations_needed(1)
    if first.accuracy is not None:
        row, kinds = first.accuracy, [*kinds, "predict"]
        tests = _tests(tables["accuracy"], row["protocol"])
        plain = _enough_permutations(row.to_frame().T, tests)
        known = {"row": {key: None if pd.isna(value) else value for key, value in row.items()}}
        known |= {"plain": plain and not pd.isna(row["control"]), "reliable": RELIABLE}
        known["enough"] = _permutations_needed(tests)
    known |= {"verdict": verdict(found, names), "halves": halves, "level": LEVEL}
    # A control has to pass the level that p itself passes.
    known["passed"] = lambda one: first.level if one.p <= first.level else LEVEL
    known["sites"] = _over_sites(tables, names, first)
    known["would_find"] = _would_find(tables, first)
    known["others"] = _in_others(tables, names, first)
    known["confirmed"] = _confirmed(tables, first)
    shown = []
    for kind in kinds if first.found else ():
        said = {
            part: sentence("findings.txt", f"{kind}_{part}", first, names, first.level, known)
            for part in ("question", "answer", "note")
        }
        shown += [said] if said["answer"] else []
    return shown


#: With at least this many sites the first screen says at how many of them it holds.
SITES = 5


def _over_sites(tables, names, first):
    """Return what the table ``over_sites`` says of a cohort's sets, in their order."""
    rows = rows_of(tables.get("over_sites"), cohort=first.cohort)
    if rows is None:
        return []
    of = {names("contrast", row["contrast"]): row for row in rows.to_dict("records")}
    found = [of[one.label] | {"label": one.label} for one in first.found if one.label in of]
    return [row for row in found if row["count"] >= SITES]


#: The number of regions that the first screen tells of, or the nearest to it.
_INSIDE = 10


def _would_find(tables, first):
    """Return what the table ``would_find`` says of a cohort; None where nothing is known."""
    rows = rows_of(tables.get("would_find"), cohort=first.cohort)
    if rows is None or rows.empty:
        return None
    # One number is enough for a first screen; the table has the others.
    nearest = (rows["regions"] - _INSIDE).abs().idxmin()
    row = rows.loc[nearest]
    said = {key: None if pd.isna(row[key]) else float(row[key]) for key in ("difference", "d")}
    numbers = {name: float(row[name]) for name in ("share", "level")}
    return said | numbers | {"regions": int(row["regions"])}


def _in_others(tables, names, first):
    """Return in how many other cohorts each set of a cohort has its direction."""
    rows = rows_of(tables.get("others"), cohort=first.cohort)
    if rows is None:
        return []
    # Cohorts with too few other people have no effect, which is neither for nor against.
    rows = rows.dropna(subset="effect")
    found = []
    for one in first.found:
        here = rows[rows["contrast"].map(lambda name: names("contrast", name)) == one.label]
        if len(here):
            holds = int((here["effect"] > 0).sum())
            found.append({"label": one.label, "holds": holds, "count": len(here)})
    return found


def _confirmed(tables, first):
    """Return which sets of the section ``confirm`` are confirmed in a cohort, and which are not."""
    rows = rows_of(tables.get("confirmed"), cohort=first.cohort)
    if rows is None:
        return []
    tested = rows.dropna(subset="p_holm")
    return [row | {"holds": row["p_holm"] <= LEVEL} for row in tested.to_dict("records")]


def last_words(found, names, page):
    """Return the three lines with which a run ends: what was found, where, what to read first."""
    where = names.question(found[0].cohort).where()
    return [
        answer(found, names) or "No contrast subgraph is pictured.",
        f"The page with everything: {page}",
        f"Read first its section “{where}”, then “Is it real?”.",
    ]


# --- accuracy -----------------------------------------------------------------------


def leakage_sentences(accuracy, names, proven=None):
    """Say in up to five sentences what leakage does to the accuracies.

    Each sentence is there only if the table has its numbers: without permutations,
    without one of the protocols or without the paper's numbers it is left out or shorter.

    `accuracy`: the table ``accuracy``; `proven`: how many of how many contrast subgraphs are proven
    optimal.
    """
    contrast = accuracy[accuracy["method"].isin(CONTRAST_METHODS)]
    if contrast.empty:
        return []
    paper = contrast[contrast["protocol"] == "paper"]
    nested = contrast[contrast["protocol"] == "nested"]
    said = []
    if len(paper):
        first, printed = paper["cohort"].iloc[0], paper[paper["paper_mean"].notna()]
        here = paper[paper["cohort"] == first]
        # Within two of the paper's standard deviations: different random splits give such
        # differences.
        near = (printed["mean"] - printed["paper_mean"]).abs() <= 2 * printed["paper_std"] + 1e-12
        whole = here["paper_mean"].notna().all()
        said.append(
            sentence(
                "findings.txt",
                "reproduced",
                names,
                names("cohort", first),
                _each(here, "mean", names),
                in_words(map(_two, here["paper_mean"])) if whole else "",
                _of(near) if len(near) else "",
                "can" if near.all() else "can mostly" if near.mean() > 0.5 else "cannot",
            )
        )
        controlled = paper[paper["control_mean"].notna()]
        if len(controlled):
            first = controlled["cohort"].iloc[0]
            each = _each(controlled[controlled["cohort"] == first], "control_mean", names)
            plain = _enough_permutations(controlled)
            no_better = _of(controlled["p_value"] > LEVEL) if plain else ""
            first = names("cohort", first)
            said.append(sentence("findings.txt", "control", first, each, no_better, LEVEL))
        said.append(sentence("findings.txt", "leaks", names))
    if len(nested):
        said.append(_nested(nested, accuracy, names))
        if "adjusted_mean" in nested and (kept := kept_after_adjustment(nested, names)):
            said.append(kept)
    both = len(paper) > 0 and len(nested) > 0
    return [*said, sentence("findings.txt", "fair", names, proven, both)]


def _nested(nested, accuracy, names):
    controlled = nested[nested["control_mean"].notna()]
    tests, better, least = _tests(accuracy, "nested"), "", ""
    if len(controlled) and _enough_permutations(controlled, tests):
        better = _of(controlled["p_holm"] <= LEVEL)
    elif len(controlled):
        least = f"{min(1, smallest_p(accuracy)['nested']):.2g}"
    enough = _permutations_needed(tests)
    edges = accuracy[(accuracy["method"] == "edges") & (accuracy["protocol"] == "nested")]
    control, plain = (_range(t["mean"]) if len(t) else "" for t in (controlled, edges))
    if len(controlled):
        # As the p-values: within sites where there are several.
        control = _range(control_accuracy(controlled))
    accuracy = _range(nested["mean"])
    told = better, least, tests, LEVEL, plain, enough
    return sentence("findings.txt", "nested", accuracy, control, *told)


def kept_after_adjustment(rows, names):
    """Say what accuracies keep once the nuisance variables are regressed out.

    `rows`: of the table ``accuracy``; the first cohort is taken that has accuracies with permuted
    labels, adjusted and without a brain. Empty without one.
    """
    rows = rows.assign(control=control_accuracy(rows))
    here = rows.dropna(subset=["adjusted_mean", "nuisance_mean", "control"])
    here = here[here["cohort"] == here["cohort"].iloc[0]] if len(here) else here
    if here.empty:
        return ""
    parts = []
    for row in here.itertuples():
        points, kept = (
            round(100 * (value - row.control)) for value in (row.mean, row.adjusted_mean)
        )
        keeps = f"keeps {max(kept, 0)} of {points} points" if points > 0 else "has no points"
        parts.append(f"{names('method', row.method)} {keeps}")
    cohort = names("cohort", here["cohort"].iloc[0])
    return sentence("findings.txt", "adjusted", cohort, parts, _range(here["nuisance_mean"]))


def motion_in_scores(confounds, cohort, names):
    """Say whether held-out scores follow motion, and what they add given motion and site.

    `confounds`: the table of this name, if there is one. Empty without rows of ``nested``.
    """
    if confounds is None:
        return ""
    rows = confounds[(confounds["cohort"] == cohort) & (confounds["protocol"] == "nested")]
    # The site adds nothing to itself.
    rows = rows[(rows["variant"] == "none") & (rows["method"] != "site")]
    rows = rows.dropna(subset=["p_confound", "p_added"])
    if rows.empty:
        return ""
    follow, add = (rows[rows[p] <= LEVEL] for p in ("p_confound", "p_added"))
    follow = [
        f"{names('method', row.method)} (partial r {row.partial_r:.2f}, {p_text(row.p_confound)})"
        for row in follow.itertuples()
    ]
    add = [
        f"{names('method', row.method)} (likelihood ratio {row.likelihood_ratio:.1f}, "
        f"{p_text(row.p_added)})"
        for row in add.itertuples()
    ]
    return sentence("findings.txt", "motion", names("cohort", cohort), follow, add, LEVEL)


def _tests(accuracy, protocol):
    """How many tests the corrected p-values of a protocol are corrected for."""
    return int(accuracy.loc[accuracy["protocol"] == protocol, "p_holm"].notna().sum())


def _enough_permutations(rows, tests=1):
    """Say whether each row is plain: not significant, or enough permutations to be so."""
    p, count = p_values(rows)
    lowest = 1 / (1 + count)
    clear = (p > LEVEL) & ((p >= (1 + PLAINLY) * lowest) | (lowest <= LEVEL))
    return bool((clear | (tests * lowest <= LEVEL)).all())


def _permutations_needed(tests):
    """How many permutations allow a p of at most LEVEL, corrected for this number of tests."""
    return math.ceil(round(tests / LEVEL, 6)) - 1


def _each(rows, column, names):
    pairs = zip(rows[column], rows["method"], strict=True)
    return in_words(f"{_two(value)} ({names('method', method)})" for value, method in pairs)


def _two(value):
    return "?" if pd.isna(value) else f"{value:.2f}"


def _range(values):
    low, high = _two(values.min()), _two(values.max())
    return low if low == high else f"{low} to {high}"


def _of(flags):
    noun = "pair of cohort and method" if len(flags) == 1 else "pairs of cohort and method"
    return f"{int(flags.sum())} of {len(flags)} {noun}"
