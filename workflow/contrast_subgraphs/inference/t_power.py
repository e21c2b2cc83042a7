"""The power of one test of a fixed set: a one-sided t test of one number for each person."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import nctdtr, stdtrit

#: No study of more people is thought of.
MOST = 10**7
#: No effect of more standard deviations is thought of.
LARGEST_D = 1e3


def t_power(d, people, spread, fitted, level):
    """Return the power of a one-sided t test of a slope.

    Parameters
    ----------
    d : float
        The slope in standard deviations within groups.
    people : array_like of int
    spread : float
        Each person's part in the squares of the regressor: 1/4 for two groups of equal size.
    fitted : int
        Degrees of freedom that the model uses.
    level : float

    Examples
    --------
    Two groups of 51 for d = 0.5 (Cohen 1988):

    >>> round(float(t_power(0.5, 102, 0.25, 2, 0.05)), 3)
    0.806
    """
    people = np.asarray(people, dtype=float)
    freedom = np.maximum(people - fitted, 1.0)
    # The noncentrality: the slope in units of its standard error.
    shift = d * np.sqrt(people * spread)
    power = 1 - nctdtr(freedom, shift, stdtrit(freedom, 1 - level))
    # Far out the distribution function is NaN: there the power is 1, or 0.
    far = np.isnan(power) & ~np.isnan(shift)
    return np.where(far, (shift > 0).astype(float), power)


def people_to_confirm(d, share, spread, fitted, level):
    """Return the smallest number of people with a power of `share`; infinite if there is none."""
    if not d > 0 or t_power(d, MOST, spread, fitted, level) < share:
        return math.inf
    low = fitted + 1
    high = MOST
    while low < high:
        middle = (low + high) // 2
        if t_power(d, middle, spread, fitted, level) < share:
            low = middle + 1
        else:
            high = middle
    return float(low)


def least_d(people, share, spread, fitted, level):
    """Return the smallest d that this number of people shows with a power of `share`.

    Examples
    --------
    >>> round(least_d(102, 0.806, 0.25, 2, 0.05), 2)
    0.5
    """

    def missing(d):
        return float(t_power(d, people, spread, fitted, level)) - share

    return float(brentq(missing, 0.0, LARGEST_D))


def people_of(design):
    """Return the number of people, or of other independent units."""
    return int(design.cluster.max()) + 1


def regressor_of(design):
    """Return each person's part in the squares of the regressor, and the model's freedom."""
    fitted = design.nuisance.shape[1] + 1
    # Without people's own levels, one number is left for each person.
    if design.level is not None:
        fitted = 1
    return float(design.residual @ design.residual) / people_of(design), fitted
