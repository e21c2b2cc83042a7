"""Contrast subgraphs in files."""

from collections.abc import Sequence
from pathlib import Path

from ..core.atomic_files import WAY_OUT, load_json, save_json
from ..core.errors import InputError
from .result import ContrastSubgraphResult


def save(
    found: ContrastSubgraphResult | Sequence[ContrastSubgraphResult], path: str | Path
) -> None:
    """Write contrast subgraphs to a JSON file that `load` and other programs read.

    Parameters
    ----------
    found : ContrastSubgraphResult, or sequence of ContrastSubgraphResult
        With `regions` or without.
    path : str or pathlib.Path

    Raises
    ------
    OSError
        If the file cannot be written.

    See Also
    --------
    load : Reads such a file.

    Examples
    --------
    >>> import tempfile
    >>> from contrast_subgraphs import contrast_subgraph
    >>> path = Path(tempfile.mkdtemp()) / "found.json"
    >>> save(contrast_subgraph([[0, 2], [2, 0]], alpha=0.5, names=["V1", "M1"]), path)
    >>> load(path).regions
    ('V1', 'M1')
    """
    if isinstance(found, ContrastSubgraphResult):
        save_json(path, _saved(found))
    else:
        save_json(path, {"subgraphs": [_saved(one) for one in found]})


def _saved(one):
    return {"solver": one.solver, **one.to_dict(), "explained": one.explained}


def load(path: str | Path) -> ContrastSubgraphResult | list[ContrastSubgraphResult]:
    """Read what `save` wrote, or a file ``contrast/<cohort>/<contrast>.json`` of the workflow.

    Parameters
    ----------
    path : str or pathlib.Path

    Returns
    -------
    ContrastSubgraphResult, or list of ContrastSubgraphResult
        Without the times. Vertices without names are called by their numbers. Files of the
        workflow hold `explained` only where there are several sets. `optimal` is what the writer of
        the file claimed: the digest shows damage, but proves nothing. Certificates do
        (`check_certificate`).

    Raises
    ------
    InputError
        If the file is missing, damaged, or holds something else.

    See Also
    --------
    save : Writes such a file.
    load_sets : Reads sets that are to be tested in other people.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "none.json"
    >>> save([], path)
    >>> load(path)
    []
    """
    record = load_json(path)
    if "subgraphs" not in record:
        return ContrastSubgraphResult.from_dict(record)
    # A file of the workflow names the solver once.
    solver = {"solver": record.get("solver", "exact")}
    return [ContrastSubgraphResult.from_dict(solver | entry) for entry in record["subgraphs"]]


def load_subgraphs(path):
    """Read ``contrast/<cohort>/<contrast>.json``, which `cohort.cohort_record` describes."""
    path = Path(path)
    record = load_json(path)
    # A file that was copied to another cohort's place would otherwise be believed.
    found = (record.get("cohort"), record.get("contrast"))
    asked = path.name.split(".")[0]
    if found != (path.parent.name, asked):
        raise InputError(
            f"{path} holds {found[1]} of {found[0]}, not {asked} of {path.parent.name}: {WAY_OUT}"
        )
    return record
