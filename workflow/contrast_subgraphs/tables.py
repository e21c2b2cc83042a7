"""The tables: computed numbers beside the paper's, as CSV, Markdown and LaTeX."""

import json

import pandas as pd
import yaml

from .errors import InputError
from .files import load_table, save_table, save_text

#: How the methods are called in the paper.
METHOD_LABELS = {
    "cs-p1": "CS-P1",
    "cs-p2": "CS-P2",
    "graph2vec": "graph2vec",
    "sub2vec": "sub2vec",
    "wl-kern": "WL-Kern",
    "embs": "Embs",
    "edges": "all edges",
}


def load_paper(path=None):
    """Read the numbers that the paper prints.

    Parameters
    ----------
    path : str or pathlib.Path, optional
        ``workflow/resources/paper.yaml``; nothing for data that the paper has not seen.

    Returns
    -------
    dict
        ``cohorts``, ``accuracy``, ``parameters`` and ``runtime``.
    """
    if not path:
        return {"cohorts": {}, "accuracy": {}, "parameters": {}, "runtime": {}}
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def save_formats(table, shown, csv, markdown, latex, caption="", notes=()):
    """Write one table in three formats.

    Parameters
    ----------
    table : pandas.DataFrame
        Tidy and with all digits, for programs: the CSV.
    shown : pandas.DataFrame
        For people: texts under readable headings, the Markdown and the LaTeX.
    csv, markdown, latex : str or pathlib.Path
    caption : str, optional
        Of the LaTeX table; the first line of the Markdown.
    notes : iterable of str, optional
        Lines below the table.
    """
    above = f"{caption}\n\n" if caption else ""
    below = "".join(f"\n{note}\n" for note in notes)
    save_text(markdown, above + to_markdown(shown) + below)
    save_text(latex, to_latex(shown, caption, notes))
    save_table(table, csv)


def to_markdown(table):
    """Return a data frame of texts as a Markdown table."""

    def line(cells):
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"

    rows = [line(row) for row in table.itertuples(index=False)]
    return line(table.columns) + line(["---"] * table.shape[1]) + "".join(rows)


def to_latex(table, caption="", notes=()):
    """Return a data frame of texts as a LaTeX table (needs the package booktabs)."""

    def line(cells):
        return "    " + " & ".join(_escaped(cell) for cell in cells) + r" \\" + "\n"

    return (
        "\\begin{table}\n"
        + (f"  \\caption{{{_escaped(caption)}}}\n" if caption else "")
        + f"  \\begin{{tabular}}{{{'l' * table.shape[1]}}}\n    \\toprule\n"
        + line(table.columns)
        + "    \\midrule\n"
        + "".join(line(row) for row in table.itertuples(index=False))
        + "    \\bottomrule\n  \\end{tabular}\n"
        + "".join(f"  \\par\\footnotesize {_escaped(note)}\n" for note in notes)
        + "\\end{table}\n"
    )


def _escaped(text):
    text = str(text).replace("\\", r"\textbackslash{}")
    for sign in "&%$#_{}":
        text = text.replace(sign, "\\" + sign)
    return text.replace("±", r"$\pm$").replace("≤", r"$\leq$").replace("≥", r"$\geq$")


def number(value, digits=2):
    """Return a number as text, an empty one for a missing value."""
    return "" if pd.isna(value) else f"{value:.{digits}f}"


def plus_minus(mean, deviation, digits=2):
    """Return ``mean ± deviation`` as text; a missing part is left out."""
    if pd.isna(mean) or pd.isna(deviation):
        return number(mean, digits)
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}"


def rounded(table, digits=3):
    """Return a table for people by rounding its numbers and naming its columns in words."""
    texts = {}
    for name in table.columns:
        column = table[name]
        if column.dtype.kind == "f":
            column = column.map(lambda value: "" if pd.isna(value) else f"{round(value, digits):g}")
        texts[str(name).replace("_", " ")] = column.astype(object).where(column.notna(), "")
    return pd.DataFrame(texts)


def cohorts_table(members, cohorts, paper):
    """Return Table 1 with the paper's sizes beside ours.

    Parameters
    ----------
    members : dict of pandas.DataFrame
        For each cohort the table of its members (column ``group``).
    cohorts : dict
        The section ``cohorts`` of the config.
    paper : dict
        From `load_paper`.

    Returns
    -------
    pandas.DataFrame
        ``cohort``, ``description``, ``td``, ``asd``, ``paper_td``, ``paper_asd``
        (missing for a cohort that the paper lacks).
    """
    rows = []
    for name, table in members.items():
        sizes = table["group"].value_counts()
        printed = paper["cohorts"].get(name, {})
        rows.append(
            {
                "cohort": name,
                "description": cohorts[name]["description"],
                "td": int(sizes.get("td", 0)),
                "asd": int(sizes.get("asd", 0)),
                "paper_td": printed.get("td"),
                "paper_asd": printed.get("asd"),
            }
        )
    whole = {"paper_td": "Int64", "paper_asd": "Int64"}
    return pd.DataFrame(rows).astype(whole)


