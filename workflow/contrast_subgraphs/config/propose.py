"""A first config for the user's own folder, from a look at what lies in it."""

import itertools
import json
import re
from pathlib import Path

import numpy as np

from ..core.errors import InputError
from ..data.people import KNOWN_COLUMNS, read_people
from ..data.reading import is_data, read_files

#: How columns that say the group are often called, the surest first.
_GROUP_NAMES = (
    *("group", "diagnosis", "dx", "dx_group", "diagnostic_group", "status", "condition"),
    "patient",
)
#: From more regions than these on, evaluations get fewer permutations.
LARGE = 200
_FEWER = (
    f"# More than {LARGE} regions take long: fewer permutations, on fewer splits, than by default",
    "# (400, each on 5). Leave this out for p-values below 0.01.",
    "evaluation: {permutations: 100, repeats: {permuted: 2}}",
)
#: From more regions than these on, a proof may spend less than by default.
HUGE = 500
#: A column with more values than these is not taken for the groups.
MOST_GROUPS = 6


def propose_config(folder):
    """Return a config for a folder of the user's data, as commented YAML, and what was found.

    Parameters
    ----------
    folder : str or pathlib.Path
        With a table of people (CSV or TSV), and a file of series or a matrix for each.

    Returns
    -------
    text : str
    found : list of str
        A sentence for each thing that was recognised, or was not.

    Raises
    ------
    InputError
        If there is no table of people in it, or no file for the first of them.
    """
    folder = Path(folder).expanduser().resolve()
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    table_path, table, id_column, pattern, count = _people(folder)
    found = [f"{table_path.name}: {len(table)} people, named by the column {id_column}"]
    found.append(f"{count} of them have a file {pattern}")
    kind, regions, counts = _kind(folder, pattern, table[id_column].iloc[0])
    what = "a matrix of counts" if counts else {"series": "series", "matrix": "a matrix"}[kind]
    found.append(f"the first file holds {what} of {regions} regions")
    group, values, others = _groups(table)
    if group is None:
        where = ["EDIT == 1", "EDIT == 2"]
        names = ["first", "second"]
        found.append("no column tells two groups apart: EDIT the groups in the config")
    else:
        names = _names(values)
        column = re.sub(r"\W+", "_", group)
        if column != group:
            found.append(f"rename the column {group!r} to {column}: rules have no spaces in names")
        where = [_rule(column, value) for value in values]
        numbers = [int((table[group] == value).sum()) for value in values]
        told = " and ".join(f"{n} {name}" for n, name in zip(numbers, names, strict=True))
        told += "; each pair is compared" if len(names) > 2 else ""
        found.append(f"groups by the column {group}: {told}")
    if others:
        found.append(f"not taken for the groups: {', '.join(others)}")
    atlas = next((p for p in sorted(folder.glob("*atlas*")) if p.suffix in (".csv", ".tsv")), None)
    found.append(
        f"atlas: {atlas.name}"
        if atlas
        else "no atlas table (*atlas*.csv): regions have the names in the files, and no places"
    )
    sites = {c.lower() for c in table.columns} & set(KNOWN_COLUMNS["site"][1])
    lines = [
        "# Run it with: contrast-subgraphs run THIS_FILE --cores 2",
        "# Every key and its meaning: docs/reference/config.md",
        "source: folder",
        "sources:",
        "  folder:",
        f"    subjects: {_quoted(table_path)}",
        f"    id: {_quoted(id_column)}",
        f"    files: {_quoted(pattern)} # {{id}}: what the column says",
        f"    kind: {kind} # series: volumes x regions; matrix: regions x regions",
        f"    atlas: {_quoted(atlas.name) if atlas else 'null'}",
        "    regions: error # or common: only those for which all people have data",
        "groups: # their names and the rule of each; the first is compared with the second",
        *(f"  {_quoted(name)}: {_quoted(rule)}" for name, rule in zip(names, where, strict=True)),
        "# cohorts: # without any, everybody forms one cohort",
        '#   young: {where: "age < 30"}',
        *_graph(kind, counts, names, regions),
        "# Further ones: docs/reference/config.md. The paper's baselines (graph2vec, sub2vec,",
        "# wl-kern, embs) take long on graphs of many regions.",
        f"methods: [cs-p1, cs-p2, edges{', site' if sites else ''}]",
        *(_FEWER if regions > LARGE else ()),
    ]
    return "\n".join(lines) + "\n", found


