"""After any change one run gives what a run in a fresh folder gives, byte for byte.

Each change is made in a finished study. By default it is asked whether Snakemake would make the
results that it concerns, and one change of each kind is run; `FRESH_RUNS=all python -m pytest
tests/workflow/test_fresh_runs.py` runs every change, and the same study from nothing.
"""

import os
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from images import write_atlas, write_image
from workflow_runs import copy_checkout
from worlds import WORLDS, keep_dates, other_series

EVERY = os.environ.get("FRESH_RUNS") == "all"
SERIES, GRAPHS = "data/series/all.npz", "graphs/subjects.npz"
COHORT = "graphs/everybody.npz"


def first_matrix(world, folder="m"):
    return min((world.data / folder).glob("*.csv"))


def rewrite(path, factor=0.5):
    """Change a weight of a matrix on both sides of its diagonal."""
    table = pd.read_csv(path)
    values = table.to_numpy(copy=True)
    values[0, 1] *= factor
    values[1, 0] *= factor
    pd.DataFrame(values, columns=table.columns).to_csv(path, index=False)


# Files of one's own -----------------------------------------------------------------------------


def content(world):
    rewrite(first_matrix(world))


def older_content(world):
    rewrite(first_matrix(world))
    os.utime(first_matrix(world), (1e9, 1e9))


def same_size_and_date(world):
    path = first_matrix(world)
    state, text = path.stat(), path.read_text(encoding="utf-8")
    header, first, second, *rest = text.splitlines()
    # The same digits in another order, on both sides of the diagonal.
    one, other = first.split(","), second.split(",")
    one[1] = other[0] = one[1][:-1] + ("1" if one[1][-1] != "1" else "2")
    path.write_text("\n".join([header, ",".join(one), ",".join(other), *rest]) + "\n", "utf-8")
    keep_dates(path, state)


def swap(first, second):
    aside = first.with_name("aside")
    first.rename(aside)
    second.rename(first)
    aside.rename(second)


def matrices_swapped(world):
    first, *_, last = sorted((world.data / "m").glob("*.csv"))
    swap(first, last)


def folders_swapped(world):
    swap(world.data / "m", world.data / "m2")


def folders_swapped_of_equal_dates(world):
    swap(world.data / "m", world.data / "m2")
    for path in [*(world.data / "m").glob("*"), *(world.data / "m2").glob("*")]:
        os.utime(path, (1e9, 1e9))


def a_file_of_nobody(world):
    shutil.copy2(first_matrix(world), world.data / "m" / "sub-999.csv")


def a_link_to_another_file(world):
    path = first_matrix(world)
    path.unlink()
    path.symlink_to(first_matrix(world, "m2").resolve())


# People -----------------------------------------------------------------------------------------


def cell(column, value, row=0):
    """A change of one cell of the table of people."""

    def change(world):
        def edit(table):
            table.loc[row, column] = value
            return table

        world.edit_table(edit)

    return change


def person_added(world):
    shutil.copy2(first_matrix(world, "m2"), world.data / "m" / "sub-099.csv")
    new = {"participant_id": "sub-099", "group": "control", "age": "33", "sex": "M", "site": "A"}
    world.edit_table(lambda table: pd.concat([table, pd.DataFrame([new])]).fillna("n/a"))


def person_removed(world):
    world.edit_table(lambda table: table[1:])


def person_renamed(world):
    first_matrix(world).rename(world.data / "m" / "sub-077.csv")
    cell("participant_id", "sub-077")(world)


def person_without_file(world):
    first_matrix(world).unlink()
    world.settings["missing"] = "skip"


def rows_reversed(world):
    world.edit_table(lambda table: table[::-1])


def columns_reversed(world):
    world.edit_table(lambda table: table[table.columns[::-1]])


def a_column_more(world):
    world.edit_table(lambda table: table.assign(iq="100"))


# The config -------------------------------------------------------------------------------------


def setting(**values):
    """A change of the source's settings."""
    return lambda world: world.settings.update(values)


def section(name, **values):
    """A change of a section of the config."""

    def change(world):
        if isinstance(world.config.get(name), dict):
            world.config[name].update(values)
        else:
            world.config[name] = values

    return change


def key(name, value):
    return lambda world: world.config.update({name: value})


def both(*changes):
    def change(world):
        for one in changes:
            one(world)

    return change


