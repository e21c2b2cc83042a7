"""Does the difference hold elsewhere? Sites of ABIDE, published claims, and what is simulated.

    python -m benchmarks.replication FOLDER            sites, claims, cohorts, ten of the sites
    python -m benchmarks.replication --coverage 300    of the mean over sites, in simulated studies
    python -m benchmarks.replication --power 100       of `confirm` next to `test`, simulated
    python -m benchmarks.replication --chosen 100      d inside the sets that these studies choose

All but ``--power`` write what they print to ``docs/measured`` (``--output``).
FOLDER holds ``abide_connectivity.npz`` (``subject``, ``correlation``: upper triangles of 989
people), ``Phenotypic_V1_0b_preprocessed1.csv`` and ``aal116.csv`` (``name``).
"""

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from contrast_subgraphs.contrast import contrast_subgraph
from contrast_subgraphs.core.holm import LEVEL
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.data.phenotypes import read_phenotypes
from contrast_subgraphs.design import CohortGraphs, two_groups
from contrast_subgraphs.graphs import expressions
from contrast_subgraphs.inference import (
    FixedSet,
    confirm,
    named_set,
    permutation_test,
    site_effects,
)
from contrast_subgraphs.inference.elsewhere import corrected, in_other_people
from contrast_subgraphs.inference.fixed_sets import save_sets
from contrast_subgraphs.inference.plan import SHARE
from contrast_subgraphs.inference.pooling import pooled_effect
from contrast_subgraphs.inference.t_power import (
    least_d,
    people_of,
    people_to_confirm,
    regressor_of,
)

from . import ROOT
from .power import MODES, PEOPLE, REGIONS, SCENARIOS, networks

#: The claims of Lanciano, Petri, Gili and Bonchi (Scientific Reports 15:24265, 2025) as sets.
OCCIPITAL = ("*Calcarine*", "*Cuneus*", "*Lingual*", "*Occipital*")
CLAIMS = (
    ("occipital, more in autism", "asd-td", OCCIPITAL, None),
    (
        "left precuneus with superior parietal, more in autism",
        "asd-td",
        ("*Precuneus_L",),
        ("*Parietal_Sup*",),
    ),
    ("superior frontal, less in autism", "td-asd", ("*Frontal_Sup*",), None),
    ("temporal lobe, less in autism", "td-asd", ("Temporal*",), None),
)


def read(folder):
    """Return binary graphs, Fisher z, diagnoses, a table of the people, and names of regions."""
    archive = np.load(folder / "abide_connectivity.npz")
    correlation = archive["correlation"]
    table = pd.read_csv(folder / "Phenotypic_V1_0b_preprocessed1.csv").set_index("FILE_ID")
    people = table.loc[archive["subject"].astype(str)].reset_index()
    graphs = correlation >= np.percentile(correlation, 80, axis=1)[:, None]
    z = np.arctanh(np.clip(correlation, -0.999999, 0.999999))
    diagnosis = np.where(people["DX_GROUP"] == 2, "td", "asd")
    regions = pd.read_csv(folder / "aal116.csv")["name"].tolist()
    return graphs.astype(np.uint8), z, diagnosis, people, regions


def nuisance(people):
    """Return age, its square, sex, motion and its logarithm, and the site."""
    columns = {}
    for name in ("AGE_AT_SCAN", "SEX", "func_mean_fd"):
        values = people[name].replace(-9999, np.nan)
        columns[name] = values.fillna(values.median()).to_numpy(float)
    columns["age_squared"] = columns["AGE_AT_SCAN"] ** 2
    columns["log_motion"] = np.log(columns["func_mean_fd"] + 0.01)
    columns["site"] = people["SITE_ID"].to_numpy(str)
    # A cohort may have one sex, or one site.
    return {name: values for name, values in columns.items() if len(set(values)) > 1}


def written(table, output, name):
    """Print a table and write it to its file; return nothing."""
    print(f"{name}\n{table.round(4).to_string(index=False)}\n", flush=True)
    output.mkdir(parents=True, exist_ok=True)
    table.round(6).to_csv(output / f"replication_{name}.csv", index=False, lineterminator="\n")


