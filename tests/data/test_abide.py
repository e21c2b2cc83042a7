"""The source `abide`, against real HTTP servers: generated releases and a real piece."""

import errno
import hashlib
import os
import signal
import subprocess
import sys
import tarfile
import textwrap
import threading
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast import CONTRASTS, sweep
from contrast_subgraphs.contrast.difference import difference_of_summaries, summary_of
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import SubjectGraphs
from contrast_subgraphs.data import abide
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.data.phenotypes import HEADER, QUALITY, read_phenotypes
from contrast_subgraphs.data.series import SiteSeries, read_1d, write_1d
from contrast_subgraphs.graphs.cohorts import build_cohort, exclusions
from contrast_subgraphs.graphs.correlation import site_graphs
from mirror import Mirror

CODES = load_aal()["code"].to_numpy()
VOLUMES = 24
GROUPS = {"td": "DX_GROUP == 2", "asd": "DX_GROUP == 1"}


def make_release(folder, subjects=12, derivative="rois_aal", codes=CODES):
    """Write a small release of random series; return its manifest."""
    rng = np.random.default_rng(0)
    series = folder / "Outputs" / "dparsf" / "filt_global" / derivative
    series.mkdir(parents=True)
    rows, manifest = [], []
    for number in range(1, subjects + 1):
        site = "NYU" if number % 4 else "UM_1"
        file_id = f"{site}_{number:07d}" if number != 7 else "no_filename"
        rows.append(
            {
                "SUB_ID": number,
                "SITE_ID": site,
                "FILE_ID": file_id,
                "DX_GROUP": 1 + number % 2,
                "AGE_AT_SCAN": 8.0 + number,
                "SEX": 1,
            }
        )
        if file_id == "no_filename":
            continue
        path = series / f"{file_id}_{derivative}.1D"
        write_1d(path, codes, rng.standard_normal((VOLUMES, len(codes))))
        digest = read_1d(path).sha256
        size = path.stat().st_size
        manifest.append((file_id, site, VOLUMES, 0, size, digest))
    table = pd.DataFrame(rows).reindex(columns=list(HEADER))
    table.to_csv(folder / abide.PHENOTYPES, index=False, lineterminator="\n")
    names = ["FILE_ID", "SITE_ID", "volumes", "constant_rois", "bytes", "sha256"]
    manifest = pd.DataFrame(manifest, columns=names)
    digest = hashlib.sha256((folder / abide.PHENOTYPES).read_bytes()).hexdigest()
    manifest.attrs["phenotypes"] = digest
    return manifest


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    """Let pooch try again at once."""
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda seconds: None))


class Setting:
    """A release, a server for it, and what a site job would be given."""

    def __init__(self, folder, mirror, manifest):
        self.folder, self.mirror, self.manifest = folder, mirror, manifest
        self.phenotypes = folder / "out" / "phenotypes.csv"
        self.source = {
            "url": mirror.url,
            "data_dir": str(folder / "cache"),
            "pipeline": "dparsf",
            "band_pass_filtering": True,
            "global_signal_regression": True,
            "derivative": "rois_aal",
            "quality_checked": False,
            "missing": "error",
            "mismatch": "error",
            "attempts": 3,
        }

    def fetch_phenotypes(self, **changes):
        abide.fetch_phenotypes(self.source | changes, self.phenotypes, self.manifest)

    def fetch(self, site="NYU", **changes):
        if not self.phenotypes.exists():
            self.fetch_phenotypes()
        return abide.fetch_site(self.source | changes, self.phenotypes, site, self.manifest)

    def cached(self):
        return sorted(path.name for path in (self.folder / "cache").rglob("*.1D"))

    def original(self, name):
        return next(self.folder.glob(f"release/Outputs/*/*/*/{name}"))

    def asked(self):
        return [name for name in self.mirror.asked if name.endswith(".1D")]


@pytest.fixture
def setting(tmp_path):
    manifest = make_release(tmp_path / "release")
    with Mirror(tmp_path / "release") as mirror:
        yield Setting(tmp_path, mirror, manifest)


