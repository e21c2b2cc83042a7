"""The figures: one function each, from loaded data to a matplotlib figure.

Beside the function stands its `Figure`: how it is drawn from the files of a run, its
title, alternative text and caption. A new one is named here, and in
``rules/report.smk`` under the files that it is made from.
"""

from pathlib import Path

from ...core.errors import InputError
from .alpha_path import ALPHA_PATH, alpha_path
from .answer import ANSWER, answer
from .boundaries import (
    BOUNDARIES_P1,
    BOUNDARIES_P2,
    boundaries_p1,
    boundaries_p2,
    boundary_panel,
)
from .contrast_pair import CONTRAST_LARGE, CONTRAST_SMALL, contrast_pair
from .contrast_symmetric import CONTRAST_SYMMETRIC, contrast_symmetric
from .degrees import DEGREES, degrees
from .difference import DIFFERENCE, difference
from .example import EXAMPLE, example
from .figure import About
from .leakage import LEAKAGE, leakage
from .set_picture import subgraph_at
from .sets import SETS, sets
from .significance import SIGNIFICANCE, significance
from .stability import STABILITY, stability
from .style import Looks, save

#: Name -> `Figure`, in the order in which they are shown.
FIGURES = {
    figure.name: figure
    for figure in (
        ANSWER,
        CONTRAST_LARGE,
        CONTRAST_SMALL,
        CONTRAST_SYMMETRIC,
        SETS,
        ALPHA_PATH,
        STABILITY,
        SIGNIFICANCE,
        LEAKAGE,
        BOUNDARIES_P1,
        BOUNDARIES_P2,
        DIFFERENCE,
        DEGREES,
        EXAMPLE,
    )
}


def figure_of(path, config):
    """Return a figure's name and its cohort (None where it shows all), from its file's name.

    >>> config = {"report": {"cohorts": ["children"]}}
    >>> figure_of("figures/alpha_path.png", config)
    ('alpha_path', 'children')
    >>> figure_of("figures/alpha_path-young-men.png", config)
    ('alpha_path', 'young-men')
    """
    name, _, cohort = Path(path).stem.partition("-")
    if name not in FIGURES:
        raise InputError(f"the report has no figure {name!r}: {', '.join(FIGURES)}")
    if not FIGURES[name].by_cohort:
        return name, None
    return name, cohort or config["report"]["cohorts"][0]


__all__ = [
    "FIGURES",
    "About",
    "Looks",
    "alpha_path",
    "answer",
    "boundaries_p1",
    "boundaries_p2",
    "boundary_panel",
    "contrast_pair",
    "contrast_symmetric",
    "degrees",
    "difference",
    "example",
    "figure_of",
    "leakage",
    "save",
    "sets",
    "significance",
    "stability",
    "subgraph_at",
]
