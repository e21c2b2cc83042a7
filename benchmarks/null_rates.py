"""How often do the tests find something where nothing is? Data sets without an effect.

    python -m benchmarks.null_rates [--sets 500] [--cores 1] [SCENARIO ...]

Each scenario is one that a test can fail at: groups of unequal size, ties, sparse graphs, a high
percentile, people with two graphs, unequal spread, sites, ranks beside a covariate. Prints the
share of data sets with p up to 0.05: of the contrast subgraphs (family-wise over two penalties and
three contrasts), of NBS by extent and intensity, max-T and FDR (in the symmetric contrast). Below
some scenarios stands the same data set tested as if it were simpler than it is. 59 permutations.
"""

import time

import numpy as np
from contrast_subgraphs.core.processes import mapped
from contrast_subgraphs.inference import edge_tests, permutation_test

from . import scenarios
from .scenarios import quiet

REGIONS, PERMUTATIONS = 12, 59
TESTS = ("nbs-extent", "nbs-intensity", "max-t", "fdr")


def symmetric(values):
    """Symmetric graphs from arrays of any values."""
    upper = np.triu(values, 1)
    return upper + upper.transpose(0, 2, 1)


def normal(rng, n):
    """Weights of people whose regions go together."""
    mode = rng.normal(size=n)[:, None, None] * np.pad(np.full((5, 5), 0.6), (0, REGIONS - 5))
    return rng.normal(size=(n, REGIONS, REGIONS)) + mode


def sizes(rng):
    """10 people against 40."""
    return normal(rng, 50), np.arange(50) < 10, {}


def ties(rng):
    """Small counts: most differences are tied."""
    return rng.poisson(0.4, size=(24, REGIONS, REGIONS)), np.arange(24) < 12, {}


def sparse(rng):
    """8 people against 60, density .05."""
    chance = 0.1 * rng.random((REGIONS, REGIONS))
    return (rng.random((68, REGIONS, REGIONS)) < chance) * 1, np.arange(68) < 8, {}


def high(rng):
    """Percentile 97."""
    return normal(rng, 40), np.arange(40) < 20, {"percentiles": [97]}


def twice(rng, known=True):
    """Two graphs of each of 20 people."""
    person = np.repeat(np.arange(20), 2)
    values = normal(rng, 40) + np.repeat(rng.normal(size=(20, REGIONS, REGIONS)), 2, axis=0)
    return values, person % 2, {"subjects": person} if known else {}


def spread(rng, edge_statistic="welch", wide=True, exchange="auto"):
    """10 people against 40 whose weights spread by a third of theirs, or three times as much."""
    y = np.arange(50) < 10
    scale = np.where(y == wide, 3.0, 1.0)[:, None, None]
    return normal(rng, 50) * scale, y, {"edge_statistic": edge_statistic, "exchange": exchange}


def along(rng, edge_statistic="t", exchange="signs"):
    """Weights that spread the more the larger a log-normal variable is, as with motion."""
    variable = rng.lognormal(size=60)
    values = rng.normal(size=(60, REGIONS, REGIONS)) * (0.7 + 0.3 * variable)[:, None, None]
    options = {"variable": "v", "edge_statistic": edge_statistic, "exchange": exchange}
    return values, variable, options


def sites(rng, known=True):
    """Four sites that differ, with another share of the groups each."""
    site = np.arange(40) % 4
    y = rng.random(40) < np.array([0.3, 0.4, 0.6, 0.7])[site]
    return normal(rng, 40) + 0.5 * site[:, None, None], y, {"blocks": site} if known else {}


def skewed(rng, factors=True, exchange="auto"):
    """A variable and weights that both follow a log-normal covariate, times noise or plus noise."""
    covariate = rng.lognormal(size=60)
    noise, other = rng.normal(size=(60, REGIONS, REGIONS)), rng.normal(size=60)
    values = covariate[:, None, None] + noise
    variable = covariate + other
    if factors:
        values = covariate[:, None, None] * np.exp(noise)
        variable = covariate * np.exp(other)
    options = {"variable": "v", "ranks": True, "covariates": {"c": covariate}}
    return values, variable, options | {"exchange": exchange}


def shared(rng, modes=3):
    """People who are more or less of three modes over all pairs."""
    patterns, values = rng.normal(size=(3, REGIONS, REGIONS)), rng.normal(size=(60, 3))
    values = rng.normal(size=(60, REGIONS, REGIONS)) + np.tensordot(values, patterns, 1)
    return values, np.arange(60) % 2, {} if modes is None else {"modes": modes}


SCENARIOS = {
    "10 + 40 people": sizes,
    "ties (counts)": ties,
    "sparse, 8 + 60": sparse,
    "percentile 97": high,
    "each person twice": twice,
    "  as if all were different people": lambda rng: twice(rng, known=False),
    "10 of sd 3 + 40 of sd 1, Welch": spread,
    "  difference of means": lambda rng: spread(rng, "difference"),
    "  signs, t": lambda rng: spread(rng, "t", exchange="signs"),
    "  signs, Welch": lambda rng: spread(rng, exchange="signs"),
    "10 of sd 1 + 40 of sd 3, Welch": lambda rng: spread(rng, wide=False),
    "  then signs, Welch": lambda rng: spread(rng, wide=False, exchange="signs"),
    "modes that all share": lambda rng: shared(rng, None),
    "  modes, beside three": shared,
    "  modes, beside as many as auto finds": lambda rng: shared(rng, "auto"),
    "  modes, beside eight": lambda rng: shared(rng, 8),
    "spread along a variable, permuted": lambda rng: along(rng, "difference", "auto"),
    "  along it, permuted, t": lambda rng: along(rng, "t", "auto"),
    "  along it, permuted, Welch": lambda rng: along(rng, "welch", "auto"),
    "  along it, signs": lambda rng: along(rng, "difference"),
    "  along it, signs, t": along,
    "  along it, signs, Welch": lambda rng: along(rng, "welch"),
    "four sites, within them": sites,
    "  freely": lambda rng: sites(rng, known=False),
    "ranks, a skewed covariate": skewed,
    "  whose noise does not grow with it": lambda rng: skewed(rng, factors=False),
    "  ranks and signs": lambda rng: skewed(rng, exchange="signs"),
    "  ranks and signs, noise the same": lambda rng: skewed(rng, factors=False, exchange="signs"),
}


def p_values(job):
    """p of each test on one data set."""
    name, number = job
    values, y, options = SCENARIOS[name](np.random.default_rng(number))
    graphs = symmetric(values)
    y = y if "variable" in options else np.asarray(y, dtype=int)
    options |= {"n_permutations": PERMUTATIONS, "random_state": number}
    percentiles = options.pop("percentiles", [75, 90])
    with quiet():
        ours = permutation_test(graphs, y, percentiles=percentiles, solver="search", **options)
        edges = edge_tests(graphs, y, thresholds=2.0, **options)
    p = [edges.of("symmetric", test).pvalue for test in TESTS]
    return [float(ours.pvalue.min()), *p]


def main():
    """Print one line a scenario."""
    options = scenarios.parser(__doc__, sets=500).parse_args()
    print(f"{'p <= 0.05 in':36s} {' '.join(f'{name:>13s}' for name in ('contrast', *TESTS))}")
    for name in scenarios.asked(SCENARIOS, options.scenarios):
        start = time.process_time()
        jobs = [(name, number) for number in range(options.sets)]
        rates = (np.array(list(mapped(p_values, jobs, options.cores))) <= 0.05).mean(axis=0)
        shown = " ".join(f"{rate:13.3f}" for rate in rates)
        print(f"{name:36s} {shown}  ({time.process_time() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