def sites_of_abide(folder, output):
    """Write the table of sites, and what ten sites find in the other ten."""
    graphs, z, y, people, regions = read(folder)
    site = people["SITE_ID"].to_numpy(str)
    labels = ["td", "asd"]
    started = time.process_time()
    found = site_effects(graphs, y, site, percentiles=[80, 90], labels=labels)
    written(found.means().drop(columns=["tau", "error"]), output, "sites")
    print(f"{time.process_time() - started:.0f} CPU s\n")

    # Every second site by name finds, the others confirm.
    names = sorted(set(site))
    finds = np.isin(site, names[::2])
    difference = graphs[finds & (y == "td")].mean(axis=0) - graphs[finds & (y == "asd")].mean(
        axis=0
    )
    sets = []
    for sign, contrast in ((1, "td-asd"), (-1, "asd-td")):
        for percentile in (80, 90):
            one = contrast_subgraph(square_of(sign * difference), percentile=percentile)
            chosen = tuple(regions[node] for node in one.nodes)
            sets.append(FixedSet(f"{contrast} at {percentile}", chosen, contrast))
    rest = ~finds
    tested = confirm(
        graphs[rest], y[rest], sets, regions=regions, labels=labels, blocks=site[rest]
    ).table()
    counts = f"{int(finds.sum())} people of {len(names[::2])} sites find, {int(rest.sum())} confirm"
    print(counts)
    written(tested, output, "half_of_the_sites")


def members_of_cohorts(folder, people):
    """Return who is in each of the paper's cohorts, as masks."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    phenotypes = read_phenotypes(folder / "Phenotypic_V1_0b_preprocessed1.csv")
    phenotypes = phenotypes.set_index("FILE_ID").loc[people["FILE_ID"]].reset_index()
    return {
        name: np.asarray(expressions.evaluate(cohort["where"], phenotypes), dtype=bool)
        for name, cohort in config["cohorts"].items()
    }


def claims_of_abide(folder, output):
    """Write the published claims in all people and in each cohort, and what would show them."""
    _, z, y, people, regions = read(folder)
    claims = [
        named_set(list(patterns), regions, contrast, between=other, name=name)
        for name, contrast, patterns, other in CLAIMS
    ]
    cohorts = {"all": np.ones(len(y), dtype=bool)} | members_of_cohorts(folder, people)
    tables = []
    for cohort, rows in cohorts.items():
        site = people["SITE_ID"].to_numpy(str)[rows]
        for what, held in (("raw", None), ("adjusted", nuisance(people[rows]))):
            design = two_groups(y[rows], labels=["td", "asd"], covariates=held, blocks=site)
            tested = confirm(z[rows], design, claims, regions=regions).table()
            tested.insert(0, "cohort", cohort)
            tested.insert(1, "weights", what)
            tested.insert(2, "people", people_of(design))
            tables.append(tested.join(would_show(tested, design)))
    written(pd.concat(tables).drop(columns=["pairs", "permutations", "exact"]), output, "claims")


def would_show(tested, design):
    """Return how large a difference is shown in 80 % of cases, and how many people show this one.

    Both are for one test at the level .05, without a correction for several.
    """
    spread, fitted = regressor_of(design)
    least = least_d(people_of(design), SHARE, spread, fitted, LEVEL)
    sd = tested["effect"] / tested["d"]
    needed = [people_to_confirm(d, SHARE, spread, fitted, LEVEL) for d in tested["d"]]
    return pd.DataFrame({"would_show": least * sd, "needed": needed})


def cohorts_of_abide(folder, output):
    """Write what each cohort's set at percentile 80 is in the people of the other cohorts."""
    graphs, _, y, people, regions = read(folder)
    table = pd.DataFrame({"subject": people["FILE_ID"], "site": people["SITE_ID"]})
    cohorts = {}
    found = {}
    with tempfile.TemporaryDirectory() as made:
        for name, rows in members_of_cohorts(folder, people).items():
            one = CohortGraphs(
                graphs[rows],
                (y[rows] == "asd").astype(int),
                table["subject"].to_numpy(str)[rows],
                np.array(regions),
                ("td", "asd"),
                name,
            )
            means = [one.weights[one.y == group].mean(axis=0) for group in (0, 1)]
            records = []
            for sign, contrast in ((1, "td-asd"), (-1, "asd-td")):
                solved = contrast_subgraph(square_of(sign * (means[0] - means[1])), percentile=80)
                chosen = [regions[node] for node in solved.nodes]
                records.append({"contrast": contrast, "percentile": 80, "regions": chosen})
            cohorts[name] = one, table[rows].reset_index(drop=True)
            found[name] = Path(made, f"{name}.found.json")
            save_sets(found[name], records, one, people=one.people)
        settings = {"blocks": "site", "covariates": [], "permutations": 1000}
        measured = [
            in_other_people(found, one, members, settings, 0, name)
            for name, (one, members) in cohorts.items()
        ]
    shown = corrected(pd.concat(measured)).sort_values(["contrast", "cohort"])
    shown["people"] = shown["n_first"] + shown["n_second"]
    written(shown.drop(columns=["permutations", "exact"]), output, "cohorts")


