"""What the README shows is true: its code runs, its links lead somewhere."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from contrast_subgraphs.config import checked
from own_data import matrix


@pytest.fixture(scope="module")
def readme(root):
    return (root / "README.md").read_text(encoding="utf-8")


def test_the_example_finds_the_planted_regions(readme, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    regions = [f"R{k}" for k in range(30)]
    for folder in ("controls", "patients"):
        Path(folder).mkdir()
        for person in range(10):
            values = matrix(rng, 30, range(6) if folder == "patients" else [], 0.5)
            frame = pd.DataFrame(values, columns=regions)
            frame.to_csv(f"{folder}/{person}.csv", index=False)
    (code,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["found"].optimal and names["found"].regions == tuple(regions[:6])
    assert Path("found.png").stat().st_size > 10_000
    assert names["test"].pvalue[1, 0] < 0.01
    assert "patient-control" in capsys.readouterr().out


def test_links_lead_to_files(root):
    for page in [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_continuous_integration_finds_both_commands(root, readme):
    for name in ("run", "tests"):
        assert f"<!-- command: {name} -->\n```sh\n" in readme
    assert "readme_command" in (root / ".ci" / "run").read_text(encoding="utf-8")


def test_examples_are_valid_over_the_config(root):
    base = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))

    def laid_over(low, high):
        if not (isinstance(low, dict) and isinstance(high, dict)):
            return high
        return low | {key: laid_over(low.get(key), value) for key, value in high.items()}

    for example in sorted((root / "examples").glob("*.yaml")):
        config = yaml.safe_load(example.read_text(encoding="utf-8"))
        assert checked(laid_over(base, config)), example.name


def test_the_cohort_of_the_readme_is_the_example(root, readme):
    (shown,) = re.findall(r"```yaml\n(cohorts:.*?)```", readme, flags=re.DOTALL)
    example = yaml.safe_load((root / "examples" / "girls.yaml").read_text(encoding="utf-8"))
    assert yaml.safe_load(shown) == example
