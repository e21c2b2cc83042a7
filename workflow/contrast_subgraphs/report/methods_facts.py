"""The facts for the text of a methods section, from a run's config and its tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ..contrast.relabelled import ALPHA_DRAWS
from ..core.columns import covariates_of, missing_entries
from ..core.holm import holm
from ..data.simulated import SITES
from ..inference.effect_size import CALIBRATION, FOLDS_TO_CHOOSE
from ..inference.sites import LEAST
from ..inference.stability import RELABELLINGS
from ..inference.would_find import SHARE
from ..methods import METHODS, PREDICTORS, of_kind
from .findings import CohortFindings, held_out, verdict
from .names import Names, rows_of

#: Constants of the library that the text mentions.
CONSTANTS = {
    "alpha_draws": ALPHA_DRAWS,
    "calibration": CALIBRATION,
    "folds_to_choose": FOLDS_TO_CHOOSE,
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

#: The features of each method.
FEATURES = {
    "cs-p1": "the sum of weights inside each of the two directed sets [@lanciano2020]",
    "cs-p2": "the distances to both groups' mean inside the symmetric set [@lanciano2020]",
    "graph2vec": "an embedding of the whole network [@narayanan2017]",
    "sub2vec": "an embedding of random walks [@adhikari2018]",
    "wl-kern": "counts of subtree patterns, a Weisfeiler-Lehman kernel [@shervashidze2011]",
    "embs": "an embedding by an autoencoder [@gutierrez2019]",
    "edges": "the weights of all pairs of the networks",
    "site": "the site, and nothing of the brain",
    "motion": "age, sex, head motion and scan length, and nothing of the brain",
    "edges-weighted": "the weights of all pairs before the threshold",
    "edges-adjusted": "the same with age, sex, motion and scan length regressed out",
    "edges-combat": "the same with sites harmonized by ComBat [@johnson2007]",
    "tangent": "covariances in tangent space [@varoquaux2010]",
    "cpm": "connectome-based predictive modeling [@shen2017]",
    "system-means": "mean weights within and between systems",
    "two-scale": "all weights, and means within and between systems",
    "cs-weighted": "mean weights inside several weighted sets",
    "cs-adjusted": "the same, of weights with age, sex, motion and scan length regressed out",
}

#: The features for the prediction of a variable, if they differ.
OF_A_VARIABLE = {
    "cs-p1": "the mean weight inside each of the two directed sets [@lanciano2020]",
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
    left_out: dict  # reason -> number of people
    lacking: int  # the number of people who lack a covariate of the tests
    test: Mapping[str, Any] | None  # from the table `significance`: permutations, exact, blocks
    estimate: str  # what is estimated for each pair of regions
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
        # Folders depend on the machine; the name of the file means something to others.
        return f"the atlas {Path(named).name.split('.')[0]}"

    @property
    def pipeline(self):
        return PIPELINES[self.source["pipeline"]]

    @property
    def measure(self):
        return MEASURES[self.config["graph"]["measure"]]

    @property
    def covariates(self):
        """The covariates of the tests, including those that the graphs are adjusted for."""
        # Each only once: a column may be named in both places.
        graph = self.config["graph"]["adjust"]
        return list(dict.fromkeys([*graph, *self.config["inference"]["covariates"]]))

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

    @property
    def classifiers(self):
        """Labels of the methods, with their features and references."""
        return [self._called(name) for name in self.config["methods"]]

    @property
    def predictors(self):
        """Labels of the methods that predict a variable, with features and references."""
        there = [name for name in self.config["methods"] if name in PREDICTORS]
        return [self._called(name, FEATURES | OF_A_VARIABLE) for name in there]

    def _called(self, name, features=FEATURES):
        label = self.names("method", name)
        own = (self.config.get("own_methods") or {}).get(name)
        if own:
            return f"{label}, own code ({own['estimator']}{_grid(own.get('grid'))})"
        return f"{label}, {features[name]}"

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
            left_out=_counted(self.left_out.get(name)),
            lacking=self._lacking(name),
            test=test,
            estimate=names.question(name).estimate(names.labels_of(name)),
            found=found,
            row=held_out(self.tables.get("accuracy"), name),
            predicted=best,
        )

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
        if members is None:
            if found is None:
                return ""
            return found.sizes
        pair = self.names.pair(name)
        if not pair or self.names.question(name).within_person:
            said = [_described(members)]
            return found.sizes + _in_brackets(said[0])
        parts = []
        for group, label in zip(pair, self.names.labels_of(name), strict=True):
            people = members[members["group"] == group]
            parts.append(f"{len(people)} {label}{_in_brackets(_described(people))}")
        several = ""
        if self._repeated(name):
            several = f", graphs of {members['person'].nunique()} {self.names.subjects}"
        return " and ".join(parts) + several

    def _lacking(self, name):
        members = self.members.get(name)
        columns = [one for one in self.covariates if members is not None and one in members]
        if not columns:
            return 0
        gaps = [missing_entries(values) for values in covariates_of(members, columns).values()]
        return int(pd.DataFrame(gaps).any().sum())

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
        members = self.members.get(name)
        return members is not None and "person" in members and members["person"].duplicated().any()

    @property
    def untested(self):
        """Labels of the cohorts whose labels cannot be permuted."""
        tested = [one for one in self.cohorts if one.test is not None]
        return [one.label for one in tested if one.test["permutations"] == 0]

    @property
    def sites(self):
        """Whether differences were measured site by site."""
        return len(self.tables.get("over_sites", ())) > 0

    @property
    def classified(self):
        """Whether people's groups are predicted."""
        return len(self.tables.get("accuracy", ())) > 0

    @property
    def predicted(self):
        """Whether people's values of a variable are predicted."""
        return len(self.tables.get("prediction", ())) > 0

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


def _described(people):
    """Return what is known about age, sex and motion of people, as words."""
    said = []
    if "age" in people and people["age"].notna().any():
        said.append(f"age {people['age'].mean():.1f} ± {people['age'].std():.1f}")
    if "sex" in people and people["sex"].notna().any():
        counts = people["sex"].astype(str)[people["sex"].notna()].value_counts()
        said.append(", ".join(f"{counts[one]} {one}" for one in sorted(counts.index)))
    if "motion" in people and people["motion"].notna().any():
        said.append(
            f"mean framewise displacement {people['motion'].mean():.2f} ± "
            f"{people['motion'].std():.2f} mm"
        )
    if "volumes" in people and people["volumes"].notna().any():
        low = int(people["volumes"].min())
        high = int(people["volumes"].max())
        length = f"{low} to {high}"
        if low == high:
            length = str(low)
        said.append(f"{length} volumes")
    return "; ".join(said)


def _in_brackets(text):
    if text:
        return f" ({text})"
    return ""


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
