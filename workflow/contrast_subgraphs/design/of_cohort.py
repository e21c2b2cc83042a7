"""The design of a whole cohort, from its graphs, the table of its people and the config."""

import warnings

from ..core.checks import check_option, in_words
from ..core.columns import covariates_of, identifiers
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from .covariates import adjusted_graphs, all_known
from .modes import mode_scores

#: A column that is used for blocks if a cohort has it; it need not exist.
SITE = "site"


def cohort_design(graphs, members, settings, seed, cohort):
    """Return a cohort's graphs without people who lack a covariate, and their `Design`.

    `settings`, the config's section ``inference``, name the column of ``blocks`` (None or ``none``
    to permute freely, as with ``site`` if the people have no sites), the ``covariates``, and how
    graphs of people who have several are exchanged (``exchange``, as for `Design`).
    """
    if members["subject"].tolist() != graphs.subject.tolist():
        raise InputError("the table of members and the graphs are of different people")
    within = blocks_column(members, settings)
    covariates = settings["covariates"]
    there = [column for column in members if column != "subject"]
    for name in (within, *covariates):
        if name is not None:
            _check_known(name, there)
    columns = covariates_of(members, covariates)
    if covariates:
        whole = all_known(columns)
        if not whole.all():
            text = (
                f"{(~whole).sum()} of {len(whole)} {PEOPLE} lack {in_words(covariates, 'or')}: "
                "they are left out of contrasts and tests"
            )
            warnings.warn(DataWarning(text), stacklevel=3)
            # All three at once: people without a covariate must be missing from each.
            graphs = graphs.of(whole)
            members = members[whole]
            columns = {name: values[whole] for name, values in columns.items()}
        where = "inference.covariates, or graph.adjust"
        graphs.question.check_nuisance(members[list(covariates)], graphs.y, where)
    design = graphs.question.design(
        graphs,
        blocks=None if within is None else identifiers(members, within),
        covariates=columns,
        exchange=settings.get("exchange") or "auto",
        random_state=seed,
        name=cohort,
    )
    return graphs, design


def _check_known(name, there):
    """Raise InputError, with the way out, if the people have no column of this name."""
    try:
        check_option("inference: a column of the people", name, there)
    except InputError as error:
        # A study's own name of a column is known only by what it is: site, age, sex or motion.
        raise InputError(
            f"{error}. Say what a column of your own table is by sources.folder.site, .age, .sex "
            f"or .motion, such as `age: {name}`, and name that here (age)"
        ) from None


def beside_modes(raw, members, settings, adjust, modes, seed):
    """Return members and settings of `cohort_design` with the modes that all people share added.

    The modes are already removed from the graphs of contrasts and tests (`adjusted_graphs`), so
    that they belong in the model too. `raw` are the cohort's graphs before that; `adjust` names the
    columns that were regressed out first.
    """
    weights = adjusted_graphs(raw.weights, members, adjust)
    scores = mode_scores(weights, modes, random_state=seed)
    covariates = [*settings["covariates"], *scores]
    return members.assign(**scores), settings | {"covariates": covariates}


def blocks_column(members, settings):
    """Return the column whose values are the blocks that labels are permuted within, or None."""
    blocks = settings["blocks"]
    if blocks in (None, "none"):
        return None
    if blocks == SITE and (SITE not in members or members[SITE].nunique(dropna=False) < 2):
        return None
    return blocks
