"""Series of regions from images: made 4-D NIfTI files with planted networks."""

import json

import nibabel
import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.images import image_series, series_source
from images import CODES, write_atlas, write_image


@pytest.fixture
def atlas(tmp_path):
    return write_atlas(tmp_path / "atlas.nii.gz")


def test_mean_series_of_labels(tmp_path, atlas):
    series = np.random.default_rng(0).standard_normal((60, 6))
    path = write_image(tmp_path / "a.nii.gz", series)
    values, names = image_series([path], atlas, detrend=False, standardize=False)
    assert names == [str(code) for code in CODES]
    assert np.allclose(values, series + 100, atol=1e-4)
    cleaned, _ = image_series([path], atlas, low_pass=0.1)
    assert np.allclose(cleaned.std(axis=0, ddof=1), 1) and np.abs(cleaned.mean(axis=0)).max() < 1e-6
    assert np.abs(np.fft.rfft(cleaned, axis=0))[20:].max() < 4  # above 0.16 Hz


def test_maps_and_runs(tmp_path, atlas):
    series = np.random.default_rng(0).standard_normal((60, 6))
    paths = [write_image(tmp_path / f"{k}.nii.gz", (k + 1) * series) for k in range(2)]
    labels = np.asarray(nibabel.load(atlas).dataobj)
    maps = np.stack([labels == code for code in CODES], axis=3).astype(np.float32)
    nibabel.save(nibabel.Nifti1Image(maps, nibabel.load(atlas).affine), tmp_path / "maps.nii.gz")
    both, names = image_series(paths, tmp_path / "maps.nii.gz")
    assert names == list("123456") and both.shape == (120, 6)
    of_labels, _ = image_series(paths, atlas)
    assert np.allclose(both, of_labels, atol=1e-4)
    assert np.allclose(both[:60], both[60:], atol=1e-4)  # each run by itself


def test_confounds_of_fmriprep(tmp_path, atlas):
    rng = np.random.default_rng(0)
    series, noise = rng.standard_normal((60, 6)), rng.standard_normal((60, 1))
    stem = tmp_path / "sub-01_task-rest"
    path = write_image(f"{stem}_space-MNI152NLin6Asym_desc-preproc_bold.nii.gz", series + 5 * noise)
    with pytest.raises(InputError, match="no confounds for the strategy simple"):
        image_series([path], atlas, confounds="simple")
    names = [f"{a}_{b}" for a in ("trans", "rot") for b in "xyz"]
    names = [n + e for n in names for e in ("", "_derivative1", "_power2", "_derivative1_power2")]
    columns = ["csf", "white_matter", *names, "cosine00"]
    table = 0.01 * rng.standard_normal((60, len(columns)))
    table[:, 0] = noise[:, 0]
    text = "\n".join("\t".join(map(str, row)) for row in table)
    path_of_them = tmp_path / "sub-01_task-rest_desc-confounds_timeseries.tsv"
    path_of_them.write_text("\t".join(columns) + "\n" + text + "\n")
    path_of_them.with_suffix(".json").write_text("{}")
    values, _ = image_series([path], atlas, confounds="simple")
    before, _ = image_series([path], atlas)
    assert np.corrcoef(before.T)[0, 1] > 0.9 > 0.5 > abs(np.corrcoef(values.T)[0, 1])


def test_repetition_time(tmp_path, atlas):
    series = np.random.default_rng(0).standard_normal((40, 6))
    path = write_image(tmp_path / "a.nii.gz", series, t_r=0.0)
    with pytest.raises(InputError, match="no repetition time.*t_r"):
        image_series([path], atlas, low_pass=0.1)
    (tmp_path / "a.json").write_text(json.dumps({"RepetitionTime": 2.5}))
    known, _ = image_series([path], atlas, low_pass=0.1)
    given, _ = image_series([path], atlas, low_pass=0.1, t_r=2.5)
    assert np.array_equal(known, given)
    other = write_image(tmp_path / "b.nii.gz", series, t_r=2.0)
    (tmp_path / "b.json").write_text(json.dumps({"RepetitionTime": 2.5}))
    with pytest.raises(InputError, match="two repetition times"):
        image_series([other], atlas, low_pass=0.1)


def test_images_that_cannot_be_used(tmp_path, atlas):
    series = np.random.default_rng(0).standard_normal((40, 6))
    path = write_image(tmp_path / "a.nii.gz", series)
    with pytest.raises(InputError, match="not a 4-D image"):
        image_series([atlas], atlas)
    with pytest.raises(InputError, match="cannot be read"):
        image_series([tmp_path / "nowhere.nii.gz"], atlas)
    cut = tmp_path / "cut.nii.gz"
    cut.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(InputError, match="whole"):
        image_series([cut], atlas)
    with pytest.raises(InputError, match="whole numbers"):
        image_series([path], write_atlas(tmp_path / "p.nii.gz", scale=0.01))
    far = write_atlas(tmp_path / "far.nii.gz", shift=500)
    with pytest.raises(InputError, match="space"):
        image_series([path], far)
    with pytest.raises(InputError, match="confounds must be"):
        image_series([path], atlas, confounds="simpel")
    with pytest.raises(InputError, match="name of a file"):
        series_source({}, "x", ["a/b"])


def test_a_region_that_the_image_does_not_cover_is_constant_or_absent(tmp_path, atlas):
    series = np.random.default_rng(0).standard_normal((40, 6))
    series[:, 3] = 0
    path = write_image(tmp_path / "a.nii.gz", series)
    values, names = image_series([path], atlas)
    assert names == [str(code) for code in CODES] and np.ptp(values[:, 3]) < 1e-6
