"""The facts for the text of a methods section, from a run's config and its tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ..contrast.relabelled import ALPHA_DRAWS
from ..core.checks import in_words
from ..core.holm import LEVEL, holm
from ..data.bids import entities_of
from ..data.simulated import SITES
from ..design.modes import MODE
from ..evaluation.summary import p_values
from ..inference.effect_size import CALIBRATION, CHOICE_CALIBRATION, CHOSEN
from ..inference.sites import LEAST
from ..inference.stability import RELABELLINGS
from ..inference.would_find import SHARE
from ..methods import METHODS, PREDICTORS, of_kind
from . import methods_people
from .findings import CohortFindings, held_out, units, verdict
from .formats import signed, times
from .methods_features import features_of, penalties_chosen
from .names import Names, rows_of

#: Constants of the library that the text mentions.
CONSTANTS = {
    "alpha_draws": ALPHA_DRAWS,
    "calibration": CALIBRATION,
    "choice_calibration": CHOICE_CALIBRATION,
    "level": LEVEL,
    "relabellings": RELABELLINGS,
    "least_of_a_site": LEAST,
    "share_found": SHARE,
    "simulated_sites": len(SITES),
}

#: ABIDE's pipelines and atlases, as the release's own pages call them.
PIPELINES = {"ccs": "CCS", "cpac": "C-PAC", "dparsf": "DPARSF", "niak": "NIAK"}
ATLASES = {
    "rois_aal": "the Automated Anatomical Labeling atlas (AAL) [@tzourio2002]",
    "rois_cc200": "the Craddock 200 atlas",
    "rois_cc400": "the Craddock 400 atlas",
    "rois_dosenbach160": "the Dosenbach 160 atlas",
    "rois_ez": "the Eickhoff-Zilles atlas",
    "rois_ho": "the Harvard-Oxford atlas",
    "rois_tt": "the Talairach and Tournoux atlas",
}

#: The name of each measure, with its reference.
MEASURES = {
    "correlation": "Pearson's correlation",
    "partial": "the partial correlation (Ledoit-Wolf shrinkage [@ledoit2004])",
    "covariance": "the covariance (Ledoit-Wolf shrinkage [@ledoit2004])",
    "precision": "the precision (inverse covariance, Ledoit-Wolf shrinkage [@ledoit2004])",
}

#: The references of the packages whose versions are given.
PACKAGE_REFERENCES = {
    "contrast-subgraphs": "contrastsubgraphs",
    "numpy": "harris2020",
    "scikit-learn": "pedregosa2011",
    "nilearn": "abraham2014",
    "snakemake": "moelder2021",
}


@dataclass(frozen=True)
class Cohort:
    """The people of a cohort, and how it was tested."""

    name: str
    label: str
    defined: list  # the config's definition of the cohort: in words, and as a condition
    sizes: str  # the number of people in each group, with what is known about them
    sites: str  # at how many sites they were measured; empty for one
    compared: str  # how the groups compare in age, motion and sex; empty if nothing is known
    left_out: dict  # reason -> number of people
    covariates: tuple  # of the sets and tests, without modes
    modes: int  # how many modes that all people share are held constant
    lacking: str  # how many lack a covariate, and who is left; empty if no one does
    test: Mapping[str, Any] | None  # from the table `significance`: permutations, exact, blocks
    estimate: str  # what is estimated for each pair of regions
    unit: str  # of what a difference is a slope; empty if it is none
    found: CohortFindings | None
    row: Mapping[str, Any] | None  # from the table `accuracy`, for held-out people
    predicted: Mapping[str, Any] | None  # from the table `prediction`


@dataclass(frozen=True)
class Facts:
    """The facts behind the sentences; `tables` maps names to data frames, as on the page."""

    config: Mapping
    names: Names
    tables: Mapping[str, pd.DataFrame]
    found: list
    regions: int | str
    proven: tuple  # the number of sets that are proved optimal, and of all sets
    members: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    left_out: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    provenance: Mapping = field(default_factory=dict)
    constants: Mapping = field(default_factory=lambda: CONSTANTS)

    # --- the config, read once ------------------------------------------------------------

    @property
    def source(self):
        """The section of the source of the data."""
        return self.config["sources"].get(self.config["source"]) or {}

    @property
    def own_files(self):
        """The content of own files: ``series``, ``matrix`` or ``image``; otherwise empty."""
        if self.config["source"] != "folder":
            return ""
        return self.source.get("kind", "series")

    @property
    def of_series(self):
        """Whether graphs come from signals and not from matrices."""
        return self.config["source"] != "published" and self.own_files != "matrix"

    @property
    def atlas(self):
        """The atlas of the regions, as words; empty if it is not known."""
        if self.config["source"] == "abide":
            derivative = self.source["derivative"]
            return ATLASES.get(derivative, f"the atlas of the derivative {derivative}")
        if not self.own_files:
            return ATLASES["rois_aal"]
        named = (self.source.get("image") or {}).get("atlas") or self.source.get("atlas")
        if not named:
            return ""
        # Folders depend on the machine; the name of the file means something to others. In BIDS a
        # part of the name is the atlas.
        name = Path(named).name
        return f"the atlas {entities_of(name).get('atlas') or name.split('.')[0]}"

    @property
    def pipeline(self):
        return PIPELINES[self.source["pipeline"]]

    @property
    def explained(self):
        """What the cohorts ask of people, in general: the subject of a sentence."""
        groups = {bool(self.question(one).groups) for one in self.cohorts}
        if groups == {True}:
            return "The group"
        if groups == {False}:
            return "The variable"
        return "The group, or the variable,"

    @property
    def measure(self):
        return MEASURES[self.config["graph"]["measure"]]

    @property
    def dataset(self):
        """The programs that made the files, with their versions, and what the names say."""
        made = [
            " ".join(filter(None, [one.get("Name"), one.get("Version")]))
            for one in self.provenance.get("made_by") or ()
        ]
        # What stands in braces differs between people; the atlas has a sentence of its own.
        said = entities_of(Path(str(self.source.get("files") or "")).name)
        kept = [
            f"{name} {value}"
            for name, value in said.items()
            if name not in ("sub", "atlas") and not set("{*") & set(value)
        ]
        if not self.own_files:
            return [], []
        return made, kept

    @property
    def standard_error(self):
        """The divisor of an estimate; empty for the difference itself."""
        return {
            "t": "its standard error (t)",
            "welch": "a standard error that allows for unequal variances (Welch's t, or HC2)",
        }.get(self.config["contrast"]["edge_statistic"], "")

    @property
    def claims(self):
        """Sets that were fixed in advance, as words."""
        found = []
        for claim in self.config.get("confirm") or []:
            if "file" in claim:
                # Folders depend on the machine, as above.
                found.append(claim.get("name") or Path(claim["file"]).name)
                continue
            regions = ", ".join(claim["regions"])
            if claim.get("between"):
                regions = f"between {regions} and {', '.join(claim['between'])}"
            called = " ".join(filter(None, [claim.get("name"), f"({regions})"]))
            found.append(f"{claim['contrast']} {called}")
        return found

    @property
    def percentiles(self):
        return [f"{one:g}" for one in self.config["contrast"]["percentiles"]]

    @property
    def thresholds(self):
        """The thresholds of the network-based statistic, as a list."""
        given = self.config["inference"]["nbs_threshold"]
        if isinstance(given, list):
            return given
        return [given]

    def nuisance_of(self, labels):
        """Return as words what scores are adjusted for in some cohorts, and where it differs."""
        cohorts = [one for one in self.cohorts if one.label in labels]
        ways = {}
        for one in cohorts:
            if one.name in self.members:
                ways.setdefault(self._nuisance(one), []).append(one.label)
        if not ways:
            return _words_of(methods_people.known_columns(None))
        # A cohort whose people are asked about their age has it as the target, not as a confound.
        first = max(ways, key=len)
        others = [
            f"in {in_words(there)}: {_words_of(columns)}"
            for columns, there in ways.items()
            if columns != first
        ]
        said = _words_of(first)
        if others:
            said += f" ({'; '.join(others)})"
        return said

    def _nuisance(self, cohort):
        members = self.members[cohort.name]
        return tuple(methods_people.nuisance_columns(members, self.question(cohort)))

    @property
    def classifiers(self):
        """Labels of the methods, with their features and references."""
        return [self._called(name) for name in self.config["methods"]]

    @property
    def predicting(self):
        """The methods that predict a variable."""
        return [name for name in self.config["methods"] if name in PREDICTORS]

    @property
    def predictors(self):
        """Labels of the methods that predict a variable, with features and references."""
        return [self._called(name, of_variable=True) for name in self.predicting]

    @property
    def ridge(self):
        """How the penalty of ridge regression was chosen, as a sentence."""
        folds = self.config["evaluation"]["folds"]
        return penalties_chosen(self.predicting, self.names, folds)

    def _called(self, name, of_variable=False):
        label = self.names("method", name)
        own = (self.config.get("own_methods") or {}).get(name)
        if own:
            return f"{label}, own code ({own['estimator']}{_grid(own.get('grid'))})"
        task = "classify"
        if of_variable:
            task = "predict"
        known = self.nuisance_of([o.label for o in self.cohorts if self.question(o).task == task])
        return f"{label}, {features_of(name, self.config['graph'], known, of_variable)}"

    @property
    def embeddings(self):
        """The baselines that run, with their parameters, including those of single cohorts."""
        found = []
        for name in of_kind("embedding", self.config["methods"]):
            given = self.config["baselines"][name]
            if given["grid"] == "full":
                how = f"the best of the grid {_settings(given['full'])}"
            else:
                how = " / ".join(dict.fromkeys(map(_settings, self._best(given["best"]))))
            seeds = given.get("seeds", 1)
            drawn = ""
            if seeds > 1:
                drawn = f", drawn {seeds} times"
            found.append(f"{METHODS[name].label} ({how}{drawn})")
        return found

    def _best(self, best):
        """The parameters of each cohort that is classified."""
        classified = [one.name for one in self.cohorts if self.question(one).task == "classify"]
        return [best.get(name, best["default"]) for name in classified or ["default"]]

    # --- the people ----------------------------------------------------------------------

    def question(self, cohort):
        """The question of a cohort."""
        return self.names.question(cohort.name)

    @cached_property
    def cohorts(self):
        """A `Cohort` for each cohort with two directions, in the config's order."""
        found = {one.cohort: one for one in self.found}
        entries = self.config["cohorts"]
        return [self._cohort(name, entries[name], found.get(name)) for name in self.names.cohorts]

    def _cohort(self, name, entry, found):
        names = self.names
        tested = rows_of(self.tables.get("significance"), cohort=name)
        test = None
        if tested is not None and len(tested):
            # All rows of a cohort have the same permutations and blocks.
            test = tested.fillna({"adjusted": "", "blocks": "none"}).iloc[0].to_dict()
        members = self.members.get(name)
        question = names.question(name)
        labels = names.labels_of(name)
        covariates, modes = self._held_constant(test)
        predicted = rows_of(self.tables.get("prediction"), cohort=name)
        best = None
        if predicted is not None and len(predicted):
            best = held_out(self.tables["prediction"], name)
            if best is None:
                best = predicted.iloc[0]
        return Cohort(
            name=name,
            label=names("cohort", name),
            defined=self._defined(entry),
            sizes=self._sizes(name, found),
            sites=methods_people.at_sites(members, names.subjects),
            compared=methods_people.compared(members, names.pair(name), question.within_person),
            left_out=_counted(self.left_out.get(name)),
            covariates=covariates,
            modes=modes,
            lacking=self._lacking(name, covariates),
            test=test,
            estimate=question.estimate(labels),
            unit=units(self.tables, names, name)[0],
            found=found,
            row=held_out(self.tables.get("accuracy"), name),
            predicted=best,
        )

    @property
    def spreads(self):
        """Whether a mean of people is given with its standard deviation."""
        return any("±" in one.sizes for one in self.cohorts)

    @property
    def groups(self):
        """The config's groups that a cohort compares."""
        compared = set()
        for one in self.names.questions.values():
            compared |= set(one.groups)
        return [group for name, group in self.config["groups"].items() if name in compared]

    @property
    def by_conditions(self):
        """Whether people are chosen by the config's conditions; published graphs lie in folders."""
        return self.config["source"] != "published"

    def _defined(self, entry):
        where = entry.get("where", "")
        said = []
        if entry.get("description") not in (None, "", where):
            said.append(entry["description"])
        if self.by_conditions and where not in ("", "True"):
            said.append(f"“{where}”")
        return said

    def _sizes(self, name, found):
        """Return the number in each group, with age, sex and motion if these are known."""
        members = self.members.get(name)
        counted = ""
        if found is not None:
            counted = found.sizes
        if members is None:
            return counted
        pair = self.names.pair(name)
        if not pair:
            return counted + methods_people.described(methods_people.one_row_each(members))
        within = self.names.question(name).within_person
        labels = self.names.labels_of(name)
        return methods_people.sizes(members, pair, labels, within, self.names.subjects)

    def _held_constant(self, test):
        """Return the covariates of a cohort's sets and tests, and how many modes."""
        graph = self.config["graph"]
        # A column may be named in both places.
        named = dict.fromkeys([*graph["adjust"], *self.config["inference"]["covariates"]])
        count = graph.get("modes") or 0
        if test is not None:
            # What was in the model stands in the table of the tests.
            named = list(filter(None, test["adjusted"].split("+")))
            count = sum(one.startswith(MODE) for one in named)
        return tuple(one for one in named if not one.startswith(MODE)), count

    def _lacking(self, name, covariates):
        members = self.members.get(name)
        missing = methods_people.lacking(members, covariates)
        if missing is None:
            return ""
        asked = self.names.question(name), self.names.labels_of(name), self.names.subjects
        return methods_people.left_after(members, missing, *asked, len(covariates) == 1)

    def gaps(self, columns, cohorts=None):
        """Return those of some columns that are known of some people and not of others."""
        tables = [self.members.get(name) for name in cohorts or self.names.cohorts]
        found = [methods_people.with_gaps(one, columns) for one in tables]
        return [name for name in columns if any(name in one for one in found)]

    @property
    def given(self):
        """Which of age, sex and motion are known of anyone, as columns."""
        there = [self.members[name] for name in self.names.cohorts if name in self.members]
        found = [methods_people.known_columns(one) for one in there or [None]]
        return [name for name in methods_people.GIVEN if any(name in one for one in found)]

    # --- what was found -------------------------------------------------------------------

    @property
    def verdict(self):
        return verdict(self.found, self.names)

    @property
    def corrected(self):
        """Cohort -> its smallest family-wise p, corrected for the number of cohorts (Holm)."""
        tested = [one for one in self.found if one.p is not None]
        adjusted = holm([one.p for one in tested])
        return {one.cohort: float(p) for one, p in zip(tested, adjusted, strict=True)}

    @property
    def estimates(self):
        """What is estimated for each pair of regions -> labels of the cohorts."""
        found = {}
        for one in self.cohorts:
            found.setdefault(one.estimate, []).append(one.label)
        return found

    @property
    def tests(self):
        """How labels were permuted -> labels of the cohorts."""
        found = {}
        for one in self.cohorts:
            if one.test is None:
                continue
            # Cohorts that were tested alike share one sentence.
            how = [int(one.test["permutations"]), one.test["exact"] is True, one.test["blocks"]]
            what = "values"
            if self.question(one).compares:
                what = "labels"
            kind = ""
            if self.question(one).within_person:
                kind = "pair"
            elif self._repeated(one.name):
                kind = "repeated"
            found.setdefault((*how, kind, what), []).append(one.label)
        return found

    def _repeated(self, name):
        """Whether any person in a cohort has several graphs."""
        return methods_people.repeated(self.members.get(name))

    @property
    def several_graphs(self):
        """Labels of the cohorts in which people have several graphs, other than pairs."""
        there = [one for one in self.cohorts if self._repeated(one.name)]
        return [one.label for one in there if not self.question(one).within_person]

    @property
    def own_levels(self):
        """Labels of the cohorts whose model holds the level of each person with several graphs."""
        found = []
        for one in self.cohorts:
            if one.label not in self.several_graphs:
                continue
            question = self.question(one)
            # A difference of slopes is one of changes; all else if it varies within people.
            of_changes = bool(question.groups) and not question.compares
            if of_changes or (one.test is not None and one.test["blocks"] == "person"):
                found.append(one.label)
        return found

    @property
    def adjusted(self):
        """Covariates of sets and tests -> labels of the cohorts; without cohorts that have none."""
        found = {}
        for one in self.cohorts:
            if one.covariates:
                found.setdefault(one.covariates, []).append(one.label)
        return found

    @property
    def modes(self):
        """How many modes were held constant -> labels of the cohorts; without cohorts of none."""
        found = {}
        for one in self.cohorts:
            if one.modes:
                found.setdefault(one.modes, []).append(one.label)
        return found

    def of(self, table, column=None):
        """Return the labels of the cohorts with rows in a table, where a column is not empty."""
        rows = self.tables.get(table)
        if rows is None:
            return []
        if column is not None:
            rows = rows[rows[column].notna()] if column in rows else rows[:0]
        there = set(rows["cohort"])
        return [one.label for one in self.cohorts if one.name in there]

    @property
    def represented(self):
        """What halves and folds have equal shares of -> labels of the cohorts that have some.

        As `Draws` cuts them. Of pairs nothing is said: both graphs of one are in the same half.
        """
        there = {*self.of("regions", "share"), *self.of("effects", "effect")}
        found = {}
        for one in self.cohorts:
            if one.label not in there or self.question(one).within_person:
                continue
            shares = "high and low values"
            if self.question(one).groups:
                shares = "each group"
            # Only where labels stay within a column's blocks are these sure to be represented.
            plain = self.config["inference"].get("exchange") in (None, "auto")
            if plain and one.test is not None:
                if one.test["blocks"] not in ("none", "signs", "person"):
                    shares += f" in each {one.test['blocks']}"
            found.setdefault(shares, []).append(one.label)
        return found

    def where(self, labels, start):
        """Return the start of a sentence, with the cohorts if it is not true of all."""
        if len(labels) == len(self.cohorts):
            return start
        return f"In {in_words(labels)}, {start[0].lower()}{start[1:]}"

    @property
    def chosen_again(self):
        """Labels of the cohorts in which direction and penalty were chosen without some people."""
        rows = rows_of(self.tables.get("effects"), contrast=CHOSEN)
        if rows is None:
            return []
        return [one.label for one in self.cohorts if one.name in set(rows["cohort"])]

    @property
    def site_limits(self):
        """How many people a site needs -> labels of the cohorts that were measured by site."""
        found = {}
        there = self.of("over_sites")
        for one in self.cohorts:
            if one.label in there:
                limit = f"{2 * LEAST} {self.names.subjects}"
                if self.question(one).compares:
                    limit = f"{LEAST} {self.names.subjects} of each group"
                found.setdefault(limit, []).append(one.label)
        return found

    @property
    def untested(self):
        """Labels of the cohorts whose labels cannot be permuted."""
        tested = [one for one in self.cohorts if one.test is not None]
        return [one.label for one in tested if one.test["permutations"] == 0]

    @property
    def classified(self):
        """Whether people's groups are predicted."""
        return len(self.tables.get("accuracy", ())) > 0

    @property
    def variables(self):
        """The variables whose values are predicted, each once."""
        predicted = [one for one in self.cohorts if one.predicted is not None]
        return list(dict.fromkeys(self.question(one).column for one in predicted))

    @property
    def predicted(self):
        """Whether people's values of a variable are predicted."""
        return len(self.tables.get("prediction", ())) > 0

    def splits(self, table):
        """Return protocol -> number of its splits, from the table of the scores."""
        rows = self.tables.get(table)
        if rows is None or rows.empty:
            return {}
        return rows.groupby("protocol", sort=False)["repeats"].max().astype(int).to_dict()

    @property
    def controls(self):
        """How often labels or values were permuted: (for a test, for the level of chance)."""
        tested = []
        chance = []
        for _, row in self._scores():
            if row["p_holm"] == row["p_holm"]:
                tested.append(row["tested"])
                # Next to permutations within blocks, those among all are only shown.
                if row["site_permutations"] > 0:
                    chance.append(row["permutations"])
            else:
                chance += [row["permutations"], row["site_permutations"]]
        return _range_of(tested), _range_of(chance)

    @property
    def within_blocks(self):
        """Labels of the cohorts whose tests permute within blocks."""
        within = {row["cohort"] for _, row in self._scores() if row["site_permutations"] > 0}
        return [one.label for one in self.cohorts if one.name in within]

    @property
    def everywhere_within(self):
        """Whether the tests of all cohorts permute within blocks."""
        return len(self.within_blocks) == len({row["cohort"] for _, row in self._scores()})

    @property
    def blocks(self):
        """Within what the tests of predictions permute: a column; empty if without restriction."""
        if not self.within_blocks:
            return ""
        there = [one.test for one in self.cohorts if one.label in self.within_blocks]
        named = [test["blocks"] for test in there if test is not None]
        # Without a permutation test only the config says it.
        named = [one for one in named if one not in ("none", "signs")]
        asked = self.config["inference"]["blocks"]
        if not named and asked not in (None, "none"):
            named = [asked]
        return [*named, "person"][0]

    @property
    def within_people(self):
        """Labels of the cohorts whose people are compared with themselves."""
        own = set(self.own_levels)
        return [
            one.label
            for one in self.cohorts
            if one.label in own or self.question(one).within_person
        ]

    def held_out_by(self, row, table):
        """Say which people were held out for a row of scores, where there are two ways."""
        if not {"nested", "sites"} <= set(self.splits(table)):
            return ""
        return {"nested": " (random splits)", "sites": " (each site in turn)"}[row["protocol"]]

    def without_people(self, row):
        """Say what the same method scores without what is known of people, and on that alone."""
        names = ("adjusted_mean", "nuisance_mean")
        how = "{:.2f}".format
        if "adjusted_r" in row:
            names = ("adjusted_r", "nuisance_r")
            how = signed
        adjusted, alone = (row.get(name, float("nan")) for name in names)
        known = self.nuisance_of([self.names("cohort", row["cohort"])])
        said = ""
        if not pd.isna(adjusted):
            said += f"; {how(adjusted)} with {known} regressed out"
            known = "these"
        if not pd.isna(alone):
            said += f"; {how(alone)} from {known} alone, without the brain"
        return said

    def _scores(self):
        """Yield the rows of both tables of scores, with the same columns."""
        accuracy = self.tables.get("accuracy")
        if accuracy is not None and len(accuracy):
            yield from accuracy.assign(tested=p_values(accuracy)[1]).iterrows()
        prediction = self.tables.get("prediction")
        if prediction is not None and len(prediction):
            count = prediction["permutations"]
            # There the one number is that of the permutations that p is from.
            within = count.where(prediction["within_sites"].astype(bool), 0)
            rows = prediction.assign(tested=count, site_permutations=within)
            yield from rows.assign(permutations=0).iterrows()

    @property
    def of_all_pairs(self):
        """Whether a method looks at the weights of all pairs of regions."""
        needs = [METHODS[name].needs for name in self.config["methods"] if name in METHODS]
        return any({"weights", "covariances"} & set(one) for one in needs)

    @property
    def of_training_parts(self):
        """Whether sets are found again in training parts, which shows how stable they are."""
        protocols = set(self.config["evaluation"]["protocols"])
        return bool(of_kind("contrast", self.config["methods"]) and protocols - {"paper"})

    @property
    def packages(self):
        """Packages with their versions, and what they cite."""
        found = []
        for name, version in (self.provenance.get("versions") or {}).items():
            if name == "contrast-subgraphs":
                continue
            cited = ""
            if name in PACKAGE_REFERENCES:
                cited = f" [@{PACKAGE_REFERENCES[name]}]"
            found.append(f"{name} {version}{cited}")
        return found


def _counted(table):
    """Return how many people are left out for each reason, without details of single people."""
    if table is None or table.empty:
        return {}
    # After the colon comes what is specific to a person, such as the name of a region.
    kinds = table["reason"].astype(str).str.split(":").str[0]
    kinds = kinds.replace("constant series", "a region without signal")
    return kinds.value_counts(sort=False).to_dict()


def _words_of(columns):
    """Return columns of the people as words; "nothing" without any."""
    return in_words(methods_people.KNOWN[name] for name in columns) or "nothing"


def _range_of(counts):
    """Return how often as words; "" if never."""
    counts = [int(one) for one in counts if one > 0]
    if not counts:
        return ""
    if min(counts) == max(counts):
        return times(counts[0])
    return f"{min(counts):,} to {max(counts):,} times"


def _settings(given):
    """Return parameters as words: ``height 3, features last``."""
    parts = []
    for name, value in given.items():
        if isinstance(value, list):
            value = "/".join(map(str, value))
        parts.append(f"{name.replace('_', ' ')} {value}")
    return ", ".join(parts)


def _grid(grid):
    if grid:
        return f"; {_settings(grid)}"
    return ""