NYU = [f"NYU_{number:07d}" for number in (1, 2, 3, 5, 6, 9, 10, 11)]
BAD = "NYU_0000005"
FILE = f"{BAD}_rois_aal.1D"


def test_series_of_a_site(setting, tmp_path):
    series, table = setting.fetch()
    assert series.subject.tolist() == table["subject"].tolist() == NYU
    assert set(table["status"]) == {"fetched"}
    assert set(table["volumes"]) == {VOLUMES}
    known = setting.manifest.set_index("FILE_ID")["sha256"]
    assert table["sha256"].tolist() == known[NYU].tolist()
    for subject, values in series:
        path = setting.original(f"{subject}_rois_aal.1D")
        assert np.array_equal(values, np.loadtxt(path))
    series.save(tmp_path / "series.npz")
    again = SiteSeries.load(tmp_path / "series.npz")
    assert np.array_equal(again.series, series.series)
    assert again.roi_code.tolist() == CODES.tolist()
    assert (
        setting.phenotypes.read_bytes()
        == (setting.folder / "release" / abide.PHENOTYPES).read_bytes()
    )


def test_many_files_at_once(setting):
    setting.fetch_phenotypes()
    mirror = setting.mirror
    mirror.gate = threading.Semaphore(0)

    def open_gate():
        """Hold all answers back until eight are asked for (or no more will be)."""
        until = time.monotonic() + 60
        while mirror.busy < 8 and time.monotonic() < until:
            time.sleep(0.01)
        mirror.gate.release(100)

    threading.Thread(target=open_gate).start()
    setting.fetch()
    assert mirror.most_busy >= 8


