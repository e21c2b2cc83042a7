"""What a methods section says of a cohort's people, from the table of its members.

A person can have several graphs. Age, sex and motion are those of people: means over their graphs.
"""

import warnings

import numpy as np
import pandas as pd

from ..core.checks import in_words, plural
from ..core.columns import covariates_of, missing_entries, numbers
from ..evaluation.subject_data import Subjects
from .formats import p_text

#: What is known about people, as the columns and the words for them.
KNOWN = {"age": "age", "sex": "sex", "motion": "head motion", "volumes": "scan length"}
#: Of these, what tables of people give; the length of a scan comes from the data.
GIVEN = ("age", "sex", "motion")


def one_row_each(graphs):
    """Return a row for each person: means of numbers over their graphs, the first of all else."""
    if not repeated(graphs):
        return graphs
    how = {}
    for column in graphs:
        how[column] = "first"
        if pd.api.types.is_numeric_dtype(graphs[column]):
            how[column] = "mean"
    return graphs.groupby(graphs["person"].astype(str), sort=False).agg(how)


def repeated(members):
    """Return whether any person has several graphs."""
    return members is not None and "person" in members and members["person"].duplicated().any()


def sizes(members, pair, labels, within_person, subjects):
    """Return how many graphs and people there are in each group, with what is known about these."""
    parts = []
    for group, label in zip(pair, labels, strict=True):
        graphs = members[members["group"] == group]
        people = one_row_each(graphs)
        # In a pair each group has one graph of each.
        count = f"{len(graphs)} {label}"
        if within_person:
            count = label
        elif len(people) < len(graphs):
            count = f"{len(graphs)} {label} graphs of {counted(len(people), subjects)}"
        parts.append(count + described(people))
    said = " and ".join(parts)
    if within_person:
        return f"{plural(members['person'].nunique(), 'pair')} of {said}"
    if repeated(members):
        return f"{said}, graphs of {counted(members['person'].nunique(), subjects)}"
    return said


def counted(count, subjects):
    """Return a number of people; `subjects` is the config's noun for them, in the plural."""
    if count == 1:
        return f"1 {subjects.removesuffix('s')}"
    return f"{count} {subjects}"


def described(people):
    """Return what is known about age, sex and motion of people in brackets; "" for nothing."""
    said = []
    if "age" in people and people["age"].notna().any():
        said.append(f"age {_spread(people['age'], '.1f')}{_unknown(people['age'])}")
    if "sex" in people and people["sex"].notna().any():
        counts = people["sex"].astype(str)[people["sex"].notna()].value_counts()
        each = ", ".join(f"{counts[one]} {one}" for one in sorted(counts.index))
        said.append(each + _unknown(people["sex"]))
    if "motion" in people and people["motion"].notna().any():
        moved = _spread(people["motion"], ".2f")
        said.append(f"mean framewise displacement {moved} mm{_unknown(people['motion'])}")
    if "volumes" in people and people["volumes"].notna().any():
        low = int(people["volumes"].min())
        high = int(people["volumes"].max())
        length = f"{low} to {high}"
        if low == high:
            length = str(low)
        said.append(f"{length} volumes")
    if not said:
        return ""
    return f" ({'; '.join(said)})"


def _spread(values, how):
    """Return a mean with its standard deviation; of one person there is no deviation."""
    mean = format(values.mean(), how)
    if values.notna().sum() < 2:
        return mean
    return f"{mean} ± {values.std():{how}}"


def _unknown(values):
    """Return for how many something is not known, after a comma; "" for nobody."""
    count = int(values.isna().sum())
    if not count:
        return ""
    return f", {count} not known"


def compared(members, pair, within_person):
    """Return how age, motion and sex of two groups compare, as words; "" if nothing is known."""
    if members is None or not pair:
        return ""
    groups = [one_row_each(members[members["group"] == group]) for group in pair]
    said = []
    for column in ("age", "motion"):
        p = None
        if column in members and within_person:
            p = _difference_within(members, column)
        elif column in members:
            p = _difference(*(numbers(group, column) for group in groups))
        if p is not None:
            said.append(f"{KNOWN[column]} {p_text(p)}")
    test = "Welch's t-test"
    if within_person:
        test = "paired t-test"
    found = []
    if said:
        found.append(f"{', '.join(said)} ({test})")
    # Within pairs the two sexes are those of one person, or were matched.
    sex = None
    if not within_person and "sex" in members:
        sex = _association(groups)
    if sex is not None:
        found.append(f"sex {p_text(sex)} (Fisher's exact test)")
    return "; ".join(found)


