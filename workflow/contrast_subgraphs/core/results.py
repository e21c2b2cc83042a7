"""What all results share: a line or two that says what they are, and how notebooks show them."""

from typing import Any

from .notebook import as_html


class Result:
    """Base of what public functions return.

    A subclass says what it is by `_said`. It may have `table`, of which notebooks show the columns
    `_columns` (or all), and `_draw`, which draws a picture into axes of matplotlib.
    """

    #: Columns of `table` that notebooks show; all if this is empty.
    _columns: tuple[str, ...] = ()

    def _said(self) -> str:
        """Return what this is, in a few words."""
        raise NotImplementedError

    def _draw(self, axes: Any) -> bool:
        """Draw a picture of the result into axes; False if there is nothing to draw."""
        return False

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._said()}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the words, a small table, and a picture if it can."""
        return as_html(self)
