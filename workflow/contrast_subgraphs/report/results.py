"""The results that tables and figures show, read once each and checked against their names."""

from functools import cached_property
from pathlib import Path

import pandas as pd

from ..contrast.objective import objective
from ..contrast.records import cohort_difference, load_subgraphs
from ..core.atlas import describe_regions, load_atlas
from ..core.atomic_files import WAY_OUT, load_json, load_table
from ..core.errors import InputError
from ..core.graphs import CohortGraphs, load_members
from ..core.methods import of_kind
from ..evaluation.scores import load_scores
from ..evaluation.splits import read_splits
from ..evaluation.summary import accuracy_table
from .names import Names
from .tables.paper import load_paper

#: Share by which an objective may differ from that of the same set in the graphs.
ROUNDING = 1e-6


class Results:
    """Files of a run, read when they are asked for.

    Parameters
    ----------
    config : dict
        The run's checked config, or the sections of it that names come from.
    **paths : list of str or pathlib.Path
        Which files there are of each kind: ``graphs, members, contrasts, scores,
        splits`` and so on.
    """

    def __init__(self, config, **paths):
        self.config = config
        self.names = Names.of(config)
        self.paths = paths

    @cached_property
    def paper(self):
        """The paper's numbers; none for data that it has not seen."""
        return load_paper(self.names.paper)

    @cached_property
    def graphs(self):
        """Cohort -> CohortGraphs."""
        return {Path(path).stem: CohortGraphs.load(path) for path in self.paths["graphs"]}

    @cached_property
    def members(self):
        """Cohort -> table of its members, who are those of its graphs."""
        return {
            Path(path).stem: load_members(path, self.graphs[Path(path).stem])
            for path in self.paths["members"]
        }

    @cached_property
    def contrasts(self):
        """Cohort -> contrast -> what its JSON file holds."""
        return self._records("contrasts", "")

    @cached_property
    def densdp(self):
        """The same by the paper's algorithm."""
        return self._records("densdp", ".densdp")

    def records(self, kind="contrasts"):
        """Return the contrasts' records in the order of their files."""
        return [one for records in getattr(self, kind).values() for one in records.values()]

    def _records(self, kind, ending):
        found = {}
        for path in map(Path, self.paths[kind]):
            asked = path.parent.name, path.name.removesuffix(f"{ending}.json")
            graphs = self.graphs.get(asked[0]) if self.paths.get("graphs") else None
            record = load_subgraphs(path, roi=None if graphs is None else graphs.roi)
            if (record.get("cohort"), record.get("contrast")) != asked:
                raise InputError(
                    f"{path} holds the {record.get('contrast')} contrast subgraphs of "
                    f"{record.get('cohort')}, not the {asked[1]} ones of {asked[0]}: {WAY_OUT}"
                )
            settings = self.config.get("contrast", {})
            by_paper = kind == "densdp" or settings.get("solver", "densdp") == "densdp"
            by_us = kind != "densdp"
            if not (by_paper if record.get("solver") == "densdp" else by_us):
                raise InputError(f"{path} is by the solver {record.get('solver')}: {WAY_OUT}")
            if graphs is not None:
                _check_objectives(path, record, graphs)
            found.setdefault(asked[0], {})[asked[1]] = record
        return found

    def _check_cohort(self, path, table, cohort, may_be_empty=False):
        """Raise InputError unless a table is of the cohort that its path says."""
        if not len(table):
            if may_be_empty:
                return
            raise InputError(f"{path} has no rows: {WAY_OUT}")
        if set(table["cohort"]) != {cohort}:
            raise InputError(f"{path} is of another cohort: {WAY_OUT}")

    def _tested(self, cohort):
        """Whether a permutation test of the cohort is among the files."""
        if not self.paths.get("inference"):
            return False
        here = self.significance["cohort"] == cohort
        return bool(self.significance.loc[here, "p_familywise"].notna().any())

    @cached_property
    def seconds(self):
        """Times of the contrasts' records, those of the paper's algorithm last."""
        paths = [*self.paths["seconds"], *self.paths["densdp_seconds"]]
        return [load_table(path, ["seconds"]) for path in paths]

    @cached_property
    def atlas(self):
        """Name, hemisphere, system and place of each region of the graphs, in their order."""
        roi = next(iter(self.graphs.values())).roi if "graphs" in self.paths else None
        atlas = load_atlas(self.paths["atlas"][0])
        return atlas if roi is None else describe_regions(roi, atlas)

    @cached_property
    def scores(self):
        """Scores of all methods, in the order of the files."""
        return load_scores(self.paths["scores"])

    @cached_property
    def accuracy(self):
        """The table `accuracy` of these scores."""
        return accuracy_table(
            self.scores, paper=self.paper["accuracy"], untested=of_kind("embedding")
        )

    @cached_property
    def first_split(self):
        """Cohort -> which subjects are the test part of the first split."""
        paths = {Path(path).stem: path for path in self.paths["splits"]}
        return {name: read_splits(paths[name], self.graphs[name].subject)[0] for name in paths}

    @cached_property
    def stability(self):
        """How often each region was chosen, of all cohorts and methods."""
        columns = ["cohort", "contrast", "percentile", "index", "region", "count", "splits"]
        tables = []
        for path in map(Path, self.paths["stability"]):
            tables.append(load_table(path, columns))
            self._check_cohort(path, tables[-1], path.parent.name)
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def significance(self):
        """The permutation tests of all cohorts."""
        columns = ["cohort", "contrast", "z", "p_familywise", "blocks", "adjusted"]
        tables = []
        for path in map(Path, self.paths["inference"]):
            tables.append(load_table(path, columns, dtype={"blocks": str, "adjusted": str}))
            self._check_cohort(path, tables[-1], path.stem)
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def group_tests(self):
        """The tests edge by edge of all cohorts."""
        columns, texts = ["cohort", "test", "p"], {"blocks": str, "adjusted": str}
        tables = []
        for path in map(Path, self.paths["group_tests"]):
            tables.append(load_table(path, columns, dtype=texts))
            cohort = path.name.removesuffix(".group_tests.csv")
            empty = not self._tested(cohort)
            self._check_cohort(path, tables[-1], cohort, may_be_empty=empty)
        return pd.concat([one for one in tables if len(one)] or tables, ignore_index=True)

    @cached_property
    def shares(self):
        """How often each region is chosen over half samples; None without a test."""
        if "shares" not in self.paths:
            return None
        columns = ["cohort", "contrast", "percentile", "index", "share", "share_permuted"]
        tables = []
        for path in map(Path, self.paths["shares"]):
            tables.append(load_table(path, columns)[columns])
            cohort = path.name.removesuffix(".regions.csv")
            # Groups that can be tested may still be too small to be halved.
            self._check_cohort(path, tables[-1], cohort, may_be_empty=True)
        return pd.concat(tables)

    def share(self, cohort, contrast, percentile):
        """Return each region's share of the half samples at a percentile; None if unknown."""
        if self.shares is None:
            return None
        table = self.shares
        here = (table["cohort"] == cohort) & (table["contrast"] == contrast)
        rows = table[here & (table["percentile"] == percentile)]
        return rows.set_index("index")["share"] if len(rows) else None

    @cached_property
    def rules(self):
        """The paper's rules of thumb, measured on each cohort."""
        tables = []
        for path in map(Path, self.paths["rules"]):
            tables.append(load_table(path, ["cohort", "rule", "part"]))
            self._check_cohort(path, tables[-1], path.stem)
        return pd.concat(tables)

    @cached_property
    def truth(self):
        """What was planted into simulated data."""
        return load_json(self.paths["truth"][0])


def _check_objectives(path, record, graphs):
    """Raise InputError unless each subgraph has the objective that its set has in the graphs."""
    difference = cohort_difference(graphs, record["contrast"], record.get("weights", "difference"))
    for entry in record["subgraphs"]:
        value = objective(difference, entry["nodes"], entry["alpha"])
        if abs(value - entry["objective"]) > ROUNDING * max(abs(value), abs(entry["objective"])):
            raise InputError(
                f"{path} has a contrast subgraph of objective {entry['objective']:.6g} that has "
                f"{value:.6g} in the graphs: {WAY_OUT}"
            )
