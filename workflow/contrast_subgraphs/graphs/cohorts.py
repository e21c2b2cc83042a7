"""Cohorts: who belongs to one, who is left out, and why."""

import numpy as np
import pandas as pd

from ..core.errors import InputError
from ..core.graphs import GROUPS, CohortGraphs
from ..data.phenotypes import NO_FILE, quality_ok, subject_names
from .expressions import evaluate


def group_labels(phenotypes, groups):
    """Return the group of each row: 0 = TD, 1 = ASD, -1 = neither.

    Parameters
    ----------
    phenotypes : pandas.DataFrame
    groups : dict
        Expressions for ``td`` and ``asd``.

    Raises
    ------
    InputError
        If a subject is in both groups.
    """
    td, asd = (evaluate(groups[group], phenotypes).fillna(False) for group in GROUPS)
    td, asd = np.asarray(td, dtype=bool), np.asarray(asd, dtype=bool)
    if (td & asd).any():
        name = subject_names(phenotypes)[td & asd].iloc[0]
        raise InputError(
            f"the subject {name} is in both groups: correct `groups.td` ({groups['td']}) or "
            f"`groups.asd` ({groups['asd']})"
        )
    return np.where(td, 0, np.where(asd, 1, -1))


def check_cohorts(phenotypes, groups, cohorts):
    """Raise an `InputError` for a cohort that cannot come out right, before any download.

    Parameters
    ----------
    phenotypes : pandas.DataFrame
    groups : dict
        Expressions for ``td`` and ``asd``.
    cohorts : dict
        The config's ``cohorts``: for each name a ``where``.

    Returns
    -------
    pandas.DataFrame
        ``cohort``, ``td``, ``asd``: subjects with a file, before any is left out.
    """
    y = group_labels(phenotypes, groups)
    with_file = (phenotypes["FILE_ID"] != NO_FILE).to_numpy()
    rows = []
    for name, cohort in cohorts.items():
        chosen = np.asarray(evaluate(cohort["where"], phenotypes).fillna(False), dtype=bool)
        labels = y[chosen & with_file & (y >= 0)]
        _check_classes(name, cohort["where"], labels, "with a file")
        rows.append((name, int((labels == 0).sum()), int((labels == 1).sum())))
    return pd.DataFrame(rows, columns=["cohort", "td", "asd"])


def _check_classes(cohort, where, y, kind):
    td, asd = int((y == 0).sum()), int((y == 1).sum())
    if td + asd == 0:
        raise InputError(f"the cohort {cohort} is empty: no subject {kind} satisfies `{where}`")
    if not td or not asd:
        raise InputError(
            f"the cohort {cohort} has {td} TD and {asd} ASD subjects {kind} (`{where}`): "
            "both groups are needed"
        )


