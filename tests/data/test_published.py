"""The source `published`: fetching and reading the authors' archive."""

import hashlib
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import SubjectGraphs
from contrast_subgraphs.data import published as source

N = 116


def graph(seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((N, N)) < 0.2, 1)
    return (upper | upper.T).astype(int)


def text(matrix, separator=" ", form="%d"):
    return "\n".join(separator.join(form % value for value in row) for row in matrix) + "\n"


def write_zip(path, files, folders=()):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in folders:
            archive.writestr(folder, "")
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def small_files(**changes):
    """Return the files of a small archive; `changes` replace the matrix of one subject."""
    files = {
        f"top-main/datasets/kids/{group}/{subject}.txt": text(graph(seed))
        for seed, (group, subject) in enumerate(
            [("td", "NYU_1"), ("td", "NYU_2"), ("asd", "UM_1_3"), ("asd", "UM_1_4")]
        )
    }
    for subject, content in changes.items():
        name = next(name for name in files if f"/{subject}." in name)
        files[name] = content
    return files


def test_real_archive(shared, published):
    archive = source.read_archive(shared / "contrast-subgraph-master.zip")
    assert len(archive.graphs.subject) == 919
    sizes = {"children": (52, 49), "adolescents": (121, 116), "eyesclosed": (158, 136)}
    for cohort, (td, asd) in (sizes | {"male": (418, 420)}).items():
        graphs, members = source.build_cohort(archive.graphs, archive.members, cohort)
        assert ((graphs.y == 0).sum(), (graphs.y == 1).sum()) == (td, asd)
        assert members["subject"].tolist() == graphs.subject.tolist()
        expected = published(cohort)
        order = np.argsort(expected.subject)
        mine = np.argsort(graphs.subject)
        assert np.array_equal(graphs.adjacency[mine], expected.adjacency[order])
        assert np.array_equal(graphs.y[mine], expected.y[order])


def test_other_ways_to_write_a_graph(tmp_path):
    files = {
        "x/kids/td/NYU_1.csv": text(graph(0) + np.eye(N, dtype=int), ","),
        "x/kids/TD/NYU_2.txt": "\ufeff" + text(graph(1), "\t", "%.1f").replace("\n", "\r\n"),
        "x/kids/asd/UM_3.csv": text(graph(2), ";", "%.18e"),
        "x/kids/asd/.hidden": "whatever",
        "__MACOSX/x/kids/asd/._UM_3.csv": "whatever",
        "x/README.md": "whatever",
    }
    archive = source.read_archive(write_zip(tmp_path / "a.zip", files))
    assert archive.graphs.subject.tolist() == ["NYU_1", "NYU_2", "UM_3"]
    for seed in range(3):
        assert np.array_equal(archive.graphs.adjacency[seed], graph(seed))
    archive.graphs.save(tmp_path / "graphs.npz")
    again = SubjectGraphs.load(tmp_path / "graphs.npz")
    graphs, members = source.build_cohort(again, archive.members, "Kids")
    assert graphs.y.tolist() == [0, 0, 1]
    assert members["site"].tolist() == ["NYU", "NYU", "UM"]
    density = again.density()
    assert density["edges"].tolist() == [int(graph(seed).sum() // 2) for seed in range(3)]
    assert np.allclose(density["density"], density["edges"] / 6670)


def lopsided():
    matrix = graph(1)
    matrix[3, 7] = 1 - matrix[3, 7]
    return matrix


def with_two():
    matrix = graph(1)
    matrix[3, 7] = matrix[7, 3] = 2
    return matrix


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (text(graph(1)[:115, :115]), "must be 116 rows of 116"),
        (text(graph(1)[:115]), "must be 116 rows of 116"),
        (text(lopsided()), "not symmetric: row 4, column 8"),
        (text(with_two()), "zeros and ones only, not 2"),
        (text(graph(1)).replace("0", "nan", 1), "zeros and ones only, not nan"),
        ("", "must be 116 rows of 116"),
        (text(graph(1)).replace("0", "a", 1), "not a number"),
        (b"\xff\xfe" + text(graph(1)).encode(), "not a number"),
    ],
)
def test_bad_graph_is_named(tmp_path, content, complaint):
    path = write_zip(tmp_path / "a.zip", small_files(NYU_2=content))
    with pytest.raises(InputError, match=complaint) as caught:
        source.read_archive(path)
    assert "kids/td/NYU_2.txt" in str(caught.value)


