"""A small cohort of random graphs with or without a planted effect."""

import numpy as np
from contrast_subgraphs.core.graphs import GROUPS
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.design.variable import Variable
from contrast_subgraphs.evaluation.labels import Labels

PERCENTILES = [75, 85, 95]
CANDIDATES = [{"C": 0.01}, {"C": 1}, {"C": 100}]
REPEATS = {"paper": 3, "nested": 8, "sites": 0}


def labels_of(y, person=None, *, name="tiny", seed=0, **options):
    """The labels, with their draws, of graphs without any edge."""
    subject = np.array([f"S{i:03d}" for i in range(len(y))])
    about = {"groups": GROUPS}
    if y.dtype.kind == "f":
        about = {"groups": (), "question": Variable(called="age")}
    roi = np.array(["a", "b", "c"])
    graphs = CohortGraphs(np.zeros((len(y), 3)), y, subject, roi, person=person, **about)
    return Labels(graphs, name=name, random_state=seed, **options)


def tiny_cohort(effect, n=60, p=30, planted=8, seed=0):
    """Random graphs; with an effect ASD has more edges in one set, TD in another."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    chance = np.full((n, p, p), 0.3)
    chance[y == 1, :planted, :planted] += effect
    chance[y == 0, p - planted :, p - planted :] += effect
    upper = np.triu(rng.random((n, p, p)) < chance, 1)
    adjacency = (upper | upper.transpose(0, 2, 1)).astype(np.uint8)
    subject = np.array([f"S{i:03d}" for i in range(n)])
    return CohortGraphs(adjacency, y, subject, np.array([f"R{v}" for v in range(p)]))