FAULTS = {
    404: "the server answered 404",
    403: "the server answered 403",
    500: "the server answered 500",
    "drop": "the connection broke off",
    "short": "the connection broke off",
    "html": "it has no header of region numbers; it starts with '<!DOCTYPE",
    "empty": "it is empty",
    "cut": f"it is cut: 11 volumes instead of {VOLUMES}",
    "cut-no-length": f"it is cut: 11 volumes instead of {VOLUMES}",
    "cut-line": "it is cut in its last line",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_file_that_cannot_be_had(setting, fault):
    setting.mirror.faults[FILE] = [fault]
    with pytest.raises(InputError) as caught:
        setting.fetch()
    message = str(caught.value)
    assert f"1 series of the site NYU cannot be fetched:\n  {BAD}: {FAULTS[fault]}" in message
    assert f"{setting.mirror.url}/Outputs/dparsf/filt_global/rois_aal/{FILE}" in message
    assert "missing: skip" in message
    tries = 1 if fault == 404 else setting.source["attempts"]
    assert setting.asked().count(FILE) == tries
    assert setting.cached() == [f"{name}_rois_aal.1D" for name in NYU if name != BAD]
    # The others are kept; without the bad one the work can go on.
    setting.mirror.asked.clear()
    series, table = setting.fetch(missing="skip")
    assert set(setting.asked()) <= {FILE}
    assert series.subject.tolist() == [name for name in NYU if name != BAD]
    row = table.set_index("subject").loc[BAD]
    assert row["status"] == "missing"
    assert FAULTS[fault] in row["reason"]
    _, status = site_graphs(series, table)
    assert status.set_index("subject").loc[BAD, "status"] == "missing"
    # And once the server is well, all are there.
    setting.mirror.faults.clear()
    series, table = setting.fetch()
    assert series.subject.tolist() == NYU


@pytest.mark.parametrize("fault", [403, 500, "drop", "short", "html", "empty", "cut", "cut-line"])
def test_server_that_comes_back_after_two_failures(setting, fault):
    for name in NYU[2:5]:
        setting.mirror.faults[f"{name}_rois_aal.1D"] = [fault, fault, None]
    series, table = setting.fetch(attempts=4)
    assert set(table["status"]) == {"fetched"}
    assert np.array_equal(dict(series)[BAD], np.loadtxt(setting.original(FILE)))


@pytest.mark.parametrize("missing", ["error", "skip"])
def test_many_absent_files(setting, missing):
    for name in NYU[1:]:
        setting.original(f"{name}_rois_aal.1D").unlink()
    if missing == "error":
        with pytest.raises(InputError, match="7 series .*\n  NYU_0000002: .* 404"):
            setting.fetch()
        return
    series, table = setting.fetch(missing="skip")
    assert series.subject.tolist() == NYU[:1]
    assert table["reason"][1:].str.contains("answered 404").all()


def test_missing_content_length(setting):
    for name in NYU:
        setting.mirror.faults[f"{name}_rois_aal.1D"] = ["no-length"]
    _, table = setting.fetch()
    assert set(table["status"]) == {"fetched"}
    assert len(setting.asked()) == len(NYU)


def test_bad_file_that_was_in_the_cache_before(setting):
    setting.fetch()
    path = next((setting.folder / "cache").rglob(FILE))
    path.write_text("<html>")
    setting.mirror.asked.clear()
    _, table = setting.fetch()
    assert setting.asked() == [FILE]
    assert set(table["status"]) == {"fetched"}


def test_no_network_with_a_full_cache(setting, monkeypatch):
    first, _ = setting.fetch()
    setting.mirror.__exit__()
    setting.phenotypes.unlink()
    second, _ = setting.fetch()
    assert np.array_equal(first.series, second.series)
    # nilearn's own folder is respected too, and a lost phenotypic file put back.
    monkeypatch.setenv("NILEARN_DATA", str(setting.folder / "cache"))
    third, _ = setting.fetch(data_dir=None)
    assert np.array_equal(first.series, third.series)


def test_no_network_at_all(setting):
    setting.fetch_phenotypes()
    setting.mirror.__exit__()
    with pytest.raises(InputError, match=r"(?s)8 series .* no connection .*and 3 more"):
        setting.fetch(attempts=1)
    next((setting.folder / "cache").rglob(abide.PHENOTYPES)).unlink()
    with pytest.raises(InputError, match="cannot be fetched: there is no connection"):
        setting.fetch_phenotypes()


def test_kill_in_the_middle_and_resume(setting, root):
    setting.fetch_phenotypes()
    setting.mirror.gate = threading.Semaphore(4)
    code = textwrap.dedent(
        f"""
        from contrast_subgraphs.data import abide
        abide.fetch_site({setting.source!r}, {str(setting.phenotypes)!r}, "NYU", downloads=2)
        """
    )
    environment = os.environ | {"PYTHONPATH": str(root / "workflow")}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    while len(setting.cached()) < 4 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = setting.cached()
    assert len(kept) == 4
    gate, setting.mirror.gate = setting.mirror.gate, None
    gate.release(10)  # answers to the dead
    while setting.mirror.busy:
        time.sleep(0.02)
    setting.mirror.asked.clear()
    series, _ = setting.fetch()
    assert series.subject.tolist() == NYU
    assert not set(setting.asked()) & set(kept)


# Files whose content is not what it should be ---------------------------------------------


def change(setting, how, name=FILE):
    """Rewrite a served file; `how` maps (header fields, rows of fields) to new ones."""
    path = setting.original(name)
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    header, rows = how(lines[0], lines[1:])
    text = "\r\n".join("\t".join(line) for line in [header, *rows]) + "\r\n"
    path.write_bytes(text.encode())


def test_permuted_header_is_put_in_order(setting):
    setting.source["mismatch"] = "warn"
    before = np.loadtxt(setting.original(FILE))
    order = np.random.default_rng(0).permutation(116)
    change(
        setting,
        lambda header, rows: (
            [header[i] for i in order],
            [[row[i] for i in order] for row in rows],
        ),
    )
    with pytest.warns(UserWarning, match=f"1 series of the site NYU are not .*{BAD}"):
        series, _ = setting.fetch()
    assert np.array_equal(dict(series)[BAD], before)
    assert series.roi_code.tolist() == CODES.tolist()


def drop_column(header, rows):
    return header[:-1], [row[:-1] for row in rows]


def drop_field(header, rows):
    return header, [*rows[:3], rows[3][:-1], *rows[4:]]


def drop_fields(header, rows):
    return header, [row[:-1] for row in rows]


def put(text):
    return lambda header, rows: (header, [*rows[:2], [text, *rows[2][1:]], *rows[3:]])


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        (drop_column, "115 columns instead of 116"),
        (drop_field, "columns changed from 116 to 115 at row 4"),
        (drop_fields, "rows of 115 numbers under 116 regions"),
        (put("nan"), "volume 3 of region 2001 is not a finite number"),
        (put("inf"), "volume 3 of region 2001 is not a finite number"),
        (put("a"), "could not convert string 'a'"),
        (put("\xe9"), "could not convert"),
        (lambda header, rows: (["#2001", *header[:-1]], rows), "region 2001 appears twice"),
        (lambda header, rows: (["#77", *header[1:]], rows), "region 2001 is not in its header"),
        (lambda header, rows: (["#x", *header[1:]], rows), "not a region number"),
        (lambda header, rows: (rows[0], rows[1:]), "no header of region numbers"),
        (lambda header, rows: (header, []), "no volumes"),
        (lambda header, rows: (header, rows[:-1]), "23 volumes instead of 24"),
    ],
)
def test_bad_content_is_explained(setting, how, complaint):
    change(setting, how)
    with pytest.raises(InputError, match=complaint) as caught:
        setting.fetch(attempts=2)
    assert f"  {BAD}: " in str(caught.value)
    assert setting.asked().count(FILE) == 2


