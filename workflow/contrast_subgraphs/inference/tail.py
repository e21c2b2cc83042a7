"""Small p-values from few permutations: a generalised Pareto distribution for the null's tail.

After Winkler et al. (NeuroImage 2016). What the largest quarter of the permuted statistics exceed
a threshold by is fitted by probability-weighted moments (Hosking and Wallis, Technometrics 1987);
if it does not fit, fewer are taken, down to a tenth. The shape is 0 at least: below 0 the fitted
distribution would end somewhere, and p beyond be 0. Nor is p taken to be below a tenth of what the
permutations alone could show. docs/significance.md has how right that is.
"""

import numpy as np

#: Shares of the permuted statistics that are tried.
SHARES = np.arange(25, 9, -1) / 100
#: A fit is refused if the Kolmogorov-Smirnov distance times the root of the number exceeds this:
#: with the parameters estimated, 5 % of samples do, whatever their number (50 to 250) and shape.
FITS = 0.85
#: Fewest permutations, and how many of them that reach the observed one are enough for p itself.
FEWEST, REACHED = 200, 10


def tail_p(observed, null, p):
    """Return p-values, those below `REACHED` of the permutations from the fitted tail.

    `null` (B, ...) as for `permutation.p_value`, which gives `p`. Without a fit p stays as it is.
    """
    result, count = np.array(p, dtype=float), len(null)
    null = np.broadcast_to(null, (count, *result.shape))
    for place in np.ndindex(result.shape) if count >= FEWEST else ():
        if result[place] < REACHED / count:
            survival = fitted_tail(np.sort(null[(slice(None), *place)]))
            if survival is not None:
                result[place] = max(float(survival(observed[place])), 1 / (REACHED * count))
    return result


def fitted_tail(null):
    """Return the survival function of the largest of sorted values, or None if no tail fits."""
    for share in SHARES:
        k = int(share * len(null))
        threshold = null[-k - 1 : len(null) - k + 1].mean()
        excess = null[-k:] - threshold
        mean, weighted = excess.mean(), (excess * np.linspace(1, 0, k)).mean()
        if not mean > 2 * weighted > 0:  # all are the same
            continue
        shape = max(0.0, 2 - mean / (mean - 2 * weighted))
        scale = mean * (1 - shape)

        def survival(value, share=share, threshold=threshold, shape=shape, scale=scale):
            x = np.maximum(value - threshold, 0.0) / scale
            return share * ((1 + shape * x) ** (-1 / shape) if shape > 1e-9 else np.exp(-x))

        steps = np.arange(k + 1) / k
        below = 1 - survival(null[-k:]) / share
        if max((below - steps[:-1]).max(), (steps[1:] - below).max()) <= FITS / np.sqrt(k):
            return survival
    return None
