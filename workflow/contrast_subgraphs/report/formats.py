"""Numbers as people write them, and tables as Markdown and LaTeX."""

import re

import pandas as pd

#: A p-value up to here counts as more than chance.
LEVEL = 0.05


def to_markdown(table):
    """Return a data frame of texts as a Markdown table.

    >>> print(to_markdown(pd.DataFrame({"a|b": ["1"]})), end="")
    | a\\|b |
    | --- |
    | 1 |
    """

    def line(cells):
        return "| " + " | ".join(_one_line(cell).replace("|", "\\|") for cell in cells) + " |\n"

    rows = [line(row) for row in table.itertuples(index=False)]
    return line(table.columns) + line(["---"] * table.shape[1]) + "".join(rows)


def to_latex(table, caption="", notes=()):
    """Return a data frame of texts as a LaTeX table (needs the package booktabs)."""

    def line(cells):
        return "    " + " & ".join(_escaped(cell) for cell in cells) + r" \\" + "\n"

    return (
        "\\begin{table}\n"
        + (f"  \\caption{{{_escaped(caption)}}}\n" if caption else "")
        + f"  \\begin{{tabular}}{{{'l' * table.shape[1]}}}\n    \\toprule\n"
        + line(table.columns)
        + "    \\midrule\n"
        + "".join(line(row) for row in table.itertuples(index=False))
        + "    \\bottomrule\n  \\end{tabular}\n"
        + "".join(f"  \\par\\footnotesize {_escaped(note)}\n" for note in notes)
        + "\\end{table}\n"
    )


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


def _escaped(text):
    return "".join(_LATEX.get(sign, sign) for sign in _one_line(text))


def _one_line(text):
    """A line break in a label would end the row."""
    return re.sub(r"\s*[\r\n]+\s*", " ", str(text))


def number(value, digits=2):
    """Return a number as text, an empty one for a missing value.

    >>> number(0.126), number(3, 0), number(None)
    ('0.13', '3', '')
    """
    return "" if pd.isna(value) else f"{value:.{digits}f}"


def plus_minus(mean, deviation, digits=2):
    """Return ``mean ± deviation`` as text; a missing part is left out.

    >>> plus_minus(0.5, 0.125), plus_minus(0.5, None)
    ('0.50 ± 0.12', '0.50')
    """
    if pd.isna(mean) or pd.isna(deviation):
        return number(mean, digits)
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}"


def percentile(value):
    """Return a percentile as text: empty for an alpha that was given as a value.

    >>> percentile(70.0), percentile(None)
    ('70', '')
    """
    return "" if pd.isna(value) else f"{value:g}"


def p_value(value):
    """Return a p-value as text.

    >>> p_value(0.0004), p_value(0.25), p_value(None)
    ('< 0.001', '0.250', '')
    """
    return "< 0.001" if not pd.isna(value) and value < 0.001 else number(value, 3)


def yes_no(value):
    """Return a truth value as text."""
    return "" if pd.isna(value) else "yes" if value else "no"


def count(value):
    """Return a number of things as text."""
    return number(value, 0)


def percent(share):
    """Return a share as text.

    >>> percent(0.256)
    '25.6%'
    """
    return "" if pd.isna(share) else f"{share:.1%}"


def density_text(value):
    """Return a density, or a mean weight of any size, as text.

    >>> density_text(0.3333), density_text(12345.6), density_text(float("nan"))
    ('0.33', '12,346', '')
    """
    if pd.isna(value):
        return ""
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def signed(value):
    """Return a difference of densities or mean weights with its sign and digits that count.

    >>> signed(0.0342), signed(-3.14159), signed(12345.6), signed(float("nan"))
    ('+0.034', '−3.14', '+12,346', '')
    """
    if pd.isna(value):
        return ""
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 100 else 0
    return ("−" if value < 0 else "+") + f"{abs(value):,.{digits}f}"


def number_text(value):
    """Return a weight of any size as a short text.

    >>> number_text(0.0342), number_text(12345.6), number_text(2.0)
    ('0.034', '12,346', '2')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"
