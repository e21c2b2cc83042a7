"""Who is compared, and what is held constant: designs and covariates, below all stages.

Each kind of question is a class in a file of its own (`Question`); all of them are known as soon
as this package is imported.
"""

import importlib
import pkgutil

from .asked import asked_of, make_design
from .cohort_graphs import CohortGraphs
from .covariates import Covariates
from .design import Design
from .edge_statistic import EdgeStatistic, NoTest
from .groups import two_groups
from .interaction import interaction
from .matrix import design_matrix
from .modes import mode_scores
from .paired import paired
from .question import (
    KINDS,
    Question,
    contrast_names,
    named_questions,
    plain_question,
    question_of,
    questions_of,
)
from .several_groups import several_groups
from .variable import of_variable

# A further kind of question is one file more.
for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = [
    "KINDS",
    "CohortGraphs",
    "Covariates",
    "Design",
    "EdgeStatistic",
    "NoTest",
    "Question",
    "asked_of",
    "contrast_names",
    "design_matrix",
    "interaction",
    "make_design",
    "mode_scores",
    "named_questions",
    "of_variable",
    "paired",
    "plain_question",
    "question_of",
    "questions_of",
    "several_groups",
    "two_groups",
]
