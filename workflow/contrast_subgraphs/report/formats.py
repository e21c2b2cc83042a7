"""Numbers formatted for readers."""

import re

import pandas as pd


def number(value, how=".2f"):
    """Return a number as text in a format, an empty one for a missing value."""
    if pd.isna(value):
        return ""
    # A minus sign as typeset, not a hyphen.
    return re.sub("^-", "−", format(value, how))


def plus_minus(mean, deviation):
    """Return ``mean ± deviation`` as text, without a missing part."""
    if pd.isna(mean) or pd.isna(deviation):
        return number(mean)
    return f"{number(mean)} ± {number(deviation)}"


def interval(low, high, how=number):
    """Return ``low to high``, or an empty text if they are unknown."""
    if pd.isna(low):
        return ""
    return f"{how(low)} to {how(high)}"


def p_value(value):
    """Return a p-value as text."""
    if not pd.isna(value) and value < 0.001:
        return "< 0.001"
    return number(value, ".3f")


def p_text(value):
    """Return a p-value with two significant digits."""
    if value < 0.001:
        return "p < 0.001"
    # From here on rounding gives 0.10, where two digits suffice.
    if value >= 0.0995:
        return f"p = {value:.2f}"
    return f"p = {value:.3f}"


def yes_no(value):
    """Return a truth value as text."""
    if pd.isna(value):
        return ""
    if value:
        return "yes"
    return "no"


def density_text(value):
    """Return a density, or a mean weight of any size, as text."""
    if abs(value) < 100:
        return number(value, ".2f")
    return number(value, ",.0f")


def signed(value):
    """Return a difference of densities or mean weights, with sign and meaningful digits."""
    if pd.isna(value):
        return ""
    if abs(value) < 1:
        digits = 3
    elif abs(value) < 100:
        digits = 2
    else:
        digits = 0
    return number(value, f"+,.{digits}f")


def times(count):
    """Return a count as an adverb: ``once``, ``20 times``."""
    if count == 1:
        return "once"
    return f"{int(count):,} times"


def number_text(value):
    """Return a weight of any size as a short text."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2g}"


#: Characters that LaTeX does not print as they are.
_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "−": r"$-$",
    "α": r"$\alpha$",
} | {sign: "\\" + sign for sign in "&%$#_{}"}


def latex(text):
    """Return a text on one line, escaped for LaTeX: a line break would end the row."""
    return "".join(_LATEX.get(sign, sign) for sign in one_line(text))


def one_line(text):
    """Return a text without line breaks."""
    return re.sub(r"\s*[\r\n]+\s*", " ", str(text))
