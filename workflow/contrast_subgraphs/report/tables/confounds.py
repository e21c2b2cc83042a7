"""Table ``confounds``: motion in the scores of each method, and what they add to motion."""

from ..formats import p_value
from .table import Table

TABLE = Table(
    name="confounds",
    columns="cohort method protocol variant people partial_r p_confound likelihood_ratio p_added",
    headings={
        "variant": ("Features", lambda name: {"none": "as they are"}.get(name, name)),
        "people": ("n", str),
        "partial_r": ("Motion in the score (r)", ".2f"),
        "p_confound": ("p (motion)", p_value),
        "likelihood_ratio": ("Added likelihood ratio", ".1f"),
        "p_added": ("p (added)", p_value),
    },
    make=lambda results: results.confounds,
)
