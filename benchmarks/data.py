"""The data and graph stages: downloads, graphs, the simulated source, memory.

    python -m benchmarks.data [--files 1035] [--latency 200] [--subjects 400]

A server of its own process gives a release of the size of ABIDE's: as many files a site,
300 kB each. References: nilearn alone, which fetches file by file (on a part of the
files, scaled), and nilearn's `ConnectivityMeasure` for the correlations. Every line is
measured in a process of its own; `MB` is that process's largest memory. `ratio` is the
reference's time over ours.
"""

import argparse
import contextlib
import multiprocessing
import os
import resource
import sys
import tempfile
import time
import warnings
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas as pd
from contrast_subgraphs.contrast import sweep
from contrast_subgraphs.contrast.difference import difference_of_summaries, summary_of
from contrast_subgraphs.core.graphs import SubjectGraphs
from contrast_subgraphs.data import abide, simulated
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.data.phenotypes import HEADER, read_phenotypes
from contrast_subgraphs.data.series import SiteSeries, write_1d
from contrast_subgraphs.graphs.cohorts import build_cohort, exclusions
from contrast_subgraphs.graphs.correlation import correlation_graphs, site_graphs

from . import ROOT

VOLUMES = 130  # make 300 kB
PERCENTILES = (70, 75, 80, 85, 90, 93, 95, 97)


class Slow(SimpleHTTPRequestHandler):
    """Serve files, each answer after the server's latency."""

    def do_GET(self):
        time.sleep(self.server.latency)
        super().do_GET()

    def log_message(self, *args):
        pass


