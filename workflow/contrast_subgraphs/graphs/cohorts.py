"""Cohorts: the people in each of them, and who is left out and why."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd

from ..core.checks import in_words, plural
from ..core.columns import gaps, has_internal, internal, missing_entries
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.doubts import warn_of_absent_regions, warn_of_strength
from ..core.errors import InputError
from ..data.phenotypes import NO_FILE, quality_ok, subject_names
from ..design import CohortGraphs, plain_question, questions_of
from ..design.covariates import adjusted_graphs
from .expressions import evaluate


def group_labels(phenotypes, groups):
    """Return the place of each row's group, -1 for people in no group.

    `groups`: from each name to its expression; without groups, as for a variable, all rows are 0.
    """
    found = np.zeros(len(phenotypes), dtype=int)
    if groups:
        found[:] = -1
    for k, (group, where) in enumerate(groups.items()):
        chosen = np.asarray(evaluate(where, phenotypes).fillna(False), dtype=bool)
        # Someone in both groups would be compared with themselves.
        twice = np.flatnonzero(chosen & (found >= 0))
        if len(twice):
            name = subject_names(phenotypes).iloc[twice[0]]
            other = list(groups)[found[twice[0]]]
            raise InputError(
                f"the subject {name} is in both groups: correct `groups.{other}` "
                f"({groups[other]}) or `groups.{group}` ({where})"
            )
        found[chosen] = k
    return found


def check_cohorts(phenotypes, groups, cohorts):
    """Raise an `InputError` for a cohort that is empty or has one group, before any download.

    Returns ``cohort``, and for each of its groups the number of subjects with a file, before anyone
    is left out; missing for groups that are not in it.
    """
    with_file = (internal(phenotypes, "FILE_ID") != NO_FILE).to_numpy()
    questions = questions_of({"groups": groups, "cohorts": cohorts})
    compared = [cohorts[name] for name, question in questions.items() if question.of_groups]
    _warn_of_strays(phenotypes, compared, groups)
    rows = []
    for name, question in questions.items():
        where = cohorts[name]["where"]
        y = group_labels(phenotypes, {group: groups[group] for group in question.groups})
        chosen = np.asarray(evaluate(where, phenotypes).fillna(False), dtype=bool)
        table = question.read(phenotypes, f"contrasts.{name}.").assign(rank=y)
        table = table[chosen & with_file & (y >= 0)]
        table = table[question.reasons(table) == ""]
        # Sizes count only people whom the question can use, as in the cohort itself.
        labels = table["rank"].to_numpy()
        _check_sizes(name, where, labels, question.groups, "with a file", table)
        if question.groups:
            sizes = dict(zip(question.groups, np.bincount(labels).tolist(), strict=True))
            rows.append({"cohort": name} | sizes)
    return pd.DataFrame(rows, columns=["cohort", *groups]).astype(dict.fromkeys(groups, "Int64"))


def _warn_of_strays(phenotypes, cohorts, groups):
    """Warn about people of the cohorts who are in no group: perhaps a group is misspelled."""

    def any_of(expressions):
        answers = [evaluate(expression, phenotypes).fillna(False) for expression in expressions]
        return np.logical_or.reduce([np.asarray(answer, dtype=bool) for answer in answers])

    if not cohorts:
        return
    in_cohorts = any_of([cohort["where"] for cohort in cohorts])
    strays = in_cohorts & ~any_of(groups.values())
    if strays.any():
        first = subject_names(phenotypes)[strays].iloc[0]
        text = (
            f"{strays.sum()} of {in_cohorts.sum()} {PEOPLE} are in none of the groups "
            f"{', '.join(groups)}, such as {first}, and are left out"
        )
        warnings.warn(DataWarning(text), stacklevel=3)


def _check_sizes(cohort, where, y, groups, kind, table):
    if "value" in table and len(y) and table["value"].nunique() < 2:
        raise InputError(
            f"contrasts.{cohort}: the variable is {table['value'].iloc[0]:g} in all "
            f"{plural(len(y), 'subject')} {kind} (`{where}`): there is nothing to compare"
        )
    if not groups and len(y):
        return
    sizes = [int((y == label).sum()) for label in range(max(2, len(groups)))]
    if not any(sizes):
        raise InputError(f"the cohort {cohort} is empty: no subject {kind} satisfies `{where}`")
    if not all(sizes):
        counts = in_words(f"{n} {name}" for n, name in zip(sizes, groups, strict=True))
        needed = "all"
        if len(groups) == 2:
            needed = "both"
        raise InputError(
            f"the cohort {cohort} has {counts} subjects {kind} (`{where}`): "
            f"{needed} groups are needed"
        )


class _LeftOut:
    """The people who are left out of a cohort, and why."""

    def __init__(self, cohort):
        self._cohort = cohort
        self._tables = []

    def add(self, subjects, reasons):
        """Note some people, with a reason each or one for all."""
        self._tables.append(pd.DataFrame({"subject": subjects, "reason": reasons}))

    def say(self, count, total, why, what=PEOPLE):
        """Warn that people, or graphs of people who have several, are left out."""
        text = f"cohort {self._cohort}: {count} of {total} {what} are left out: {why}"
        warnings.warn(DataWarning(text), stacklevel=4)

    def without(self, table, reasons):
        """Return a table without the people with a reason to be left out; note them and warn."""
        lost = reasons != ""
        if lost.any():
            what = PEOPLE
            if "person" in table and table["person"].duplicated().any():
                what = "graphs"
            self.say(int(lost.sum()), len(table), in_words(sorted(set(reasons[lost]))), what)
            self.add(table["subject"][lost], reasons[lost])
        return table[~lost].reset_index(drop=True)

    def table(self):
        """Return all people who were noted: ``subject``, ``reason``."""
        return pd.concat(self._tables).sort_values(["reason", "subject"], ignore_index=True)


def build_cohort(
    graphs,
    phenotypes,
    excluded,
    groups,
    cohort,
    where,
    volumes=None,
    missing_covariates="keep",
    question=None,
):
    """Return a cohort's `CohortGraphs`, ``members`` and ``left_out``, for rows in any order.

    `excluded`: why some people have no graph (`exclusions`); `groups`: name -> expression;
    `volumes`: the lengths of the series; `question`: by default how the groups differ. The members
    are the first group, then the second, by name within each; ``left_out`` (``subject``,
    ``reason``) are people who satisfy `where`, or for whom it has no answer, but who are not in the
    cohort.
    """
    question = question or plain_question(groups)
    left = _LeftOut(cohort)
    # 1. People who satisfy the rule, are in a group and have a graph.
    member, y = _membership(graphs, phenotypes, excluded, groups, where, left)
    # 2. What the question needs to know about them: a variable, a person, ...
    asked = question.read(phenotypes, f"contrasts.{cohort}.")
    table = _members(phenotypes[member], y[member], list(groups), asked[member])
    kind = "with a usable graph"
    # 3. On request, people without a covariate that is known for others.
    if missing_covariates == "drop":
        table = left.without(table, _gaps(table))
        kind = f"{kind} and known covariates"
    table["rank"] = 0
    if groups:
        table["rank"] = table["group"].map(list(groups).index)
    # 4. People whom the question cannot use. Whoever is left out is noted with the reason.
    table = left.without(table, question.reasons(table))
    labels = table.pop("rank").to_numpy(int)
    _check_sizes(cohort, where, labels, list(groups), kind, table)
    if volumes is not None:
        known = dict(zip(volumes["subject"], volumes["volumes"], strict=True))
        table["volumes"] = table["subject"].map(known).replace(0, np.nan)
    found = _graphs_of(table, labels, graphs, question, tuple(groups), cohort)
    _warn_of_graphs(found)
    return found, table, left.table()


def _membership(graphs, phenotypes, excluded, groups, where, left):
    """Return whether each row belongs to a cohort, and its group; note the others."""
    names = subject_names(phenotypes)
    with_graph = set(graphs.subject.tolist())
    strangers = sorted(with_graph - set(names))
    if strangers:
        raise InputError(
            f"{strangers[0]} (and {len(strangers) - 1} others) has a graph but is not in the "
            "phenotypic file: one of the two was changed or cut. Delete `data/phenotypes.csv` and "
            "the folder `graphs` of the results and run the same command again"
        )
    answer = evaluate(where, phenotypes)
    unknown = missing_entries(answer)
    chosen = np.asarray(answer.fillna(False), dtype=bool)
    y = group_labels(phenotypes, groups)
    available = names.isin(with_graph).to_numpy()
    without = names[chosen & (y >= 0) & ~available]
    left.add(without, _reasons_of(without, excluded))
    left.add(names[chosen & (y < 0)], "in neither group")
    left.add(names[unknown], f"unknown whether {where}")
    if unknown.any():
        left.say(int(unknown.sum()), len(unknown), f"unknown whether {where}")
    return chosen & (y >= 0) & available, y


def _reasons_of(names, excluded):
    """Return why some people have no graph."""
    reasons = dict(zip(excluded["subject"], excluded["reason"], strict=True))
    for name in sorted(set(names) - reasons.keys()):
        raise InputError(
            f"{name} is in the phenotypic file but has neither a graph nor a reason to have none: "
            "delete the folder `graphs` of the results and run the same command again"
        )
    return [reasons[name] for name in names]


def _graphs_of(table, codes, graphs, question, groups, cohort):
    """Return the graphs of a cohort's members, with the question and its values."""
    value = None
    if "value" in table:
        value = table["value"].to_numpy()
    person = None
    if "person" in table:
        person = table["person"].to_numpy(str)
    number = None
    if groups:
        # Without groups, the numbers are the outcome itself.
        number = value
    return CohortGraphs(
        **vars(graphs.take(table["subject"].tolist())),
        y=question.outcome(codes, value),
        groups=groups,
        cohort=cohort,
        question=question,
        value=number,
        person=person,
    )


