"""The report's sentences, written in the Jinja templates beside this module."""

import functools
import re

from ..core.checks import in_words, plural
from ..core.extras import optional


@functools.cache
def templates():
    """Return the environment of the folder ``templates``."""
    jinja2 = optional("jinja2", "workflow")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("contrast_subgraphs", "report/templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=jinja2.select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"words": in_words, "plural": plural}
    return environment


def sentence(template, macro, *values, **named):
    """Return what a macro of a template says, on one line.

    Parameters
    ----------
    template : str
        File in ``templates``.
    macro : str
        Line breaks in it are free; a space before a comma or a full stop is dropped.
    *values, **named
        The macro's arguments.
    """
    said = getattr(templates().get_template(template).module, macro)(*values, **named)
    return re.sub(r" +([,.;:)])", r"\1", " ".join(str(said).split()))
