"""One look for all figures, and saving them so that a second run gives the same bytes."""

import functools
import io
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...core.atomic_files import written_whole
from ...core.graphs import GROUPS, group_label
from ...design import contrast_names

#: Widths in inches: one column and the full text width of a two-column page.
COLUMN = 3.35
PAGE = 7.0
#: Dots per inch of a picture in a notebook.
SHOWN_DPI = 100

#: Ink for text, quiet lines and things that are only there for comparison.
INK = "#222222"
QUIET = "#8a8a8a"
PALE = "#dddddd"


@dataclass(frozen=True)
class Look:
    """How a group of subjects, or the contrast in its favour, is drawn."""

    label: str
    colour: str  # blue and orange, apart in lightness too: for print in grey
    dark: str  # for text and outlines
    marker: str
    line: str  # line style, for where colour alone cannot distinguish


class Looks:
    """How two groups (by `y`) and their contrasts (by name, in their order) look and are called.

    >>> looks = Looks(("td", "asd"))
    >>> looks.groups[1].label, looks.contrasts["asd-td"].label
    ('ASD', 'ASD−TD')
    """

    def __init__(self, groups=GROUPS, labels=None, contrasts=None):
        a, b = labels or map(group_label, groups)
        if contrasts is None:
            labels = f"{a}−{b}", f"{b}−{a}", "Symmetric"
            contrasts = dict(zip(contrast_names(groups), labels, strict=True))
        first = Look(a, "#1f5fa8", "#123b69", "o", "-")
        second = Look(b, "#f0902b", "#a4540a", "^", (0, (3, 1.2)))
        both = Look("Symmetric", "#6f6f6f", "#333333", "s", "-")
        self.groups = (first, second)
        # A direction has the look of the group with more; the symmetric contrast has its own.
        looks = zip(contrasts.items(), (first, second, both), strict=True)
        self.contrasts = {name: replace(look, label=label) for (name, label), look in looks}

    @classmethod
    def of(cls, names, cohort=None):
        """Return the looks of a cohort's groups, under the labels of the config's `Names`."""
        return cls((), names.group_labels(cohort), names.contrasts(cohort))


#: The settings of all figures.
_STYLE = Path(__file__).parents[1] / "assets" / "figures.mplstyle"


def styled(draw):
    """Let a drawing function use the common style, whatever the caller's matplotlib is set to."""

    @functools.wraps(draw)
    def wrapper(*args, **kwargs):
        # Half a second that only those who draw should wait.
        import matplotlib

        with matplotlib.rc_context():
            matplotlib.rc_file(_STYLE)
            made = draw(*args, **kwargs)
            if made is not None:
                _settle(made)
            return made

    return wrapper


def _settle(figure):
    """Lay a figure out once and for all, with rounded places.

    The solver of the constrained layout goes through its variables in the order of their
    addresses: its last digits differ from run to run, and with them the files' bytes. Simple
    sizes give places that end in a 5 at the seventh digit; a billionth more rounds them alike.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    parts = [figure]
    while parts:
        part = parts.pop()
        parts += part.subfigs
        if part is not figure:
            part.bbox_relative.set_points(np.round(part.bbox_relative.get_points() + 1e-9, 6))
        for axes in part.axes:
            axes.set_position(np.round(np.add(axes.get_position(original=True).bounds, 1e-9), 6))


def new_figure(width, height):
    """Return an empty figure of the given size in inches, laid out by constrained layout."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _shown_figure()(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


@functools.cache
def _shown_figure():
    """Return a class of figures that notebooks show even if pyplot was never imported."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self):
            file = io.BytesIO()
            self.savefig(file, format="png", dpi=SHOWN_DPI)
            return file.getvalue()

    return ShownFigure


@styled
def save(figure, *paths, title="", subject="", sealed=False):
    """Write a figure to PDF, PNG or SVG files, the same bytes each time.

    `title`, `subject`: kept in the files' metadata: what it shows, and of which data; `sealed`: see
    `core.atomic_files.written_whole`.
    """
    # Dates and versions of software in the metadata would change the bytes of each run.
    undated = {
        ".pdf": {"CreationDate": None, "Title": title, "Subject": subject},
        ".png": {"Software": None, "Title": title, "Description": subject},
        ".svg": {"Date": None, "Title": title, "Description": subject},
    }
    for path in paths:
        with written_whole(path, sealed) as beside:
            figure.savefig(beside, metadata=undated[beside.suffix.lower()])


def diverging_colours():
    """Return the colour map from the second group's orange over white to the first one's blue."""
    from matplotlib.colors import LinearSegmentedColormap

    first, second = Looks().groups
    stops = [second.dark, second.colour, "#ffffff", first.colour, first.dark]
    return LinearSegmentedColormap.from_list("second-first", stops)


def scatter_groups(axes, points, y, looks, size=16):
    """Draw one marker for each subject: blue circles and orange triangles.

    Subjects of one group at the very same place are drawn as one marker whose area
    grows with their number; where both groups are, each gives way a little. `size`: area of a
    marker of one subject, in points squared; smaller for many subjects.
    """
    # Smaller markers for many subjects, so that they do not cover each other.
    size *= np.sqrt(min(1.0, 150 / max(len(y), 1)))
    places, kind, subjects = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    aside = 0.012 * np.ptp(points[:, 0])
    for group, look in enumerate(looks.groups):
        number = np.bincount(kind.ravel()[y == group], minlength=len(places))
        here = number > 0
        shared = number[here] < subjects[here]  # with the other group: half a marker aside
        at = places[here] + np.outer(shared, [(2 * group - 1) * aside, 0])
        axes.scatter(
            at[:, 0],
            at[:, 1],
            s=size * number[here],
            marker=look.marker,
            facecolor=look.colour,
            edgecolor="white",
            linewidth=0.4,
            alpha=0.85,
            zorder=3 + group,
            label=f"{look.label} ({int((y == group).sum())})",
        )


def one_legend(figure, axes, **options):
    """Add a legend of what is labelled in any of the axes, each label once."""
    known = {}
    for one in axes:
        handles, labels = one.get_legend_handles_labels()
        known |= dict(zip(labels, handles, strict=True))
    return figure.legend(known.values(), known.keys(), **options)


def group_legend(axes, *entries, **options):
    """Add the legend of `scatter_groups`, with markers of one size."""
    legend = axes.legend(*entries, handletextpad=0.2, borderaxespad=0.2, **options)
    for handle in legend.legend_handles:
        handle.set_sizes([22])
    return legend
