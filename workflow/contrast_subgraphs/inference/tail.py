"""Small p-values from few permutations: a generalised Pareto distribution for the null's tail.

After Winkler et al. (NeuroImage 2016). The excess of the largest quarter of the permuted statistics
over a threshold is fitted by probability-weighted moments (Hosking and Wallis, Technometrics 1987).
If it does not fit, fewer are used, down to a tenth. The shape is at least 0: with a negative shape
the fitted distribution would end somewhere, and p beyond it would be 0. Nor is p ever smaller than
a tenth of what the permutations alone could show. docs/significance.md says how accurate this is.
"""

import numpy as np

#: The shares of permuted statistics that are tried.
SHARES = np.arange(25, 9, -1) / 100
#: A fit is refused if the Kolmogorov-Smirnov distance times the root of the number exceeds this:
#: with estimated parameters, 5 % of samples do, whatever their number (50 to 250) and shape.
FITS = 0.85
#: The fewest permutations for a fit. If at least REACHED of them reach the observed statistic, p
#: itself is precise enough.
FEWEST = 200
REACHED = 10


def tail_p(observed, null, p):
    """Return p-values, with those below `REACHED` of the permutations from the fitted tail.

    `null` (B, ...) is as for `p_values.p_value`, which returns `p`. Without a fit p is not changed.
    """
    result = np.array(p, dtype=float)
    count = len(null)
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
        # Shape and scale from two moments, the second weighted by rank (Hosking and Wallis).
        mean = excess.mean()
        weighted = (excess * np.linspace(1, 0, k)).mean()
        # All values are the same, or have no tail that this distribution describes.
        if not mean > 2 * weighted > 0:
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
