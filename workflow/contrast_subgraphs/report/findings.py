"""What a run found, in sentences with the numbers of its tables."""

from dataclasses import dataclass

import pandas as pd

from ..evaluation.summary import p_values, smallest_p
from .names import pictured, region_label
from .tables.formats import LEVEL, density_text

#: A p-value above LEVEL is plain if this many permutations scored as well as the true labels.
PLAINLY = 5

#: An accuracy below this helps nobody to classify a single person: one in five is wrong.
RELIABLE = 0.8

CONTRAST_METHODS = ("cs-p1", "cs-p2")


@dataclass(frozen=True)
class Finding:
    """A pictured contrast subgraph of one direction, and what the tables say of it.

    Attributes
    ----------
    contrast, label : str
        Name, and what it is called.
    more, less : str
        Labels of the group with more and of the group with fewer connections.
    percentile : float
    regions : list of str
        In order of weighted degree, the largest first.
    systems : dict
        System -> how many of the regions, the most first; empty without systems.
    density_more, density_less : float
    optimal : bool
    p_value, permutations : float or None
        Of this set, family-wise over all penalties and contrasts; None without a test.
    best_p, best_percentile, best_size : float or None
        The smallest p of the contrast over its penalties, where, and of how many regions.
    rivals : int or None
    """

    contrast: str
    label: str
    more: str
    less: str
    percentile: float
    regions: list
    systems: dict
    density_more: float
    density_less: float
    optimal: bool
    p_value: float | None
    permutations: int | None
    best_p: float | None
    best_percentile: float | None
    best_size: int | None
    rivals: int | None

    def first_names(self, most=4):
        """Name the regions with the largest weighted degree."""
        names = [region_label(region) for region in self.regions]
        if len(names) <= most + 1:
            return _listed(names)
        return _listed([*names[:most], f"{len(names) - most} more"])

    def where(self, most=3):
        """Say in a few words where the regions are: how many of them in which system.

        Not which system is struck most, since a large one has more regions to begin with.

        Examples
        --------
        >>> words = dict(more="TD", less="ASD", percentile=80, density_more=.5, density_less=.3)
        >>> rest = dict(optimal=True, p_value=None, permutations=None, best_p=None,
        ...     best_percentile=None, best_size=None, rivals=None)
        >>> systems = {"cerebellum": 6, "frontal": 4, "visual": 1, "limbic": 1}
        >>> Finding("td-asd", "TD−ASD", regions=["a"] * 12, systems=systems, **words,
        ...     **rest).where()
        '6 cerebellum, 4 frontal, 2 elsewhere'
        """
        if self.systems:
            shown = list(self.systems.items())
            if len(shown) > most:
                shown = shown[: most - 1]
                shown.append(("elsewhere", len(self.regions) - sum(n for _, n in shown)))
            return ", ".join(f"{count} {name}" for name, count in shown)
        few = [region_label(region) for region in self.regions[:most]]
        return ("" if len(few) == len(self.regions) else "among them ") + _listed(few)

    def smaller_core(self):
        """Say which other set of the contrast is more than chance, if this one is not."""
        if self.p_value is None or pd.isna(self.best_size):
            return ""
        if not self.best_p <= LEVEL < self.p_value:
            return ""
        return (
            f"the {int(self.best_size)} regions at percentile {self.best_percentile:g} are more "
            f"than chance, {p_text(self.best_p)}"
        )


def findings(tables, names, config, cohort):
    """Return the pictured subgraphs of the two directions of a cohort.

    Parameters
    ----------
    tables : dict of pandas.DataFrame
        ``subgraphs`` and ``regions``; ``significance`` and ``alternatives`` if they exist.
    names : Names
    config : dict
    cohort : str

    Returns
    -------
    list of Finding
        Without the empty ones.
    """
    if "subgraphs" not in tables or "regions" not in tables:
        return []
    found = []
    groups = names.pairs[cohort]
    for place, (contrast, at) in enumerate(
        pictured(config, names, "contrast_large", cohort).items()
    ):
        row = _rows(tables["subgraphs"], cohort, contrast, at)
        regions = _rows(tables["regions"], cohort, contrast, at)
        if row.empty or row["size"].iloc[0] < 2:
            continue
        row = row.iloc[0]
        systems = regions["system"].dropna()
        systems = systems[systems.astype(str) != ""].value_counts(sort=False)
        rival = (
            _rows(tables["alternatives"], cohort, contrast, at) if "alternatives" in tables else []
        )
        sets = tables["subgraphs"]
        sets = sets[(sets["cohort"] == cohort) & (sets["contrast"] == contrast)]
        chance = _chance(tables.get("significance"), sets, cohort, contrast, at)
        more, less = groups[place], groups[1 - place]
        found.append(
            Finding(
                contrast=contrast,
                label=names("contrast", contrast),
                more=names("group", more),
                less=names("group", less),
                percentile=at,
                regions=list(regions["region"]),
                systems=systems.sort_values(ascending=False, kind="stable").to_dict(),
                density_more=row[f"density_{more}"],
                density_less=row[f"density_{less}"],
                optimal=bool(row["optimal"]),
                **chance,
                rivals=int(rival["rivals"].iloc[0]) if len(rival) else None,
            )
        )
    return found