def build_cohort(graphs, phenotypes, excluded, groups, cohort, where):
    """Return the graphs of the subjects that an expression selects.

    Rows are joined by ``FILE_ID``; the order of the phenotypic file does not matter.

    Parameters
    ----------
    graphs : connectome.SubjectGraphs
        Every subject that has a graph.
    phenotypes : pandas.DataFrame
        From `read_phenotypes`.
    excluded : pandas.DataFrame
        ``subject`` and ``reason`` of those that have none (`exclusions`).
    groups : dict
        Expressions for ``td`` and ``asd``.
    cohort : str
        The cohort's name, for errors.
    where : str
        The cohort's expression.

    Returns
    -------
    graphs : CohortGraphs
        TD first, then ASD; by name within a group.
    members : pandas.DataFrame
        ``subject``, ``group``, ``site``, ``age``, ``sex``, ``eyes`` in the same order.
    left_out : pandas.DataFrame
        ``subject``, ``reason``: who would belong to the cohort, or might, but does not.

    Raises
    ------
    InputError
        If the expression is wrong, a class is empty, or a subject has neither a graph nor
        a reason to have none.
    """
    names = subject_names(phenotypes)
    chosen = evaluate(where, phenotypes)
    unknown = np.asarray(chosen.isna())
    chosen = np.asarray(chosen.fillna(False), dtype=bool)
    y = group_labels(phenotypes, groups)
    available = names.isin(set(graphs.subject.tolist())).to_numpy()

    reasons = dict(zip(excluded["subject"], excluded["reason"], strict=True))
    without = names[chosen & (y >= 0) & ~available]
    orphan = [name for name in without if name not in reasons]
    if orphan:
        raise InputError(
            f"{orphan[0]} is in the phenotypic file but has neither a graph nor a reason to "
            "have none: the graphs are of other phenotypes; delete the folder `graphs` of the "
            "results and run the same command again"
        )
    left_out = pd.concat(
        [
            pd.DataFrame({"subject": without, "reason": [reasons[name] for name in without]}),
            pd.DataFrame({"subject": names[chosen & (y < 0)], "reason": "in neither group"}),
            pd.DataFrame({"subject": names[unknown], "reason": f"unknown whether {where}"}),
        ]
    ).sort_values(["reason", "subject"], ignore_index=True)

    member = chosen & (y >= 0) & available
    _check_classes(cohort, where, y[member], "with a usable graph")
    table = _members(phenotypes[member], y[member])
    taken = graphs.take(table["subject"].tolist())
    labels = np.array([GROUPS.index(group) for group in table["group"]])
    return CohortGraphs(taken.adjacency, labels, taken.subject, taken.roi), table, left_out


def _members(phenotypes, y):
    def column(name, meaning=None):
        if name not in phenotypes:
            return np.nan
        values = phenotypes[name].reset_index(drop=True)
        return values.map(meaning) if meaning else values

    table = pd.DataFrame(
        {
            "subject": phenotypes["FILE_ID"].to_numpy(str),
            "group": np.array(GROUPS)[y],
            "site": phenotypes["SITE_ID"].to_numpy(str),
        }
    )
    table["age"] = column("AGE_AT_SCAN")
    table["sex"] = column("SEX", {1: "male", 2: "female"})
    table["eyes"] = column("EYE_STATUS_AT_SCAN", {1: "open", 2: "closed"})
    order = table.assign(rank=y).sort_values(["rank", "subject"]).index
    return table.loc[order].reset_index(drop=True)


def exclusions(phenotypes, tables, quality_checked=False):
    """Return every subject of the phenotypes that has no graph, with the reason.

    Parameters
    ----------
    phenotypes : pandas.DataFrame
    tables : iterable of pandas.DataFrame
        Of each site: ``subject``, ``status`` (``used`` or else) and ``reason``
        (`connectome.site_graphs`).
    quality_checked : bool
        Whether subjects that failed the visual check of their images were left out.

    Returns
    -------
    pandas.DataFrame
        ``subject``, ``site``, ``reason``, sorted by site and subject.

    Raises
    ------
    InputError
        If a subject is in no site's table.
    """
    names = subject_names(phenotypes).tolist()
    passed = quality_ok(phenotypes) if quality_checked else np.ones(len(names), bool)
    status = pd.concat(tables, ignore_index=True)
    reasons = dict(zip(status["subject"], status["reason"], strict=True))
    used = set(status["subject"][status["status"] == "used"])
    rows = []
    for name, file, site, good in zip(
        names, phenotypes["FILE_ID"], phenotypes["SITE_ID"], passed, strict=True
    ):
        if file == NO_FILE:
            reason = "no file in the release"
        elif not good:
            reason = "failed the visual check of its images"
        elif name in used:
            continue
        elif name in reasons:
            reason = reasons[name]
        else:
            raise InputError(f"the site {site} has no series of {name} and no reason why")
        rows.append((name, site, reason))
    table = pd.DataFrame(rows, columns=["subject", "site", "reason"])
    return table.sort_values(["site", "subject"], ignore_index=True)


def count_reasons(excluded):
    """Return lines of text: how many subjects were left out for each kind of reason."""
    kinds = excluded["reason"].str.split(":").str[0]
    return [f"{count} left out: {kind}" for kind, count in kinds.value_counts().items()]
