"""A table as CSV, Markdown and LaTeX."""

import pandas as pd

from ...core.files import save_table, save_text


def save_formats(table, shown, csv, markdown, latex, caption="", notes=()):
    """Write one table in three formats.

    Parameters
    ----------
    table : pandas.DataFrame
        Tidy and with all digits, for programs: the CSV.
    shown : pandas.DataFrame
        For people: texts under readable headings, the Markdown and the LaTeX.
    csv, markdown, latex : str or pathlib.Path
    caption : str, optional
        Of the LaTeX table; the first line of the Markdown.
    notes : iterable of str, optional
        Lines below the table.
    """
    above = f"{caption}\n\n" if caption else ""
    below = "".join(f"\n{note}\n" for note in notes)
    save_text(markdown, above + to_markdown(shown) + below)
    save_text(latex, to_latex(shown, caption, notes))
    save_table(table, csv)


def to_markdown(table):
    """Return a data frame of texts as a Markdown table."""

    def line(cells):
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"

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


def _escaped(text):
    text = str(text).replace("\\", r"\textbackslash{}")
    for sign in "&%$#_{}":
        text = text.replace(sign, "\\" + sign)
    return text.replace("±", r"$\pm$").replace("≤", r"$\leq$").replace("≥", r"$\geq$")


def number(value, digits=2):
    """Return a number as text, an empty one for a missing value."""
    return "" if pd.isna(value) else f"{value:.{digits}f}"


def plus_minus(mean, deviation, digits=2):
    """Return ``mean ± deviation`` as text; a missing part is left out."""
    if pd.isna(mean) or pd.isna(deviation):
        return number(mean, digits)
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}"


def rounded(table, digits=3):
    """Return a table for people by rounding its numbers and naming its columns in words."""
    texts = {}
    for name in table.columns:
        column = table[name]
        if column.dtype.kind == "f":
            column = column.map(lambda value: "" if pd.isna(value) else f"{round(value, digits):g}")
        texts[str(name).replace("_", " ")] = column.astype(object).where(column.notna(), "")
    return pd.DataFrame(texts)