def _warn_of_graphs(graphs):
    """Warn about regions that are absent in one group, and about a group with more total weight."""
    named = list(graphs.groups)
    high = graphs.y
    if not named:
        named = graphs.question.ends(())[::-1]
        high = (graphs.y > np.median(graphs.y)).astype(int)
    # With several groups, each pair has a cohort of its own, or can have one.
    if len(named) == 2:
        warn_of_absent_regions(graphs.weights, high, named, graphs.roi, graphs.cohort)
        warn_of_strength(graphs.weights, graphs.y, named, graphs.cohort)


def adjust_cohort(graphs, members, names, *, modes=None, seed=0):
    """Return a cohort's graphs after some columns of `members` are regressed out of their weights.

    `modes`: this many modes that all people share are regressed out too.
    """
    where = f"cohort {graphs.cohort}, graph.adjust"
    graphs.question.check_nuisance(members[list(names)], graphs.y, where)
    for name in names:
        missing = int(missing_entries(members[name]).sum())
        if missing:
            text = (
                f"cohort {graphs.cohort}, graph.adjust: {name} is not known for {missing} of "
                f"{len(members)} {PEOPLE}: the median, or most frequent, is taken"
            )
            warnings.warn(DataWarning(text), stacklevel=2)
    weights = adjusted_graphs(graphs.weights, members, names, modes=modes, random_state=seed)
    return replace(graphs, weights=weights)


