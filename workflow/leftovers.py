"""Results of what the config no longer has: found and named, never deleted."""

from pathlib import Path


def leftovers(results, cohorts, methods):
    """Return the results of cohorts and methods that the config does not have.

    Parameters
    ----------
    results : str or pathlib.Path
        The folder ``results/<source>``.
    cohorts, methods : iterable of str
        Those of the config.

    Returns
    -------
    dict of list of pathlib.Path
        What is left of each: ``{"the cohort girls": [...], "the method embs": [...]}``.
    """
    results = Path(results)
    found = {}
    folders = [results / "contrast", results / "embeddings"]
    folders += [folder for folder in _inside(results / "evaluation") if folder.is_dir()]
    of_cohorts = [path for folder in folders for path in _inside(folder)]
    of_cohorts += [path for path in _inside(results / "graphs") if path.suffix == ".npz"]
    own = {*cohorts, "subjects", "sites"}
    for name in sorted({path.stem for path in of_cohorts} - own):
        paths = [path for path in of_cohorts if path.stem == name]
        paths += (results / "graphs").glob(f"{name}.*tsv")
        paths += (results / "figures").glob(f"*-{name}.*")
        found[f"the cohort {name}"] = sorted(paths)
    of_methods = [
        path
        for cohort in cohorts
        for folder in folders
        if folder.name != "contrast"
        for path in _inside(folder / cohort)
    ]
    for name in sorted({_method(path) for path in of_methods} - set(methods)):
        found[f"the method {name}"] = sorted(p for p in of_methods if _method(p) == name)
    return found


def _inside(folder):
    """Return what is in a folder, apart from hidden files; nothing if there is no folder."""
    if not folder.is_dir():
        return []
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def _method(path):
    return path.name.split(".")[0]