def _rows(table, cohort, contrast, percentile):
    here = (table["cohort"] == cohort) & (table["contrast"] == contrast)
    return table[here & (table["percentile"] == percentile)]


def _chance(significance, sets, cohort, contrast, percentile):
    """Return the family-wise p-values of a set and of the best of its contrast."""
    nothing = dict.fromkeys(("p_value", "permutations", "best_p", "best_percentile", "best_size"))
    if significance is None:
        return nothing
    here = (significance["cohort"] == cohort) & (significance["contrast"] == contrast)
    rows = significance[here & significance["p_familywise"].notna()]
    own = rows[rows["percentile"] == percentile]
    if own.empty:
        return nothing
    best = rows.loc[rows["p_familywise"].idxmin()]
    sizes = sets.loc[sets["percentile"] == best["percentile"], "size"]
    return {
        "p_value": float(own["p_familywise"].iloc[0]),
        "permutations": int(own["permutations"].iloc[0]),
        "best_p": float(best["p_familywise"]),
        "best_percentile": best["percentile"],
        "best_size": sizes.iloc[0] if len(sizes) else None,
    }


def abstract(found, tables, names, cohort):
    """Say in one sentence what was found in a cohort, for an abstract.

    Returns
    -------
    str
        Empty if no subgraph is pictured.
    """
    if not found:
        return ""
    what = "mean connection" if names.weighted else "of their pairs connected"
    parts = [
        f"{len(one.regions)} regions ({one.where()}) are more densely connected in {one.more} "
        f"({density_text(one.density_more)} {what}, {one.less} {density_text(one.density_less)}"
        + f"{_chance_text(one)})"
        for one in found
    ]
    text = f"In {names('cohort', cohort)}{_sizes(tables, names, cohort)}, {_listed(parts)}"
    if any(one.p_value is not None for one in found):
        text += "; p over all sets of regions, penalties and contrasts, by permuted diagnoses"
        text += ", for this pair of groups alone" * (len(names.groups) > 2)
    best = held_out(tables.get("accuracy"), cohort)
    if best is not None:
        text += (
            ". People who had no part in the choice of regions are classified with an accuracy of "
            f"{_two(best['mean'])}"
        )
        if not pd.isna(best["control_mean"]):
            text += f" (permuted diagnoses: {_two(best['control_mean'])})"
    return text + "."


def _chance_text(one):
    """What p says of a set: one that chance explains must not read like a finding."""
    if one.p_value is None:
        return ""
    if one.p_value <= LEVEL:
        return f"; {p_text(one.p_value)}"
    core = one.smaller_core()
    return f"; this may be chance, {p_text(one.p_value)}" + (f", but {core}" if core else "")


def _sizes(tables, names, cohort):
    table = tables.get("cohorts")
    if table is None or not (table["cohort"] == cohort).any():
        return ""
    row = table[table["cohort"] == cohort].iloc[0]
    pair = names.pairs[cohort]
    return f" ({', '.join(f'{int(row[group])} {names.groups[group]}' for group in pair)})"


def held_out(accuracy, cohort):
    """Return the row of the contrast subgraphs on held-out subjects (CS-P1 if it ran), or None.

    Not the better of two methods: the accuracy of the best of several is overestimated.
    """
    if accuracy is None:
        return None
    here = (accuracy["cohort"] == cohort) & (accuracy["protocol"] == "nested")
    for method in CONTRAST_METHODS:
        rows = accuracy[here & (accuracy["method"] == method)]
        if len(rows):
            return rows.iloc[0]
    return None


