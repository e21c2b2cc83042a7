"""Maps that others published: the proved densest sets beside their greedy peeling.

    python -m benchmarks.published_maps [--folder FOLDER]

Needs a folder with `ukb/t_p_old_vs_young.csv.gz` and `ukb/idx_A.csv` (the example of BNPower, UK
Biobank: p of 30,135 pairs of 246 regions, row by row, and the pairs inside the set that was found),
`sicers/data_d1.mat` (SICERS, 90 regions) and `sicers/adaptive_dense_edge_wise_res.mat` (Wu et al.,
Biometrics 2021, 246 regions); what is absent is named and left out. The weights are -log10 p of the
first, and -log p of the others, as published. The density is ``w(S) / |S| ** exponent``.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.io
from contrast_subgraphs import contrast_subgraph, densest_contrast
from contrast_subgraphs.contrast.density import _peel, arrays_of, density_of
from contrast_subgraphs.core.pairs import square_of
from scipy.sparse import csr_array

FOLDER = Path(os.environ.get("CONTRAST_SUBGRAPHS_DATA", "../shared/data")) / "field"
EXPONENTS = (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2)
ALPHAS = (10, 12, 15)


def of_matlab(path, name):
    """A matrix of a MATLAB file, without its diagonal."""
    matrix = np.array(scipy.io.loadmat(path)[name], dtype=float)
    np.fill_diagonal(matrix, 0.0)
    return matrix


def of_biobank(folder):
    """The map of UK Biobank, and the regions that were published."""
    table = pd.read_csv(folder / "t_p_old_vs_young.csv.gz")
    weights = square_of(-np.log10(table["p_val"].to_numpy()))
    inside = np.loadtxt(folder / "idx_A.csv", delimiter=",", dtype=int) - 1
    pairs = np.array(np.triu_indices(len(weights), 1))[:, inside]
    return weights, np.unique(pairs)


def compare(weights):
    """Print the densest set of each exponent beside that of peeling."""
    network = csr_array(weights)
    for exponent in EXPONENTS:
        peeled = np.flatnonzero(_peel(*arrays_of(network), 1.0, float(exponent)))
        begin = time.process_time()
        found = densest_contrast(weights, exponent=exponent)
        seconds = time.process_time() - begin
        print(
            f"  exponent {exponent}: peeling {len(peeled)} regions, "
            f"{density_of(network, peeled, exponent):.4f}; found {len(found.nodes)} regions, "
            f"{found.objective / 2:.4f}, bound {found.upper_bound / 2:.4f}, "
            f"{'proved' if found.optimal else 'not proved'}, {seconds:.1f} s"
        )


def against_published(weights, published):
    """Print the best set of each penalty beside the one that was published."""
    for alpha in ALPHAS:
        found = contrast_subgraph(weights, alpha=alpha)
        pairs = len(published) * (len(published) - 1) / 2
        theirs = weights[np.ix_(published, published)].sum() / 2 - alpha * pairs
        print(
            f"  alpha {alpha}: published {len(published)} regions, {theirs:.2f}; found "
            f"{len(found.nodes)} regions, {found.objective:.2f} "
            f"({100 * (found.objective / theirs - 1):.1f} % more), "
            f"{'proved' if found.optimal else 'not proved'}, "
            f"the same set: {found.nodes.tolist() == published.tolist()}"
        )


def main():
    """Print what is found in each map."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    densest_contrast(np.ones((5, 5)), exponent=1.5)  # compiles
    matlab = {
        "SICERS, 90 regions": ("sicers/data_d1.mat", "WnTr"),
        "Wu et al., 246 regions": ("sicers/adaptive_dense_edge_wise_res.mat", "W"),
    }
    for title, (file, name) in matlab.items():
        if not (folder / file).exists():
            print(f"{title}: {folder / file} is not there")
            continue
        print(title)
        compare(of_matlab(folder / file, name))
    if not (folder / "ukb").exists():
        print(f"UK Biobank: {folder / 'ukb'} is not there")
        return
    print("UK Biobank, 246 regions")
    weights, published = of_biobank(folder / "ukb")
    compare(weights)
    against_published(weights, published)


if __name__ == "__main__":
    main()