def cohorts_shown(table, labels):
    """Return `cohorts_table` for people."""
    return pd.DataFrame(
        {
            "Dataset": table["cohort"].map(labels),
            "Description": table["description"],
            "TD": table["td"],
            "ASD": table["asd"],
            "TD (paper)": table["paper_td"].map(lambda v: number(v, 0)),
            "ASD (paper)": table["paper_asd"].map(lambda v: number(v, 0)),
        }
    )


def parameters_table(accuracy, paper):
    """Return the best parameters under the protocol `paper`, beside the paper's.

    Parameters
    ----------
    accuracy : pandas.DataFrame
        The table ``accuracy``.
    paper : dict
        From `load_paper`.

    Returns
    -------
    pandas.DataFrame
        ``cohort``, ``method``, ``parameter``, ``value``, ``paper_value``.
    """
    rows = []
    chosen = accuracy[accuracy["protocol"] == "paper"]
    for row in chosen.itertuples():
        printed = paper["parameters"].get(row.method, {}).get(row.cohort, {})
        ours = json.loads(row.parameters) if isinstance(row.parameters, str) else {}
        for parameter in [*ours, *(p for p in printed if p not in ours)]:
            rows.append(
                {
                    "cohort": row.cohort,
                    "method": row.method,
                    "parameter": parameter,
                    "value": ours.get(parameter),
                    "paper_value": printed.get(parameter),
                }
            )
    columns = ["cohort", "method", "parameter", "value", "paper_value"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def parameters_shown(table, labels):
    """Return `parameters_table` for people: a row each parameter, a column each cohort."""
    rows = []
    for (method, parameter), part in table.groupby(["method", "parameter"], sort=False):
        row = {"Method": METHOD_LABELS.get(method, method), "Parameter": parameter}
        row |= dict.fromkeys(labels.values(), "")
        for entry in part.itertuples():
            ours = "" if pd.isna(entry.value) else f"{entry.value}"
            printed = "" if pd.isna(entry.paper_value) else f" (paper {entry.paper_value})"
            row[labels[entry.cohort]] = ours + printed
        rows.append(row)
    return pd.DataFrame(rows, columns=["Method", "Parameter", *labels.values()])


def runtime_table(benchmarks):
    """Return how long the jobs took and how much memory they had.

    Parameters
    ----------
    benchmarks : iterable of (str, str, str or pathlib.Path)
        Stage, name of the job, and the file with its measurements (as Snakemake writes
        it: ``s``, ``cpu_time``, ``max_rss``).

    Returns
    -------
    pandas.DataFrame
        ``stage``, ``job``, ``seconds`` (wall clock), ``cpu_seconds``, ``memory_mb`` (peak).
    """
    rows = []
    for stage, job, path in benchmarks:
        table = load_table(path, ["s", "cpu_time", "max_rss"], na_values=["-", "NA"])
        if table.empty:
            raise InputError(f"{path} has no measurement: delete it and run the same command again")
        last = table.iloc[-1]
        rows.append((stage, job, last["s"], last["cpu_time"], last["max_rss"]))
    return pd.DataFrame(rows, columns=["stage", "job", "seconds", "cpu_seconds", "memory_mb"])


def runtime_shown(table):
    """Return `runtime_table` for people."""
    return pd.DataFrame(
        {
            "Stage": table["stage"],
            "Job": table["job"],
            "Seconds": table["seconds"].map(lambda v: number(v, 1)),
            "CPU seconds": table["cpu_seconds"].map(lambda v: number(v, 1)),
            "Memory (MB)": table["memory_mb"].map(lambda v: number(v, 0)),
        }
    )


def accuracy_shown(table, labels):
    """Return the table ``accuracy`` for people: a row for each cohort and method.

    Parameters
    ----------
    table : pandas.DataFrame
        From `statistics.accuracy_table`.
    labels : dict
        Label of each cohort.

    Returns
    -------
    pandas.DataFrame
        The paper's number, then for each protocol of the table ours, its permuted control
        and the p-value.
    """
    names = {"paper": "paper's protocol", "nested": "nested", "sites": "one site out"}
    rows = []
    for (cohort, method), part in table.groupby(["cohort", "method"], sort=False):
        first = part.iloc[0]
        row = {
            "Dataset": labels[cohort],
            "Method": METHOD_LABELS.get(method, method),
            "Paper": plus_minus(first["paper_mean"], first["paper_std"]),
        }
        by_protocol = part.set_index("protocol")
        for protocol, name in names.items():
            if protocol in by_protocol.index:
                entry = by_protocol.loc[protocol]
                row[f"Ours, {name}"] = plus_minus(entry["mean"], entry["std"])
                row[f"Control, {name}"] = plus_minus(entry["control_mean"], entry["control_std"])
                row[f"p, {name}"] = number(entry["p_value"], 3)
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def accuracy_notes(table, labels):
    """Return the notes below the table ``accuracy``.

    Parameters
    ----------
    table : pandas.DataFrame
        From `statistics.accuracy_table`.
    labels : dict
        Label of each cohort.

    Returns
    -------
    list of str
        Why WL-Kern scores the same in every split, if it does.
    """
    constant = table[(table["method"] == "wl-kern") & (table["std"].abs() < 1e-9)]
    kept = constant["parameters"].map(lambda text: json.loads(text).get("features"))
    last = constant[kept == "last"]
    if last.empty:
        return []
    cohorts = ", ".join(labels[cohort] for cohort in dict.fromkeys(last["cohort"]))
    return [
        f"WL-Kern ({cohorts}): with the labels of the last iteration alone (features: last, as "
        "the paper's constant row suggests) hardly any label occurs in two graphs, the kernel "
        "of two different graphs is 0 or nearly so, and the SVM predicts the larger group for "
        "everybody: the accuracy is that group's share of the test part in every split. The "
        "proper kernel counts the labels of all iterations (features: cumulative)."
    ]


def comparisons_shown(table, labels):
    """Return the table ``comparisons`` (`statistics.comparison_table`) for people."""
    return pd.DataFrame(
        {
            "Dataset": table["cohort"].map(labels),
            "Protocol": table["protocol"],
            "Method": table["method"].map(METHOD_LABELS),
            "Other": table["other"].map(METHOD_LABELS),
            "Difference": table["difference"].map(number),
            "95 % interval": [
                f"{number(low)} to {number(high)}"
                for low, high in zip(table["ci_low"], table["ci_high"], strict=True)
            ],
            "p (Holm)": table["p_holm"].map(lambda p: number(p, 3)),
        }
    )


def solver_table(ours, paper, seconds):
    """Set two solvers side by side on every instance.

    Parameters
    ----------
    ours, paper : list of dict
        Records of contrast subgraphs (`contrast.cohort.cohort_record`) of the same
        cohorts and contrasts, found by our solver and by the paper's algorithm.
    seconds : list of pandas.DataFrame
        The times of each record (`contrast.cohort.seconds_table`), first those of `ours`.

    Returns
    -------
    pandas.DataFrame
        ``cohort, contrast, percentile, alpha, solver, objective, upper_bound, gap,
        optimal, ratio, seconds`` (CPU): `optimal` if proved, or if the value is the
        proved optimum of the other solver; `ratio` to the best value known.
    """
    rows = []
    for record, times in zip([*ours, *paper], seconds, strict=True):
        for subgraph, cpu in zip(record["subgraphs"], times["seconds"], strict=True):
            kept = ("percentile", "alpha", "objective", "upper_bound", "gap", "optimal")
            rows.append(
                {
                    "cohort": record["cohort"],
                    "contrast": record["contrast"],
                    "solver": record["solver"],
                    **{name: subgraph[name] for name in kept},
                    "seconds": cpu,
                }
            )
    table = pd.DataFrame(rows)
    instance = table.groupby(["cohort", "contrast", "alpha"], sort=False)
    best = instance["objective"].transform("max")
    proved = instance["optimal"].transform("any")
    reached = table["objective"] >= best - 1e-9 * best.abs()
    table["optimal"] = table["optimal"] | (proved & reached)
    table["ratio"] = (table["objective"] / best).where(best > 0, 1.0)
    columns = "cohort contrast percentile alpha solver objective upper_bound gap optimal ratio"
    return table[[*columns.split(), "seconds"]]


def alternatives_table(records):
    """Summarise the near-optimal rivals of every contrast subgraph.

    Parameters
    ----------
    records : list of dict
        Records of contrast subgraphs (`contrast.cohort.cohort_record`).

    Returns
    -------
    pandas.DataFrame
        ``cohort, contrast, percentile, alpha, size, fraction, rivals`` (locally optimal
        sets within the fraction of the optimum), ``complete`` (all of them are listed),
        ``nearest`` (objective of the best rival over the optimum), ``least_overlap``
        (the smallest Jaccard index with the optimum). Missing where no rivals were asked
        for or there are none.
    """
    rows = []
    for record in records:
        for subgraph in record["subgraphs"]:
            near = subgraph["alternatives"] or {"fraction": None, "complete": None, "sets": []}
            values = [rival["objective"] for rival in near["sets"]]
            overlaps = [rival["overlap"] for rival in near["sets"]]
            rows.append(
                {
                    "cohort": record["cohort"],
                    "contrast": record["contrast"],
                    "percentile": subgraph["percentile"],
                    "alpha": subgraph["alpha"],
                    "size": len(subgraph["nodes"]),
                    "fraction": near["fraction"],
                    "rivals": len(values),
                    "complete": near["complete"],
                    "nearest": max(values) / subgraph["objective"] if values else None,
                    "least_overlap": min(overlaps) if overlaps else None,
                }
            )
    return pd.DataFrame(rows)
