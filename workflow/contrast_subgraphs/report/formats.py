"""Numbers as people write them."""

import re

import pandas as pd

#: A p-value up to here counts as more than chance.
LEVEL = 0.05


def number(value, how=".2f"):
    """Return a number as text in a format, an empty one for a missing value."""
    return "" if pd.isna(value) else re.sub("^-", "−", format(value, how))


def plus_minus(mean, deviation):
    """Return ``mean ± deviation`` as text; a missing part is left out."""
    both = not (pd.isna(mean) or pd.isna(deviation))
    return number(mean) + (f" ± {number(deviation)}" if both else "")


def interval(low, high, how=number):
    """Return ``low to high``, an empty text where they are unknown."""
    return "" if pd.isna(low) else f"{how(low)} to {how(high)}"


def p_value(value):
    """Return a p-value as text."""
    return "< 0.001" if not pd.isna(value) and value < 0.001 else number(value, ".3f")


def p_text(value):
    """Return a p-value with two digits that say something."""
    if value < 0.001:
        return "p < 0.001"
    return f"p = {value:.2f}" if value >= 0.0995 else f"p = {value:.3f}"


def yes_no(value):
    """Return a truth value as text."""
    return "" if pd.isna(value) else "yes" if value else "no"


def density_text(value):
    """Return a density, or a mean weight of any size, as text."""
    return number(value, ".2f" if abs(value) < 100 else ",.0f")


def signed(value):
    """Return a difference of densities or mean weights with its sign and digits that count."""
    if pd.isna(value):
        return ""
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 100 else 0
    return number(value, f"+,.{digits}f")


def number_text(value):
    """Return a weight of any size as a short text."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"


#: Signs that LaTeX does not print as they are.
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
    """Return a text on one line with LaTeX's signs escaped: a line break would end the row."""
    return "".join(_LATEX.get(sign, sign) for sign in one_line(text))


def one_line(text):
    """Return a text without line breaks."""
    return re.sub(r"\s*[\r\n]+\s*", " ", str(text))
