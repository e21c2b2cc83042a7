"""The results that tables and figures show; each file is read only once."""

import re
from functools import cached_property
from pathlib import Path

import pandas as pd

from ..contrast.files import load_subgraphs
from ..core.atlas import describe_regions, load_atlas
from ..core.atomic_files import load_json, load_table
from ..design.cohort_graphs import CohortGraphs
from ..evaluation.scores import load_scores
from ..evaluation.splits import read_splits
from ..evaluation.summary import accuracy_table
from ..inference.chosen_penalty import cohort_levels
from ..methods import of_kind
from .names import Names
from .tables.paper import load_paper


def _joined(kind, columns, **options):
    """Return a property with the joined tables of one kind of file; None without such files.

    Tables of cohorts without a test are empty.
    """

    def read(results):
        paths = results.paths.get(kind)
        if not paths:
            return None
        tables = [load_table(path, columns.split(), **options) for path in paths]
        # Empty tables would change the types of columns.
        return pd.concat([one for one in tables if len(one)] or tables, ignore_index=True)

    return cached_property(read)


#: Text columns that may be entirely empty, and would then be read as numbers.
_TEXTS = {"dtype": {"blocks": str, "adjusted": str}}


class Results:
    """The files of a run, read when they are needed.

    `config` is the run's checked config, or the sections that names come from. `paths` are the
    files of each kind: ``graphs, members, contrasts, scores, splits`` and so on.
    """

    def __init__(self, config, **paths):
        self.config = config
        self.names = Names.of(config)
        self.paths = paths

    # The columns are checked when a file is read: an old one of another shape is named.
    confounds = _joined("confounds", "cohort method protocol variant people")
    stability = _joined("stability", "cohort contrast percentile index region count splits")
    _tests = _joined("inference", "cohort contrast z p_familywise blocks adjusted", **_TEXTS)
    omnibus = _joined("omnibus", "cohort contrast z p_familywise blocks adjusted", **_TEXTS)
    effects = _joined("effects", "cohort contrast percentile effect d", **_TEXTS)
    sites = _joined("sites", "cohort contrast percentile site effect", dtype={"site": str})
    over_sites = _joined("over_sites", "cohort contrast percentile holds mean")
    would_find = _joined("would_find", "cohort regions difference")
    others = _joined("others", "cohort contrast percentile elsewhere effect p")
    confirmed = _joined("confirmed", "cohort set contrast effect p", dtype={"set": str})
    held_out = _joined("held_out", "cohort contrast percentile subject weight")
    group_tests = _joined("group_tests", "cohort test p", **_TEXTS)
    shares = _joined(
        "shares", "cohort contrast percentile index share share_permuted share_critical"
    )
    rules = _joined("rules", "cohort rule part")

    @cached_property
    def significance(self):
        """The permutation tests, with columns named after the measure inside a set."""
        table = self._tests
        if table is None:
            return table
        return table.rename(columns=self._measured)

    @cached_property
    def levels(self):
        """Cohort -> the level up to which its p is beyond chance, given those of the others."""
        return cohort_levels(self.significance, self.omnibus)

    def _measured(self, column):
        return re.sub("^density_", f"{self.names.column}_", column)

    @cached_property
    def paper(self):
        """The paper's numbers; empty for data that are not in the paper."""
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
        """Cohort -> contrast -> the content of its JSON file."""
        return self._records("contrasts", "")

    @cached_property
    def densdp(self):
        """The same for the paper's algorithm."""
        return self._records("densdp", ".densdp")

    def records(self, kind="contrasts"):
        """Return the records of the contrasts in the order of their files."""
        found = []
        for of_cohort in getattr(self, kind).values():
            found += of_cohort.values()
        return found

    def _records(self, kind, ending):
        found = {}
        for path in map(Path, self.paths[kind]):
            contrast = path.name.removesuffix(f"{ending}.json")
            found.setdefault(path.parent.name, {})[contrast] = load_subgraphs(path)
        return found

    @cached_property
    def seconds(self):
        """Times of the contrasts' records, those of the paper's algorithm last."""
        paths = [*self.paths["seconds"], *self.paths["densdp_seconds"]]
        return [load_table(path, ["seconds"]) for path in paths]

    @cached_property
    def atlas(self):
        """Name, hemisphere, system and position of each region, in the order of the graphs."""
        roi = None
        # Without graphs the atlas is taken as it is: nothing says which of its regions were used.
        if "graphs" in self.paths:
            roi = next(iter(self.graphs.values())).roi
        atlas = load_atlas(self.paths["atlas"][0])
        if roi is None:
            return atlas
        return describe_regions(roi, atlas)

    @cached_property
    def scores(self):
        """Scores of all methods, in the order of the files."""
        return load_scores(self.paths["scores"])

    @cached_property
    def accuracy(self):
        """The table `accuracy` for these scores."""
        return accuracy_table(
            self.scores, paper=self.paper["accuracy"], untested=of_kind("embedding")
        )

    @cached_property
    def first_split(self):
        """Cohort -> mask of the test part of the first split."""
        paths = {Path(path).stem: path for path in self.paths["splits"]}
        return {name: read_splits(paths[name], self.graphs[name].subject)[0] for name in paths}

    @cached_property
    def truth(self):
        """What was planted into simulated data."""
        return load_json(self.paths["truth"][0])
