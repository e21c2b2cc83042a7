"""The figures: one function each, from loaded data to a matplotlib figure."""

from .classification import Panel, boundaries_p1, boundaries_p2, boundary_panel, leakage
from .solutions import alpha_path, stability
from .style import save
from .subgraphs import contrast_large, contrast_small, contrast_symmetric, subgraph_at
from .summaries import degrees, difference, example

__all__ = [
    "Panel",
    "alpha_path",
    "boundaries_p1",
    "boundaries_p2",
    "boundary_panel",
    "contrast_large",
    "contrast_small",
    "contrast_symmetric",
    "degrees",
    "difference",
    "example",
    "leakage",
    "save",
    "stability",
    "subgraph_at",
]
