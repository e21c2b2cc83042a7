"""The figures: one module each, with a function that draws a view of the results.

Titles, alternative texts and captions are in ``templates/figures.txt``. A new figure is named here,
and in ``rules/report.smk`` under the files that it is made from.
"""

from pathlib import Path

from ...core.errors import InputError
from .alpha_path import alpha_path
from .answer import answer, cohorts
from .boundaries import boundaries_p1, boundaries_p2
from .contrast_pair import contrast_clearest, contrast_large, contrast_small
from .contrast_symmetric import contrast_symmetric
from .degrees import degrees
from .difference import difference
from .example import example
from .leakage import leakage
from .other_cohorts import other_cohorts
from .sets import sets
from .significance import significance
from .sites_forest import sites_forest
from .stability import stability

#: Name -> `Figure`, in the order in which they are shown.
FIGURES = {
    figure.name: figure
    for figure in (
        answer,
        cohorts,
        contrast_clearest,
        contrast_large,
        contrast_small,
        contrast_symmetric,
        sets,
        alpha_path,
        stability,
        significance,
        sites_forest,
        other_cohorts,
        leakage,
        boundaries_p1,
        boundaries_p2,
        difference,
        degrees,
        example,
    )
}


def figure_of(path, config):
    """Return a figure's name and its cohort (None if it shows all) from the name of its file."""
    name, _, cohort = Path(path).stem.partition("-")
    if name not in FIGURES:
        raise InputError(f"the report has no figure {name!r}: {', '.join(FIGURES)}")
    if not FIGURES[name].by_cohort:
        return name, None
    return name, cohort or config["report"]["cohorts"][0]