def test_few_volumes_without_a_manifest(setting):
    change(setting, lambda header, rows: (header, rows[:2]))
    setting.manifest = None
    with pytest.raises(InputError, match="only 2 volumes"):
        setting.fetch()


@pytest.mark.parametrize("attempts", [1, 3])
def test_other_files_than_known_are_an_error_or_used_with_a_warning(setting, attempts):
    change(setting, lambda header, rows: (header, [*rows, rows[0]]))
    with pytest.raises(InputError, match=f"1 series .*{BAD}.*`mismatch: warn`"):
        setting.fetch(attempts=attempts)
    assert setting.asked().count(FILE) == attempts + 1
    with pytest.warns(UserWarning, match=f"{BAD}.*it is used"):
        _, table = setting.fetch(attempts=attempts, mismatch="warn")
    assert table.set_index("subject").loc[BAD, "volumes"] == VOLUMES + 1
    setting.mirror.__exit__()  # no network: what is there is still there
    with pytest.warns(UserWarning, match=f"{BAD}.*it is used"):
        _, table = setting.fetch(attempts=attempts, mismatch="warn")
    assert set(table["status"]) == {"fetched"}


def test_another_subject_s_file_in_the_cache_is_fetched_again(setting):
    setting.fetch()
    path = next((setting.folder / "cache").rglob(FILE))
    path.write_bytes(setting.original("NYU_0000006_rois_aal.1D").read_bytes())
    setting.mirror.asked.clear()
    series, _ = setting.fetch(attempts=1)
    assert setting.asked() == [FILE]
    assert np.array_equal(dict(series)[BAD], np.loadtxt(setting.original(FILE)))
    assert not list((setting.folder / "cache").rglob("*.before"))


def test_series_far_shorter_than_its_site_s_others(setting):
    setting.manifest = None
    change(setting, lambda header, rows: (header, rows[:8]))
    with pytest.warns(UserWarning, match=f"1 series .* far shorter .*{BAD}: 8 volumes, where 24"):
        setting.fetch()


@pytest.mark.parametrize("number", [1, 5])
def test_one_file_with_other_regions_does_not_blame_the_good(tmp_path, number):
    make_release(tmp_path / "release", derivative="rois_ho", codes=[2, 3, 5, 7, 11])
    with Mirror(tmp_path / "release") as mirror:
        setting = Setting(tmp_path, mirror, None)
        bad = f"NYU_{number:07d}"
        change(setting, drop_column, f"{bad}_rois_ho.1D")
        with pytest.raises(InputError, match=f"1 series .*\n  {bad}: it has 4 regions"):
            setting.fetch(derivative="rois_ho")
        series, table = setting.fetch(derivative="rois_ho", missing="skip")
        assert series.subject.tolist() == [name for name in NYU if name != bad]
        assert "4 regions" in table.set_index("subject").loc[bad, "reason"]
        # The same regions in another order are the same regions.
        change(
            setting,
            lambda h, rows: (h[::-1], [row[::-1] for row in rows]),
            "NYU_0000002_rois_ho.1D",
        )
        next((tmp_path / "cache").rglob("NYU_0000002*")).unlink()
        again, _ = setting.fetch(derivative="rois_ho", missing="skip")
        assert np.array_equal(again.series, series.series)


