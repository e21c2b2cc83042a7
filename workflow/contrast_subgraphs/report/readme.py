"""``README.md`` of a run's results, which describes each file."""

import re
from pathlib import Path

from ..core.atomic_files import save_text
from .figures import FIGURES, figure_of
from .figures.figure import View
from .sentences import sentence, templates
from .tables import TABLES


def save_readme(folder, facts, results, tables, figures):
    """Write a description of each file in a folder of results.

    Parameters
    ----------
    folder : str or pathlib.Path
    facts : Facts
    results : Results
        The results that the figures' titles refer to.
    tables : iterable of str
        Names of the tables that the run wrote.
    figures : iterable of str or pathlib.Path
        The pictures of the run.
    """
    captions = {name: _caption(name, facts) for name in tables}
    titles = {Path(path).stem: _title(path, results) for path in figures}
    made = templates().get_template("readme.md")
    text = made.render(f=facts, tables=captions, figures=titles)
    # Omitted parts leave empty lines.
    save_text(Path(folder) / "README.md", re.sub(r"\n{3,}", "\n\n", text).strip() + "\n")


def _caption(name, facts):
    """Return a table's caption, the same as on the page if the table has rows."""
    table = facts.tables[name]
    if len(table):
        return TABLES[name].shown(table, facts.names).caption
    return sentence("tables.txt", f"{name}_caption", facts.names, [])


def _title(path, results):
    name, cohort = figure_of(path, results.config)
    view = View(results, cohort)
    title = FIGURES[name].words("title", view)
    if cohort:
        return f"{title}, {view.label}"
    return title
