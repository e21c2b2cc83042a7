"""What the baselines' full grids will cost, to be said before they start."""

from contrast_subgraphs.baselines import estimate_evaluation, estimate_grid

#: People of ABIDE: no cohort is larger.
MOST = 1112


def cohort_sizes(cohorts, graphs, paper):
    """Return the number of subjects of each cohort, as well as it is known.

    Parameters
    ----------
    cohorts : iterable of str
    graphs : pathlib.Path
        The folder ``results/<source>/graphs``; what is there is counted.
    paper : dict
        Of the cohorts of the paper, ``{"td": ..., "asd": ...}``.

    Returns
    -------
    dict of int
    """
    sizes = {}
    for cohort in cohorts:
        members = graphs / f"{cohort}.tsv"
        if members.exists():
            sizes[cohort] = max(len(members.read_text(encoding="utf-8").splitlines()) - 1, 1)
        else:
            sizes[cohort] = sum(paper[cohort].values()) if cohort in paper else MOST
    return sizes


def grid_cost(method, sets, sizes, evaluation):
    """Return a sentence: parameter sets and estimated CPU hours of a method.

    Parameters
    ----------
    method : str
    sets : dict of list of dict
        Parameter sets of each cohort.
    sizes : dict of int
        From `cohort_sizes`.
    evaluation : dict
        Config section ``evaluation``.
    """
    number = sum(len(own) for own in sets.values())
    training = sum(estimate_grid(method, own, sizes[c]) for c, own in sets.items())
    scoring = sum(estimate_evaluation(len(own), sizes[c], evaluation) for c, own in sets.items())
    return (
        f"{method}: the full grid has {number} parameter sets for {', '.join(sets)}; estimated "
        f"{_span(training)} to train them and {_span(scoring)} to evaluate them (one core)"
    )


def _span(seconds):
    if seconds < 5400:
        return f"{max(1, round(seconds / 60))} min"
    return f"{seconds / 3600:.0f} hours"
