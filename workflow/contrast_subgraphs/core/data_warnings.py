"""Warnings about the data that were given, told apart by their class and not by their text."""

#: Where the text of a `DataWarning` names the people: the page puts the config's noun there.
PEOPLE = "{people}"


class DataWarning(UserWarning):
    """A warning about the user's data, as opposed to that of a library about its own future.

    Parameters
    ----------
    text : str
        One sentence. In place of a noun for people it has `PEOPLE`, so that a study of mice can be
        told about mice.

    See Also
    --------
    InputError : What cannot be used at all.

    Examples
    --------
    >>> warning = DataWarning(f"3 of 20 {PEOPLE} have no site")
    >>> str(warning)
    '3 of 20 people have no site'
    >>> with_people(warning.text, "mice")
    '3 of 20 mice have no site'
    """

    def __init__(self, text: str):
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return with_people(self.text)


def with_people(text: str, noun: str = "people") -> str:
    """Return the text of a warning with a noun for the people."""
    return text.replace(PEOPLE, noun)


def text_of(warning: Warning) -> str:
    """Return the text of any warning in one line, with `PEOPLE` where a noun for people belongs."""
    text = warning.text if isinstance(warning, DataWarning) else str(warning)
    return " ".join(text.split())


def is_for_the_user(category: type[Warning]) -> bool:
    """Return whether a warning is about the user's data, and not a library's about its future.

    Libraries derive classes of their own, so that a plain `UserWarning` is one of this package.
    """
    return category is UserWarning or issubclass(category, DataWarning)
