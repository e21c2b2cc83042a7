"""Weights harmonised over sites."""

import warnings

import numpy as np
import pandas as pd

from ...core.columns import whole_identifiers
from ...core.data_warnings import PEOPLE, DataWarning
from ...core.extras import optional


class HarmonisedEdges:
    """The weights of all pairs after ComBat (method ``edges-combat``).

    ComBat (Johnson et al., Biostatistics 2007; for connectivity Yu et al., Human Brain Mapping
    2018) by combatlearn, learnt from the training part without the diagnosis. People at sites with
    fewer than two training subjects, such as the whole test part of ``sites``, stay as they are.
    """

    def fit(self, subjects, y=None):
        """Learn the sites' shifts and scales; `y` is not used."""
        site = _site(subjects)
        counts = pd.Series(site).value_counts()
        self.sites_ = sorted(counts.index[counts >= 2])
        there = np.isin(site, self.sites_)
        library = optional("combatlearn", "combat")
        with warnings.catch_warnings():
            # It warns of sites of very different sizes, which are usual.
            warnings.simplefilter("ignore")
            self._model = library.core.ComBatModel().fit(
                pd.DataFrame(subjects.weights[there]), batch=pd.Series(site[there])
            )
        return self

    def transform(self, subjects):
        """Return the harmonised weights, (n_subjects, n_pairs)."""
        site = _site(subjects)
        there = np.isin(site, self.sites_)
        if not there.all():
            text = (
                f"edges-combat: {PEOPLE} at sites that the training part lacks are left as they are"
            )
            warnings.warn(DataWarning(text), stacklevel=2)
        weights = subjects.weights.copy()
        weights[there] = self._model.transform(
            pd.DataFrame(weights[there]), batch=pd.Series(site[there])
        )
        return weights


def _site(subjects):
    return whole_identifiers(subjects.table, "site")
