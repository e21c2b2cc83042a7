"""Golden values on the graphs that the paper's authors published."""

import numpy as np
import pytest
from contrast_subgraphs.contrast import (
    CONTRASTS,
    contrast_subgraph,
    sweep,
)
from contrast_subgraphs.contrast.difference import difference_of_summaries, summary_of
from contrast_subgraphs.contrast.features import extract

# contrast, percentile, alpha, objective, size
BEST = [
    ("td-asd", 70, 0.033752, 5.697017, 23),
    ("td-asd", 80, 0.054945, 2.796311, 14),
    ("td-asd", 90, 0.089089, 0.870094, 8),
    ("asd-td", 80, 0.050235, 5.880691, 25),
    ("asd-td", 85, 0.065934, 2.783752, 15),
    ("asd-td", 93, 0.104396, 0.749215, 6),
    ("symmetric", 70, 0.068289, 6.908948, 31),
    ("symmetric", 90, 0.115777, 0.727237, 7),
]
REGIONS = {
    ("td-asd", 90): {
        "Frontal_Sup_Orb_L",
        "Frontal_Mid_L",
        "Frontal_Mid_R",
        "Frontal_Mid_Orb_R",
        "Frontal_Inf_Tri_R",
        "Frontal_Inf_Orb_R",
        "Parietal_Inf_L",
        "Cerebelum_Crus2_L",
    },
    ("asd-td", 93): {
        "Hippocampus_R",
        "Amygdala_R",
        "Fusiform_R",
        "Thalamus_L",
        "Heschl_R",
        "Cerebelum_3_R",
    },
    ("symmetric", 90): {
        "Frontal_Sup_Orb_L",
        "Frontal_Mid_L",
        "Frontal_Mid_R",
        "Frontal_Mid_Orb_R",
        "Frontal_Inf_Orb_R",
        "Frontal_Sup_Medial_R",
        "Parietal_Inf_L",
    },
}
PERCENTILES = [70, 75, 80, 85, 90, 93, 95, 97]


@pytest.fixture(scope="module")
def differences(published):
    def of(cohort):
        graphs = published(cohort)
        td = summary_of(graphs.adjacency[graphs.y == 0])
        asd = summary_of(graphs.adjacency[graphs.y == 1])
        return {contrast: difference_of_summaries(td, asd, contrast) for contrast in CONTRASTS}

    return of


@pytest.mark.parametrize(("contrast", "percentile", "alpha", "value", "size"), BEST)
def test_children(differences, published, contrast, percentile, alpha, value, size):
    solution = contrast_subgraph(differences("children")[contrast], percentile=percentile)
    assert solution.optimal
    assert solution.alpha == pytest.approx(alpha, abs=1e-6)
    assert solution.objective == pytest.approx(value, abs=1e-6)
    assert solution.nodes.size == size
    if (contrast, percentile) in REGIONS:
        names = published("children").roi[solution.nodes]
        assert set(names) == REGIONS[contrast, percentile]


@pytest.mark.parametrize("cohort", ["adolescents", "eyesclosed", "male"])
def test_other_cohorts_are_proved_where_sets_are_small(differences, cohort):
    for difference in differences(cohort).values():
        assert all(solution.optimal for solution in sweep(difference, percentiles=[85, 95]))


def test_the_search_for_evaluation_finds_what_is_proved(differences):
    graphs = list(differences("children").values())
    for difference in graphs:
        _, sets = extract(difference, PERCENTILES, seed=1)
        slow = sweep(difference, percentiles=PERCENTILES[3:])
        assert all(solution.optimal for solution in slow)
        for nodes, solution in zip(sets[3:], slow, strict=True):
            inside = difference[np.ix_(nodes, nodes)] - solution.alpha
            value = np.triu(inside, 1).sum()
            assert value == pytest.approx(solution.objective, abs=1e-9)