def test_mirrors_do_not_mix(setting, tmp_path):
    setting.fetch()
    make_release(tmp_path / "other", subjects=11)
    path = tmp_path / "other" / abide.PHENOTYPES
    path.write_text(path.read_text().replace(",8.0", ",9.0").replace("NYU_0000009", "NYU_0000019"))
    with Mirror(tmp_path / "other") as other:
        setting.fetch_phenotypes(url=other.url)
    assert setting.phenotypes.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("damage", [b"", b"<html>", b"a,b\n1,2\n"])
def test_damaged_phenotypes_in_the_cache_lose_nobody(setting, damage):
    setting.fetch_phenotypes()
    next((setting.folder / "cache").rglob(abide.PHENOTYPES)).write_bytes(damage)
    series, _ = setting.fetch(attempts=1)
    assert series.subject.tolist() == NYU


def test_other_derivatives(tmp_path):
    codes = [2, 3, 5, 7, 11]
    make_release(tmp_path / "release", derivative="rois_ho", codes=codes)
    with Mirror(tmp_path / "release") as mirror:
        # A manifest of other files must not be applied.
        setting = Setting(tmp_path, mirror, make_release(tmp_path / "other"))
        series, table = setting.fetch(derivative="rois_ho")
        assert series.roi_code.tolist() == codes
        assert set(table["status"]) == {"fetched"}
        graphs, _ = site_graphs(series, table)
        assert graphs.adjacency.shape == (8, 5, 5)
        change(setting, drop_column, f"{BAD}_rois_ho.1D")
        next((tmp_path / "cache").rglob(f"{BAD}*")).unlink()
        with pytest.raises(InputError, match="it has 4 regions"):
            setting.fetch(derivative="rois_ho")


def test_site_without_subjects(setting):
    series, table = setting.fetch("YALE")
    assert len(series) == len(table) == 0
    graphs, status = site_graphs(series, table)
    assert graphs.adjacency.shape == (0, 116, 116)
    assert len(status) == 0


def test_release_in_a_folder(setting):
    over_http, _ = setting.fetch()
    folder = setting.folder / "release"
    for url in (str(folder), folder.as_uri()):
        setting.mirror.asked.clear()
        setting.fetch_phenotypes(url=url)
        read, _ = setting.fetch(url=url)
        assert np.array_equal(read.series, over_http.series)
        assert not setting.mirror.asked
    setting.original(FILE).write_text("x")
    with pytest.raises(InputError, match=BAD):
        setting.fetch(url=str(folder))
    assert setting.original(FILE).exists()  # a folder of the user's is never touched
    with pytest.raises(InputError, match="not a folder on this machine"):
        setting.fetch(url=str(folder / "nowhere"))


def test_quality_checked(setting):
    path = setting.folder / "release" / abide.PHENOTYPES
    setting.manifest = None  # the table is changed
    table = pd.read_csv(path)
    for column, allowed in QUALITY.items():
        table[column] = allowed[-1]
    table.loc[table["FILE_ID"] == BAD, "qc_rater_1"] = "fail"
    table.rename(columns={"Unnamed: 0": ""}).to_csv(path, index=False)
    series, status = setting.fetch(quality_checked=True)
    assert BAD not in series.subject
    phenotypes = read_phenotypes(setting.phenotypes)
    tables = [site_graphs(series, status)[1]]
    tables += [site_graphs(*setting.fetch("UM_1", quality_checked=True))[1]]
    excluded = exclusions(phenotypes, tables, quality_checked=True)
    assert excluded["reason"].tolist() == [
        "failed the visual check of its images",
        "no file in the release",
    ]


# The phenotypic file ----------------------------------------------------------------------