def answers(found, tables, names, cohort):
    """Return the four questions of a reader with their short answers.

    Returns
    -------
    list of dict
        ``question, answer, note``.
    """
    cards = []
    for one in found:
        cards.append(
            {
                "question": f"More connected in {one.more}",
                "answer": f"{len(one.regions)} regions",
                "note": f"{one.first_names()}; {one.where()}. "
                + ("Mean connection: " if names.weighted else "Of their pairs are connected: ")
                + f"{one.more} {density_text(one.density_more)}, "
                + f"{one.less} {density_text(one.density_less)}",
            }
        )
    tested = [one for one in found if one.p_value is not None]
    if tested:
        beyond = [one for one in tested if one.p_value <= LEVEL]
        if len(beyond) == len(tested):
            answer = "More than chance"
        elif beyond:
            answer = f"{_listed([one.label for one in beyond])}: more than chance"
        else:
            answer = "Not distinguishable from chance"
        note = _listed([f"{one.label} {p_text(one.p_value)}" for one in tested])
        note += f", {tested[0].permutations} permutations of the diagnoses"
        for one in tested:
            if core := one.smaller_core():
                note += f"; {one.label}: {core}"
        cards.append({"question": "Is it chance?", "answer": answer, "note": note})
    elif found:
        cards.append(
            {
                "question": "Is it chance?",
                "answer": "Not tested",
                "note": "a contrast subgraph is always found, even between random groups",
            }
        )
    best = held_out(tables.get("accuracy"), cohort)
    if best is not None:
        controlled = not pd.isna(best["control_mean"])
        rows = best.to_frame().T
        if controlled and _enough_permutations(rows, _tests(tables["accuracy"], "nested")):
            answer = "No better than chance"
            if best["p_holm"] <= LEVEL:
                answer = "Better than chance" + (
                    ", not reliably" if best["mean"] < RELIABLE else ""
                )
        else:
            answer = f"Accuracy {_two(best['mean'])}"
        note = (
            f"accuracy {_two(best['mean'])} on held-out people ({names('method', best['method'])})"
        )
        if not pd.isna(best["ci_low"]):
            low, high = max(0, best["ci_low"]), min(1, best["ci_high"])
            note += f", 95 % interval {_two(low)} to {_two(high)}"
        if controlled:
            note += f"; with permuted diagnoses {_two(best['control_mean'])}"
        cards.append({"question": "Can it classify new people?", "answer": answer, "note": note})
    return cards


def last_words(found, tables, names, cohort, page):
    """Return the three lines with which a run ends: what was found, where, what to read first."""
    return [
        abstract(found, tables, names, cohort) or "No contrast subgraph is pictured.",
        f"The page with everything: {page}",
        "Read first its section “Where the groups differ”, then “Is it real?”.",
    ]


# --- accuracy -----------------------------------------------------------------------


def leakage_sentences(accuracy, names, proven=None):
    """Say in up to five sentences what leakage does to the accuracies.

    Each sentence is there only if the table has its numbers: without permutations,
    without one of the protocols or without the paper's numbers it is left out or shorter.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        The table ``accuracy``.
    names : Names
    proven : tuple of int, optional
        How many of how many contrast subgraphs are proven optimal.

    Returns
    -------
    list of str
    """
    contrast = accuracy[accuracy["method"].isin(CONTRAST_METHODS)]
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
            "Under that protocol"
            + (", as we read Section 4.2 and the appendix," if names.paper else "")
            + " contrast subgraphs are extracted from all subjects, the test part and its "
            "diagnoses included, and the parameters kept are those with the best test accuracy, so "
            "that the test subjects have already helped to choose what they are tested with."
        )
    if len(nested):
        sentences.append(_nested(nested, accuracy))
        if "adjusted_mean" in nested and (kept := kept_after_adjustment(nested, names)):
            sentences.append(kept)
    sentences.append(_fair(proven, both=len(paper) > 0 and len(nested) > 0, names=names))
    return sentences


