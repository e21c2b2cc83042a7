"""Check the conda recipe: rattler-build reads and renders it, and it says what pyproject.toml says.

    python packaging/conda/check.py

The first part needs py-rattler-build (envs/requirements-packaging.txt). Nothing is built, which
would need conda-forge's packages.
"""

import re
import sys
import tomllib
from pathlib import Path

import yaml

RECIPE = Path(__file__).with_name("recipe.yaml")
ROOT = RECIPE.parents[2]
#: Packages that conda-forge calls otherwise: this one is without the windows of Qt.
OTHERWISE = {"matplotlib": "matplotlib-base"}


def _of_project(text):
    name, bounds = re.fullmatch(r"([a-z0-9-]+)(.*)", text).groups()
    return f"{OTHERWISE.get(name, name)} {bounds}"


def differences(recipe, project, build_requires):
    """Return where a recipe (parsed) and the project's table differ, a sentence each."""
    context = recipe["context"]

    def filled(text):
        return re.sub(r"\$\{\{ (\w+) \}\}", lambda match: context[match[1]], text)

    (hatchling,) = map(_of_project, build_requires)
    (script,) = [f"{name} = {target}" for name, target in project["scripts"].items()]
    pairs = {
        "name": (recipe["package"]["name"], project["name"]),
        "version": (filled(recipe["package"]["version"]), project["version"]),
        "license": (recipe["about"]["license"], project["license"]),
        "command": (recipe["build"]["python"]["entry_points"], [script]),
        "run": (
            [filled(text) for text in recipe["requirements"]["run"]],
            [f"python {project['requires-python']}", *map(_of_project, project["dependencies"])],
        ),
        "host": (
            [filled(text) for text in recipe["requirements"]["host"]],
            [f"python {context['python_min']}.*", "pip", hatchling],
        ),
    }
    return [f"{key}: {one} and {other}" for key, (one, other) in pairs.items() if one != other]


def rendered(text):
    """Return the recipe as rattler-build renders it; its own error if it cannot."""
    from rattler_build import Stage0Recipe

    variants = Stage0Recipe.from_yaml(text).render()
    return [variant.recipe for variant in variants]


def main():
    """Check, and say what was found."""
    text = RECIPE.read_text(encoding="utf-8")
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = differences(yaml.safe_load(text), whole["project"], whole["build-system"]["requires"])
    if found:
        raise SystemExit("error: recipe.yaml and pyproject.toml differ: " + "; ".join(found))
    (recipe,) = rendered(text)
    print(f"{recipe.package.name} {recipe.package.version}: a recipe that rattler-build accepts")


if __name__ == "__main__":
    sys.exit(main())
