"""The baselines as scikit-learn's estimators, for pipelines and for fits on training parts."""

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin

from . import embs, graph2vec, sub2vec, wl_kern


class Embs(embs.Embs, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """`embs.Embs` with the interface of an estimator."""


class Graph2Vec(graph2vec.Graph2Vec, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """`graph2vec.Graph2Vec` with the interface of an estimator."""


class Sub2Vec(sub2vec.Sub2Vec, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """`sub2vec.Sub2Vec` with the interface of an estimator."""


class WLKern(wl_kern.WLKern, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """`wl_kern.WLKern` with the interface of an estimator."""
