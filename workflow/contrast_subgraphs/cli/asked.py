"""What a command's options ask for: graphs, their question, and columns of the people."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.checks import in_words, plural
from ..core.errors import InputError
from ..design.question import KINDS, asked_kinds, kind_of
from .command import given, say


class Asked(NamedTuple):
    """Graphs with their question, and what is known about each of them."""

    graphs: Any
    blocks: np.ndarray | None
    #: A data frame with a row for each graph, or None.
    covariates: Any
    exchange: str = "auto"
    #: The table of the people, if there is one.
    people: Any = None

    def column(self, option, name):
        """Return the names in a column of the people's table, (n_graphs,), none missing."""
        from ..core.columns import check_column, identifiers, whole_identifiers

        if self.people is None:
            raise InputError(f"{option} {name}: columns need a table of people with --files")
        check_column(self.people, name, f"{option}: the table")
        return whole_identifiers(identifiers(self.people, name), name)

    def design(self, seed):
        """Return the design of what is asked."""
        return self.graphs.question.design(
            self.graphs,
            blocks=self.blocks,
            covariates=self.covariates,
            exchange=self.exchange,
            random_state=seed,
        )

    def beside_modes(self, modes, seed):
        """Return the same, but hold constant the modes that all people's graphs share."""
        if modes is None:
            return self
        import pandas as pd

        from ..design.modes import mode_scores

        scores = mode_scores(self.graphs.weights, modes, random_state=seed)
        say(f"held constant: {plural(len(scores), 'mode')} that all people share")
        held = dict(scores)
        if self.covariates is not None:
            held = dict(self.covariates) | held
        return self._replace(covariates=pd.DataFrame(held))

    def how(self):
        """Return what the graphs' weights are, and what is held constant, in words."""
        from ..inference.fixed_sets import how_found

        held = []
        if self.covariates is not None:
            held = list(self.covariates)
        return how_found(self.graphs.weights, held)

    def say_what_moves(self, seed):
        """Warn about people whose labels cannot be permuted, even if no test needs that."""
        from ..design import NoTest

        try:
            self._replace(covariates=None).design(seed)
        except NoTest as error:
            warnings.warn(f"permuted labels say nothing: {error}", stacklevel=2)

    def about(self):
        """Return who is compared, for JSON."""
        return self.graphs.question.about(self.graphs.y)


def read_asked(covariates, blocks, person, exchange, **how):
    """Return what the options ask for as `Asked`, for the people with all entries it needs."""
    import pandas as pd

    from ..core.columns import check_column, covariates_of, gaps

    # 1. The question: its kind, and the columns it needs.
    entry = _entry(how, person)
    kind = KINDS[kind_of(entry)]
    _check_together(kind, blocks, person, exchange, how)
    # 2. The graphs, and the table of their people if there is one.
    found = _read_groups(kind, **how)
    held = []
    if covariates is not None:
        held = _listed(covariates, "--covariates")
    named = [*entry.values(), *held]
    if named and found.people is None:
        raise InputError(f"{in_words(named)}: columns need a table of people with --files")
    for name in named:
        check_column(found.people, name)
    block = None
    if blocks is not None:
        block = np.array(_blocks(blocks, found))
    if not named:
        _check_of_use(found.graphs, None, block, blocks)
        return Asked(found.graphs, block, None, exchange, found.people)
    people = found.people.reset_index(drop=True)
    # 3. The people whom the question or a covariate does not know are left out, with the reasons.
    graphs, reasons = found.graphs.asking(entry, people, "--")
    # A variable that is held constant explains itself: every difference would vanish.
    if kind.role == "value" and graphs.question.column in held:
        column = graphs.question.column
        raise InputError(f"--covariates {column}: this is the variable itself, leave it out")
    table = pd.DataFrame(covariates_of(people, held), index=people.index)
    reasons = reasons.where(reasons != "", gaps(table))
    known = (reasons == "").to_numpy()
    if not known.all():
        why = in_words(sorted(set(reasons[~known])))
        warnings.warn(f"{(~known).sum()} of {len(known)} are left out: {why}", stacklevel=2)
        graphs = graphs.of(known)
        table = table[known].reset_index(drop=True)
        people = people[known].reset_index(drop=True)
        if block is not None:
            block = block[known]
    if graphs.person is not None:
        graphs = replace(graphs, person=graphs.person.astype(str))
    _check_of_use(graphs, person, block, blocks)
    if not held:
        return Asked(graphs, block, None, exchange, people)
    # 4. A covariate that follows from the groups would take their difference away.
    graphs.question.check_nuisance(table, graphs.y, "--covariates")
    return Asked(graphs, block, table, exchange, people)


def _entry(options, person):
    """Return what the options ask in the form of a config's entry; take them out of `options`."""
    given_kinds = {kind: options.pop(kind, None) for kind in asked_kinds()}
    entry = {kind: column for kind, column in given_kinds.items() if column}
    if len(entry) > 1:
        several = in_words(f"--{kind}" for kind in entry)
        raise InputError(f"{several} ask different questions: give one of them")
    if person:
        entry["person"] = person
    if kind_of(entry):
        for key, why in KINDS[kind_of(entry)].complaints(entry):
            raise InputError(f"--{key}: {why}: leave it out")
    return entry


