"""What people may say about how their files are read, in each place where they may say it.

The command line, the config and its schema, and the checks of keywords all come from this list.
"""

from typing import Any, NamedTuple

from .checks import check_option


class ReadingOption(NamedTuple):
    """An option of reading: its help on the command line, and its values."""

    help: str
    #: What it may be; any text or truth, as `kind` says, if empty.
    choices: tuple = ()
    kind: type = str
    #: What it is if nobody says it: None leaves the choice to the files.
    usual: Any = None

    @property
    def schema(self):
        """What the config's schema says of it."""
        if self.choices:
            known = list(self.choices)
            if self.usual is None:
                known.append(None)
            return {"enum": known}
        return {"type": [{str: "string", bool: "boolean"}[self.kind], "null"]}


READING_OPTIONS = {
    "key": ReadingOption("Array of .npz, .mat and .h5 files, or sheet of .xlsx."),
    "header": ReadingOption(
        "Whether the first line of text files holds names; by default, whichever fits.", kind=bool
    ),
    "index": ReadingOption("Whether the first column of text files holds names.", kind=bool),
    "decimal": ReadingOption("The decimal mark of text files.", (".", ",")),
    "triangle": ReadingOption(
        "For rows of weights, one a person: the triangle that they go through.",
        ("upper", "lower"),
    ),
    "windows": ReadingOption(
        "For files with windows of dynamic connectivity, one a person: take their mean.", ("mean",)
    ),
    "regions": ReadingOption(
        "If files have different regions: stop, keep the regions that all have, or only those "
        "that also have a weight in all.",
        ("error", "common", "drop"),
        usual="error",
    ),
}

#: Those that say how one file is read, whatever the others hold: keywords of `read_files`.
HOW = ("key", "header", "index", "decimal", "triangle")


def check_reading(**given):
    """Raise InputError if an option of reading has a value that it cannot have.

    >>> check_reading(decimal=",", triangle=None)
    """
    for name, value in given.items():
        option = READING_OPTIONS[name]
        if option.choices:
            unsaid = () if option.usual else (None,)
            check_option(name, value, (*unsaid, *option.choices))
