"""The names of cohorts, groups, contrasts and methods in tables, figures and on the page."""

import re
from dataclasses import dataclass, field

from ..core.graphs import group_label
from ..design import Question, plain_question, questions_of
from ..inference.chosen_penalty import ordered, shown_sets
from ..methods import METHOD_LABELS
from .sentences import sentence

#: Sources whose people, or graphs, are those of the paper.
PAPER_SOURCES = ("abide", "published")


@dataclass(frozen=True)
class Names:
    """The labels of everything that has a short name in the config."""

    cohorts: dict  # name in the config -> label, in the config's order, if it has two directions
    groups: dict
    methods: dict
    questions: dict[str, Question]  # cohort -> its question
    source: str
    undirected: dict = field(default_factory=dict)  # labels of cohorts without a direction
    weighted: bool = False  # so that a density is a mean weight
    pooled: bool = False  # classifiers are also trained on people outside the cohort
    standardised: bool = False  # contrasts are based on t (`contrast.edge_statistic`)
    subjects: str = "participants"  # the noun for people, in the plural

    @classmethod
    def of(cls, config):
        """Return the labels of a checked config."""
        groups = {name: _label(name, entry) for name, entry in config["groups"].items()}
        own = config.get("own_methods") or {}
        labels = {name: _label(name, entry) for name, entry in config["cohorts"].items()}
        questions = questions_of(config)
        return cls(
            cohorts={name: labels[name] for name, one in questions.items() if one.directed},
            undirected={name: labels[name] for name, one in questions.items() if not one.directed},
            groups=groups,
            methods=METHOD_LABELS | {name: _label(name, entry) for name, entry in own.items()},
            questions=questions,
            source=config["source"],
            weighted=(config.get("graph") or {}).get("weights") == "weighted",
            pooled=(config.get("evaluation") or {}).get("train") == "all",
            standardised=(config.get("contrast") or {}).get("edge_statistic", "difference")
            != "difference",
            subjects=(config.get("report") or {}).get("subjects") or "participants",
        )

    @property
    def paper(self):
        """Whether the paper has numbers for these data."""
        return self.source in PAPER_SOURCES

    @property
    def units(self):
        """Notes on the units of α and objectives, unless they are those of the graphs."""
        if not self.standardised:
            return []
        return [sentence("tables.txt", "units")]

    @property
    def measure(self):
        """The average over the pairs of a set: a density, or a mean weight."""
        return self.column.replace("_", " ")

    @property
    def column(self):
        """The beginning of the names of columns with this measure."""
        # A density is between 0 and 1, and means something else to readers than a mean weight.
        if self.weighted:
            return "mean_weight"
        return "density"

    @property
    def protocols(self):
        """Protocol -> label."""
        # Other data have no paper of their own: the name says what the protocol does.
        first = "whole cohort"
        if self.paper:
            first = "paper's protocol"
        return {"paper": first, "nested": "nested", "sites": "one site out"}

    def contrasts(self, cohort):
        """Return contrast -> label for a cohort, in the order in which they are shown."""
        question = self.question(cohort)
        labels = question.contrast_labels(self.labels_of(cohort))
        return dict(zip(question.contrasts, labels, strict=True))

    def question(self, cohort=None):
        """Return a cohort's question; by default how the first two groups differ."""
        return self.questions.get(cohort) or plain_question(tuple(self.groups)[:2])

    @property
    def asks(self):
        """Whether any cohort asks something other than how two groups differ."""
        return any(not one.of_means for one in self.questions.values())

    def labels_of(self, cohort=None):
        """Return the labels of a cohort's groups."""
        return tuple(self.groups.get(name, name) for name in self.pair(cohort))

    def group_labels(self, cohort=None):
        """Return the labels of a cohort's groups, or of both ends of its variable."""
        return self.question(cohort).ends(self.labels_of(cohort))

    def title(self, cohort):
        """Return a cohort's question in words; with more than two groups it names all of them."""
        question = self.question(cohort)
        labels = self.labels_of(cohort)
        # Each pair of several groups is a cohort, and the page is about all of them.
        if question.of_means and len(self.groups) > 2:
            labels = tuple(self.groups.values())
        return question.title(labels)

    def statement(self, cohort):
        """Return what is shown, or not shown, as a clause."""
        return self.question(cohort).statement(self.labels_of(cohort))

    def sizes(self, cohort, counts):
        """Return the number in each group of a cohort, or the number of pairs, as text."""
        return self.question(cohort).sizes(counts, self.labels_of(cohort))

    def who(self, cohort, people, graphs, counts):
        """Say how many people a cohort has, and how many graphs these have where that is more.

        `counts`: how many graphs there are of each of its groups.
        """
        groups = self.sizes(cohort, counts)
        # A pair need not be one person, and its graphs are two.
        several = graphs > people and not self.question(cohort).within_person
        called = ""
        if several or not groups:
            called = f"{people} {self.subjects}"
        if several:
            called = f"{called} with {graphs} graphs"
        return ": ".join(filter(None, [called, groups]))

    @property
    def grouped(self):
        """Whether any cohort compares two groups."""
        return any(map(self.compares, self.cohorts))

    def compares(self, cohort):
        """Return whether a cohort compares two groups, and does not ask about a slope."""
        return self.question(cohort).compares

    def sides(self, cohort):
        """Return in whom, or with what, each direction has more, after `more connected`."""
        return self.question(cohort).sides(self.labels_of(cohort))

    def pair(self, cohort=None):
        """Return the names of a cohort's two groups, in the order of `y`."""
        return self.question(cohort).groups

    def __call__(self, kind, name):
        """Return the label of a ``cohort``, ``group``, ``method``, ``contrast`` or ``protocol``."""
        if kind == "protocol":
            return self.protocols.get(name, name)
        if kind != "contrast":
            known = {"group": self.groups, "method": self.methods}
            known["cohort"] = self.cohorts | self.undirected
            return known[kind].get(name, name)
        for cohort in (*self.questions, *([None] if len(self.groups) > 1 else [])):
            if name in (known := self.contrasts(cohort)):
                return known[name]
        return name