def _gaps(table):
    """Say for each member which covariates are missing that are known for other people."""
    known = [
        column for column in ("age", "sex", "motion") if not missing_entries(table[column]).all()
    ]
    return gaps(table[known])


#: ABIDE's numbers (1 male, 2 female), ADHD-200's (1 male, 0 female), and other spellings.
_MALE = (1, "1", "M", "m", "Male", "male", "MALE")
_FEMALE = (2, 0, "2", "0", "F", "f", "Female", "female", "FEMALE")
_SEX = dict.fromkeys(_MALE, "male") | dict.fromkeys(_FEMALE, "female")


def _members(phenotypes, y, groups, asked):
    def column(name, meaning=None):
        if not has_internal(phenotypes, name):
            return np.nan
        values = internal(phenotypes, name).reset_index(drop=True)
        if meaning:
            return values.map(meaning)
        return values

    group = None
    if groups:
        group = np.array(groups)[y]
    table = pd.DataFrame(
        {
            "subject": internal(phenotypes, "FILE_ID").to_numpy(str),
            "group": group,
            "site": internal(phenotypes, "SITE_ID").to_numpy(str),
            **{part: asked[part].to_numpy() for part in asked},
        }
    )
    table["age"] = column("AGE_AT_SCAN")
    table["sex"] = column("SEX", _SEX)
    table["eyes"] = column("EYE_STATUS_AT_SCAN", {1: "open", 2: "closed"})
    table["motion"] = column("func_mean_fd")
    table["volumes"] = np.nan
    # The order must not depend on that of the phenotypes: permutations would draw other labels.
    order = table.assign(rank=y).sort_values(["rank", "subject"]).index
    return table.loc[order].reset_index(drop=True)


def exclusions(phenotypes, tables, quality_checked=False):
    """Return every subject of the phenotypes that has no graph: ``subject, site, reason``.

    `tables`: one for each site, from `graphs.correlation.site_graphs`.
    """
    names = subject_names(phenotypes)
    status = pd.concat(tables, ignore_index=True)
    strangers = sorted(set(status["subject"]) - set(names))
    if strangers:
        raise InputError(
            f"{strangers[0]} (and {len(strangers) - 1} others) has series but is not in the "
            "phenotypic file: it was changed or cut. Delete `data/phenotypes.csv` of the results "
            "and run the same command again"
        )
    no_file = internal(phenotypes, "FILE_ID") == NO_FILE
    if quality_checked:
        failed = ~quality_ok(phenotypes)
    else:
        failed = no_file
    reason_of = dict(zip(status["subject"], status["reason"], strict=True))
    reasons = pd.Series([reason_of.get(name) for name in names], names.index, dtype=object)
    reasons[failed] = "failed the visual check of its images"
    reasons[no_file] = "no file in the release"
    table = pd.DataFrame(
        {"subject": names, "site": internal(phenotypes, "SITE_ID"), "reason": reasons}
    )
    # Everyone must have a graph or a reason. A silent gap would be a study with fewer people.
    used = set(status["subject"][status["status"] == "used"])
    table = table[~names.isin(used) | failed | no_file]
    for _, row in table[missing_entries(table["reason"])].iterrows():
        raise InputError(f"the site {row['site']} has no series of {row['subject']} and no reason")
    return table.sort_values(["site", "subject"], ignore_index=True)