@pytest.mark.parametrize("fault", [500, "drop", "short", "html", "empty", "cut-line", "cut"])
def test_phenotypes_come_after_two_failures(setting, fault):
    faults = [fault, fault, None] if fault != "cut" else [fault, None]
    setting.mirror.faults[abide.PHENOTYPES] = faults
    setting.fetch_phenotypes(attempts=4)
    served = setting.folder / "release" / abide.PHENOTYPES
    assert setting.phenotypes.read_bytes() == served.read_bytes()


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        (404, "answered 404"),
        ("html", "lacks the column|cannot be read"),
        ("empty", "cut|cannot be read"),
        ("cut-line", "is cut"),
    ],
)
def test_phenotypes_that_cannot_be_had(setting, fault, complaint):
    setting.mirror.faults[abide.PHENOTYPES] = [fault]
    with pytest.raises(InputError, match=complaint) as caught:
        setting.fetch_phenotypes()
    assert f"{setting.mirror.url}/{abide.PHENOTYPES}" in str(caught.value)
    assert not setting.phenotypes.exists()


def test_release_that_lacks_rows_is_an_error_or_a_warning(setting):
    path = setting.folder / "release" / abide.PHENOTYPES
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:5] + lines[6:]))
    lacks = "lacks 1 of 11 subjects .*NYU_0000005"
    with pytest.raises(InputError, match=f"{lacks}.*`mismatch: warn`"):
        setting.fetch_phenotypes(attempts=1)
    assert setting.mirror.asked.count(abide.PHENOTYPES) > 1  # to be sure that it was not cut
    with pytest.warns(UserWarning, match=lacks):
        setting.fetch_phenotypes(mismatch="warn")
    series, _ = setting.fetch()
    assert series.subject.tolist() == [name for name in NYU if name != BAD]


def test_real_phenotypic_file_is_known(shared, tmp_path):
    content = (shared / abide.PHENOTYPES).read_bytes()
    source = {"url": str(tmp_path), "attempts": 1}
    manifest = abide.load_manifest()
    (tmp_path / abide.PHENOTYPES).write_bytes(content)
    abide.fetch_phenotypes(source, tmp_path / "out.csv", manifest)
    assert (tmp_path / "out.csv").read_bytes() == content
    cut = b"".join(content.splitlines(keepends=True)[:701])
    changed = content.replace(b"NYU_0050952,1,", b"NYU_0050952,2,")
    for wrong, words in ((cut, "lacks"), (changed, "something in it was changed")):
        assert wrong != content
        (tmp_path / abide.PHENOTYPES).write_bytes(wrong)
        with pytest.raises(InputError, match=words):
            abide.fetch_phenotypes(source, tmp_path / "out.csv", manifest)
        with pytest.warns(UserWarning, match=words):
            abide.fetch_phenotypes(source | {"mismatch": "warn"}, tmp_path / "o.csv", manifest)


def test_unknown_site(setting):
    path = setting.folder / "release" / abide.PHENOTYPES
    path.write_text(path.read_text().replace("UM_1,", "MARS,"))
    with pytest.raises(InputError, match="SITE_ID MARS"):
        setting.fetch_phenotypes()


def test_duplicated_file_id(setting):
    path = setting.folder / "release" / abide.PHENOTYPES
    path.write_text(path.read_text().replace("NYU_0000006", "NYU_0000003"))
    with pytest.raises(InputError, match="FILE_ID NYU_0000003 twice"):
        setting.fetch_phenotypes()


@pytest.mark.parametrize(
    ("number", "complaint"),
    [(errno.EACCES, "cannot be used.*NILEARN_DATA"), (errno.ENOSPC, "no space left")],
)
def test_cache_that_cannot_be_written_to(setting, monkeypatch, number, complaint):
    setting.fetch_phenotypes()

    def refuse(*args, **options):
        raise OSError(number, os.strerror(number), str(setting.folder / "cache"))

    # Root may write to every folder, and disks are large: the refusal is played.
    monkeypatch.setattr("pooch.core.make_local_storage", refuse)
    with pytest.raises(InputError, match=complaint):
        setting.fetch()
    monkeypatch.setenv("NILEARN_DATA", str(setting.folder / "empty"))
    with pytest.raises(InputError, match=complaint):
        setting.fetch_phenotypes(data_dir=None)


