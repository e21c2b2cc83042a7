"""The baselines against references in the same run, at the paper's sizes.

    python -m benchmarks.baselines
    python -m benchmarks.baselines --best [--graphs FOLDER] [--jobs 2]
    python -m benchmarks.baselines --seeds results/published/embeddings
    python -m benchmarks.baselines --sorted-documents FOLDER/adolescents.npz
    python -m benchmarks.baselines --best-of-noise FOLDER/children.npz

Without an option: speed of the compiled parts on random graphs of the size and density
of the published ones. `ratio` is the reference over ours, in CPU seconds of one thread.

--best: each embedding of `grid: best` with its CPU seconds, the estimate that a full grid
prints before it starts, and the peak memory; on random graphs, or on the cohorts of a
graphs folder (``results/published/graphs``), then with the accuracy of the paper's
protocol (mean and deviation of five stratified splits).

--seeds: how far the seeds of a run's embeddings agree, in the mean over pairs of seeds (rank
correlation of the cosines between graphs; part of the five nearest neighbours that both have).

--sorted-documents: what the order of sub2vec's documents does to a classifier.

--best-of-noise: what keeping the best of many parameter sets by test accuracy does, with
random numbers in place of every embedding.
"""

import argparse
import functools
import itertools
import multiprocessing
import random
import resource
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import yaml
from contrast_subgraphs import embeddings as baselines
from contrast_subgraphs.core.atomic_files import load_npz, save_npz
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from . import ROOT
from .cores import estimate_cost

#: Subjects of the paper's Table 1.
SIZES = {"children": 101, "adolescents": 237, "eyesclosed": 294, "male": 838}
SVM = {"C": [0.01, 0.1, 1, 10, 100, 1000], "gamma": ["scale"]}


def random_graphs(n, p=116, density=0.2, seed=0):
    """Random graphs of the published ones' size."""
    upper = np.triu(np.random.default_rng(seed).random((n, p, p)) < density, 1)
    return (upper | upper.transpose(0, 2, 1)).astype(np.uint8)


def cpu_seconds(function, warm=True):
    """CPU seconds of a call; a first call compiles and fills the caches."""
    if warm:
        function()
    begin = time.process_time()
    function()
    return time.process_time() - begin


# --- references -----------------------------------------------------------------------


def python_walk(graph, length):
    """A walk as the authors' code takes it."""
    neighbours = [np.flatnonzero(row).tolist() for row in graph]
    vertex, walk = 0, []
    while len(walk) < length:
        walk.append(vertex)
        vertex = random.choice(neighbours[vertex])
    return walk


def python_wl(graphs, height):
    """Weisfeiler-Lehman with a dictionary of tuples for each iteration."""
    neighbours = [[np.flatnonzero(row).tolist() for row in graph] for graph in graphs]
    labels = [[0] * len(graph) for graph in graphs]
    for _ in range(height):
        dictionary = {}
        labels = [
            [
                dictionary.setdefault(
                    (label[v], *sorted(label[w] for w in around)), len(dictionary)
                )
                for v, around in enumerate(lists)
            ]
            for lists, label in zip(neighbours, labels, strict=True)
        ]
    return labels


def gensim(documents, **settings):
    """Train gensim as it is usually called: lists of words. It is no dependency: install it."""
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    tagged = [
        TaggedDocument([str(word) for word in document], [i])
        for i, document in enumerate(documents)
    ]
    return Doc2Vec(tagged, workers=1, **settings)


# --- speed ----------------------------------------------------------------------------


def row(what, ours, reference, name, note=""):
    """Print a line of the table."""
    print(f"{what:44} {ours:9.3f} {reference:10.2f} {reference / ours:7.1f}x  {name}  {note}")


