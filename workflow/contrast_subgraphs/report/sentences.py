"""The report's sentences, which are written in the Jinja templates next to this module."""

import functools
import re

from ..core.checks import in_words, plural
from ..core.extras import optional
from .formats import density_text, latex, one_line, p_text, signed, times


@functools.cache
def templates():
    """Return the environment of the folder ``templates``."""
    jinja2 = optional("jinja2", "workflow")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("contrast_subgraphs", "report/templates"),
        # A misspelt name is an error, not an empty text.
        undefined=jinja2.StrictUndefined,
        autoescape=jinja2.select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "words": in_words,
        "plural": plural,
        "p": p_text,
        "value": density_text,
        "signed": signed,
        "times": times,
        "percent": lambda share: f"{100 * share:.0f}\N{NO-BREAK SPACE}%",
        "latex": latex,
        "unbroken": unbroken,
        "cell": lambda text: one_line(text).replace("|", "\\|"),
    }
    return environment


def unbroken(text):
    """Return a text in which no line ends inside ``p = 0.02``, ``< 0.001`` or ``95 %``."""
    together = r"(\b[pdrt] )?[=<≤] (?=[\d+−])|(?<=\d) %"
    return re.sub(together, lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def sentence(template, macro, *values, **named):
    """Return the text of a macro with these arguments, on one line.

    Line breaks in a macro do not matter. A space before a comma or a full stop is dropped.
    """
    said = getattr(_macros(template), macro)(*values, **named)
    return re.sub(r" +([,.;:)])", r"\1", re.sub(r"[ \n]+", " ", str(said)).strip())


@functools.cache
def _macros(template):
    # Macros are joined to one line later: trimming would glue words together.
    free = templates().overlay(trim_blocks=False, lstrip_blocks=False)
    return free.get_template(template).module
