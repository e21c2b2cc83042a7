"""Are the numbers of README and docs those of the files that commands have written?

    python -m benchmarks.quoted            lists those that are not
    python -m benchmarks.quoted --write    puts those of the files into the tables, and below each
                                           table without a file its command and day

``docs/numbers.yaml`` says which file, row and columns each table and sentence quotes. The tests
compare them, too. A sentence is never rewritten: what it says may no longer hold.
"""

import argparse
import re

import pandas as pd
import yaml

from . import ROOT

#: What a selection may hold next to the values of columns: how its numbers are written.
TEXT = "text"


def read_list():
    """Return the list of what is quoted where."""
    return yaml.safe_load((ROOT / "docs" / "numbers.yaml").read_text(encoding="utf-8"))


def read_page(entry):
    """Return the text of the page of an entry of the list."""
    return (ROOT / entry["page"]).read_text(encoding="utf-8")


def plain(text):
    """Return text as numbers are compared: no bold, one minus, no zero before a point."""
    text = " ".join(text.replace("**", "").replace("−", "-").replace(" %", "%").split())
    return re.sub(r"(?<![\d.])0(?=\.\d)", "", text)


def cells(line):
    """Return the cells of a line of a Markdown table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def numbered(names):
    """Return names of which the second that are equal are called "NAME (2)"."""
    told = []
    for place, name in enumerate(names):
        earlier = names[:place].count(name)
        if earlier:
            name = f"{name} ({earlier + 1})"
        told.append(name)
    return told


def has_number(row):
    """Is there a number in a row, next to its name and what is code?"""
    return any(re.search(r"\d", re.sub(r"`[^`]*`", "", cell)) for cell in row[1:])


def tables_of(page):
    """Return header line -> numbers and cells of the other lines, of each table with numbers.

    A second table with the same header is called "HEADER (2)".
    """
    headers = []
    tables = []
    inside = False
    for number, line in enumerate(page.splitlines()):
        if not line.startswith("|"):
            inside = False
        elif not inside:
            inside = True
            headers.append(line)
            tables.append([])
        elif not set(line) <= set("|-: "):
            tables[-1].append((number, cells(line)))
    named = zip(numbered(headers), tables, strict=True)
    return {name: rows for name, rows in named if any(has_number(row) for _, row in rows)}


def labelled(rows, count):
    """Return the rows by their labels: an empty label repeats the one above."""
    above = [""] * count
    named = {}
    for number, row in rows:
        above = [label or last for label, last in zip(row[:count], above, strict=True)]
        named[" / ".join(above)] = number, row[count:]
    return named


def row_of(table, where):
    """Return the one row of a source with these values."""
    kept = table
    for column, value in where.items():
        values = kept[column]
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            kept = kept[values == float(value)]
        else:
            kept = kept[values.astype(str) == str(value)]
    if len(kept) != 1:
        raise ValueError(f"{len(kept)} rows with {where}")
    return kept.iloc[0].to_dict()


def quoted(source, *selections):
    """Return what a page should say: the text of the selections, filled from their one row."""
    where = {}
    for selection in selections:
        where |= selection or {}
    text = where.pop(TEXT)
    return text.format(**row_of(source, where))


def expected_cells(entry):
    """Yield line number, place among the cells, name, what is said, and what the file says."""
    source = pd.read_csv(ROOT / entry["source"])
    count = entry.get("labels", 1)
    # The number of a table among those with one header is no part of it.
    header = re.sub(r" \(\d\)$", "", entry["header"])
    columns = numbered(cells(header)[count:])
    named = labelled(tables_of(read_page(entry))[entry["header"]], count)
    if set(named) != set(entry["rows"]) or set(columns) != set(entry["columns"]):
        raise ValueError(f"{entry['page']}: other lines or columns in {entry['header']}")
    for label, (number, row) in named.items():
        for place, (column, said) in enumerate(zip(columns, row, strict=True), start=count):
            # Empty are the diagonal of a matrix, and what does not apply.
            if said:
                selections = entry.get("where"), entry["rows"][label], entry["columns"][column]
                yield number, place, f"{label}, {column}", said, quoted(source, *selections)


def wrong_cells(entry):
    """Return the cells of a listed table that are not what the file says."""
    return [one for one in expected_cells(entry) if plain(one[3]) != plain(one[4])]


def wrong_sentence(entry):
    """Return the sentence that should be on a page and is not, or nothing."""
    source = pd.read_csv(ROOT / entry["source"])
    expected = plain(quoted(source, entry.get("where"), {TEXT: entry[TEXT]}))
    return "" if expected in plain(read_page(entry)) else expected


def notice(entry):
    """Return what stands below a table of which no file is kept."""
    if entry["command"] == "none":
        return f"(Written on {entry['written']}; its program is not among the benchmarks.)"
    return f"(By `{entry['command']}` on {entry['written']}; its numbers are not kept as a file.)"


def without_notice(entry):
    """Is the notice of a table without a file missing below it?"""
    lines = read_page(entry).splitlines()
    last = tables_of(read_page(entry))[entry["header"]][-1][0]
    return notice(entry) not in lines[last + 1 : last + 3]


def in_style(said, value):
    """Return a value as the cell that it replaces is written: as much of it in bold."""
    value = plain(value)
    bold = re.match(r"\*\*(.+?)\*\*", said)
    if not bold:
        return value
    words = value.split()
    count = len(bold[1].split())
    return " ".join([f"**{' '.join(words[:count])}**", *words[count:]])


def write(entry):
    """Put the numbers of the file into the table."""
    lines = read_page(entry).splitlines()
    for number, place, _, said, value in wrong_cells(entry):
        row = cells(lines[number])
        row[place] = in_style(said, value)
        lines[number] = "| " + " | ".join(row) + " |"
        lines[number] = re.sub(r"\|  (?=\|)", "| ", lines[number])
    (ROOT / entry["page"]).write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_notice(entry):
    """Put the notice of a table without a file below it."""
    if without_notice(entry):
        lines = read_page(entry).splitlines()
        last = tables_of(read_page(entry))[entry["header"]][-1][0]
        lines[last + 1 : last + 1] = ["", notice(entry)]
        (ROOT / entry["page"]).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    """List what is wrong, and mend the tables where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    listed = read_list()
    for entry in listed["tables"]:
        for _, _, name, said, value in wrong_cells(entry):
            print(f"{entry['page']}: {name}: {said}; the file: {plain(value)}")
        if arguments.write:
            write(entry)
    for entry in listed["not_covered"]:
        if without_notice(entry):
            print(f"{entry['page']}: does not say where this comes from: {entry['header']}")
        if arguments.write:
            write_notice(entry)
    for entry in listed["sentences"]:
        missing = wrong_sentence(entry)
        if missing:
            print(f"{entry['page']}: does not say: {missing}")


if __name__ == "__main__":
    main()