#: People of the sites of a simulated study: the largest have most of the people, as in ABIDE.
SIZES = (3, 4, 6, 9, 14, 20, 28, 40, 60, 90, 130, 170)
#: Name, mean effect, and its standard deviation between sites.
WORLDS = (
    ("no effect", 0.0, 0.0),
    ("no effect on average, sites differ", 0.0, 0.2),
    ("effect", 0.4, 0.0),
    ("effect, sites differ", 0.4, 0.2),
)
#: The number of the first study whose interval is looked at.
FIRST = 20_000
#: Sites of a simulated study, and regions.
N_SITES = 12
N_REGIONS = 12


def _planted():
    """Return which pairs of regions differ in a simulated study, as a matrix."""
    planted = np.zeros((N_REGIONS, N_REGIONS), dtype=bool)
    planted[:5, :5] = True
    return planted


def _study(number, effect, between):
    """Return graphs, labels and sites of a simulated study, with unequal shares of the groups."""
    rng = np.random.default_rng([number, 7])
    sizes = rng.choice(SIZES, size=N_SITES)
    site = np.repeat(np.arange(N_SITES), sizes)
    share = rng.uniform(0.3, 0.7, N_SITES)
    y = (rng.random(len(site)) < share[site]).astype(int)
    inside = _planted()[np.triu_indices(N_REGIONS, 1)]
    own = effect + between * rng.normal(size=N_SITES)
    # Pairs of one person go together, by what all of them share, and sites have levels.
    graphs = rng.normal(size=(len(y), len(inside)))
    graphs += rng.normal(0, 0.3, (len(y), 1)) + rng.normal(0, 0.3, (N_SITES, 1))[site]
    graphs[:, inside] += ((y == 0) * own[site])[:, None]
    return graphs, y, site.astype(str)


def _truth(found, effect):
    """Return the mean effect of the sets of a simulated study: a part of their pairs is planted."""
    planted = _planted()
    shares = []
    for nodes, used in zip(found.nodes[0][0], found.used, strict=True):
        pairs = planted[np.ix_(nodes, nodes)][np.triu_indices(len(nodes), 1)]
        if used:
            shares.append(pairs.mean() if len(pairs) else 0.0)
    return effect * np.mean(shares)


def _pooled_study(number, effect, between):
    """Return the mean over sites, the same as if effects were independent, and the truth."""
    graphs, y, site = _study(number, effect, between)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = site_effects(graphs, y, site, percentiles=80)
    used = found.used
    independent = pooled_effect(found.effect[0, 0, used], found.error[0, 0, used])
    return found.pooled(found.contrasts[0]), independent, _truth(found, effect)


def coverage(count, output):
    """Write how often the interval of the mean over sites covers, in simulated studies."""
    rows = []
    for name, effect, between in WORLDS:
        covered = []
        plain = []
        wider = []
        for number in range(count):
            pooled, independent, truth = _pooled_study(FIRST + number, effect, between)
            covered.append(pooled.low <= truth <= pooled.high)
            plain.append(independent.low <= truth <= independent.high)
            wider.append(pooled.error / independent.error)
        rows.append(
            {
                "world": name,
                "studies": count,
                "covers": np.mean(covered),
                "covers_if_independent": np.mean(plain),
                "wider": np.median(wider),
            }
        )
        written(pd.DataFrame(rows), output, "coverage")


#: Of both tests: permutations, and the penalty at which the set is found.
PERMUTATIONS = 59
PERCENTILE = 80


#: Who chose the set that is confirmed: a study of the same size, one of thrice as many people, or
#: somebody who knows the truth.
CHOSE = ("a study of this size", "one thrice as large", "the planted regions")
#: What is planted, as a claim by names: regions, and those of the other side.
TRUTH = {
    "clique": (range(8), ()),
    "star": (range(1), range(1, 15)),
    "few strong edges": (range(12), ()),
    "two blocks": (range(12), ()),
    "bipartite": (range(6), range(6, 12)),
    "dense and weak": (range(16), ()),
    "person-level modes": (range(8), ()),
}


