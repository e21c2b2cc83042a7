"""What a figure is: how it is drawn, and what is said about it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure and what stands beside it.

    Attributes
    ----------
    name : str
        Of its files, ``figures/<name>.pdf`` and ``.png``; for another cohort than the
        first pictured one ``<name>-<cohort>``.
    title : str
    section : str
        Section of the page.
    draw : callable
        ``(Results, cohort)`` -> matplotlib figure.
    alt : callable
        `About` -> what the picture shows, for those who cannot see it.
    caption : callable
        `About` -> what it means.
    by_cohort : bool
        Whether there is one for each pictured cohort.
    """

    name: str
    title: str
    section: str
    draw: Callable
    alt: Callable
    caption: Callable
    by_cohort: bool = True


@dataclass(frozen=True)
class About:
    """What captions speak of: a run's config and names, and one cohort.

    Attributes
    ----------
    config : dict
    names : Names
    cohort : str or None
        None for figures that show all cohorts.
    """

    config: dict
    names: object
    cohort: str | None = None

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
        from ..names import pictured

        return list(pictured(self.config, self.names, figure, self.cohort).values())

    def of_the_paper(self, what):
        """Return ``(<what> of the paper)``, or nothing for data that the paper has not seen."""
        return f" ({what} of the paper)" if self.names.paper else ""
