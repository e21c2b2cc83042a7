"""The tests of a whole cohort, from the files of a run to its tables."""

import hashlib
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from ..contrast.alpha import PERCENTILES
from ..contrast.objective import surplus, surplus_of
from ..core.atomic_files import load_npz, save_npz
from ..core.errors import InputError
from ..core.holm import LEVEL
from ..design import NoTest
from ..design.exchange import varies_within
from ..design.modes import MODE
from ..design.of_cohort import beside_modes, blocks_column, cohort_design
from .composition import RELABELLINGS, of_one_density, other_side
from .edge_tests import EdgeTestsResult, edge_tests
from .effect_size import CHOSEN, held_out_effect
from .effect_size import COLUMNS as EFFECT_COLUMNS
from .p_values import critical_between, min_p_scores
from .permutation import ROUNDING, columns_of, test_of_design
from .stability import COLUMNS as STABILITY_COLUMNS
from .stability import region_stability
from .would_find import COLUMNS as FOUND_COLUMNS
from .would_find import smallest_found

#: Modes that all people share, given which the contrasts are tested once more.
MODES = 5
#: People for each of these modes. With fewer people there are fewer modes, so that the model leaves
#: something to test.
PEOPLE_PER_MODE = 10


def _names(members, settings, graphs):
    """The names of the blocks and covariates in tables."""
    blocks = blocks_column(members, settings) or "none"
    whole = settings.get("exchange") == "whole"
    if graphs.question.within_person or (not whole and varies_within(graphs.y, graphs.person)):
        blocks = "person"
    if settings.get("exchange") == "signs" and not graphs.question.within_person:
        blocks = "signs"
    return {"blocks": blocks, "adjusted": "+".join(settings["covariates"])}


def cohort_test(
    graphs,
    members,
    records,
    settings,
    seed,
    cohort,
    *,
    kept=None,
    stamp="",
    limits=None,
    edge_statistic="difference",
    n_jobs=1,
):
    """Return `PermutationTestResult.table` of a cohort, with ``cohort, blocks, adjusted``.

    Where all graphs have the same number of connections, ``p_other_side`` is the p of
    `other_side`. ``p_given_modes`` is the p of each contrast over its penalties given ``modes``
    modes that all people share. The penalties and the sets are those of `records`
    (``contrast/<cohort>/<contrast>.json``), which come from the same design. Permuted statistics
    are written to the file `kept` as they are computed. A later run continues from there, unless
    the code has another `stamp`.
    """
    everybody = graphs
    names = _names(members, settings, graphs)
    solved = {record["contrast"]: record["subgraphs"] for record in records}
    sides = {}
    given = {}
    modes = 0
    try:
        graphs, design = cohort_design(graphs, members, settings, seed, cohort)

        def known(observed):
            named = zip(design.contrasts, observed, strict=True)
            return [_check_solved(solved[name], name, matrix) for name, matrix in named]

        table = test_of_design(
            design,
            graphs.weights,
            *_penalties(records),
            edge_statistic=edge_statistic,
            n_permutations=settings["permutations"],
            limits=limits,
            regions=graphs.roi,
            n_jobs=n_jobs,
            solved=known,
            store=None if kept is None else _Kept(kept, stamp),
        ).table()
        sides = _other_sides(design, graphs, records, settings, edge_statistic)
        modes, given = _given_modes(
            everybody, members, records, settings, seed, cohort, edge_statistic
        )
    except NoTest as error:
        warnings.warn(f"{cohort} allows no permutation test: {error}", stacklevel=2)
        table = pd.DataFrame(
            [{"contrast": name, **entry} for name, rows in solved.items() for entry in rows]
        )
        table = table.assign(size=table["nodes"].map(len), permutations=0, exact=False)
        table = table.reindex(columns=columns_of(graphs.groups))
    table.insert(0, "cohort", cohort)
    table["p_other_side"] = table["contrast"].map(sides).astype(float)
    table["p_given_modes"] = table["contrast"].map(given).astype(float)
    table["modes"] = modes
    return table.assign(**names)


