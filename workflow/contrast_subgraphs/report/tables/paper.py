"""The numbers that the paper prints."""

from importlib.resources import files

from ...core.extras import optional


def load_paper(printed=True):
    """Read the numbers that the paper prints.

    `printed`: false gives the same without numbers, for data that the paper has not seen. Returns:
    ``cohorts``, ``accuracy``, ``parameters`` and ``runtime``.
    """
    if not printed:
        return {"cohorts": {}, "accuracy": {}, "parameters": {}, "runtime": {}}
    text = (files(__package__) / "paper.yaml").read_text(encoding="utf-8")
    return optional("yaml", "workflow").safe_load(text)
