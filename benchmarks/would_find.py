"""Is what would have been found in 80 % of cases found in 80 % of them? On simulated studies.

    python -m benchmarks.would_find [--studies 10] [--sets 40] [KIND ...]
    python -m benchmarks.would_find --published ARCHIVE [COHORT ...]

A study without any difference is tested, and says what it would have found. Then that difference is
planted into new data of the same kind, inside new random regions, and these are tested from their
beginning, with penalties and permutations of their own: the share found should be 0.80. Into
networks of zeros and ones it is planted by connecting pairs that are not connected. With the
authors' archive the labels of the real graphs are permuted; new data are other relabellings.
"""

import argparse
import time
import warnings

import numpy as np
from contrast_subgraphs import permutation_test
from contrast_subgraphs.inference.would_find import would_find

from .inference import published as published_graphs
from .power import REGIONS, networks

PERMUTATIONS = 199
PERCENTILES = (75, 90)
#: Regions that the difference is planted in.
INSIDE = 6


def weights(rng, count):
    """Return graphs of normal weights; regions of a person are alike."""
    own = rng.normal(0, 0.5, size=(count, REGIONS))
    graphs = own[:, :, None] + own[:, None, :] + rng.normal(size=(count, REGIONS, REGIONS))
    upper = np.triu(graphs, 1)
    return upper + upper.transpose(0, 2, 1)


def two_groups_of_networks(rng):
    """Return 30 and 30 networks of zeros and ones."""
    graphs, y, _ = networks(rng, 0.0, 0, 30)
    return graphs, y, {}


def unequal_groups(rng):
    """Return weights of 20 and 60 people."""
    return weights(rng, 80), np.repeat([0, 1], [20, 60]), {}


def covariates_and_t(rng):
    """Return weights of 60 people with an age, tested by t."""
    y = np.repeat([0, 1], 30)
    age = rng.normal(size=60) + 0.5 * y
    return weights(rng, 60), y, {"covariates": {"age": age}, "edge_statistic": "t"}


def variable(rng):
    """Return weights of 60 people with a variable."""
    return weights(rng, 60), rng.normal(size=60), {"variable": "score"}


def ranks_of_a_variable(rng):
    """Return weights of 60 people with a skewed variable, whose ranks are tested."""
    return weights(rng, 60), rng.exponential(size=60), {"variable": "score", "ranks": True}


def two_times(rng):
    """Return weights of 30 people at two times."""
    person = np.tile(np.arange(30), 2)
    graphs = weights(rng, 60) + weights(rng, 30)[person]
    return graphs, np.repeat([0, 1], 30), {"paired": True, "subjects": person.astype(str)}


KINDS = {
    one.__name__: one
    for one in (
        two_groups_of_networks,
        unequal_groups,
        covariates_and_t,
        variable,
        ranks_of_a_variable,
        two_times,
    )
}


def regressor(y, question):
    """Return what a difference is for one unit of: the first group, or standard deviations."""
    if "variable" not in question:
        return (y == np.unique(y)[0]).astype(float)
    value = np.argsort(np.argsort(y)).astype(float) if "ranks" in question else y
    return (value - value.mean()) / value.std()


def planted(rng, graphs, y, question, difference, count=INSIDE):
    """Return graphs with a difference between all pairs of some random regions."""
    graphs = graphs.astype(float)
    n_vertices = graphs.shape[1]
    inside = np.zeros((n_vertices, n_vertices), dtype=bool)
    nodes = rng.choice(n_vertices, count, replace=False)
    inside[np.ix_(nodes, nodes)] = True
    pairs = np.triu(inside, 1)
    value = regressor(y, question)
    if np.isin(graphs, (0, 1)).all():
        # A share of the pairs that are not connected, pair by pair the same difference.
        free = 1 - graphs[:, pairs].mean(axis=0)
        chance = np.minimum(1.0, difference / np.maximum(free, 1e-9))
        more = (rng.random((len(y), pairs.sum())) < chance) & (value[:, None] == 1)
        graphs[:, pairs] = np.maximum(graphs[:, pairs], more)
    else:
        graphs[:, pairs] += difference * value[:, None]
    upper = np.triu(graphs, 1)
    return upper + upper.transpose(0, 2, 1)


def share_found(kind, studies, sets):
    """Return the share found, and the mean difference that should be found in 0.80."""
    rng = np.random.default_rng([7, list(KINDS).index(kind)])
    hits = []
    differences = []
    for study in range(studies):
        graphs, y, question = KINDS[kind](rng)
        options = {"percentiles": PERCENTILES, "n_permutations": PERMUTATIONS, "solver": "search"}
        tested = permutation_test(graphs, y, **options, **question, random_state=study)
        found = would_find(graphs, y, tested, regions=INSIDE, **question, random_state=study)
        differences.append(found.difference[0])
        for number in range(sets):
            graphs, y, question = KINDS[kind](rng)
            graphs = planted(rng, graphs, y, question, found.difference[0])
            seed = 1000 * study + number
            again = permutation_test(graphs, y, **options, **question, random_state=seed)
            hits.append(again.pvalue.min() <= 0.05)
    return np.mean(hits), np.mean(differences), len(hits)


def published(archive, cohort, sets):
    """Print the share found in the published graphs, with labels permuted."""
    rng = np.random.default_rng(8)
    [graphs] = [one for name, one, _ in published_graphs(archive) if name == cohort]
    y = graphs.labels
    graphs = graphs.adjacency
    options = {"percentiles": (70, 80, 90), "n_permutations": PERMUTATIONS, "solver": "search"}
    y = rng.permutation(y)
    tested = permutation_test(graphs, y, **options)
    for count in (5, 10, 20):
        started = time.process_time()
        found = would_find(graphs, y, tested, regions=count)
        seconds = time.process_time() - started
        hits = []
        for seed in range(sets):
            y = rng.permutation(y)
            some = planted(rng, graphs, y, {}, found.difference[0], count)
            again = permutation_test(some, y, **options, random_state=seed)
            hits.append(again.pvalue.min() <= 0.05)
        print(
            f"{cohort}: {found.difference[0]:.3f} in {count} regions ({seconds:.1f} CPU s); "
            f"found in {np.mean(hits):.3f} of {sets}",
            flush=True,
        )


def main():
    """Print the share of data sets in which the difference is found."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("which", nargs="*", help="kinds, or cohorts with --published")
    parser.add_argument("--studies", type=int, default=10)
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--published", metavar="ARCHIVE")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.published:
        for cohort in arguments.which or ["children"]:
            published(arguments.published, cohort, arguments.sets)
        return
    for kind in arguments.which or KINDS:
        share, difference, count = share_found(kind, arguments.studies, arguments.sets)
        print(f"{kind}: {difference:.3f} found in {share:.3f} of {count}", flush=True)


if __name__ == "__main__":
    main()