def _reproduced(paper, names):
    first = paper["cohort"].iloc[0]
    here = paper[paper["cohort"] == first]
    protocol = "the paper's protocol" if names.paper else "the whole-cohort protocol"
    text = (
        f"Under {protocol}, contrast subgraphs classify {names('cohort', first)} with an accuracy "
        f"of {_each(here, 'mean', names)}"
    )
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
        if not _enough_permutations(controlled, tests := _tests(accuracy, "nested")):
            text += (
                f", but with this few permutations and {tests} tests no corrected p can be below "
                f"{min(1, smallest_p(accuracy)['nested']):.2g}, so nothing can be said of chance"
            )
        else:
            better = controlled["p_holm"] <= LEVEL
            text += (
                f", in {_of(better)} better than permuted diagnoses do by chance (p ≤ {LEVEL}, "
                f"corrected for {tests} tests)"
            )
    edges = accuracy[(accuracy["method"] == "edges") & (accuracy["protocol"] == "nested")]
    if len(edges):
        text += (
            "; a plain linear classifier on all edges, measured alike, scores "
            f"{_range(edges['mean'])}"
        )
    return text + "."


def kept_after_adjustment(rows, names):
    """Say what accuracies keep once the nuisance variables are regressed out.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows of the table ``accuracy``; the first cohort with all three numbers is told.
    names : Names

    Returns
    -------
    str
        Empty where no row has accuracies with permuted labels, adjusted and without a brain.

    Examples
    --------
    >>> from contrast_subgraphs.report.names import Names
    >>> row = dict(cohort="a", method="cs-p1", mean=0.63, control_mean=0.5)
    >>> rows = pd.DataFrame([row | {"adjusted_mean": 0.53, "nuisance_mean": 0.57}])
    >>> print(kept_after_adjustment(rows, Names({"a": "All"}, {}, {"cs-p1": "CS-P1"}, {}, "")))
    On All, CS-P1 keeps 3 of 13 points above permuted diagnoses once what is known of age, sex, \
motion and scan length is regressed out of the features; these alone score 0.57.
    """
    here = rows.dropna(subset=["adjusted_mean", "nuisance_mean", "control_mean"])
    here = here[here["cohort"] == here["cohort"].iloc[0]] if len(here) else here
    if here.empty:
        return ""
    parts = []
    for row in here.itertuples():
        points, kept = (
            round(100 * (value - row.control_mean)) for value in (row.mean, row.adjusted_mean)
        )
        keeps = f"keeps {max(kept, 0)} of {points} points" if points > 0 else "has no points"
        parts.append(f"{names('method', row.method)} {keeps}")
    return (
        f"On {names('cohort', here['cohort'].iloc[0])}, {_listed(parts)} above permuted diagnoses "
        "once what is known of age, sex, motion and scan length is regressed out of the features; "
        f"these alone score {_range(here['nuisance_mean'])}."
    )


def _tests(accuracy, protocol):
    """How many tests the corrected p-values of a protocol are corrected for."""
    return int(accuracy.loc[accuracy["protocol"] == protocol, "p_holm"].notna().sum())


def _enough_permutations(rows, tests=1):
    """Say whether each row is plain: not significant, or enough permutations to be so."""
    p, count = p_values(rows)
    lowest = 1 / (1 + count)
    clear = (p > LEVEL) & ((p >= (1 + PLAINLY) * lowest) | (lowest <= LEVEL))
    return bool((clear | (tests * lowest <= LEVEL)).all())


def _fair(proven, both, names):
    text = "None of this diminishes what contrast subgraphs are for: "
    if proven and proven[1]:
        text += f"they are well defined ({proven[0]} of {proven[1]} here are proven optimal) and "
    text += "they describe, in a form that can be read, how the graphs of these two groups differ"
    if both:
        protocol = "the paper's protocol" if names.paper else "the whole-cohort protocol"
        return text + (
            f"; it means that the accuracy under {protocol} describes the subjects at "
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


def p_text(value):
    """Return a p-value with two digits that say something.

    Examples
    --------
    >>> p_text(0.4136), p_text(0.0049), p_text(0.0001)
    ('p = 0.41', 'p = 0.005', 'p < 0.001')
    """
    if value < 0.001:
        return "p < 0.001"
    return f"p = {value:.2f}" if value >= 0.0995 else f"p = {value:.3f}"


def _range(values):
    low, high = _two(values.min()), _two(values.max())
    return low if low == high else f"{low} to {high}"


def _of(flags):
    flags = pd.Series(flags)
    noun = "pair of cohort and method" if len(flags) == 1 else "pairs of cohort and method"
    return f"{int(flags.sum())} of {len(flags)} {noun}"


def _can(near):
    return "can" if near.all() else "can mostly" if near.mean() > 0.5 else "cannot"