def _check_together(kind, blocks, person, exchange, how):
    """Raise InputError for options of which one would have no effect."""
    for option, value in (("--blocks", blocks), ("--exchange", exchange != "auto")):
        if kind.within_person and value:
            raise InputError(
                f"--{kind.kind} exchanges the labels of each person's two graphs: leave {option} "
                "out"
            )
    for option in ("names", "group_column"):
        if not kind.of_groups and how[option]:
            name = option.replace("_", "-")
            raise InputError(f"--{name} is for two groups: leave it out, or --{kind.kind}")
    if exchange in ("within", "whole") and not (person or blocks):
        raise InputError(
            f"--exchange {exchange} says how people with several graphs, or blocks, are exchanged: "
            "give --person, or --blocks"
        )


def _check_of_use(graphs, person, block, blocks):
    """Raise InputError, or warn, if people or blocks change nothing.

    `person`, `blocks`: what the options say; `block`: the block of each graph.
    """
    if person and len(set(graphs.person)) == len(graphs.person):
        raise InputError(
            f"--person {person}: each person has one graph, so that it changes nothing: leave it "
            "out"
        )
    if block is not None and len(set(block)) == 1:
        warnings.warn(
            f"--blocks {blocks}: all graphs are in one block ({block[0]}), so that it changes "
            "nothing",
            stacklevel=2,
        )


def _listed(text, option):
    """Return the names in an option such as ``age,sex``, each once."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise InputError(f"{option} {text}: a name is empty: give columns as age,sex,site")
    return list(dict.fromkeys(names))


def _read_groups(
    kind,
    groups,
    names,
    group_column,
    files,
    id_column,
    missing_codes,
    edges,
    atlas,
    regions,
    windows,
    **how,
):
    """Return matrices of two groups, or people, as `TwoGroups`, and say how they were read."""
    from ..data.files import read_two_groups

    if edges is not None and not 1 <= edges < 100:
        # 0.8 is a common way to write 80 %, and as a percentile it would keep almost all pairs.
        meant = ""
        if 0 < edges < 1:
            meant = f": did you mean {edges * 100:g}?"
        raise InputError(f"--edges {edges:g}: give a percentile from 1 to below 100{meant}")
    table = None
    if group_column is not None or files is not None:
        if len(groups) != 1 or (kind.of_groups and not group_column) or files is None:
            raise InputError(
                "a table of people needs both --files and --group-column (or --variable), and "
                "no other file: contrast-subgraphs find people.tsv --group-column dx "
                "--files 'matrices/{id}.csv'"
            )
        # A table of people: its rows say who is in which group, and the files are found by their
        # names.
        codes = [code.strip() for code in (missing_codes or "").split(",") if code.strip()]
        table = {"column": group_column, "files": files, "id": id_column, "missing_codes": codes}
    elif len(groups) != 2:
        raise InputError(
            f"give two groups, not {len(groups)}, or one table with --group-column and --files"
        )
    else:
        for option, name in (("--missing-codes", "missing_codes"), ("--id", "id_column")):
            if given(name):
                raise InputError(f"{option} is for a table of people: leave it out")
    found = read_two_groups(groups, _two_names(names), atlas, how, regions, table, windows)
    say(f"read: {found.reading.sentence()}")
    if edges is None:
        return found
    return _with_edges(found, edges)


def _two_names(text):
    """Return the two names of an option such as ``control,patient``; None if it is not given."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or names[0] == names[1] or not all(names):
        raise InputError(f"--names {text}: give two different names, as control,patient")
    return names


def _with_edges(found, percentile):
    """Return graphs whose edges are the pairs from a percentile of each matrix."""
    from ..core.pairs import square_of, upper_triangle
    from ..graphs.threshold import threshold_graph

    graphs = found.graphs
    kept = np.empty(graphs.weights.shape, dtype=np.uint8)
    for row, weights in zip(kept, graphs.weights, strict=True):
        # A zero is never an edge, even if most pairs of a matrix of counts are zero.
        one = threshold_graph(square_of(weights), {"percentile": percentile}, zeros=False)
        row[:] = one[upper_triangle(len(one))]
    # Binary graphs have no strongest pairs: the option would do nothing without notice.
    if np.array_equal(kept, graphs.weights):
        warnings.warn(
            f"--edges {percentile:g} changes nothing: the graphs are binary", stacklevel=2
        )
    return found._replace(graphs=replace(graphs, weights=kept))


def _blocks(asked, found):
    """Return the block of each matrix: a column of the table of people, or lines of a file."""
    from ..core.columns import columns_of, identifiers, internal

    if found.people is not None and asked in columns_of(found.people):
        blocks = identifiers(found.people, asked)
        unknown = [name is None for name in blocks]
        if any(unknown):
            name = internal(found.people, "FILE_ID")[unknown].iloc[0]
            raise InputError(f"--blocks {asked}: {name} has no entry in the table")
        return blocks.tolist()
    if not Path(asked).is_file():
        columns = ""
        if found.people is not None:
            columns = ", nor a column of the table"
        raise InputError(f"--blocks {asked}: there is no such file{columns}")
    if found.people is not None:
        raise InputError(
            f"--blocks {asked}: with a table of people give a column of it, such as site: lines of "
            "a file belong to matrices in order, and the table has an order of its own"
        )
    lines = Path(asked).read_text(encoding="utf-8-sig").splitlines()
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) != len(found.graphs.y):
        raise InputError(
            f"{asked} has {len(lines)} lines, but there are {len(found.graphs.y)} graphs"
        )
    return lines