def walks():
    from contrast_subgraphs.embeddings.base import neighbour_lists
    from contrast_subgraphs.embeddings.sub2vec import random_walks

    graph = random_graphs(1)[0]
    steps = 10_000_000
    start, neighbour = neighbour_lists(graph[None])
    arguments = start, neighbour, np.zeros(1, np.int64), steps, np.random.default_rng(0)
    ours = cpu_seconds(lambda: random_walks(*arguments))
    reference = cpu_seconds(lambda: python_walk(graph, steps // 20), warm=False) * 20
    note = f"{steps / ours / 1e6:.0f} million steps a second"
    row("walks: 10 million steps", ours, reference, "Python", note)


def wl(height=5):
    from contrast_subgraphs.embeddings.wl_kern import WLKern

    graphs = random_graphs(838)
    ours = cpu_seconds(lambda: WLKern(height).fit_transform(graphs))
    reference = cpu_seconds(lambda: python_wl(graphs[:100], height), warm=False) * 8.38
    row(f"wl-kern: 838 graphs, h = {height}", ours, reference, "dictionaries of tuples")


def sub2vec(length=100_000, size=128, epochs=10, n_graphs=30):
    from contrast_subgraphs.embeddings.sub2vec import Sub2Vec, walk_documents

    graphs = random_graphs(n_graphs)
    documents = walk_documents(graphs, True, length, np.random.default_rng(0))
    for model, dm in (("DM", 1), ("DBON", 0)):
        embed = Sub2Vec("S", length, size, model, epochs)
        ours = cpu_seconds(lambda embed=embed: embed.fit(graphs))
        settings = {"vector_size": size, "window": 2, "epochs": epochs, "dm": dm}
        reference = cpu_seconds(lambda options=settings: gensim(documents, **options), warm=False)
        row(f"sub2vec: {n_graphs} graphs, S, {model}", ours, reference, "gensim, walks given")


def graph2vec(size=1024, negatives=20, epochs=3, n_graphs=101):
    from contrast_subgraphs.embeddings.graph2vec import Graph2Vec, wl_documents

    graphs = random_graphs(n_graphs)
    documents, _ = wl_documents(graphs, 3)
    ours = cpu_seconds(lambda: Graph2Vec(size, negatives, 3, epochs).fit(graphs))
    settings = {"vector_size": size, "negative": negatives, "epochs": epochs, "sample": 0}
    reference = cpu_seconds(lambda: gensim(documents, dm=0, **settings), warm=False)
    row(f"graph2vec: {n_graphs} graphs, {size}", ours, reference, "gensim, labels given")


def embs(size=1024, batch_size=128, n_graphs=128, epochs=3):
    from contrast_subgraphs.embeddings.embs import Autoencoder, walk_features
    from sklearn.neural_network import MLPRegressor

    features = walk_features(random_graphs(n_graphs))
    features = (features / features.max()).astype(np.float32)
    model = Autoencoder(features.shape[1], size, np.random.default_rng(0))
    mlp = MLPRegressor(hidden_layer_sizes=(size,), activation="tanh", batch_size=batch_size)
    seconds = [
        cpu_seconds(lambda step=step: [step(features, features) for _ in range(epochs)])
        for step in (model.step, mlp.partial_fit)
    ]
    ours, reference = (value / epochs for value in seconds)
    row(f"embs: a step, {size} units, batch {batch_size}", ours, reference, "sklearn MLPRegressor")
    hidden = model.encode(features)
    weights, decoder = model.weights[0], model.weights[2]
    products = (
        lambda: features @ weights,
        lambda: hidden @ decoder,
        lambda: features @ decoder.T,
        lambda: features.T @ hidden,
        lambda: hidden.T @ features,
    )
    bare = sum(map(cpu_seconds, products))
    row("embs: the five matrix products alone", bare, ours, "our step")


# --- the paper's best parameters ------------------------------------------------------


def paper_accuracy(cohort, name, method, paths):
    """Mean and deviation over five stratified splits, without the control."""
    from contrast_subgraphs.evaluation.evaluate import evaluate
    from contrast_subgraphs.evaluation.splits import stratified_splits
    from contrast_subgraphs.evaluation.svm import svm_grid
    from contrast_subgraphs.methods import METHODS

    scores = evaluate(
        cohort,
        METHODS[method],
        name=method,
        cohort=name,
        protocol="paper",
        splits=stratified_splits(cohort.y, 5, 0.2, 0, name, "splits"),
        candidates=svm_grid(),
        embeddings=paths,
    ).scores
    return scores["accuracy"].mean(), scores["accuracy"].std(ddof=0)


def best_job(job, folder):
    """Embed one cohort; in a process of its own, for the peak memory."""
    warnings.simplefilter("ignore")
    name, path, method, parameters = job
    if path:
        cohort = CohortGraphs.load(path)
    else:
        n = SIZES[name]
        names = np.array([f"S{i}" for i in range(n)])
        cohort = CohortGraphs(random_graphs(n), np.arange(n) % 2, names, np.arange(116).astype(str))
    short = {"epochs": 1, "walk_length": 1000, "embedding_size": 8}
    short = {key: short.get(key, value) for key, value in parameters.items()}
    baselines.embed(method, short, cohort.adjacency[:20])  # compiles
    begin = time.process_time()
    arrays = baselines.embed(method, parameters, cohort)
    seconds = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    file = Path(folder) / name / method / f"{baselines.slug(parameters)}.npz"
    save_npz(file, **arrays)
    accuracy = paper_accuracy(cohort, name, method, [file]) if path else None
    estimate = estimate_cost(method, parameters, len(cohort.y))
    return name, method, seconds, estimate, memory, accuracy


def best(graphs, jobs, out):
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["baselines"]
    work = [
        (name, graphs and Path(graphs) / f"{name}.npz", method, parameters)
        for name in SIZES
        for method in baselines.PARAMETERS
        for parameters in baselines.parameter_sets(method, config[method], name)
    ]
    print(f"{'cohort':12} {'method':10} {'CPU s':>7} {'estimate':>8} {'MB':>6}  accuracy")
    begin, total = time.monotonic(), 0.0
    with ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        results = pool.map(functools.partial(best_job, folder=out), work)
        for name, method, seconds, estimate, memory, accuracy in results:
            shown = f"{accuracy[0]:.3f} ± {accuracy[1]:.3f}" if accuracy else "-"
            times = f"{seconds:7.1f} {estimate:8.1f} {memory:6.0f}"
            print(f"{name:12} {method:10} {times}  {shown}", flush=True)
            total += seconds
    wall = time.monotonic() - begin
    print(f"{total:.0f} CPU seconds, {wall:.0f} seconds with {jobs} jobs (imports included)")


# --- two seeds --------------------------------------------------------------------------


def agreement(first, second, nearest=5):
    """Rank correlation of the cosines of two embeddings, and shared nearest neighbours."""
    from scipy.stats import rankdata

    pairs = np.triu_indices(len(first), 1)
    cosines = []
    for features in (first, second):
        centred = features - features.mean(axis=0)
        centred /= np.linalg.norm(centred, axis=1, keepdims=True)
        cosines.append(centred @ centred.T)
    ranks = np.corrcoef([rankdata(cosine[pairs]) for cosine in cosines])[0, 1]
    near = []
    for cosine in cosines:
        np.fill_diagonal(cosine, -np.inf)
        near.append(np.argsort(-cosine, axis=1)[:, :nearest])
    shared = [len(set(a) & set(b)) / nearest for a, b in zip(*near, strict=True)]
    return ranks, float(np.mean(shared)), nearest / (len(first) - 1)


def seeds(folder):
    """Print how far the seeds of each embedding of a run agree."""
    print(f"{'cohort':12} {'method':10} {'seeds':>5} {'rank correlation':>17} ", end="")
    print(f"{'shared neighbours':>18} {'by chance':>10}")
    for name in SIZES:
        for method in ("graph2vec", "sub2vec", "embs"):
            files = sorted(Path(folder, name, method).glob("*.npz"))
            features = [load_npz(file, "features")["features"] for file in files]
            pairs = [agreement(*pair) for pair in itertools.combinations(features, 2)]
            if pairs:
                ranks, shared, chance = np.mean(pairs, axis=0)
                print(f"{name:12} {method:10} {len(files):5} {ranks:17.2f} ", end="")
                print(f"{shared:18.2f} {chance:10.2f}", flush=True)


# --- the order of the documents -------------------------------------------------------


def sorted_documents(path):
    """Classify sub2vec's vectors when its documents came in the order of the classes."""
    from contrast_subgraphs.embeddings.sub2vec import Sub2Vec

    loaded = CohortGraphs.load(path)
    noise = np.random.default_rng(0).permutation(loaded.y)
    print("sub2vec S, walks of 150000, d = 128, 20 epochs; five splits, accuracy")
    print(f"{'model':6} {'documents':34} {'linear SVM':>14}")
    for model in ("DM", "DBON"):
        for order, y, what in (
            ("random", loaded.y, "in a random order"),
            ("given", loaded.y, "sorted by diagnosis"),
            ("given", noise, "sorted by labels drawn at random*"),
        ):
            by_class = np.argsort(y, kind="stable")
            cohort = CohortGraphs(
                loaded.adjacency[by_class], y[by_class], loaded.subject[by_class], loaded.roi
            )
            features = Sub2Vec("S", 150_000, 128, model, 20, order, verbose=1)
            features = features.fit_transform(cohort.adjacency)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "embedding.npz"
                save_npz(file, subject=cohort.subject, parameters="{}", features=features)
                mean, deviation = paper_accuracy(cohort, Path(path).stem, "sub2vec", [file])
            shown = f"{mean:.3f} ± {deviation:.3f}"
            print(f"{model:6} {what:34} {shown:>14}", flush=True)
    print("* and these labels classified: there is nothing to learn but the position")


# --- the best of many -------------------------------------------------------------------


def best_of_noise(path, size=256, draws=5):
    """Keep the best of many embeddings by mean test accuracy; each is random numbers."""
    cohort = CohortGraphs.load(path)
    numbers = {method: len(full_grid(method)) for method in baselines.PARAMETERS}
    most = max(numbers.values())
    accuracy = np.empty((draws, most))
    rng = np.random.default_rng(0)
    for draw, which in tqdm(list(np.ndindex(accuracy.shape)), mininterval=1):
        features = rng.standard_normal((len(cohort.y), size))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "embedding.npz"
            save_npz(file, subject=cohort.subject, parameters="{}", features=features)
            # The splits stay, as they do for every parameter set of a method.
            name = f"{Path(path).stem}-{draw}"
            accuracy[draw, which] = paper_accuracy(cohort, name, "noise", [file])[0]
    print(f"best mean test accuracy over five splits of random numbers ({draws} draws)")
    for number in sorted({1, *numbers.values()}):
        best = accuracy[:, :number].max(axis=1)
        methods = ", ".join(method for method, n in numbers.items() if n == number)
        span = f"{best.mean():.3f} ({best.min():.3f} to {best.max():.3f})"
        print(f"best of {number:4}: {span} {methods}")


def full_grid(method):
    """The paper's grid of a method."""
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["baselines"]
    return baselines.parameter_sets(method, config[method] | {"grid": "full"}, "")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--best", action="store_true")
    parser.add_argument("--graphs", help="folder with <cohort>.npz of the graphs stage")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", help="keep the embeddings of --best in this folder")
    parser.add_argument("--seeds", metavar="FOLDER")
    parser.add_argument("--sorted-documents", metavar="NPZ")
    parser.add_argument("--best-of-noise", metavar="NPZ")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.best_of_noise:
        best_of_noise(options.best_of_noise)
    elif options.seeds:
        seeds(options.seeds)
    elif options.sorted_documents:
        sorted_documents(options.sorted_documents)
    elif options.best:
        with tempfile.TemporaryDirectory() as folder:
            best(options.graphs, options.jobs, options.out or folder)
    else:
        print(f"{'':44} {'ours':>9} {'reference':>10} {'ratio':>8}")
        with threadpool_limits(1):
            for part in (walks, wl, graph2vec, sub2vec, embs):
                part()


if __name__ == "__main__":
    main()
