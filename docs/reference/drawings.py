"""The pictures of the questions' pages, drawn from the tables that stand on these pages.

``python docs/reference/drawings.py`` writes them. Each holds a digest of the numbers that it was
drawn from, so that a test sees when a table was changed and its picture was not.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
INK = "#1f4e79"
OTHER = "#b5651d"
QUIET = "#9a9a9a"
#: Where a picture keeps the digest of its numbers.
KEY = "Description"


def rows_of(page, *heads):
    """Return the cells of a page's first table whose header has all the `heads`."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("|") or not all(head in line for head in heads):
            continue
        rows = []
        # The line below the header has the dashes.
        for row in lines[number + 2 :]:
            if not row.startswith("|"):
                break
            rows.append([cell.strip(" *`") for cell in row.strip("|").split("|")])
        return rows
    raise ValueError(f"{page} has no table with the columns {heads}")


def numbers_in(text):
    """Return the numbers of a cell; ``**`` around them says nothing."""
    found = re.findall(r"[-−]?\d*\.\d+|[-−]?\d+", text.replace("*", ""))
    return [float(one.replace("−", "-")) for one in found]


# --- What each picture is drawn from --------------------------------------------------------


def effects():
    """In these people, and in people who did not choose the set."""
    rows = []
    for row in rows_of("effect_size.md", "in these people", "95 % interval"):
        inside = numbers_in(row[1])[0]
        outside = numbers_in(row[2])[0]
        rows.append([row[0], inside, outside, *numbers_in(row[3])])
    return rows


def sites():
    """The mean over sites with its interval, and at how many sites the sign holds."""
    rows = []
    for row in rows_of("replication.md", "sites where the sign holds"):
        holds = row[1].replace("*", "")
        rows.append([f"{row[0]}\n({holds} sites)", *numbers_in(row[2])])
    return rows


def detectable():
    """The smallest difference that is found in four fifths of the cases."""
    rows = rows_of("planning.md", "5 regions", "10 regions", "20 regions")
    return [[row[0], *(numbers_in(cell)[0] for cell in row[1:4])] for row in rows]


def motion():
    """Accuracy of each method, as it is and with its features freed of motion."""
    rows = []
    for row in rows_of("motion.md", "accuracy, features adjusted"):
        adjusted = numbers_in(row[5]) or [None]
        rows.append([row[0].replace("`", ""), numbers_in(row[2])[0], adjusted[0]])
    return rows


def predictions():
    """Correlation of what is predicted with what is true, and with permuted values."""
    rows = []
    asked = ""
    for row in rows_of("questions.md", "nested", "one site out"):
        # The question stands in the first of its rows alone.
        asked = row[0] or asked
        numbers = numbers_in(row[3]) if row[3] else []
        if len(numbers) == 3:
            rows.append([f"{asked.split(' (')[0]}: {row[1]}", numbers[0], numbers[2]])
    return rows


def made_map():
    """A made map of t values: 30 regions, of which 8 hang together; and the set that is found."""
    sys.path.insert(0, str(ROOT / "workflow"))
    from contrast_subgraphs import contrast_of_map

    rng = np.random.default_rng(4)
    values = rng.normal(size=(30, 30))
    values[8:16, 8:16] += 2
    values = np.triu(values, 1)
    values += values.T
    found = contrast_of_map(values, percentile=90)
    return [[round(float(value), 6) for value in row] for row in values] + [found.nodes.tolist()]


# --- How each is drawn ----------------------------------------------------------------------


def draw_effects(rows, figure):
    """Draw what is inside as circles, what is outside with its interval."""
    axes = ruled(figure, [row[0] for row in rows])
    for place, row in enumerate(rows):
        axes.plot(row[3:5], [place, place], color=INK)
    places = range(len(rows))
    axes.plot([row[1] for row in rows], places, "o", mfc="none", color=OTHER)
    axes.plot([row[2] for row in rows], places, "o", color=INK)
    axes.set_xlabel("difference of the densities (circles: in the people who chose the set)")