def _people(folder):
    """Return the table of people, its column of names, and the pattern of their files."""
    tables = [p for p in sorted(folder.iterdir()) if p.suffix.lower() in (".csv", ".tsv")]
    tables.sort(key=lambda p: not p.name.startswith(("participants", "pheno", "subjects")))
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and is_data(p)]
    for path in tables:
        try:
            table = read_people(path)
            texts = read_people(path, table.columns)  # a subject 001 is not 1
        except InputError:
            continue
        if len(table) < 2:
            continue
        for column in table.columns:
            if texts[column].isna().any():
                continue
            ids = texts[column].astype(str).str.strip()
            if ids.duplicated().any():
                continue
            first = next((f for f in files if f != path and ids.iloc[0] in f.name), None)
            if first is None:
                continue
            place = first.relative_to(folder).as_posix()
            pattern = place.replace(ids.iloc[0], "{id}")
            there = sum((folder / pattern.replace("{id}", name)).is_file() for name in ids)
            if there > len(ids) / 2:
                return path, table.assign(**{column: ids}), column, pattern, there
    raise InputError(
        f"{folder} has no table (.csv or .tsv) with a column that names files in it: see "
        "docs/own_data.md for what is needed"
    )


def _kind(folder, pattern, first):
    """Return what a file holds, series or a matrix, of how many regions, and whether counts."""
    path = folder / pattern.replace("{id}", first)
    try:
        _, (values,), _ = read_files([path], "matrix")
    except InputError:
        _, (values,), _ = read_files([path], "series")
        return "series", values.shape[-1], False
    whole = np.nan_to_num(values)
    counts = (whole >= 0).all() and (whole == whole.round()).all() and whole.max() > 1
    return "matrix", len(values), bool(counts)


def _graph(kind, counts, names, regions):
    """Return the lines that say how a person's graph is made, and what is found in them."""
    ends = "limits: {nodes: 250000}" if regions > HUGE else ""
    if counts:
        pairs = [f"{one}-{other}" for one, other in itertools.permutations(names, 2)]
        large, small = (json.dumps(dict.fromkeys(pairs, at)).replace('"', "") for at in (99, 99.5))
        return [
            "graph: # the strongest tenth of each person's pairs are edges; a count of 0 never is",
            "  threshold: {density: 0.1}",
            "# Most pairs are an edge of nobody: lower percentiles of the differences are 0.",
            f"contrast: {{percentiles: [98, 99, 99.5]{', ' * bool(ends)}{ends}}}",
            "report: # what is drawn",
            f"  contrast_large: {large}",
            f"  contrast_small: {small}",
            "  contrast_symmetric: {symmetric: 99}",
        ]
    lines = ["# graph: # without it, the strongest fifth of each person's pairs are edges, or:"]
    if kind == "matrix":
        lines = [lines[0][:-1] + " of the matrix's own numbers:"]
    lines.append("#   {weights: weighted, threshold: null}")
    if ends:
        lines += [
            f"# With more than {HUGE} regions proofs take long; these end sooner, with a bound."
        ]
        lines += [f"contrast: {{{ends}}}"]
    return lines


def _groups(table):
    """Return the column that says the group, its values, and other columns that might.

    A column called like a group may have up to six values, any other must have two. The column
    is None where none is sure: one called like a group that has other values, or none for some,
    is not passed over for one of another name.
    """
    called = {c: re.sub(r"\W+", "_", c.strip().lower()) for c in table.columns}
    known = [c for c in table.columns if table[c].notna().all()]
    two = [c for c in known if table[c].nunique() == 2]
    likely = [c for name in _GROUP_NAMES for c in table.columns if called[c] == name]
    unlikely = KNOWN_COLUMNS["sex"][1]
    found = [c for c in likely if c in known and 2 <= table[c].nunique() <= MOST_GROUPS]
    if not found and not likely:
        found = sorted(two, key=lambda c: called[c] in unlikely)
    others = [c for c in dict.fromkeys([*likely, *two]) if c not in found[:1]]
    if not found:
        return None, [], others
    values = [v.item() if hasattr(v, "item") else v for v in sorted(table[found[0]].unique())]
    return found[0], values, others


def _rule(column, value):
    """Return the expression for a value; True and False are conditions themselves."""
    if isinstance(value, bool):
        return f"{column} and True" if value else f"not {column}"
    return f"{column} == {value!r}"


def _names(values):
    """Return different names for the values."""
    names = [_name(value) for value in values]
    if len({name.lower() for name in names}) < len(names):
        names = [f"{name}_{number}" for number, name in enumerate(names, start=1)]
    return names


def _name(value):
    text = re.sub(r"\W+", "_", str(value), flags=re.ASCII).strip("_") or "group"
    return text if re.match(r"[A-Za-z]", text) else f"group{text}"


def _quoted(text):
    return json.dumps(str(text), ensure_ascii=False)  # YAML, too
