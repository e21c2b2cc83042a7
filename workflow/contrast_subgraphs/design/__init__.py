"""Who is compared, and what is held constant: designs and covariates, below all stages."""

from .covariates import Covariates
from .design import Design, two_groups
from .edge_statistic import EdgeStatistic, NoTest
from .interaction import interaction
from .matrix import design_matrix
from .paired import paired
from .questions import make_design
from .several_groups import several_groups
from .variable import of_variable

__all__ = [
    "Covariates",
    "Design",
    "EdgeStatistic",
    "NoTest",
    "design_matrix",
    "interaction",
    "make_design",
    "of_variable",
    "paired",
    "several_groups",
    "two_groups",
]