def region_label(name):
    """Return a region's name for readers, without the prefix of Schaefer's atlases."""
    if str(name).isdigit():
        return f"region {name}"
    return re.sub(r"^\d+Networks_", "", str(name)).replace("_", " ")


def _label(name, entry):
    if isinstance(entry, dict) and entry.get("label"):
        return entry["label"]
    return group_label(name)


def rows_of(table, **values):
    """Return the rows of a table with these values in its columns; None without a table."""
    for column, value in values.items() if table is not None else ():
        table = table[table[column] == value]
    return table


def pictured(config, names, figure, cohort, significance=None, effects=None):
    """Return the subgraphs of a cohort that a figure shows: contrast -> percentile.

    The config names contrasts after its groups (``report.contrast_large: {td-asd: 70,
    asd-td: 85}``). With ``report.clearest`` and a test, the sets are those of `clearest`, and
    ``contrast_small`` shows the next smaller one. ``contrast_clearest`` shows those of `clearest`
    whatever the config asks for.
    """
    there = list(names.contrasts(cohort))
    asked = there[2:] if figure == "contrast_symmetric" else there[:2]
    follows = config["report"].get("clearest")
    place = figure
    if figure == "contrast_clearest":
        # Without a test nothing is known to be clear: then the config decides here too.
        follows = True
        place = "contrast_large"
    found = {name: config["report"][place][name] for name in asked}
    if not follows or significance is None:
        return found
    best = clearest(significance, cohort, asked, effects)
    if figure != "contrast_small":
        return found | best
    for name, at in best.items():
        here = rows_of(significance, cohort=cohort, contrast=name)
        # The second figure zooms in: the clearest among the smaller sets.
        smaller = here[here["size"] < rows_of(here, percentile=at)["size"].iloc[0]]
        found[name] = clearest(smaller, cohort, [name], effects).get(name, found[name])
    return found


def clearest(significance, cohort, contrasts, effects=None):
    """Return the percentile at which each contrast of a cohort is shown, the most important first.

    Contrasts that were not tested, or have no set, are not included.
    """
    if significance is None or "z" not in significance:
        return {}
    rows = ordered(shown_sets(rows_of(significance, cohort=cohort), effects))
    rows = rows[rows["contrast"].isin(contrasts) & (rows["size"] > 1)]
    return dict(zip(rows["contrast"], rows["percentile"], strict=True))


def by_clarity(significance, cohorts):
    """Return the cohorts, the one with the clearest difference first, those without a test last.

    The order is that of the smallest family-wise p, and of p from the fitted tail among equal ones.
    The size of the difference does not count: the largest of several is always too large.
    """
    place = {}
    for cohort in cohorts if significance is not None and "z" in significance else ():
        rows = rows_of(significance, cohort=cohort)
        # A set without a pair of regions shows no connection.
        rows = rows[rows["size"] > 1]
        columns = [name for name in ("p_familywise", "p_familywise_tail") if name in rows]
        if rows["p_familywise"].notna().any():
            place[cohort] = tuple(rows[columns].min())
    return sorted(cohorts, key=lambda cohort: place.get(cohort, (2,)))
