"""How wide is the interval of a held-out effect where people have several graphs?

    python -m benchmarks.within_people [--sets 300] [--cores 1] [DESIGN ...]

Networks of 10 regions without an effect. People differ much from each other (sd 2 in all pairs
together, noise 1 in each), and some differ more between their graphs than others. Prints for each
design how often the interval covers 0, and its half beside what would just do: 1.96 standard
deviations of the effect over the data sets.
"""

import numpy as np
from contrast_subgraphs.core.processes import mapped
from contrast_subgraphs.design import interaction, of_variable, paired, two_groups
from contrast_subgraphs.inference import effect_size, held_out_effect

from . import scenarios
from .scenarios import quiet

REGIONS, PEOPLE, PERCENTILE, LEVELS = 10, 24, 80, 2.0
effect_size.CALIBRATION = 40


def alone(rng, seed):
    """One graph of each person."""
    return np.arange(PEOPLE), two_groups(np.arange(PEOPLE) % 2, random_state=seed)


def pairs(rng, seed):
    """Two conditions of each person."""
    person = np.repeat(np.arange(PEOPLE), 2)
    return person, paired(np.tile([0, 1], PEOPLE), person, random_state=seed)


def change(rng, seed):
    """Three visits of each person, at times that vary."""
    person = np.repeat(np.arange(PEOPLE), 3)
    time = np.tile([0.0, 1, 2], PEOPLE) + rng.random(3 * PEOPLE)
    return person, of_variable(time, called="time", subjects=person, random_state=seed)


def changes(rng, seed):
    """Does the change over three visits differ between two groups of people?"""
    person = np.repeat(np.arange(PEOPLE), 3)
    time = np.tile([0.0, 1, 2], PEOPLE)
    design = interaction(person % 2, time, called="time", subjects=person, random_state=seed)
    return person, design


def trait(rng, seed):
    """Two groups of people with three graphs each."""
    person = np.repeat(np.arange(PEOPLE), 3)
    return person, two_groups(person % 2, subjects=person, random_state=seed)


DESIGNS = {
    "one graph of each person": alone,
    "pairs": pairs,
    "a change within people": change,
    "a change in two groups": changes,
    "two groups, three graphs each": trait,
}


def one(job):
    """Effect of the first direction and half its interval."""
    name, number = job
    rng = np.random.default_rng([number, list(DESIGNS).index(name)])
    with quiet():
        person, design = DESIGNS[name](rng, number)
        shape = person.max() + 1, REGIONS, REGIONS
        level = LEVELS * rng.normal(size=(shape[0], 1, 1)) + rng.normal(size=shape)
        noise = rng.normal(size=(len(person), REGIONS, REGIONS))
        upper = np.triu(level[person] + noise, 1)
        graphs = upper + upper.transpose(0, 2, 1)
        found = held_out_effect(graphs, design, percentiles=PERCENTILE, n_repeats=4)
    half = (found.high - found.low)[0, 0] / 2
    return found.effect[0, 0], np.nan_to_num(half)  # no set in any fold: no effect, and no interval


def main():
    """Print one line a design."""
    options = scenarios.parser(__doc__, sets=300).parse_args()
    print(f"{'':32s} covers 0    half  would do   ratio")
    for name in scenarios.asked(DESIGNS, options.scenarios):
        jobs = [(name, number) for number in range(options.sets)]
        effect, half = np.array(list(mapped(one, jobs, options.cores))).T
        enough = 1.96 * effect.std()
        covers = (np.abs(effect) <= half).mean()
        ratio = half.mean() / enough
        figures = f"{covers:8.3f} {half.mean():7.3f} {enough:9.3f} {ratio:7.2f}"
        print(f"{name:32s} {figures}", flush=True)


if __name__ == "__main__":
    main()