def _other_sides(design, graphs, records, settings, edge_statistic):
    """Return p of `other_side` by contrast, where the graphs are of one density."""
    # With the same number of connections in all graphs, more in one place are fewer elsewhere.
    if not of_one_density(graphs.weights):
        return {}
    percentiles = _penalties(records)[0] or PERCENTILES
    options = {"n_permutations": min(RELABELLINGS, settings["permutations"])}
    options["edge_statistic"] = edge_statistic
    return other_side(design, graphs.weights, percentiles, **options)


def _given_modes(graphs, members, records, settings, seed, cohort, edge_statistic):
    """Return a number of modes, and p of each contrast over its penalties given these modes.

    Is the difference local, or part of what all brains have more or less of? Without p-values
    where the modes are in the model already, or the people are too few for a model with them.
    """
    modes = min(MODES, len(np.unique(graphs.people)) // PEOPLE_PER_MODE)
    already = any(name.startswith(MODE) for name in settings["covariates"])
    if modes < 1 or already:
        return 0, {}
    percentiles = _penalties(records)[0] or PERCENTILES
    # What there is to say of these people was said by the test itself.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            members, settings = beside_modes(graphs, members, settings, [], modes, seed)
            graphs, design = cohort_design(graphs, members, settings, seed, cohort)
            test = test_of_design(
                design,
                graphs.weights,
                percentiles,
                edge_statistic=edge_statistic,
                n_permutations=min(RELABELLINGS, settings["permutations"]),
                solver="search",
            )
        except InputError:
            # The modes determine what is asked, or the graphs have fewer of them.
            return 0, {}
    return modes, dict(zip(test.contrasts, test.pvalue_contrast.min(axis=1), strict=True))


def _found(function, what, graphs, members, settings, seed, cohort, **options):
    """Return a function's result for a cohort (None without a test), its graphs and design."""
    try:
        graphs, design = cohort_design(graphs, members, settings, seed, cohort)
        return function(graphs.weights, design, **options), graphs, design
    except NoTest as error:
        if what:
            warnings.warn(f"{cohort}: {what}: {error}", stacklevel=3)
        return None, graphs, None


def cohort_edge_tests(graphs, members, settings, seed, cohort, **options):
    """Return `EdgeTestsResult.table` of a cohort; no rows where it allows no test."""
    names = _names(members, settings, graphs)
    options |= {"thresholds": settings["nbs_threshold"], "n_permutations": settings["permutations"]}
    # Edges are compared with each other, which needs a common scale.
    if options.get("edge_statistic") == "difference":
        options["edge_statistic"] = "t"
    # `cohort_test` already warns if there is no test.
    found, _, _ = _found(edge_tests, "", graphs, members, settings, seed, cohort, **options)
    table = (found or EdgeTestsResult(())).table()
    table.insert(0, "cohort", cohort)
    return table.assign(**names, permutations=settings["permutations"])


def cohort_effects(graphs, members, records, settings, seed, cohort, **options):
    """Return `HeldOutEffectResult.table` of a cohort, and weights inside held-out sets.

    Both are empty if the cohort is too small.
    """
    names = _names(members, settings, graphs)
    folds = settings["effects"]
    options |= dict(zip(("percentiles", "alphas"), _penalties(records), strict=True))
    options |= {"n_folds": folds["folds"], "n_repeats": folds["repeats"]}
    entries = {record["contrast"]: record["subgraphs"] for record in records}
    # The sets of all people are those of the run: several can be equally good, and the page must
    # not name another one than the table.
    options["known"] = [
        [np.array(entry["nodes"], dtype=int) for entry in entries[name]]
        for name in graphs.contrasts[:2]
        if name in entries
    ]
    what = "no effect in held-out people"
    asked = held_out_effect, what, graphs, members, settings, seed, cohort
    found, graphs, design = _found(*asked, **options)
    if found is None:
        table = pd.DataFrame(columns=EFFECT_COLUMNS)
        people = pd.DataFrame(columns=["contrast", "percentile", "subject", "weight"])
    else:
        table = found.table()
        subjects = graphs.subject[design.rows]
        sets = table.loc[table["contrast"] != CHOSEN, ["contrast", "percentile"]]
        people = sets.loc[sets.index.repeat(len(subjects))]
        people = people.assign(
            subject=np.tile(subjects, len(sets)), weight=found.inside.reshape(-1)
        )
    for one in (table, people):
        one.insert(0, "cohort", cohort)
    return table.assign(**names), people


def _penalties(records):
    """The penalties of a cohort's subgraphs, as percentiles and as plain values."""
    entries = records[0]["subgraphs"]
    return (
        [e["percentile"] for e in entries if e["percentile"] is not None],
        [e["alpha"] for e in entries if e["percentile"] is None],
    )


def cohort_stability(graphs, members, percentiles, settings, seed, cohort, **options):
    """Return `region_stability` of a cohort with its regions; no rows where it allows no test."""
    options |= {"percentiles": percentiles, "n_halves": settings["halves"]}
    asked = region_stability, "no half samples", graphs, members, settings, seed, cohort
    found, graphs, _ = _found(*asked, **options)
    if found is None:
        table = pd.DataFrame(columns=STABILITY_COLUMNS)
    else:
        table = found.table()
    table.insert(0, "cohort", cohort)
    table["region"] = graphs.roi[table["index"].to_numpy(int)]
    return table


def cohort_would_find(graphs, members, settings, seed, cohort, *, kept, level=LEVEL, **options):
    """Return `WouldFindResult.table` of a cohort; no rows where it allows no test.

    `kept` is the file to which `cohort_test` has written the permuted statistics. `level` is that
    of the cohort among others (`cohort_levels`).
    """

    def smallest(weights, design, **options):
        arrays = load_npz(kept, "null", "statistic", "alphas")
        # The null distribution of the test itself, so that both agree on what is beyond chance.
        every = np.concatenate([arrays["statistic"][None], arrays["null"]])
        critical = critical_between(every, min_p_scores(every), level)
        return smallest_found(design, weights, arrays["alphas"], critical, level=level, **options)

    # `cohort_test` already warns if there is no test.
    found, _, _ = _found(smallest, "", graphs, members, settings, seed, cohort, **options)
    table = pd.DataFrame(columns=FOUND_COLUMNS) if found is None else found.table()
    table.insert(0, "cohort", cohort)
    return table


class _Kept:
    """Permuted statistics in a file, with a digest of everything they depend on."""

    def __init__(self, path, stamp):
        self._path = Path(path)
        self._stamp = stamp

    def begin(self, statistic, alphas):
        """Return the statistics that an earlier run of the same test has kept."""
        design = statistic.design
        # Any change of seed, design, weights, penalties or code starts the permutations anew.
        digest = hashlib.sha256()
        settings = design.random_state, design.name, design.contrasts, statistic.kind, self._stamp
        # In hexadecimal: Python refuses to write very long numbers in decimal digits.
        digest.update(repr((settings, hex(design.possible))).encode())
        for array in (*design.arrays(), statistic.edges, alphas):
            digest.update(repr((array.shape, array.dtype.str)).encode())
            digest.update(np.ascontiguousarray(array))
        self._key = digest.hexdigest()
        try:
            arrays = load_npz(self._path, "key", "null")
        except InputError:  # none, or damaged
            return np.zeros((0, *alphas.shape))
        usable = str(arrays["key"]) == self._key and arrays["null"].shape[1:] == alphas.shape
        return arrays["null"] if usable else np.zeros((0, *alphas.shape))

    def keep(self, null, **more):
        """Write the statistics so far."""
        save_npz(self._path, key=self._key, null=null, **more)


def _check_solved(entries, contrast, matrix):
    """Return the known subgraphs of a contrast, after checking that they fit this graph."""
    for entry in entries:
        # Sets from graphs or a design of another run would be tested as if they were found here.
        value = surplus_of(surplus(matrix, entry["alpha"]), entry["nodes"])
        if abs(value - entry["objective"]) > ROUNDING * max(1.0, abs(value)):
            raise InputError(
                f"the known subgraph of {contrast} at alpha {entry['alpha']:.6g} has the "
                f"objective {entry['objective']:.6g}, in these graphs {value:.6g}: "
                "they come from different runs"
            )
    return entries
