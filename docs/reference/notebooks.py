"""Notebooks in the percent format: run for the site, shown with what they give, and as files.

A notebook is a Python file in docs/notebooks, whose cells begin with ``# %%`` (code) or
``# %% [markdown]`` (text, as comments). Spyder, VS Code, PyCharm and jupytext open it as it is.
"""

import ast
import contextlib
import io
import json
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "notebooks"
#: Dots per inch of the pictures on the site.
DPI = 80


class Cell(NamedTuple):
    """One cell: ``markdown`` or ``code``, and its text without the marks."""

    kind: str
    text: str


class Shown(NamedTuple):
    """What a code cell gave: printed text, HTML of its last line, pictures as PNG."""

    printed: str
    html: str
    pictures: list


def cells_of(text):
    """Return the cells of a notebook in the percent format."""
    cells = []
    for part in re.split(r"^# %%", text, flags=re.M)[1:]:
        mark, _, body = part.partition("\n")
        if mark.strip() == "[markdown]":
            lines = [re.sub(r"^# ?", "", line) for line in body.strip().splitlines()]
            cells.append(Cell("markdown", "\n".join(lines)))
        else:
            cells.append(Cell("code", body.strip()))
    return cells


def run_cell(code, names):
    """Run one code cell among `names`, as a notebook does: the value of the last line is shown."""
    import matplotlib.pyplot as plt

    tree = ast.parse(code)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "notebook", "exec"), names)
        if last is not None:
            value = eval(compile(last, "notebook", "eval"), names)
    html = ""
    figures = [plt.figure(number) for number in plt.get_fignums()]
    # A figure that is the last value need not be one of pyplot's.
    if hasattr(value, "savefig"):
        figures = [one for one in figures if one is not value] + [value]
    elif hasattr(value, "_repr_html_"):
        html = value._repr_html_()
    elif value is not None:
        printed.write(repr(value))
    pictures = [picture_of(figure) for figure in figures]
    plt.close("all")
    return Shown(printed.getvalue().rstrip(), html, pictures)


def picture_of(figure):
    """Return a figure of matplotlib as the bytes of a PNG."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=DPI, bbox_inches="tight")
    return file.getvalue()


def run_notebook(path):
    """Run a notebook in an empty folder; return its cells, each with what it gave (or None)."""
    import matplotlib

    # No window opens, wherever the site is built.
    matplotlib.use("agg")
    names = {"__name__": "__main__"}
    done = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for cell in cells_of(path.read_text(encoding="utf-8")):
                shown = run_cell(cell.text, names) if cell.kind == "code" else None
                done.append((cell, shown))
    return done


def as_ipynb(cells):
    """Return the text of the notebook as Jupyter keeps it, without any output."""
    made = []
    for number, cell in enumerate(cells):
        one = {
            "cell_type": cell.kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": cell.text.splitlines(keepends=True),
        }
        if cell.kind == "code":
            one |= {"execution_count": None, "outputs": []}
        made.append(one)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    notebook["nbformat_minor"] = 5
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def as_page(name, done, pictures):
    """Return the Markdown of a notebook's page; `pictures` collects the files it shows."""
    parts = []
    for cell, shown in done:
        if shown is None:
            parts.append(cell.text)
            continue
        parts.append(f"```python\n{cell.text}\n```")
        if shown.printed:
            parts.append(f"```text\n{shown.printed}\n```")
        if shown.html:
            # Markdown ends a block of HTML at an empty line.
            inner = re.sub(r"\n\s*\n", "\n", shown.html)
            parts.append(f'<div class="given">{inner}</div>')
        for content in shown.pictures:
            file = f"{name}-{len(pictures) + 1}.png"
            pictures[file] = content
            parts.append(f"![What the cell above draws]({file})")
    here = f"[Download this page as a Jupyter notebook]({name}.ipynb)."
    title, *rest = parts
    return "\n\n".join([title, f"{here} Everything below was run when this site was built.", *rest])


def on_files(files, config):
    """Add a page, a file for Jupyter and pictures for each notebook (called by mkdocs)."""
    sys.path.insert(0, str(ROOT / "workflow"))
    for path in sorted(FOLDER.glob("*.py")):
        pictures = {}
        done = run_notebook(path)
        page = as_page(path.stem, done, pictures)
        made = {f"{path.stem}.md": page}
        made[f"{path.stem}.ipynb"] = as_ipynb([cell for cell, _ in done])
        for name, content in (made | pictures).items():
            files.append(File.generated(config, f"notebooks/{name}", content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Turn links to the files of notebooks, as the repository has them, into links to pages."""
    return re.sub(r"(notebooks/\w+)\.py\)", r"\1.md)", markdown)