def regions_renamed(world):
    table = pd.read_csv(world.data / "regions.csv")
    table["network"] = "Other"
    table.to_csv(world.data / "regions.csv", index=False)


def a_region_lacking(world):
    path = first_matrix(world)
    table = pd.read_csv(path)
    kept = table.drop(columns=table.columns[0]).iloc[1:]
    kept.to_csv(path, index=False)


def rows_of_triangles(world):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(14, 28))
    np.savetxt(world.data / "rows.csv", rows, delimiter=",")
    world.settings.update(files="rows.csv", triangle="upper")


def weights_with_commas(world):
    for path in (world.data / "m").glob("*.csv"):
        table = pd.read_csv(path)
        table.to_csv(path, index=False, sep=";", decimal=",")
    world.settings["decimal"] = ","


def several_runs(how):
    def change(world):
        for path in (world.data / "m").glob("*.csv"):
            shutil.copy2(world.data / "m2" / path.name, path.with_name(f"{path.stem}_run-2.csv"))
        world.settings.update(files="m/{id}*.csv", runs=how)

    return change


def without_header(world):
    for path in (world.data / "m").glob("*.csv"):
        lines = path.read_text(encoding="utf-8").splitlines()
        path.write_text("\n".join(lines[1:]) + "\n", encoding="utf-8")
    world.settings["header"] = False


OWN = {
    "a content": (content, SERIES),
    "a content, with an older date": (older_content, SERIES),
    "a content, of the same size and date": (same_size_and_date, SERIES),
    "two files swapped": (matrices_swapped, SERIES),
    "two folders swapped": (folders_swapped, SERIES),
    "two folders swapped, all dates equal": (folders_swapped_of_equal_dates, SERIES),
    "a file of nobody": (a_file_of_nobody, "data/manifest.tsv"),
    "a link to another file": (a_link_to_another_file, SERIES),
    "another folder": (setting(files="m2/{id}.csv"), SERIES),
    "person added": (person_added, SERIES),
    "person removed": (person_removed, SERIES),
    "person renamed": (person_renamed, SERIES),
    "person regrouped": (cell("group", "patient"), COHORT),
    "person without a file": (person_without_file, SERIES),
    "an age": (cell("age", "61"), COHORT),
    "a site": (cell("site", "C"), COHORT),
    "a sex": (cell("sex", "F", 1), COHORT),
    "rows of the table reversed": (rows_reversed, SERIES),
    "columns of the table reversed": (columns_reversed, COHORT),
    "a column more": (a_column_more, COHORT),
    "id": (setting(id="name", files="named/{id}.csv"), SERIES),
    "site": (setting(site="place"), COHORT),
    "age": (setting(age="years"), COHORT),
    "sex": (setting(sex="place"), COHORT),
    "motion": (setting(motion="fd"), COHORT),
    "atlas": (setting(atlas="regions.csv"), "data/atlas.tsv"),
    "atlas, then its systems": (
        both(setting(atlas="regions.csv"), regions_renamed),
        "data/atlas.tsv",
    ),
    "regions": (both(setting(regions="common"), a_region_lacking), SERIES),
    "missing": (setting(missing="skip"), SERIES),
    "key": (setting(files="long/{id}.npz", key="one"), SERIES),
    "another key": (setting(files="long/{id}.npz", key="two"), SERIES),
    "header": (without_header, SERIES),
    "index": (setting(index=False), SERIES),
    "decimal": (weights_with_commas, SERIES),
    "triangle": (rows_of_triangles, SERIES),
    "runs: join": (several_runs("join"), SERIES),
    "runs: first": (several_runs("first"), SERIES),
    "kind": (setting(kind="series", files="series/{id}.csv"), SERIES),
    "graph.threshold": (section("graph", threshold={"percentile": 60}, weights="binary"), GRAPHS),
    "graph.threshold and weights": (section("graph", threshold={"density": 0.3}), GRAPHS),
    "graph.sign": (section("graph", threshold={"percentile": 60}, sign="absolute"), GRAPHS),
    "graph.transform": (
        both(setting(files="counts/{id}.csv"), section("graph", transform="log1p")),
        GRAPHS,
    ),
    "graph.adjust": (section("graph", adjust=["sex"]), COHORT),
    "graph.decimals": (section("graph", decimals=1), GRAPHS),
    "missing_covariates": (key("missing_covariates", "drop"), COHORT),
    "a group": (section("groups", patient="group == 'patient' and sex == 'M'"), COHORT),
    "a cohort": (section("cohorts", men={"where": "sex == 'M'"}), "graphs/men.npz"),
    "a cohort's expression": (section("cohorts", everybody={"where": "age > 22"}), COHORT),
    "person added, and a cohort": (
        both(person_added, section("cohorts", men={"where": "sex == 'M'"})),
        SERIES,
    ),
    "a content, and the threshold": (
        both(content, section("graph", threshold={"density": 0.3})),
        SERIES,
    ),
    "the table, and a matrix": (both(cell("group", "patient"), content), SERIES),
    "another folder, and the atlas": (
        both(setting(files="m2/{id}.csv", atlas="regions.csv")),
        SERIES,
    ),
    "person removed, and a content": (both(content, person_removed), SERIES),
    "person renamed, and regrouped": (both(person_renamed, cell("group", "patient")), SERIES),
}