def serve(folder, latency, port):
    """Serve `folder` until the process ends; report the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Slow, directory=folder))
    server.latency = latency
    port.put(server.server_address[1])
    server.serve_forever()


@contextlib.contextmanager
def server(folder, latency):
    """Give the address of a server in a process of its own."""
    context = multiprocessing.get_context("spawn")
    port = context.Queue()
    process = context.Process(target=serve, args=(str(folder), latency, port), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{port.get(timeout=120)}"
    finally:
        process.terminate()
        process.join()


def apart(work, *arguments):
    """Run `work` in a new process; return its result, wall and CPU seconds and MB."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_apart, args=(queue, work, arguments))
    process.start()
    answer = queue.get()
    process.join()
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _apart(queue, work, arguments):
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - the progress bars
    warnings.simplefilter("ignore")
    try:
        work(*arguments, warm=True)
        wall, cpu = time.perf_counter(), time.process_time()
        result = work(*arguments)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        queue.put((result, wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
    except BaseException as error:
        queue.put(error)


def make_release(folder, files):
    """Write a release with ABIDE's sites, all files alike; return the files of each site."""
    manifest = abide.load_manifest(ROOT / "workflow" / "resources" / "abide_series.tsv")[:files]
    table = pd.DataFrame(
        {
            "SUB_ID": np.arange(len(manifest)) + 1,
            "SITE_ID": manifest["SITE_ID"],
            "FILE_ID": manifest["FILE_ID"],
            "DX_GROUP": 1 + np.arange(len(manifest)) % 2,
            "AGE_AT_SCAN": 10.0,
        }
    ).reindex(columns=list(HEADER))
    series = folder / "Outputs" / "dparsf" / "filt_global" / "rois_aal"
    series.mkdir(parents=True)
    table.to_csv(folder / abide.PHENOTYPES, index=False)
    first = folder / "one.1D"
    rng = np.random.default_rng(0)
    write_1d(first, load_aal()["code"], rng.standard_normal((VOLUMES, 116)))
    for file_id in manifest["FILE_ID"]:
        os.link(first, series / f"{file_id}_rois_aal.1D")
    return first.stat().st_size


def source_of(url, cache):
    """Return the source's config for a server and a cache."""
    return simulated.release_source(url) | {"data_dir": str(cache), "attempts": 4}


def download(url, folder, warm=False):
    """Fetch a release site by site, make the graphs, as the workflow's jobs do."""
    if warm:
        import nilearn.datasets  # noqa: F401 - not what is measured

        return None
    source, path = source_of(url, folder / "cache"), folder / "phenotypes.csv"
    abide.fetch_phenotypes(source, path)
    count = 0
    for site in abide.SITES:
        series, table = abide.fetch_site(source, path, site)
        series.save(folder / f"{site}.npz")
        site_graphs(series, table)[0].save(folder / f"{site}-graphs.npz")
        count += len(series)
    return count


def fetch_only(url, folder, files, warm=False):
    """Fetch the sites of some files with this library, without graphs."""
    if warm:
        import nilearn.datasets  # noqa: F401

        return None
    source, path = source_of(url, folder / "cache-fetch"), folder / "phenotypes-fetch.csv"
    abide.fetch_phenotypes(source, path)
    count = 0
    for site in abide.SITES:
        if count < files:
            count += len(abide.fetch_site(source, path, site)[0])
    return count


def nilearn_alone(url, folder, files, warm=False):
    """Fetch some files with nilearn, one after the other."""
    from nilearn.datasets import fetch_abide_pcp

    if warm:
        return None
    fetched = fetch_abide_pcp(
        data_dir=str(folder / "cache-nilearn"),
        n_subjects=files,
        url=url,
        pipeline="dparsf",
        band_pass_filtering=True,
        global_signal_regression=True,
        derivatives=["rois_aal"],
        quality_checked=False,
        verbose=0,
    )
    return len(fetched.rois_aal)


def our_graphs(path, warm=False):
    """Make the graphs of a site."""
    series = list(SiteSeries.load(path))
    chosen = series[:1] if warm else series
    return len(correlation_graphs([one for _, one in chosen]))


def nilearn_graphs(path, warm=False):
    """Make the graphs of a site from nilearn's correlations."""
    from nilearn.connectome import ConnectivityMeasure

    series = list(SiteSeries.load(path))
    chosen = series[:1] if warm else series
    matrices = ConnectivityMeasure(kind="correlation").fit_transform([one for _, one in chosen])
    upper = np.triu_indices(matrices.shape[1], 1)
    for matrix in matrices:
        values = np.round(matrix, 3)
        _ = values >= np.percentile(values[upper], 80)
    return len(matrices)


def simulate(subjects, effect, folder, warm=False):
    """Write a simulated release."""
    if warm:
        return None
    simulated.write_release({"subjects": subjects, "effect": effect}, 0, folder)
    return subjects


def simulated_graphs(folder, out, warm=False):
    """Read a simulated release and make its graphs, as the workflow's jobs do."""
    if warm:
        return None
    source, path = simulated.release_source(folder), out / "phenotypes.csv"
    abide.fetch_phenotypes(source, path, sites=simulated.SITES)
    count = 0
    for site in simulated.SITES:
        series, table = abide.fetch_site(source, path, site)
        series.save(out / f"{site}.npz")
        graphs, status = site_graphs(series, table)
        graphs.save(out / f"{site}-graphs.npz")
        status.to_csv(out / f"{site}.tsv", sep="\t", index=False)
        count += len(graphs.subject)
    return count


def recovery(folder, effect):
    """How much of the planted regions comes back in each cohort of a simulated release."""
    phenotypes = read_phenotypes(folder / "phenotypes.csv")
    tables = [
        pd.read_csv(folder / f"{site}.tsv", sep="\t", keep_default_na=False)
        for site in simulated.SITES
    ]
    graphs = SubjectGraphs.concatenate(
        SubjectGraphs.load(folder / f"{site}-graphs.npz") for site in simulated.SITES
    )
    excluded = exclusions(phenotypes, tables)
    groups = {"td": "DX_GROUP == 2", "asd": "DX_GROUP == 1"}
    expressions = {
        "children": "AGE_YEARS <= 9",
        "adolescents": "15 <= AGE_YEARS < 20",
        "eyesclosed": "EYE_STATUS_AT_SCAN == 2",
        "male": "SEX == 1",
    }
    records = []
    for name, where in expressions.items():
        cohort, _, _ = build_cohort(graphs, phenotypes, excluded, groups, name, where)
        td, asd = (summary_of(cohort.adjacency[cohort.y == group]) for group in (0, 1))
        for contrast in ("td-asd", "asd-td"):
            answers = sweep(
                difference_of_summaries(td, asd, contrast), percentiles=PERCENTILES, solver="search"
            )
            subgraphs = [{"percentile": a.percentile, "nodes": a.nodes} for a in answers]
            records.append({"cohort": name, "contrast": contrast, "subgraphs": subgraphs})
    return simulated.recovery(simulated.truth({"effect": effect}), records)


def line(what, result, wall, cpu, memory, ratio=""):
    """Print one line of the table."""
    print(
        f"{what:44s} {result:7d} {wall:8.1f} {cpu:8.1f} {result / wall:8.1f} {memory:6.0f}  {ratio}"
    )


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=1035)
    parser.add_argument("--latency", type=float, default=200, help="of a far server, ms")
    parser.add_argument("--subjects", type=int, default=400)
    options = parser.parse_args()
    part = min(100, options.files)
    print(f"{'':44s} {'items':>7s} {'wall s':>8s} {'CPU s':>8s} {'items/s':>8s} {'MB':>6s}  ratio")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "release").mkdir()
        size = make_release(folder / "release", options.files)
        with server(folder / "release", 0) as url:
            line(f"fetch + graphs, {size // 1000} kB a file", *apart(download, url, folder))
        with server(folder / "release", options.latency / 1000) as url:
            ours = apart(fetch_only, url, folder, part)
            alone = apart(nilearn_alone, url, folder, part)
            ratio = (alone[1] / alone[0]) / (ours[1] / ours[0])
            line(f"fetch, answers after {options.latency:g} ms", *ours, f"{ratio:.1f} (wall)")
            line("  nilearn alone", *alone)
        path = folder / f"{max(abide.SITES, key=lambda s: _size(folder, s))}.npz"
        ours, reference = apart(our_graphs, path), apart(nilearn_graphs, path)
        line("graphs of the largest site", *ours, f"{reference[2] / ours[2]:.1f} (CPU)")
        line("  from nilearn's correlations", *reference)
        tables = []
        for effect in (0.0, 0.6):
            out = folder / f"effect-{effect}"
            out.mkdir()
            made = apart(simulate, options.subjects, effect, out / "release")
            read = apart(simulated_graphs, out / "release", out)
            if effect:
                line("simulated release, written", *made)
                line("simulated release, read + graphs", *read)
            tables.append(recovery(out, effect))
    print("\nplanted regions that come back, at the percentile nearest to their size")
    print(pd.concat(tables).to_string(index=False, float_format="%.2f"))


def _size(folder, site):
    path = folder / f"{site}.npz"
    return path.stat().st_size if path.exists() else 0


if __name__ == "__main__":
    main()