def test_manifest_of_the_release(root):
    manifest = abide.load_manifest()
    assert len(manifest) == 1035
    assert tuple(sorted(set(manifest["SITE_ID"]))) == abide.SITES
    assert (manifest["constant_rois"] > 0).sum() == 46
    assert manifest["sha256"].str.fullmatch("[0-9a-f]{64}").all()


# A piece of the real release ---------------------------------------------------------------


@pytest.fixture(scope="module")
def real(shared, root, tmp_path_factory):
    """Fetch all sites from a server of the real piece; what it lacks is skipped."""
    folder = tmp_path_factory.mktemp("real")
    with tarfile.open(shared / "abide-mirror.tar.xz") as archive:
        archive.extractall(folder / "release", filter="data")
    release = next(folder.rglob(abide.PHENOTYPES)).parent
    manifest = abide.load_manifest()
    with Mirror(release) as mirror:
        setting = Setting(folder, mirror, manifest)
        setting.fetch_phenotypes()
        results = [
            site_graphs(*setting.fetch(site, missing="skip", attempts=1)) for site in abide.SITES
        ]
    graphs = SubjectGraphs.concatenate(part for part, _ in results)
    return graphs, [table for _, table in results], setting.phenotypes, manifest


@pytest.mark.slow
def test_real_exclusions(real):
    graphs, tables, path, manifest = real
    excluded = exclusions(read_phenotypes(path), tables)
    constant = excluded[excluded["reason"].str.startswith("constant series")]
    known = manifest[manifest["constant_rois"] > 0]
    assert sorted(constant["subject"]) == sorted(known["FILE_ID"])
    count = constant["reason"].str.count(",").to_numpy() + 1
    exactly = known.set_index("FILE_ID")["constant_rois"][constant["subject"]].to_numpy()
    # Three of them have a region more that the mask cut off to 1e-5 of what is usual.
    assert (count - exactly >= 0).all() and (count - exactly).sum() == 3
    assert len(graphs.subject) == 154
    assert len(excluded) == 1112 - 154
    assert (excluded["reason"] == "no file in the release").sum() == 77
    density = graphs.density()["density"]
    assert density.between(0.197, 0.203).all()


@pytest.mark.slow
def test_real_children(real, published):
    graphs, tables, path, _ = real
    phenotypes = read_phenotypes(path)
    excluded = exclusions(phenotypes, tables)
    children, members, left_out = build_cohort(
        graphs, phenotypes, excluded, GROUPS, "children", "AGE_YEARS <= 9"
    )
    assert ((children.y == 0).sum(), (children.y == 1).sum()) == (52, 49)
    assert members["age"].between(6.4, 9.5).all()
    expected = published("children")
    assert set(children.subject) == set(expected.subject)
    row = {name: index for index, name in enumerate(expected.subject.tolist())}
    order = [row[name] for name in children.subject.tolist()]
    assert np.array_equal(children.y, expected.y[order])
    differing = (children.adjacency != expected.adjacency[order]).sum(axis=(1, 2)) // 2
    assert (differing == 0).sum() == 93
    assert differing.max() <= 15
    # The published graphs and ours have the same 24 contrast subgraphs.
    for contrast in CONTRASTS:
        answers = []
        for one in (children, expected):
            td, asd = (summary_of(one.adjacency[one.y == group]) for group in (0, 1))
            answers.append(
                sweep(
                    difference_of_summaries(td, asd, contrast),
                    percentiles=(70, 75, 80, 85, 90, 93, 95, 97),
                    solver="search",
                )
            )
        for mine, theirs in zip(*answers, strict=True):
            assert mine.nodes.tolist() == theirs.nodes.tolist(), (contrast, mine.percentile)
    # Whatever the order of the phenotypic file.
    shuffled = phenotypes.sample(frac=1, random_state=1)
    again, _, _ = build_cohort(graphs, shuffled, excluded, GROUPS, "children", "AGE_YEARS <= 9")
    assert np.array_equal(again.adjacency, children.adjacency)
    assert np.array_equal(again.y, children.y)
