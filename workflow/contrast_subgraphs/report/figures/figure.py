"""The parts of a figure: how it is drawn from the results of a run, and its texts."""

from collections.abc import Callable
from dataclasses import dataclass

from ...core.holm import LEVEL
from ..formats import signed
from ..names import by_clarity, pictured, rows_of
from ..results import Results
from ..sentences import sentence
from .brain import has_centroids
from .set_picture import subgraph_at
from .style import Looks, styled


@dataclass(frozen=True)
class View:
    """A run's results for one cohort, as figures draw them and captions describe them."""

    results: Results
    cohort: str | None = None  # None for figures that show all cohorts

    @property
    def names(self):
        """The labels of everything."""
        return self.results.names

    @property
    def graphs(self):
        """The cohort's graphs."""
        return self.results.graphs[self.cohort]

    @property
    def contrasts(self):
        """Contrast -> the content of its JSON file."""
        return self.results.contrasts[self.cohort]

    @property
    def by_clarity(self):
        """The views of all cohorts, the one with the clearest difference (smallest p) first."""
        results = self.results
        cohorts = self.names.cohorts
        if results.paths.get("graphs"):
            cohorts = results.graphs
        shown = [one for one in results.config["report"]["cohorts"] if one in cohorts]
        rest = [one for one in cohorts if one not in shown]
        order = by_clarity(results.significance, [*shown, *rest])
        return [View(results, cohort) for cohort in order]

    @property
    def clearest(self):
        """The view of the cohort with the clearest difference."""
        return self.by_clarity[0]

    @property
    def looks(self):
        """How the cohort's groups and contrasts are drawn and called."""
        return Looks.of(self.names, self.cohort)

    @property
    def label(self):
        """The cohort's label."""
        if self.cohort:
            return self.names("cohort", self.cohort)
        return ""

    @property
    def variable(self):
        """The name of the variable in the cohort's question."""
        return self.names.question(self.cohort).column

    @property
    def groups(self):
        """Labels of the two groups."""
        return self.names.group_labels(self.cohort)

    @property
    def directions(self):
        """Labels of the two contrasts of Problem 1."""
        return tuple(self.names.contrasts(self.cohort).values())[:2]

    @property
    def sides(self):
        """In whom, or with what, each direction has more."""
        return self.names.sides(self.cohort)

    @property
    def slope(self):
        """Whether the cohort asks about a slope and not how two groups differ."""
        return not self.names.compares(self.cohort)

    @property
    def placed(self):
        """Whether regions have positions in the brain, and are not drawn on a circle."""
        return "graphs" not in self.results.paths or has_centroids(self.results.atlas)

    @property
    def by_system(self):
        """Whether the atlas names systems, by which regions are put in order."""
        return "atlas" in self.results.paths and (self.results.atlas["system"] != "").any()

    @property
    def drawn_on(self):
        """What the regions are drawn on."""
        if self.placed:
            return "Glass brains"
        return "Circles of regions"

    @property
    def counted(self):
        """What the features of CS-P1 are."""
        if self.names.weighted:
            return "the weights"
        return "the edges"

    @property
    def subjects(self):
        """The noun for the subjects."""
        return self.names.subjects

    @property
    def drawn_from(self):
        """Which edges are drawn, in words."""
        least = self.results.config["report"]["edge_weight"]
        if least is None:
            return "of more than α"
        return f"of weight {least} or more"

    def least(self, subgraph):
        """Return the least weight of the edges of a subgraph that are drawn."""
        least = self.results.config["report"]["edge_weight"]
        if least is None:
            return subgraph["alpha"]
        return least

    def sets(self, figure):
        """Return the subgraphs that a figure shows: contrast -> percentile."""
        measured = self.results.significance, self.results.effects
        return pictured(self.results.config, self.names, figure, self.cohort, *measured)

    def percentiles(self, figure):
        """Return the percentiles that a figure shows."""
        return [int(at) if at == int(at) else at for at in self.sets(figure).values()]

    def nodes(self, figure):
        """Return the sets of regions that a figure shows."""
        sets = self.sets(figure).items()
        return [subgraph_at(self.contrasts[name], at)["nodes"] for name, at in sets]

    def perhaps(self, contrast, found):
        """Return the addition to a title if the subgraph may be due to chance."""
        rows = self._rows(self.results.significance, contrast, found["percentile"])
        # At the level of the answer itself, which is corrected for the number of cohorts.
        level = self.results.levels.get(self.cohort, LEVEL)
        if rows is not None and (rows["p_familywise"] > level).any():
            return " (may be chance)"
        return ""

    def effect(self, contrast, percentile):
        """Return the difference in people who did not choose a set, as text; empty if unknown."""
        rows = self._rows(self.results.effects, contrast, percentile)
        if rows is None:
            return ""
        return signed(rows["effect"].iloc[0])

    def share(self, contrast, percentile):
        """Return each region's share of the half samples at a percentile; None if unknown."""
        rows = self._rows(self.results.shares, contrast, percentile)
        if rows is None:
            return None
        return rows.set_index("index")["share"]

    def held_out(self, contrast, percentile):
        """Return each subject's weight inside sets that other subjects chose; None if unknown."""
        rows = self._rows(self.results.held_out, contrast, percentile)
        if rows is None:
            return None
        return rows.set_index("subject")["weight"].reindex(self.graphs.subject).to_numpy()

    def _rows(self, table, contrast, percentile):
        rows = rows_of(table, cohort=self.cohort, contrast=contrast, percentile=percentile)
        if rows is None or rows.empty:
            return None
        return rows

    @property
    def measured_held_out(self):
        """Whether the cohort's sets are measured on subjects who did not choose them."""
        rows = rows_of(self.results.effects, cohort=self.cohort)
        return rows is not None and len(rows) > 0

    def of_the_paper(self, what):
        """Return ``(<what> of the paper)``, or nothing for data that the paper has not seen."""
        if self.names.paper:
            return f" ({what} of the paper)"
        return ""

    @property
    def sizes(self):
        """How many subjects the groups of each cohort have; the cohort's label without graphs."""
        if not self.results.paths.get("graphs"):
            return self.label
        texts = []
        for cohort in [self.cohort] if self.cohort else self.results.graphs:
            graphs = self.results.graphs[cohort]
            counts = [(graphs.y == group).sum() for group in range(len(graphs.groups))]
            people = len(set(graphs.people.tolist()))
            sizes = self.names.who(cohort, people, len(graphs.y), counts)
            texts.append(f"{self.names('cohort', cohort)}: {sizes}")
        return "; ".join(texts)


@dataclass(frozen=True)
class Figure:
    """A figure: its words are macros ``<name>_title, _alt, _caption`` in ``figures.txt``."""

    #: The name of its files, ``figures/<name>.pdf`` and ``.png``; for another cohort than the
    #: first pictured one ``<name>-<cohort>``.
    name: str
    section: str  # of the page
    draw: Callable  # `View` -> matplotlib figure
    by_cohort: bool  # whether there is one for each pictured cohort
    #: Whether it shows anything of a `View` that the page does not show elsewhere.
    there: Callable = lambda view: True

    def words(self, kind, view):
        """Return its ``title``, ``alt`` (for those who cannot see it) or ``caption``."""
        return sentence("figures.txt", f"{self.name}_{kind}", view)


def figure(section, by_cohort=True, **options):
    """Make a figure, in the common style, of a function that draws a `View`; named after it."""
    return lambda draw: Figure(draw.__name__, section, styled(draw), by_cohort, **options)
