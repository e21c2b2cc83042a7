"""What a figure is: how it is drawn, and what is said about it."""

from collections.abc import Callable
from dataclasses import dataclass

from ..names import pictured
from ..sentences import sentence


@dataclass(frozen=True)
class Figure:
    """A figure and what stands beside it.

    Its words are the macros ``<name>_title``, ``<name>_alt`` (what it shows, for those who
    cannot see it) and ``<name>_caption`` (what it means) in ``templates/figures.txt``.

    Attributes
    ----------
    name : str
        Of its files, ``figures/<name>.pdf`` and ``.png``; for another cohort than the
        first pictured one ``<name>-<cohort>``.
    section : str
        Section of the page.
    draw : callable
        ``(Results, cohort)`` -> matplotlib figure.
    by_cohort : bool
        Whether there is one for each pictured cohort.
    """

    name: str
    section: str
    draw: Callable
    by_cohort: bool = True

    def words(self, kind, about):
        """Return its ``title``, ``alt`` or ``caption``."""
        return sentence("figures.txt", f"{self.name}_{kind}", about)


@dataclass(frozen=True)
class About:
    """What captions speak of: a run's config and names, and one cohort.

    Attributes
    ----------
    config : dict
    names : Names
    cohort : str or None
        None for figures that show all cohorts.
    significance : pandas.DataFrame or None
        The table of this name.
    """

    config: dict
    names: object
    cohort: str | None = None
    significance: object = None

    @property
    def label(self):
        """The cohort's label."""
        return self.names("cohort", self.cohort) if self.cohort else ""

    @property
    def groups(self):
        """Labels of the two groups."""
        return self.names.group_labels(self.cohort)

    @property
    def directions(self):
        """Labels of the two contrasts of Problem 1."""
        return tuple(self.names.contrasts(self.cohort).values())[:2]

    @property
    def subjects(self):
        """What the subjects are called."""
        return self.names.subjects

    @property
    def drawn_from(self):
        """Which edges are drawn, in words."""
        least = self.config["report"]["edge_weight"]
        return "of more than α" if least is None else f"of weight {least} or more"

    def sizes(self, results):
        """Return how many subjects the groups have, or the cohort's label without graphs."""
        if not results.paths.get("graphs"):
            return self.label
        texts = []
        for cohort in [self.cohort] if self.cohort else results.graphs:
            graphs = results.graphs[cohort]
            counts = [int((graphs.y == y).sum()) for y in (0, 1)]
            labels = self.names.group_labels(cohort)
            sizes = ", ".join(f"{n} {label}" for n, label in zip(counts, labels, strict=True))
            texts.append(f"{self.names('cohort', cohort)}: {sizes}")
        return "; ".join(texts)

    def percentiles(self, figure):
        """Return the percentiles that a figure shows."""
        return list(
            pictured(self.config, self.names, figure, self.cohort, self.significance).values()
        )

    def of_the_paper(self, what):
        """Return ``(<what> of the paper)``, or nothing for data that the paper has not seen."""
        return f" ({what} of the paper)" if self.names.paper else ""
