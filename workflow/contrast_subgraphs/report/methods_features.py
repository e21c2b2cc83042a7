"""What a methods section says of each method: its features, and how its parameters are chosen."""

from ..core.checks import in_words
from ..methods import METHODS

#: The features of each method. {all}: the weights of all pairs; {nuisance}: what is known of age,
#: sex, motion and the scan's length.
FEATURES = {
    "cs-p1": "the sum of weights inside each of the two directed sets [@lanciano2020]",
    "cs-p2": "the distances to both groups' mean inside the symmetric set [@lanciano2020]",
    "graph2vec": "an embedding of the whole network [@narayanan2017]",
    "sub2vec": "an embedding of random walks [@adhikari2018]",
    "wl-kern": "counts of subtree patterns, a Weisfeiler-Lehman kernel [@shervashidze2011]",
    "embs": "an embedding by an autoencoder [@gutierrez2019]",
    "edges": "{edges}",
    "site": "the site, and nothing of the brain",
    "motion": "{nuisance}, and nothing of the brain",
    "edges-weighted": "{all}",
    "edges-adjusted": "{all}, with {nuisance} regressed out",
    "edges-combat": "{all}, with sites harmonized by ComBat [@johnson2007]",
    "tangent": "covariances of the regions' signals in tangent space [@varoquaux2010]",
    "cpm": (
        "connectome-based predictive modeling [@shen2017]: two sums of weights, over pairs with "
        "higher and with lower weights (p < 0.01 in the training part)"
    ),
    "system-means": "mean weights within and between systems",
    "two-scale": "{all}, and their means within and between systems",
    "cs-weighted": "mean weights inside several sets for each direction, found with Welch's t",
    "cs-adjusted": (
        "mean weights inside several sets for each direction, found with Welch's t, all of weights "
        "with {nuisance} regressed out"
    ),
}

#: The features for the prediction of a variable, if they differ.
OF_A_VARIABLE = {
    "cs-p1": "the mean weight inside each of the two directed sets [@lanciano2020]",
}


def features_of(name, graph, nuisance, of_variable=False):
    """Return a method's features as words.

    `graph`: the config's section; `nuisance`: what is known of the people, as words.
    """
    features = FEATURES
    if of_variable:
        features = FEATURES | OF_A_VARIABLE
    edges = "the weights of all pairs of regions"
    if graph["weights"] == "binary":
        edges = "the presence of a connection for each pair of regions"
    every = "the weights of all pairs of regions"
    if graph["threshold"]:
        every += ", before the threshold"
    return features[name].format(edges=edges, all=every, nuisance=nuisance)


def penalties_chosen(names, labels, folds):
    """Return how ridge regression has its penalty, as a sentence without its full stop.

    `names`: methods that predict a variable; `labels`: the run's `Names`.
    """
    ways = {}
    for name in names:
        ways.setdefault(_way(name, folds, labels.subjects), []).append(labels("method", name))
    said = list(ways)
    if len(ways) > 1:
        said = [f"for {in_words(own)} {way}" for way, own in ways.items()]
    text = "; ".join(said)
    return text[0].upper() + text[1:]


def _way(name, folds, subjects):
    """Return how one method has its penalty: by what its learner does (`evaluation.learners`)."""
    method = METHODS[name]
    by_folds = f"by {folds}-fold cross-validation in the training part"
    if method.kind == "contrast":
        return f"the penalty and the percentiles of the sets were chosen {by_folds}"
    if len(method.penalties) == 1:
        return "there is almost no penalty, as in least squares"
    # Features that know no label need no new fit for each person left out.
    if "predict" not in method.learns or not method.uses_labels:
        one_out = f"leaving out one of the {subjects} at a time"
        return f"the penalty was chosen in the training part by {one_out}"
    return f"the penalty was chosen {by_folds}"
