"""The results that tables and figures show, read once each."""

from functools import cached_property
from pathlib import Path

import pandas as pd

from ..contrast.files import load_subgraphs
from ..core.atlas import describe_regions, load_atlas
from ..core.atomic_files import load_json, load_table
from ..core.graphs import CohortGraphs
from ..evaluation.scores import load_scores
from ..evaluation.splits import read_splits
from ..evaluation.summary import accuracy_table
from ..methods import of_kind
from .formats import LEVEL
from .names import Names, pictured
from .tables.paper import load_paper

#: Columns of texts that may be all empty.
_TEXTS = {"blocks": str, "adjusted": str}


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
        """Cohort -> table of its members, in the order of its graphs."""
        return {
            Path(path).stem: load_table(path, ["subject", "group"])
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
            contrast = path.name.removesuffix(f"{ending}.json")
            found.setdefault(path.parent.name, {})[contrast] = load_subgraphs(path)
        return found

    def _joined(self, kind, columns, **options):
        """Join the tables of one kind of file; empty ones are of cohorts without a test."""
        tables = [load_table(path, columns, **options) for path in self.paths[kind]]
        return pd.concat([one for one in tables if len(one)] or tables, ignore_index=True)

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
    def confounds(self):
        """Motion in the scores of all methods and cohorts."""
        return self._joined("confounds", ["cohort", "method", "protocol", "variant", "people"])

    @cached_property
    def first_split(self):
        """Cohort -> which subjects are the test part of the first split."""
        paths = {Path(path).stem: path for path in self.paths["splits"]}
        return {name: read_splits(paths[name], self.graphs[name].subject)[0] for name in paths}

    @cached_property
    def stability(self):
        """How often each region was chosen, of all cohorts and methods."""
        columns = ["cohort", "contrast", "percentile", "index", "region", "count", "splits"]
        return self._joined("stability", columns)

    @cached_property
    def significance(self):
        """The permutation tests of all cohorts."""
        columns = ["cohort", "contrast", "z", "p_familywise", "blocks", "adjusted"]
        return self._joined("inference", columns, dtype=_TEXTS)

    @property
    def tested(self):
        """The permutation tests, or None without any."""
        return self.significance if self.paths.get("inference") else None

    def pictured(self, figure, cohort):
        """Return which subgraphs of a cohort a figure shows: contrast -> percentile."""
        return pictured(self.config, self.names, figure, cohort, self.tested)

    def by_chance(self, cohort, percentiles):
        """Return which of some subgraphs (contrast -> percentile) chance explains."""
        table, found = self.tested, []
        for contrast, at in percentiles.items() if table is not None else ():
            here = (table["cohort"] == cohort) & (table["contrast"] == contrast)
            p = table.loc[here & (table["percentile"] == at), "p_familywise"].dropna()
            found += [contrast] * bool((p > LEVEL).any())
        return found

    def of_figure(self, cohort):
        """Return a cohort's graphs, its contrasts' records and the atlas."""
        return self.graphs[cohort], self.contrasts[cohort], self.atlas

    @cached_property
    def effects(self):
        """The differences inside the sets in people who did not choose them, of all cohorts."""
        columns = ["cohort", "contrast", "percentile", "effect"]
        return self._joined("effects", columns, dtype=_TEXTS)

    @cached_property
    def group_tests(self):
        """The tests edge by edge of all cohorts."""
        return self._joined("group_tests", ["cohort", "test", "p"], dtype=_TEXTS)

    @cached_property
    def shares(self):
        """How often each region is chosen over half samples; None without a test."""
        if "shares" not in self.paths:
            return None
        columns = ["cohort", "contrast", "percentile", "index", "share", "share_permuted"]
        columns.append("share_critical")
        return self._joined("shares", columns)[columns]

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
        return self._joined("rules", ["cohort", "rule", "part"])

    @cached_property
    def truth(self):
        """What was planted into simulated data."""
        return load_json(self.paths["truth"][0])
