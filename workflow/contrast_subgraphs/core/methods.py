"""The one registry of methods: what a method is called, what it is, and where its code lies.

Nothing is imported from here: the code is named by a text, so that rules, tables, captions
and the command line can list methods in no time.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A method of the table `accuracy`.

    Attributes
    ----------
    label : str
        How the paper, or the field, calls it.
    kind : {"contrast", "embedding", "plain"}
        It extracts contrast subgraphs; embeds the graphs without labels in a stage of its
        own; or learns from the graphs directly.
    estimator : str
        Where its scikit-learn estimator is, as ``"module:Class"``.
    """

    label: str
    kind: str
    estimator: str


_P = "contrast_subgraphs."
#: All methods that come with the package, in the order of the tables.
METHODS = {
    "cs-p1": Method("CS-P1", "contrast", _P + "contrast.features:ContrastSubgraphFeatures"),
    "cs-p2": Method("CS-P2", "contrast", _P + "contrast.features:ContrastSubgraphFeatures"),
    "graph2vec": Method("graph2vec", "embedding", _P + "embeddings.graph2vec:Graph2Vec"),
    "sub2vec": Method("sub2vec", "embedding", _P + "embeddings.sub2vec:Sub2Vec"),
    "wl-kern": Method("WL-Kern", "embedding", _P + "embeddings.wl_kern:WLKern"),
    "embs": Method("Embs", "embedding", _P + "embeddings.embs:Embs"),
    "edges": Method("all edges", "plain", _P + "embeddings.edges:EdgeFeatures"),
}

METHOD_LABELS = {name: method.label for name, method in METHODS.items()}
