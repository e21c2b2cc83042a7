"""Titles, captions and alternative texts of the figures, for the page and for Snakemake's report.

The captions are the templates ``resources/report/captions/<figure>.rst``: Snakemake's own
``--report`` fills them in with its object ``snakemake``, `caption` with one like it.
"""

import re
from dataclasses import dataclass
from importlib.resources import files
from types import SimpleNamespace


@dataclass(frozen=True)
class About:
    """What is said about a figure.

    Attributes
    ----------
    title : str
    alt : str
        What the picture shows, for those who cannot see it. ``{cohort}`` is replaced.
    section : str
        Section of the page and category in Snakemake's report.
    by_cohort : bool
        Whether there is one for each cohort.
    """

    title: str
    alt: str
    section: str
    by_cohort: bool = True


#: All figures in the order in which they are shown.
FIGURES = {
    "leakage": About(
        "Accuracy and what leakage adds to it",
        "Dot plot, one panel a cohort and one row a method: the paper's accuracy, ours under the "
        "paper's protocol and under the nested one, each over the accuracies with permuted labels. "
        "The table above holds the numbers.",
        "accuracy",
        by_cohort=False,
    ),
    "contrast_large": About(
        "Contrast subgraphs",
        "Glass brains of {cohort} with the TD−ASD contrast subgraph above and the ASD−TD one "
        "below; beside them a scatter plot of the edges that each subject has in the two.",
        "subgraphs",
    ),
    "contrast_small": About(
        "Smaller contrast subgraphs",
        "Glass brains of {cohort} with the numbered regions of a small TD−ASD contrast subgraph "
        "above and a small ASD−TD one below; beside them a scatter plot of the edges that each "
        "subject has in the two.",
        "subgraphs",
    ),
    "contrast_symmetric": About(
        "Symmetric contrast subgraph",
        "Glass brains of {cohort} from the side and from above with the numbered regions of the "
        "symmetric contrast subgraph; beside them a scatter plot of each subject's distances to "
        "the two summary graphs.",
        "subgraphs",
    ),
    "alpha_path": About(
        "The path over alpha",
        "For each contrast of {cohort}: line plots of size and objective over alpha, and "
        "a chart of which regions belong to the subgraph at each alpha. The table of regions holds "
        "the sets.",
        "subgraphs",
    ),
    "stability": About(
        "Stability over training splits",
        "For each contrast of {cohort}: brains with markers that grow with how often a region is "
        "chosen, and a bar chart of the regions chosen most often.",
        "subgraphs",
    ),
    "boundaries_p1": About(
        "Decision boundaries of CS-P1",
        "Scatter plots, one a cohort, of the edges that each subject has in the two contrast "
        "subgraphs, with the regions in which the classifier says TD or ASD.",
        "classification",
        by_cohort=False,
    ),
    "boundaries_p2": About(
        "Decision boundaries of CS-P2",
        "Scatter plots, one a cohort, of each subject's distances to the two summary graphs, with "
        "the regions in which the classifier says TD or ASD.",
        "classification",
        by_cohort=False,
    ),
    "degrees": About(
        "Weighted degrees",
        "Bar charts of the weighted degree of every region in the summary graphs of TD and ASD "
        "subjects of {cohort}.",
        "data",
    ),
    "difference": About(
        "Difference graph",
        "Heat map of the difference graph of {cohort}, regions by regions.",
        "data",
    ),
    "example": About(
        "The run-through example",
        "Two graphs on eight vertices with the contrast subgraphs of the paper's four examples "
        "outlined.",
        "data",
        by_cohort=False,
    ),
}


def caption(name, config, cohort=None):
    """Return the caption of a figure as plain text.

    Parameters
    ----------
    name : str
        One of `FIGURES`.
    config : dict
        The run's config.
    cohort : str, optional
        For figures that show one cohort.

    Returns
    -------
    str
    """
    from jinja2 import Environment, StrictUndefined

    path = files("contrast_subgraphs") / "report" / "captions_rst" / f"{name}.rst"
    template = Environment(undefined=StrictUndefined, autoescape=False).from_string(
        path.read_text(encoding="utf-8")
    )
    wildcards = {} if cohort is None else {"cohort": cohort}
    text = template.render(snakemake=SimpleNamespace(config=config, wildcards=wildcards, params={}))
    return re.sub(r"\s+", " ", text).strip()


def alternative_text(name, label):
    """Return the alternative text of a figure of the cohort called `label`."""
    return FIGURES[name].alt.replace("{cohort}", label)