# Images -----------------------------------------------------------------------------------------


def first_image(world):
    return min((world.data / "func").glob("*.nii.gz"))


def image_content(world):
    rng = np.random.default_rng(9)
    write_image(first_image(world), rng.standard_normal((60, 6)))


def older_image(world):
    image_content(world)
    os.utime(first_image(world), (1e9, 1e9))


def repetition_time(world):
    sidecar = first_image(world).name.replace(".nii.gz", ".json")
    write = world.data / "func" / sidecar
    write.write_text('{"RepetitionTime": 2.001}', encoding="utf-8")


def atlas_image(world):
    write_atlas(world.data / "regions.nii.gz", scale=2)


def image_setting(**values):
    return lambda world: world.settings["image"].update(values)


IMAGES = {
    "an image": (image_content, "data/images/sub-01.npz"),
    "an image, with an older date": (older_image, "data/images/sub-01.npz"),
    "what lies beside an image": (repetition_time, "data/images/sub-01.npz"),
    "the image of the regions": (atlas_image, "data/images/sub-02.npz"),
    "image.detrend": (image_setting(detrend=False), "data/images/sub-01.npz"),
    "image.standardize": (image_setting(standardize=False), "data/images/sub-01.npz"),
    "person removed (images)": (person_removed, SERIES),
}


# A release on this machine, the archive, the simulation -------------------------------------------


def release_series(world):
    other_series(min((world.data / "release").rglob("filt_global/**/*.1D")))


def release_series_lacking(world):
    min((world.data / "release").rglob("filt_global/**/*.1D")).unlink()
    world.settings["missing"] = "skip"


def release_phenotypes(world):
    path = min((world.data / "release").glob("*.csv"))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(",2,", ",1,", 1), encoding="utf-8")


def everybody_passed(world):
    world.settings["quality_checked"] = True
    path = min((world.data / "release").glob("*.csv"))
    table = pd.read_csv(path)
    for name in table.columns:
        if name.startswith("qc_") and "notes" not in name:
            table[name] = table[name].astype(object)
            table.loc[2:, name] = "OK"
    table.to_csv(path, index=False)


def site_series(name):
    return f"data/series/{name}.npz"


RELEASE = {
    "a series of the release": (release_series, site_series("NYU")),
    "a series that is gone": (release_series_lacking, site_series("NYU")),
    "the phenotypes": (release_phenotypes, "data/phenotypes.csv"),
    "url": (setting(url="data/other"), site_series("NYU")),
    "band_pass_filtering": (setting(band_pass_filtering=False), site_series("NYU")),
    "quality_checked": (everybody_passed, site_series("NYU")),
    "a series, and a cohort": (
        both(release_series, section("cohorts", young={"where": "AGE_AT_SCAN < 25"})),
        site_series("NYU"),
    ),
    "url, and the percentile": (
        both(setting(url="data/other"), section("graph", threshold={"percentile": 70})),
        site_series("NYU"),
    ),
}


def another_archive(world):
    shutil.copy2(world.data / "other.zip", world.data / "archive.zip")


def older_archive(world):
    another_archive(world)
    os.utime(world.data / "archive.zip", (1e9, 1e9))


