"""The limits at which a solver stops, and what it has spent of them."""

import time
from dataclasses import dataclass, fields
from numbers import Real

import numpy as np

from ...core.checks import check_option, in_words
from ...core.errors import InputError


@dataclass(frozen=True)
class Limits:
    """When to stop; the result is then the best found so far.

    Attributes
    ----------
    nodes : float
        Nodes of the branch and bound of a proof, about 5 microseconds each. A node with a
        semidefinite bound counts as 1000 (the first as 4000), more on graphs of over 116 vertices.
    alternatives : float
        The number of near-optimal sets that are listed.
    alternatives_nodes : float or None
        Nodes of the search for near-optimal sets. None: as many as `nodes`; on graphs of over 150
        vertices as many as the proof took, so that the list costs no more than the proof.
    memory_mb : float or None
        Proof and relaxation are skipped if they would take more memory (None: never).
    seconds : float or None
        CPU time for the bound, proof and alternatives of one penalty; a single step is not
        interrupted. Off by default, since results would depend on the machine.

    See Also
    --------
    contrast_subgraph, sweep : Take them as `limits`.

    Examples
    --------
    >>> Limits.of({"nodes": 1000}).nodes, Limits().nodes
    (1000.0, 1000000)
    """

    nodes: float = 1_000_000
    alternatives: float = 1000
    alternatives_nodes: float | None = None
    memory_mb: float | None = 2000
    seconds: float | None = None

    @classmethod
    def of(cls, limits):
        """Return limits from a mapping such as the config's ``contrast: limits``."""
        if isinstance(limits, cls):
            return limits
        limits = check_mapping("limits", limits, {f.name: f.default for f in fields(cls)})
        for name, value in limits.items():
            if value is None and name not in ("nodes", "alternatives"):
                continue
            # `not value >= 0` refuses NaN too, which would make every comparison with a limit
            # false.
            if not isinstance(value, Real) or isinstance(value, bool) or not value >= 0:
                raise InputError(f"limit {name} must be a number of at least 0, not {value!r}")
            limits[name] = float(value)
        return cls(**limits)


def check_mapping(name, given, defaults):
    """Return options filled up with defaults, or raise InputError for an unknown option."""
    try:
        given = dict(given or {})
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} must be a mapping with {in_words(defaults)}, not {given!r}"
        ) from error
    for key in given:
        check_option(f"an option of {name}", key, tuple(defaults))
    return defaults | given


class Budget:
    """What one penalty may still spend: `left` nodes of the limit, `explored` visited so far."""

    def __init__(self, limits, deadline=None):
        self.left = limits.nodes
        self.explored = 0
        if deadline is None:
            seconds = np.inf if limits.seconds is None else limits.seconds
            deadline = time.process_time() + seconds
        self.deadline = deadline

    def late(self):
        """Whether the time is up."""
        return self.deadline < np.inf and time.process_time() >= self.deadline

    def allows(self, cost):
        """Whether a node of this cost may be visited."""
        return self.left >= cost and not self.late()

    def spend(self, nodes, cost):
        """Take some nodes of this cost from the limit."""
        self.explored += nodes
        self.left -= nodes * cost