def draw_sites(rows, figure):
    """Draw the mean over sites with its interval."""
    axes = ruled(figure, [row[0] for row in rows])
    for place, (_, mean, low, high) in enumerate(rows):
        axes.plot([low, high], [place, place], color=INK)
        axes.plot([mean], [place], "o", color=INK)
    axes.set_xlabel("mean difference over sites, within sites that did not choose the set")


def draw_detectable(rows, figure):
    """Draw the smallest difference against the number of regions."""
    axes = figure.subplots()
    for (name, *values), color in zip(rows, (OTHER, INK), strict=True):
        axes.plot([5, 10, 20], values, "o-", color=color, label=name)
    axes.set_xticks([5, 10, 20])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("regions in which the groups differ")
    axes.set_ylabel("difference found in 80 % of cases")
    axes.legend(frameon=False)


def draw_motion(rows, figure):
    """Draw accuracies; the dashed line is what motion alone reaches."""
    axes = ruled(figure, [row[0] for row in rows], zero=None)
    axes.axvline(rows[0][1], color=QUIET, linestyle="--")
    axes.plot([row[1] for row in rows], range(len(rows)), "o", color=INK, label="as it is")
    adjusted = [(row[2], place) for place, row in enumerate(rows) if row[2] is not None]
    values, places = zip(*adjusted, strict=True)
    axes.plot(values, places, "o", mfc="none", color=OTHER, label="features freed of motion")
    axes.set_xlabel("accuracy at new sites (dashed: motion alone, without the brain)")
    axes.legend(frameon=False, loc="upper right")


def draw_predictions(rows, figure):
    """Draw correlations at sites that were left out, next to those of permuted values."""
    axes = ruled(figure, [row[0] for row in rows])
    places = range(len(rows))
    axes.plot([row[1] for row in rows], places, "o", color=INK, label="true values")
    axes.plot([row[2] for row in rows], places, "o", mfc="none", color=OTHER, label="permuted")
    axes.set_xlabel("r of predicted and true values, one site left out")
    axes.legend(frameon=False)


def draw_map(rows, figure):
    """Draw a map of t values, and a frame around the set that was found."""
    *values, nodes = rows
    axes = figure.subplots()
    shown = axes.imshow(values, cmap="RdBu_r", vmin=-4, vmax=4)
    for first in nodes:
        for second in nodes:
            if first != second:
                axes.plot(second, first, "s", ms=5, mfc="none", mec="black", mew=0.7)
    axes.set_xlabel("region")
    axes.set_ylabel("region")
    figure.colorbar(shown, label="t")


def ruled(figure, names, zero=0.0):
    """Return axes with a line for each name, the first on top."""
    axes = figure.subplots()
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(axis="y", color="#eeeeee")
    axes.spines[["top", "right", "left"]].set_visible(False)
    if zero is not None:
        axes.axvline(zero, color=QUIET, linewidth=0.8)
    return axes


#: By the name of the file: what it is drawn from, how, and its size in inches.
PICTURES = {
    "effects.png": (effects, draw_effects, (7, 3.2)),
    "sites.png": (sites, draw_sites, (7, 2.6)),
    "detectable.png": (detectable, draw_detectable, (5, 3)),
    "motion.png": (motion, draw_motion, (7, 4.6)),
    "predictions.png": (predictions, draw_predictions, (7, 2.8)),
    "map.png": (made_map, draw_map, (4.6, 3.6)),
}


def digest_of(rows):
    """Return a digest of the numbers of a picture."""
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def draw(name, folder=DOCS):
    """Draw one picture into a folder."""
    numbers_of, draw_into, size = PICTURES[name]
    rows = numbers_of()
    figure = Figure(size, layout="constrained")
    draw_into(rows, figure)
    figure.savefig(folder / name, dpi=110, metadata={KEY: digest_of(rows)})


if __name__ == "__main__":
    for each in PICTURES:
        draw(each)
