"""Who is compared, and what is held constant: designs and covariates, below all stages."""

from .covariates import Covariates
from .design import Design, two_groups
from .edge_statistic import EdgeStatistic, NoTest
from .questions import make_design

__all__ = ["Covariates", "Design", "EdgeStatistic", "NoTest", "make_design", "two_groups"]
