"""What the options of a command ask: graphs, their question, and columns of the people."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.checks import in_words, plural
from ..core.errors import InputError
from .command import given, say


class Asked(NamedTuple):
    """Graphs with their question, and what is known of each of them."""

    graphs: Any
    blocks: np.ndarray | None
    covariates: Any  # a data frame
    exchange: str = "auto"
    people: Any = None  # their table, if there is one

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
        """Return the same with what all people share of their graphs held constant too."""
        if modes is None:
            return self
        import pandas as pd

        from ..design.modes import mode_scores

        scores = mode_scores(self.graphs.weights, modes, random_state=seed)
        say(f"beside {plural(len(scores), 'mode')} that all people share")
        held = dict(scores)
        if self.covariates is not None:
            held = dict(self.covariates) | held
        return self._replace(covariates=pd.DataFrame(held))

    def how(self):
        """Return what the graphs' weights are, and what is held constant, in words."""
        from ..inference.fixed_sets import how_found

        held = [] if self.covariates is None else list(self.covariates)
        return how_found(self.graphs.weights, held)

    def say_what_moves(self, seed):
        """Warn of people whose labels cannot be permuted, also where no test needs that."""
        from ..design import NoTest

        try:
            self._replace(covariates=None).design(seed)
        except NoTest as error:
            warnings.warn(f"permuted labels say nothing: {error}", stacklevel=2)

    def about(self):
        """Return who is compared, for JSON."""
        graphs = self.graphs
        if not graphs.groups:
            return {"variable": graphs.question.column, "people": len(graphs.y)}
        sizes = {name: int((graphs.y == k).sum()) for k, name in enumerate(graphs.groups)}
        return {"groups": sizes}


def read_asked(variable, covariates, blocks, paired, person, exchange, **how):
    """Return what the options ask as `Asked`, of the people of whom it is known."""
    import pandas as pd

    from ..core.columns import check_column, covariates_of, missing_entries

    _check_together(variable, blocks, paired, person, exchange, how)
    found = _read_groups(variable, **how)
    held = [] if covariates is None else _listed(covariates, "--covariates")
    asked = [name for name in (variable, paired, person, *held) if name]
    if asked and found.people is None:
        raise InputError(f"{in_words(asked)}: columns need a table of people with --files")
    for name in asked:
        check_column(found.people, name)
    if variable in held:
        raise InputError(f"--covariates {variable}: this is the variable itself, leave it out")
    block = None if blocks is None else np.array(_blocks(blocks, found))
    if not asked:
        return Asked(found.graphs, block, None, exchange, found.people)
    people = found.people.reset_index(drop=True)
    table = pd.DataFrame(covariates_of(people, held), index=people.index)
    graphs = _with_question(found.graphs, people, variable, paired, person)
    needed = [missing_entries(table[name]) for name in table]
    for values in (graphs.numbers if variable else None, graphs.person):
        if values is not None:
            needed.append(missing_entries(values))
    lost = np.logical_or.reduce(needed)
    if lost.any():
        lacking = in_words([*held, *(name for name in (variable, paired, person) if name)], "or")
        warnings.warn(f"{lost.sum()} of {len(lost)} lack {lacking}: left out", stacklevel=2)
        graphs = graphs.of(~lost)
        table = table[~lost].reset_index(drop=True)
        people = people[~lost].reset_index(drop=True)
        block = None if block is None else block[~lost]
    if graphs.person is not None:
        graphs = replace(graphs, person=graphs.person.astype(str))
    if not held:
        return Asked(graphs, block, None, exchange, people)
    graphs.question.check_nuisance(table, graphs.y, "--covariates")
    return Asked(graphs, block, table, exchange, people)