def test_same_subject_same_graph(tmp_path):
    files = small_files()
    other = {name.replace("/kids/", "/all/"): content for name, content in files.items()}
    again = {name: content.replace("0", "0.0") for name, content in other.items()}
    archive = source.read_archive(write_zip(tmp_path / "good.zip", files | again))
    assert len(archive.graphs.subject) == 4
    assert len(archive.members) == 8
    other["top-main/datasets/all/asd/UM_1_4.txt"] = text(graph(9))
    with pytest.raises(InputError, match="all/asd/UM_1_4.txt is another graph"):
        source.read_archive(write_zip(tmp_path / "bad.zip", files | other))


def test_subject_twice_in_a_cohort(tmp_path):
    files = small_files() | {"top-main/datasets/kids/asd/NYU_1.txt": text(graph(0))}
    with pytest.raises(InputError, match="NYU_1 appears twice in the cohort kids"):
        source.read_archive(write_zip(tmp_path / "a.zip", files))


@pytest.mark.parametrize("folders", [(), ("top-main/datasets/kids/asd/",)])
def test_empty_class_folder(tmp_path, folders):
    files = {name: content for name, content in small_files().items() if "/td/" in name}
    with pytest.raises(InputError, match="kids/asd has no graph"):
        source.read_archive(write_zip(tmp_path / "a.zip", files, folders))


def test_archive_of_something_else(tmp_path):
    with pytest.raises(InputError, match="has no graphs"):
        source.read_archive(write_zip(tmp_path / "a.zip", {"x/readme.txt": "hello"}))
    with pytest.raises(InputError, match="NYU_9.npy is neither"):
        files = small_files() | {"top-main/datasets/kids/td/NYU_9.npy": "x"}
        source.read_archive(write_zip(tmp_path / "b.zip", files))


@pytest.mark.parametrize("name", ["../kids/td/NYU_9.txt", "/kids/td/x.txt", "a\\..\\b.txt"])
def test_names_that_lead_outside_write_nothing(tmp_path, name):
    path = write_zip(tmp_path / "a.zip", small_files() | {name: text(graph(5))})
    source.read_archive(path)
    assert list(tmp_path.iterdir()) == [path]


def test_damaged_entry_is_named(tmp_path):
    path = write_zip(tmp_path / "a.zip", small_files())
    content = bytearray(path.read_bytes())
    content[200:300] = bytes(100)  # inside the first file's data
    path.write_bytes(content)
    with pytest.raises(InputError, match="NYU_1.txt cannot be read"):
        source.read_archive(path)


def test_missing_cohort_lists_the_folders(tmp_path):
    archive = source.read_archive(write_zip(tmp_path / "a.zip", small_files()))
    with pytest.raises(InputError, match="no cohort 'females'; it has kids"):
        source.build_cohort(archive.graphs, archive.members, "females")


def test_local_archive(tmp_path):
    path = write_zip(tmp_path / "a.zip", small_files())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for sha256 in (None, digest, digest.upper()):
        source.fetch_archive({"archive": str(path), "sha256": sha256}, tmp_path / "out.zip")
        assert (tmp_path / "out.zip").read_bytes() == path.read_bytes()
    with pytest.raises(InputError, match=f"sha256 {digest}, not {'0' * 64}"):
        source.fetch_archive({"archive": str(path), "sha256": "0" * 64}, tmp_path / "no.zip")
    with pytest.raises(InputError, match="64 hex digits"):
        source.fetch_archive({"archive": str(path), "sha256": "abc"}, tmp_path / "no.zip")
    with pytest.raises(InputError, match="nowhere.zip, does not exist"):
        source.fetch_archive({"archive": str(tmp_path / "nowhere.zip")}, tmp_path / "no.zip")
    cut = tmp_path / "cut.zip"
    cut.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(InputError, match=r"cut\.zip is not a whole zip"):
        source.fetch_archive({"archive": str(cut)}, tmp_path / "no.zip")
    with pytest.raises(InputError, match="only https"):
        source.fetch_archive({"archive": "ftp://x/a.zip"}, tmp_path / "no.zip")
    assert not (tmp_path / "no.zip").exists()


