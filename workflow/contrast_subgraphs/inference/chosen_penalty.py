"""Which set is pictured and named: the one that measures best, or one that was fixed."""

from collections.abc import Mapping

import pandas as pd

from ..core.holm import LEVEL, holm_levels
from .effect_size import HeldOutEffectResult
from .permutation import PermutationTestResult


def chosen_penalty(
    tests: pd.DataFrame | PermutationTestResult,
    fixed: Mapping[str, float] | None = None,
    level: float = LEVEL,
    effects: pd.DataFrame | HeldOutEffectResult | None = None,
) -> pd.DataFrame:
    """Return for each contrast the penalty at which it is shown, and the verdict about it.

    Of the penalties that pass, it is the one whose set has the largest effect in people who did not
    choose it (Cohen's d): p shows that there is a difference, not where it is largest, and the
    smallest p often belongs to the smallest set. Penalties pass by the family-wise p if any does,
    otherwise by the p over the penalties. If none passes, or nothing was measured, it is the one
    with the smallest p; among equal ones, that with the largest standardised statistic.

    Parameters
    ----------
    tests : PermutationTestResult, or pandas.DataFrame
        The tests or their table, with a column ``cohort`` if there are several cohorts.
    fixed : mapping of str to float, optional
        Contrast -> percentile at which the set is shown, whatever the test says. The verdict is
        then about this penalty alone, without a correction for others.
    level : float
        A p up to this level counts as more than chance.
    effects : HeldOutEffectResult, or pandas.DataFrame, optional
        Effects in the same people or their table, with a column ``cohort`` if there are several.

    Returns
    -------
    pandas.DataFrame
        A row of `tests` for each cohort and contrast, with ``held_out_d``, ``pvalue`` (of this
        row, over the penalties), ``passes`` and ``verdict``, a sentence. Without a test the first
        penalty is taken.

    Raises
    ------
    KeyError
        If a table lacks a column of `PermutationTestResult.table`.

    See Also
    --------
    permutation_test : Gives the tests.
    held_out_effect : Gives the effects.

    Examples
    --------
    >>> tests = pd.DataFrame({"contrast": ["a-b", "a-b"], "percentile": [80.0, 90.0],
    ...     "z": [1.0, 2.5], "p": [0.2, 0.01], "p_contrast": [0.3, 0.02]})
    >>> chosen_penalty(tests)[["percentile", "verdict"]].values.tolist()
    [[90.0, 'the set at percentile 90 differs by more than chance (p = 0.02)']]
    >>> chosen_penalty(tests, {"a-b": 80})["verdict"].item()
    'no set differs by more than chance at percentile 80 (p = 0.2)'

    Both pass, and the set at percentile 80 measures better:

    >>> tests["p_contrast"] = [0.03, 0.02]
    >>> effects = tests[["contrast", "percentile"]].assign(d=[0.8, 0.3])
    >>> chosen_penalty(tests, effects=effects)["verdict"].item()
    'the set at percentile 80 differs by more than chance (p = 0.03)'
    """
    if not isinstance(tests, pd.DataFrame):
        tests = tests.table()
    if effects is not None and not isinstance(effects, pd.DataFrame):
        effects = effects.table()
    by = [name for name in ("cohort", "contrast") if name in tests]
    measured = _with_d(tests, effects, by)
    rows = []
    for key, part in measured.groupby(by, sort=False):
        percentile = (fixed or {}).get(key[-1])
        at = part[part["percentile"] == percentile]
        is_fixed = percentile is not None and len(at) > 0
        # A fixed penalty was not chosen by the data, so that its plain p needs no correction.
        row = at.iloc[0] if is_fixed else _shown(part, level)
        p = row["p"] if is_fixed else row["p_contrast"]
        verdict = _verdict(row, p, p <= level, is_fixed)
        rows.append(row.to_dict() | {"pvalue": p, "passes": bool(p <= level), "verdict": verdict})
    columns = [*measured.columns, "pvalue", "passes", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def shown_sets(tests: pd.DataFrame, effects: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the row of each cohort and contrast whose set is named, described and pictured.

    It is that of `chosen_penalty`, so that page, tables, pictures and effects at each site agree on
    one set and one p for each contrast. Only sets tested at a percentile can be shown: penalties
    given as plain values have no place on the path that is pictured.

    Examples
    --------
    >>> tests = pd.DataFrame({"contrast": ["a-b", "a-b"], "percentile": [80.0, float("nan")],
    ...     "alpha": [0.1, 0.2], "z": [1.0, 2.5], "p": [0.2, 0.01], "p_contrast": [0.3, 0.02]})
    >>> shown_sets(tests)["percentile"].tolist()
    [80.0]
    """
    tested = tests[tests["z"].notna() & tests["percentile"].notna()]
    return chosen_penalty(tested, effects=effects)


def cohort_levels(*tests: pd.DataFrame | None) -> dict[str, float]:
    """Return for each tested cohort the level up to which its smallest p is named.

    Cohorts and questions are corrected for their number by Holm's step-down method, so that the
    level of each depends on the p of the others. Whatever is said of a cohort's sets uses it, or a
    set would be called more than chance in a cohort of which the answer is No.

    Parameters
    ----------
    *tests : pandas.DataFrame or None
        Tables of tests of cohorts, with the columns ``cohort`` and ``p_familywise``.

    Returns
    -------
    dict of str to float
        Only cohorts with a p have a level.

    See Also
    --------
    chosen_penalty : Which set of a cohort is shown.

    Examples
    --------
    >>> tests = pd.DataFrame({"cohort": ["a", "a", "b"], "p_familywise": [0.3, 0.03, 0.001]})
    >>> cohort_levels(tests)
    {'a': 0.05, 'b': 0.025}
    """
    smallest: dict[str, float] = {}
    for table in tests:
        if table is None or "p_familywise" not in table:
            continue
        found = table.groupby("cohort", sort=False)["p_familywise"].min().dropna()
        smallest |= found.to_dict()
    levels = holm_levels(list(smallest.values()))
    return {cohort: float(level) for cohort, level in zip(smallest, levels, strict=True)}


def ordered(shown: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """Return rows of `chosen_penalty` in the order in which they are shown.

    The rule is that of `chosen_penalty`: rows that pass come first, and among these the largest
    effects.

    Examples
    --------
    >>> shown = pd.DataFrame({"contrast": ["a-b", "b-a"], "z": [4.0, 3.0], "p": [0.01, 0.01],
    ...     "p_contrast": [0.01, 0.01], "held_out_d": [0.2, 0.6]})
    >>> ordered(shown)["contrast"].tolist()
    ['b-a', 'a-b']
    """
    p_values = [name for name in ("p_familywise", "p_contrast") if name in shown]
    # 2 if both p pass, 1 if only that over penalties does: the stricter p decides first.
    passed = (shown[p_values] <= level).sum(axis=1)
    keys = pd.DataFrame(
        {"failed": -passed, "d": -shown["held_out_d"].where(passed > 0), "z": -shown["z"]}
    )
    keys[[*p_values, "p"]] = shown[[*p_values, "p"]]
    # Rows are identified by position: joined tables may have the same label twice.
    keys = keys.reset_index(drop=True).sort_values(
        ["failed", "d", *p_values, "p", "z"], kind="stable"
    )
    return shown.iloc[keys.index]


def _with_d(tests, effects, by):
    """Return the tests with d in people who did not choose the set, NaN where it is not known."""
    tests = tests.drop(columns="held_out_d", errors="ignore")
    if effects is None or effects.empty:
        return tests.assign(held_out_d=float("nan"))
    key = [*(name for name in by if name in effects), "percentile"]

    def numbered(table):
        # Penalties given as plain values have no percentile: they are matched by their order.
        return table.assign(place=table.groupby(key, dropna=False).cumcount())

    d = numbered(effects)[[*key, "place", "d"]].rename(columns={"d": "held_out_d"})
    return numbered(tests).merge(d, how="left", on=[*key, "place"]).drop(columns="place")


def _shown(part, level):
    """The row that measures best of those that pass, or the one with the smallest p."""
    # A set without a pair has no weight inside, so that nothing can be measured.
    if "size" in part and (part["size"] > 1).any():
        part = part[part["size"] > 1]
    return ordered(part, level).iloc[0]


def _verdict(row, p, passes, is_fixed):
    """What the test says, as a sentence."""
    named = row["percentile"]
    where = f" at percentile {named:g}" if pd.notna(named) else f" at alpha {row['alpha']:.4g}"
    if pd.isna(p):
        return "there is no test of it"
    if passes:
        return f"the set{where} differs by more than chance (p = {p:.3g})"
    if not is_fixed:  # then no penalty passes
        where = ""
    return f"no set differs by more than chance{where} (p = {p:.3g})"
