"""One matrix to solve: search, bound and proof, the steps that all problems share."""

import time
from dataclasses import replace
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from ..core import seeds
from ..core.errors import InputError
from .near_optimal import near_optimal
from .objective import Margins, conditioned_quadratic, size_bound, surplus_of
from .proof.tree import prove
from .solver.densdp import densdp
from .solver.limits import Budget
from .solver.relaxation import hyperplanes, relax, values
from .solver.search import climb

#: The relaxation and the proof hold at most this many n x n matrices of doubles at a time.
MATRICES = 20
#: On graphs with more than LARGE vertices the search for near-optimal sets may visit this share of
#: the proof's nodes (the rest of the time is for sampling), and at least LEAST_NODES (0.1 s).
LARGE = 150
SHARE = 0.75
LEAST_NODES = 4000
#: A set is called optimal if no other has more than ``1 + TOLERANCE`` times its value.
TOLERANCE = 1e-6


class Instance:
    """A surplus matrix: the best set known, and a bound.

    Vertices may gain something by themselves (`linear`). Values and `margins` are in the units of
    the conditioned matrix. `base` is a constant that the caller adds to the value of every set:
    rounding errors must be small compared to the value with it.
    """

    def __init__(self, matrix, seed, limits, linear=None, base=0.0):
        self.begin = time.process_time()
        self.seed = seed
        self.limits = limits
        self.matrix = matrix
        self.linear = np.zeros(len(matrix)) if linear is None else linear
        self.scaled, self.own, self.exponent = conditioned_quadratic(matrix, self.linear)
        self.margins = Margins.of(self.scaled, self.own)
        self.nodes = np.zeros(0, dtype=np.int64)
        self.value = 0.0
        self.bound = size_bound(self.scaled, self.own)
        # A constant that overflows is infinite: compared to it no rounding error counts.
        with np.errstate(over="ignore"):
            self.base = float(np.ldexp(base, -self.exponent))
        self.budget = Budget(limits)
        self.seconds = 0.0

    @property
    def closed(self):
        """Whether the bound proves the set known to be optimal."""
        return self.bound <= self.value + self.margins.gap

    @property
    def sure(self):
        """Whether rounding errors are small compared to the value, or play no part."""
        allowed = TOLERANCE * (self.value + self.base)
        return bool(self.margins.step or 4 * self.margins.error <= allowed)

    @property
    def fits(self):
        """Whether relaxation and proof fit into the memory."""
        limit = self.limits.memory_mb
        return limit is None or _megabytes(len(self.matrix)) <= limit

    def keep(self, nodes):
        """Keep a set if it is better than the one known."""
        value = self.value_of(nodes)
        if value > self.value + self.margins.gap or (value > 0 and not len(self.nodes)):
            self.nodes = nodes
            self.value = value

    def value_of(self, nodes):
        """The value of a set."""
        return surplus_of(self.scaled, nodes, self.own)

    def search(self, candidates, sdp):
        """Keep the best of the sets found for any penalty and of the rounded relaxation."""
        n = len(self.scaled)
        if self.closed:
            return
        # 1. Climb from the best of the sets that the search found, or from the best pair.
        pair = np.sort(np.unravel_index(np.argmax(self.scaled), self.scaled.shape))
        best = max([*candidates, pair], key=self.value_of)
        self.keep(climb(self.scaled, best, self.own))
        if not self.fits or self.budget.late():
            return
        # 2. The relaxation gives a bound, and sets to climb from by rounding.
        vectors, bound = self.relaxation(sdp)
        self.bound = min(self.bound, bound)
        if sdp["roundings"]:
            rng = seeds.generator(self.seed, "hyperplanes", n)
            masks = hyperplanes(vectors, sdp["roundings"], rng)
            best = np.argmax(values(self.scaled, masks, self.own))
            self.keep(climb(self.scaled, np.flatnonzero(masks[best]), self.own))

    def relaxation(self, sdp):
        """Solve the relaxation: its vectors, and a bound."""
        return relax(self.scaled, sdp["solver"], self.seed, self.budget, self.own)

    def prove(self, first=None):
        """Prove that the set is optimal, find a better one, or lower the bound."""
        if not self.fits:
            return
        self.prove_once(first)
        if self.closed and not self.sure:
            # The value is small compared to the numbers it sums, so that the usual margin hides
            # too much. Try again with a margin that is as small as rounding errors allow.
            self.margins = Margins.of(self.scaled, self.own, least=0.0)
            self.prove_once(first)

    def prove_once(self, first):
        """See `prove`, for the margins as they are."""
        if self.closed:
            return
        # A better set that the tree met counts even where the limits end the proof.
        asked = self.scaled, self.value, self.budget, self.bound, self.seed, first
        proof = prove(*asked, linear=self.own, margins=self.margins)
        self.bound = proof.bound
        if proof.inside is not None:
            self.keep(np.flatnonzero(proof.inside))
        if proof.proved:
            self.bound = self.value

    def run_densdp(self, sdp, options):
        """Keep the set that the paper's algorithm finds; the bound is its relaxation's."""
        n = len(self.scaled)
        if not self.fits:
            raise InputError(
                f"densdp needs about {_megabytes(n):.0f} MB for {n} vertices: raise the limit "
                "memory_mb or use the solver search"
            )
        if self.closed:
            return
        vectors, bound = self.relaxation(sdp)
        self.bound = min(self.bound, bound)
        rng = seeds.generator(self.seed, "densdp", n)
        self.keep(densdp(self.scaled, vectors, rng, **options))

    def near_optimal(self, fraction):
        """List the near-optimal sets; a better set among them becomes the best one."""
        self.stop_clock()
        nodes = self.limits.alternatives_nodes
        if nodes is None:
            spent = max(SHARE * (self.limits.nodes - self.budget.left), LEAST_NODES)
            nodes = spent if len(self.matrix) > LARGE else self.limits.nodes
        while True:
            # A better set moves the floor of the list, so that the list is made again for it.
            budget = Budget(replace(self.limits, nodes=nodes), self.budget.deadline)
            asked = self.matrix, self.nodes, fraction, self.limits, budget, self.seed, self.linear
            near = near_optimal(*asked)
            value = self.value
            if near.sets:
                self.keep(near.sets[0].nodes)
            if self.value == value:
                return near

    def stop_clock(self):
        """Note the time that answer, bound and proof took."""
        self.seconds = self.seconds or time.process_time() - self.begin

    def found(self):
        """What is known of the best set, in the units of the weights."""
        self.stop_clock()
        objective = surplus_of(self.matrix, self.nodes, self.linear)
        # The value may be off by the error, and so may what is left of the bound.
        optimal = self.closed and self.sure
        if optimal or self.bound <= 0:
            bound = objective
            optimal = True
        else:
            bound = max(self.bound, self.value) + 4 * self.margins.error
            # Values are multiples of the step: a bound between two of them comes down to the lower
            # one.
            if self.margins.step:
                bound = self.margins.step * np.floor(bound / self.margins.step)
            bound = rounded_up(float(np.ldexp(bound, self.exponent)))
        return {
            "objective": objective,
            "upper_bound": bound,
            "optimal": optimal,
            "seconds": self.seconds,
            "explored": self.budget.explored,
        }


def _megabytes(n):
    """Memory that the relaxation and the proof take, at most."""
    return 8 * MATRICES * n**2 / 1e6


def rounded_up(bound, digits=6):
    """Round a bound up to some digits: those after them depend on the machine."""
    unit = 10.0 ** (np.floor(np.log10(bound)) + 1 - digits)
    return float(f"{np.ceil(bound / unit) * unit:.{digits}g}")


def one_thread():
    """A context in which linear algebra uses one thread."""
    return _threadpools().limit(limits=1, user_api="blas")


@cache
def _threadpools():
    return ThreadpoolController()