def _difference(first, second):
    """Return Welch's p of two groups' numbers; None where too few are known, or all are alike."""
    from scipy import stats

    known = [values[~np.isnan(values)] for values in (first, second)]
    if min(map(len, known)) < 2 or all(values.std() == 0 for values in known):
        return None
    return float(stats.ttest_ind(*known, equal_var=False).pvalue)


def _difference_within(members, column):
    """Return p of the differences within pairs; None where there are none to test."""
    from scipy import stats

    by_group = members.assign(at=numbers(members, column))
    both = by_group.pivot(index="person", columns="group", values="at").dropna()
    if both.shape[1] != 2 or len(both) < 2:
        return None
    difference = both.iloc[:, 0] - both.iloc[:, 1]
    if difference.std() == 0:
        return None
    return float(stats.ttest_1samp(difference, 0.0).pvalue)


def _association(groups):
    """Return Fisher's p of sex and group; None unless both sexes are there."""
    from scipy import stats

    counts = pd.DataFrame([group["sex"].dropna().astype(str).value_counts() for group in groups])
    if counts.shape[1] != 2 or counts.isna().to_numpy().all(axis=1).any():
        return None
    return float(stats.fisher_exact(counts.fillna(0).to_numpy(int)).pvalue)


def at_sites(members, subjects):
    """Return at how many sites people were measured, and how many at each; "" for one site."""
    if members is None or "site" not in members or members["site"].nunique() < 2:
        return ""
    # Who was measured at two sites counts at both.
    who = members["subject"]
    if "person" in members:
        who = members["person"]
    counts = who.astype(str).groupby(members["site"].astype(str)).nunique()
    each = counted(counts.max(), subjects)
    if counts.min() < counts.max():
        each = f"{counts.min()} to {each}"
    return f"{len(counts)} sites ({each} each)"


def known_columns(members):
    """Return the columns of `KNOWN` that hold anything for anyone."""
    if members is None:
        return list(KNOWN)
    return [name for name in KNOWN if name in members and not missing_entries(members[name]).all()]


def nuisance_columns(members, question):
    """Return the columns that scores of predictions are compared with and adjusted for.

    These are the known ones without those that determine what is predicted.
    """
    if members is None or not question.task:
        return known_columns(members)
    codes = None
    if question.groups:
        codes = members["group"].map(list(question.groups).index).to_numpy()
    asked = question.outcome(codes, members.get("value"))
    with warnings.catch_warnings():
        # The run has warned of them already.
        warnings.simplefilter("ignore", UserWarning)
        left = Subjects(members).without(np.asarray(asked)).nuisance()
    return [name for name in KNOWN if name in left]


def with_gaps(members, columns):
    """Return those of the columns that are known of some people and not of others."""
    if members is None:
        return []
    found = []
    for name in columns:
        if name not in members:
            continue
        missing = missing_entries(covariates_of(members, [name])[name])
        if missing.any() and not missing.all():
            found.append(name)
    return found


def lacking(members, columns):
    """Return a mask of the graphs of people who lack one of some columns; None if no one does."""
    there = [one for one in columns if members is not None and one in members]
    if not there:
        return None
    gaps = [missing_entries(values) for values in covariates_of(members, there).values()]
    missing = pd.DataFrame(gaps).any().to_numpy()
    if not missing.any():
        return None
    return missing


def left_after(members, missing, question, labels, subjects, one_covariate):
    """Say how many lack a covariate, and how many that leaves in each group."""
    what = "one of these"
    if one_covariate:
        what = "it"
    if question.within_person:
        # Without one of its two graphs a pair says nothing.
        pairs = members["person"]
        count = pairs[missing].nunique()
        total = f"{pairs.nunique()} pairs"
        left = str(pairs.nunique() - count)
    else:
        count = int(missing.sum())
        noun = subjects
        if repeated(members):
            noun = "graphs"
        total = f"{len(members)} {noun}"
        left = _in_groups(members[~missing], question.groups, labels)
    were = "were"
    if count == 1:
        were = "was"
    out = f"{count} of {total} lacked {what} and {were} left out of sets and tests"
    return f"{out}, which leaves {left}"


def _in_groups(graphs, groups, labels):
    """Return how many graphs there are in each group; without groups, in all."""
    if not groups:
        return str(len(graphs))
    counts = [int((graphs["group"] == group).sum()) for group in groups]
    return in_words(f"{n} {label}" for n, label in zip(counts, labels, strict=True))
