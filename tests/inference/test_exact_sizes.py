"""All 252 relabellings of 5 + 5 people: how often p is small, exactly."""

import itertools

import numpy as np
import pytest
from contrast_subgraphs.inference import permutation_test
from contrast_subgraphs.inference.p_values import min_p_scores, p_value

LABELLINGS = [
    np.isin(np.arange(10), chosen).astype(int) for chosen in itertools.combinations(range(10), 5)
]


@pytest.fixture(scope="module", params=["weights", "edges"])
def graphs(request):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(10, 5, 5)) + 1.5 * rng.normal(size=(10, 1, 1))
    upper = np.triu(values if request.param == "weights" else values > 0, 1).astype(float)
    return upper + upper.transpose(0, 2, 1)


def exact_test(graphs, y, alphas):
    return permutation_test(
        graphs, y, percentiles=[], alphas=alphas, n_permutations=251, solver="search"
    )


def test_p_is_small_in_no_more_than_its_share_of_all_relabellings(graphs):
    """With alpha held, whoever is observed: p of each is its rank among all."""
    alphas = [0.1, 0.4, 0.8]
    result = exact_test(graphs, LABELLINGS[0], alphas)
    assert result.exact and len(result.null_distribution) == 251
    every = np.concatenate([result.statistic[None], result.null_distribution])
    p = [p_value(every[k], np.delete(every, k, axis=0), exact=True).p for k in range(252)]
    for level in (0.01, 0.05, 0.1, 0.5):
        assert (np.mean(np.array(p) <= level + 1e-12, axis=0) <= level + 1e-12).all()
    most = min_p_scores(every).max(axis=(1, 2))
    familywise = np.mean(most[:, None] <= most + 1e-9, axis=1)
    assert 0 < np.mean(familywise <= 0.05) <= 0.05
    # Each of them as the observed one has just this p.
    for k in (5, 65, 125, 185, 245):
        other = exact_test(graphs, LABELLINGS[k], alphas)
        assert other.pvalue.min() == pytest.approx(familywise_of(other, every))


def familywise_of(result, every):
    """The share of all relabellings whose smallest p is as small as that of a result's."""
    most = min_p_scores(every).max(axis=(1, 2))
    same = np.abs(every - result.statistic).max(axis=(1, 2)) < 1e-9
    return np.mean(most >= most[same].min() - 1e-9)
