"""Which set is pictured and named: the one that stands out most, or one that was fixed."""

from collections.abc import Mapping

import pandas as pd

#: p up to here counts as more than chance.
LEVEL = 0.05


def chosen_penalty(
    tests: pd.DataFrame, fixed: Mapping[str, float] | None = None, level: float = LEVEL
) -> pd.DataFrame:
    """Return for each contrast the penalty at which it is shown, and the verdict about it.

    The penalty with the smallest p is what p over the penalties tests; of equal ones that with the
    largest standardised statistic.

    Parameters
    ----------
    tests : pandas.DataFrame
        `PermutationTestResult.table`; with a column ``cohort`` of several cohorts.
    fixed : mapping of str to float, optional
        Contrast -> percentile that the set is shown at, whatever the test says. The verdict is
        then about that penalty alone, without a correction for others.
    level : float
        p up to here counts as more than chance.

    Returns
    -------
    pandas.DataFrame
        A row of `tests` for each cohort and contrast, with ``pvalue`` (over the penalties),
        ``passes`` and ``verdict``, a sentence. Without a test the first penalty is taken.

    Examples
    --------
    >>> tests = pd.DataFrame({"contrast": ["a-b", "a-b"], "percentile": [80.0, 90.0],
    ...     "z": [1.0, 2.5], "p": [0.2, 0.01], "p_contrast": [0.3, 0.02]})
    >>> chosen_penalty(tests)[["percentile", "verdict"]].values.tolist()
    [[90.0, 'the set at percentile 90 differs by more than chance (p = 0.02)']]
    >>> chosen_penalty(tests, {"a-b": 80})["verdict"].item()
    'no set differs by more than chance at percentile 80 (p = 0.2)'
    """
    rows = []
    by = [name for name in ("cohort", "contrast") if name in tests]
    for key, part in tests.groupby(by, sort=False):
        percentile = (fixed or {}).get(key[-1])
        at = part[part["percentile"] == percentile]
        is_fixed = percentile is not None and len(at) > 0
        row = at.iloc[0] if is_fixed else _clearest(part)
        p = row["p"] if is_fixed else part["p_contrast"].min()
        named = row["percentile"]
        where = f" at percentile {named:g}" if pd.notna(named) else f" at alpha {row['alpha']:.4g}"
        if pd.isna(p):
            verdict = "there is no test of it"
        elif p <= level:
            verdict = f"the set{where} differs by more than chance (p = {p:.3g})"
        else:
            verdict = f"no set differs by more than chance{where * is_fixed} (p = {p:.3g})"
        rows.append(row.to_dict() | {"pvalue": p, "passes": bool(p <= level), "verdict": verdict})
    return pd.DataFrame(rows, columns=[*tests.columns, "pvalue", "passes", "verdict"])


def _clearest(part):
    """The row with the smallest p over the penalties, the first without any test."""
    ordered = part.assign(z=-part["z"]).sort_values(["p_contrast", "p", "z"], kind="stable")
    return part.loc[ordered.index[0]]