def _check_together(variable, blocks, paired, person, exchange, how):
    """Raise InputError for options of which one would be without effect."""
    others = {"--variable": variable, "--blocks": blocks, "--person": person}
    others["--exchange"] = exchange != "auto"
    for option, value in others.items():
        if paired and value:
            raise InputError(
                f"--paired exchanges the labels of each person's two graphs: leave {option} out"
            )
    for option in ("names", "group_column"):
        if variable and how[option]:
            name = option.replace("_", "-")
            raise InputError(f"--{name} is of two groups: leave it out, or --variable")
    if exchange in ("within", "whole") and not (person or blocks):
        raise InputError(
            f"--exchange {exchange} says how people with several graphs, or blocks, take each "
            "other's places: give --person, or --blocks"
        )


def _with_question(graphs, people, variable, paired, person):
    """Return graphs with the question that columns of their people ask."""
    from ..core.columns import numbers, persons
    from ..design.paired import Paired
    from ..design.variable import Variable

    if variable:
        question = Variable(called=variable, column=variable)
        y = numbers(people, variable)
        graphs = replace(graphs, y=y, groups=(), cohort=variable, question=question)
    if paired:
        graphs = replace(graphs, question=Paired(column=paired))
    whose = paired or person
    if whose:
        graphs = replace(graphs, person=persons(people, whose))
    return graphs


def _listed(text, option):
    """Return the names in an option such as ``age,sex``, each once."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise InputError(f"{option} {text}: a name is empty: give columns as age,sex,site")
    return list(dict.fromkeys(names))


def _read_groups(
    variable,
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
        meant = f": did you mean {edges * 100:g}?" if 0 < edges < 1 else ""
        raise InputError(f"--edges {edges:g}: give a percentile from 1 to below 100{meant}")
    table = None
    if group_column is not None or files is not None:
        if len(groups) != 1 or not (group_column or variable) or files is None:
            raise InputError(
                "a table of people goes with both --files and --group-column (or --variable), and "
                "without any other file: contrast-subgraphs find people.tsv --group-column dx "
                "--files 'matrices/{id}.csv'"
            )
        codes = [code.strip() for code in (missing_codes or "").split(",") if code.strip()]
        table = {"column": group_column, "files": files, "id": id_column, "missing_codes": codes}
    elif len(groups) != 2:
        raise InputError(
            f"give two groups, not {len(groups)}, or one table with --group-column and --files"
        )
    else:
        for option, name in (("--missing-codes", "missing_codes"), ("--id", "id_column")):
            if given(name):
                raise InputError(f"{option} is of a table of people: leave it out")
    found = read_two_groups(groups, _two_names(names), atlas, how, regions, table, windows)
    say(f"read: {found.reading.sentence()}")
    return found if edges is None else _with_edges(found, edges)


def _two_names(text):
    """Return the two names of an option such as ``control,patient``; None if it is not given."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or names[0] == names[1] or not all(names):
        raise InputError(f"--names {text}: give two different names, as control,patient")
    return names


def _with_edges(found, percentile):
    """Return graphs of the pairs from a percentile of each matrix."""
    from ..core.pairs import square_of, upper_triangle
    from ..graphs.threshold import threshold_graph

    graphs = found.graphs
    kept = np.empty(graphs.weights.shape, dtype=np.uint8)
    for row, weights in zip(kept, graphs.weights, strict=True):
        # A zero is no edge, also where most pairs of a matrix of counts are zero.
        one = threshold_graph(square_of(weights), {"percentile": percentile}, zeros=False)
        row[:] = one[upper_triangle(len(one))]
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
            raise InputError(f"--blocks {asked}: {name} has none in the table")
        return blocks.tolist()
    if not Path(asked).is_file():
        columns = "" if found.people is None else ", nor a column of the table"
        raise InputError(f"--blocks {asked}: there is no such file{columns}")
    if found.people is not None:
        raise InputError(
            f"--blocks {asked}: with a table of people give a column of it, such as site: lines of "
            "a file belong to matrices in order, and the table has an order of its own"
        )
    lines = Path(asked).read_text(encoding="utf-8-sig").splitlines()
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) != len(found.graphs.y):
        raise InputError(f"{asked} has {len(lines)} lines, not {len(found.graphs.y)}")
    return lines