def _study_of(number, which, scenario, people):
    """Return graphs and labels of a study; `which`: its number among those of one truth."""
    effect = SCENARIOS[scenario](*np.indices((REGIONS, REGIONS)))
    modes = 0
    if "modes" in scenario:
        modes = MODES
    rng = np.random.default_rng([number, which, list(SCENARIOS).index(scenario)])
    graphs, y, _ = networks(rng, effect, REGIONS, people, modes=modes)
    return graphs, y


def _claims(number, scenario):
    """Return the sets that `CHOSE` would have confirmed in a study of this number."""
    names = [f"R{k}" for k in range(REGIONS)]
    claims = []
    for which, people in ((0, PEOPLE), (2, 3 * PEOPLE)):
        graphs, y = _study_of(number, which, scenario, people)
        difference = graphs[y == 0].mean(axis=0) - graphs[y == 1].mean(axis=0)
        found = contrast_subgraph(difference, percentile=PERCENTILE)
        claims.append(FixedSet("found", [names[node] for node in found.nodes], "0-1"))
    one, other = TRUTH.get(scenario, TRUTH["clique"])
    sides = [[names[node] for node in nodes] for nodes in (one, other)]
    claims.append(FixedSet("planted", sides[0], "0-1", sides[1]))
    return names, claims


def _p_values(number, scenario):
    """Return p of a study: by `test` in the known direction and over all, and by `confirm`.

    The last as often as somebody chose a set (`CHOSE`).
    """
    names, claims = _claims(number, scenario)
    graphs, y = _study_of(number, 1, scenario, PEOPLE)
    labels = y.astype(str)
    options = {"n_permutations": PERMUTATIONS, "random_state": number}
    tested = permutation_test(graphs, labels, percentiles=PERCENTILE, **options).table()
    [directed] = tested.loc[tested["contrast"] == "0-1", "p"]
    confirmed = confirm(graphs, labels, claims, regions=names, **options).pvalue
    return directed, tested["p_familywise"].min(), *confirmed


#: People of each group in which the d of a chosen set is measured: so many that it is nearly the
#: true one.
MANY = 1000


def chosen_sets(count, output):
    """Write how large the difference truly is inside the sets that somebody chose (`CHOSE`)."""
    rows = []
    for scenario in SCENARIOS:
        if scenario not in TRUTH:
            continue
        graphs, y = _study_of(0, 3, scenario, MANY)
        names = [f"R{k}" for k in range(REGIONS)]
        claims = [_claims(number, scenario)[1] for number in range(count)]
        for place, chose in enumerate(CHOSE):
            sets = [one[place] for one in claims]
            measured = confirm(graphs, y.astype(str), sets, regions=names, n_permutations=1)
            row = {"scenario": scenario, "chose": chose, "sets": count, "d": np.median(measured.d)}
            rows.append(row | {"pairs": np.median(measured.pairs)})
    written(pd.DataFrame(rows), output, "chosen_sets")


def power(count):
    """Print in which share of simulated studies `test` and `confirm` find what is planted."""
    for scenario in SCENARIOS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = np.array([_p_values(number, scenario) for number in range(count)])
        directed, anywhere, *confirmed = (p <= 0.05).mean(axis=0)
        chosen = zip(CHOSE, confirmed, strict=True)
        said = ", ".join(f"{share:.2f} ({name})" for name, share in chosen)
        print(
            f"{scenario}: test in the known direction {directed:.2f}, of all contrasts "
            f"{anywhere:.2f}; confirm {said}, of {count}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--coverage", type=int, help="simulated studies of each kind")
    parser.add_argument("--power", type=int, help="simulated studies of each kind of difference")
    parser.add_argument(
        "--chosen", type=int, help="the same studies: d inside the sets they choose"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "measured")
    given = parser.parse_args()
    if given.folder:
        sites_of_abide(given.folder, given.output)
        claims_of_abide(given.folder, given.output)
        cohorts_of_abide(given.folder, given.output)
    if given.coverage:
        coverage(given.coverage, given.output)
    if given.power:
        power(given.power)
    if given.chosen:
        chosen_sets(given.chosen, given.output)
