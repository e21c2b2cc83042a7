"""The results that tables and figures show, read once each and checked against their names."""

from functools import cached_property
from pathlib import Path

import pandas as pd

from ..contrast.records import load_subgraphs
from ..core.atlas import describe_regions, load_atlas
from ..core.errors import InputError
from ..core.files import WAY_OUT, load_json, load_table
from ..core.graphs import CohortGraphs, load_members
from ..evaluation.scores import load_scores
from ..evaluation.splits import read_splits
from .names import Names
from .tables.accuracy import accuracy_table
from .tables.paper import load_paper


class Given:
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
            record = load_subgraphs(path)
            asked = path.parent.name, path.name.removesuffix(f"{ending}.json")
            if (record.get("cohort"), record.get("contrast")) != asked:
                raise InputError(
                    f"{path} holds the {record.get('contrast')} contrast subgraphs of "
                    f"{record.get('cohort')}, not the {asked[1]} ones of {asked[0]}: {WAY_OUT}"
                )
            found.setdefault(asked[0], {})[asked[1]] = record
        return found

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
        return accuracy_table(self.scores, self.paper["accuracy"])

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
            if set(tables[-1]["cohort"]) - {path.parent.name}:
                raise InputError(f"{path} is of another cohort: {WAY_OUT}")
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def significance(self):
        """The permutation tests of all cohorts."""
        columns = ["cohort", "contrast", "z", "p_familywise", "blocks", "adjusted"]
        tables = []
        for path in map(Path, self.paths["inference"]):
            tables.append(load_table(path, columns, dtype={"blocks": str, "adjusted": str}))
            if set(tables[-1]["cohort"]) != {path.stem}:
                raise InputError(f"{path} is of another cohort: {WAY_OUT}")
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def group_tests(self):
        """The tests edge by edge of all cohorts."""
        tables = [
            load_table(path, ["cohort", "test", "p"], dtype={"blocks": str, "adjusted": str})
            for path in self.paths["group_tests"]
        ]
        return pd.concat([one for one in tables if len(one)] or tables, ignore_index=True)

    @cached_property
    def shares(self):
        """How often each region is chosen over half samples; None without a test."""
        if "shares" not in self.paths:
            return None
        columns = ["cohort", "contrast", "percentile", "index", "share", "share_permuted"]
        return pd.concat([load_table(path, columns)[columns] for path in self.paths["shares"]])

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
        return pd.concat([load_table(path, ["rule", "part"]) for path in self.paths["rules"]])

    @cached_property
    def truth(self):
        """What was planted into simulated data."""
        return load_json(self.paths["truth"][0])