@pytest.fixture
def server():
    """Serve what `replies` says: a list of (status, body, announced length or None)."""

    class Handler(BaseHTTPRequestHandler):
        replies, asked = [], []

        def do_GET(self):
            Handler.asked.append(self.path)
            replies = Handler.replies
            status, body, length = replies.pop(0) if len(replies) > 1 else replies[0]
            self.send_response(status)
            if length is not None:
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    Handler.url = f"http://127.0.0.1:{http.server_address[1]}/abc.zip"
    yield Handler
    http.shutdown()
    http.server_close()


def test_download(tmp_path, server):
    good = write_zip(tmp_path / "a.zip", small_files()).read_bytes()
    digest = hashlib.sha256(good).hexdigest()
    out, cache = tmp_path / "out.zip", tmp_path / "cache"
    server.replies = [(500, b"", 0), (200, good, len(good))]
    source.fetch_archive({"archive": server.url, "sha256": digest}, out, cache=cache)
    assert out.read_bytes() == good
    assert len(server.asked) == 2
    out.unlink()
    source.fetch_archive({"archive": server.url, "sha256": None}, out, cache=cache)
    assert out.read_bytes() == good
    assert len(server.asked) == 2  # from the cache


@pytest.mark.parametrize(
    ("status", "cut", "sha256", "complaint"),
    [
        (404, None, None, "cannot be downloaded.*404"),
        (200, "announced", None, "cannot be downloaded"),
        (200, "silently", None, "not a whole zip"),
        (200, None, "0" * 64, "has the sha256"),
        (200, "html", None, "not a whole zip"),
    ],
)
def test_download_that_fails(tmp_path, server, status, cut, sha256, complaint):
    good = write_zip(tmp_path / "a.zip", small_files()).read_bytes()
    length = len(good) if cut == "announced" else None
    body = {"html": b"<html>log in</html>", None: good}.get(cut, good[:-500])
    server.replies = [(status, body, length)]
    with pytest.raises(InputError, match=complaint):
        source.fetch_archive(
            {"archive": server.url, "sha256": sha256}, tmp_path / "o.zip", 1, tmp_path / "cache"
        )
    assert not (tmp_path / "o.zip").exists()
    assert not [path for path in (tmp_path / "cache").glob("*") if path.is_file()]


def test_archive_cut_once_is_fetched_again(tmp_path, server):
    good = write_zip(tmp_path / "a.zip", small_files()).read_bytes()
    server.replies = [(200, good[:-500], None), (200, good, None)]
    source.fetch_archive({"archive": server.url}, tmp_path / "o.zip", 2, tmp_path / "cache")
    assert (tmp_path / "o.zip").read_bytes() == good


def test_no_network(tmp_path, server):
    url = server.url.replace("/abc.zip", "").rsplit(":", 1)[0] + ":9/abc.zip"
    with pytest.raises(InputError, match="cannot be downloaded"):
        source.fetch_archive({"archive": url}, tmp_path / "o.zip", 1, tmp_path / "cache")


def test_a_cohort_s_sizes_are_those_of_its_folders(tmp_path):
    files = small_files()
    files |= {name.replace("/kids/", "/all/"): content for name, content in files.items()}
    archive = source.read_archive(write_zip(tmp_path / "a.zip", files))
    sizes = source.check_cohorts(["kids"], archive.members)
    assert sorted(sizes["kids"]) == [0, 0, 1, 1]