PUBLISHED = {
    "the archive": (another_archive, GRAPHS),
    "the archive, with an older date": (older_archive, GRAPHS),
    "archive": (setting(archive="data/other.zip"), GRAPHS),
    "a published cohort": (section("cohorts", male={"where": "True"}), "graphs/male.npz"),
    "the archive, and a cohort": (
        both(another_archive, section("cohorts", male={"where": "True"})),
        GRAPHS,
    ),
}

SIMULATED = {
    "subjects": (setting(subjects=64), "data/phenotypes.csv"),
    "effect": (setting(effect=0.0), "data/truth.json"),
    "seed": (key("seed", 5), "data/phenotypes.csv"),
    "a cohort of the simulated": (
        section("cohorts", women={"where": "SEX == 2"}),
        "graphs/women.npz",
    ),
    "subjects, and the percentile": (
        both(setting(subjects=64), section("graph", threshold={"percentile": 70})),
        "data/phenotypes.csv",
    ),
}

CHANGES = {
    "own": OWN,
    "images": IMAGES,
    "release": RELEASE,
    "published": PUBLISHED,
    "simulated": SIMULATED,
}
#: Those that are run in any case: where the fault was that is hardest to see, in each source.
ALWAYS = (
    "the table, and a matrix",
    "person added, and a cohort",
    "two folders swapped, all dates equal",
    "a series, and a cohort",
    "the archive, and a cohort",
)
CASES = [(world, name) for world, changes in CHANGES.items() for name in changes]


@pytest.fixture(scope="module")
def checkout(checkout, tmp_path_factory):
    """A copy that knows three sites of the release: the two of the study here, and one of nobody.

    Each site is a job, and the twenty are counted elsewhere (`test_every_source_has_its_jobs`).
    """
    copy = copy_checkout(checkout, tmp_path_factory.mktemp("few") / "contrast-subgraphs")
    file = copy / "workflow" / "contrast_subgraphs" / "data" / "abide.py"
    text = file.read_text(encoding="utf-8")
    few = 'SITES = ("NYU", "UM_1", "YALE")'
    edited, count = re.subn(r"^SITES = tuple\(.*?^\)", few, text, flags=re.M | re.S)
    assert count == 1
    file.write_text(edited, encoding="utf-8")
    return copy


@pytest.fixture(scope="module")
def finished(checkout, tmp_path_factory):
    """Return a finished study of a kind, which is not to be changed."""
    made = {}

    def of(name):
        if name not in made:
            world = WORLDS[name](tmp_path_factory.mktemp(name) / "study")
            made[name] = world.run(checkout)
        return made[name]

    return of


@pytest.mark.parametrize(("name", "change"), CASES)
def test_a_change_is_seen_by_all_that_it_concerns(checkout, finished, tmp_path, name, change):
    edit, concerned = CHANGES[name][change]
    world = finished(name).copy(tmp_path / "study")
    edit(world)
    pending = world.planned(checkout)
    assert concerned in pending
    run_too = EVERY or change in ALWAYS
    if not run_too:
        return
    fresh = world.copy(tmp_path / "fresh", results=False).run(checkout).found()
    found = world.run(checkout).found()
    assert {file: found.get(file) for file in fresh} == fresh
    assert world.planned(checkout) == set()


@pytest.mark.parametrize("name", WORLDS)
def test_without_a_change_nothing_runs_again(checkout, finished, tmp_path, name):
    """Neither in another folder, nor with other dates."""
    world = finished(name).copy(tmp_path / "moved")
    for path in world.data.rglob("*"):
        os.utime(path)
    assert world.planned(checkout) == set()


@pytest.mark.parametrize(
    "file", ["data/reading/csv_files.py", "core/checks.py", "data/manifest.py"]
)
def test_edits_of_the_code_are_seen_with_own_data(checkout, finished, tmp_path, file):
    copy = copy_checkout(checkout, tmp_path / "copy")
    with open(copy / "workflow" / "contrast_subgraphs" / file, "a", encoding="utf-8") as opened:
        opened.write("\n# One more line.\n")
    world = finished("own").copy(tmp_path / "study")
    assert {SERIES, COHORT, "data/manifest.tsv"} <= world.planned(copy)


def test_no_input_is_ancient(root):
    """Below an ancient input that is made again, Snakemake sees no other change."""
    for path in (root / "workflow" / "rules").glob("*.smk"):
        code = [line.partition("#")[0] for line in path.read_text("utf-8").splitlines()]
        assert not any("ancient(" in line for line in code), path.name
