"""The evaluation against what one would write with scikit-learn, in the same run.

    python -m benchmarks.evaluation [--subjects 101] [--splits 2]

The graphs are random, of the size and density of the published ones, so that no data is
needed. The reference is `GridSearchCV` around a pipeline of this library's own features
and scikit-learn's scaler and `LinearSVC`. CPU seconds of one thread; `ratio` is the
reference over ours. `same` is the part of the splits in which the best cross-validated
accuracy is the same (to 1e-9), and the part of the test subjects classified alike:
liblinear does not converge at large C, so not all have to be.
"""

import argparse
import time
import warnings

import numpy as np
from contrast_subgraphs.contrast.estimator import ContrastSubgraphFeatures
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.evaluation.labels import Labels
from contrast_subgraphs.evaluation.learners import make_learner
from contrast_subgraphs.evaluation.protocols import Nested
from contrast_subgraphs.evaluation.splits import stratified_splits
from contrast_subgraphs.methods import METHODS
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

PENALTIES = [0.01, 0.1, 1, 10, 100, 1000]
PERCENTILES = [70, 75, 80, 85, 90, 93, 95, 97]
FOLDS = 5


def random_cohort(n, p=116, density=0.2, seed=0):
    """Random graphs and labels."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, p, p)) < density, 1)
    adjacency = (upper | upper.transpose(0, 2, 1)).astype(np.uint8)
    names = np.array([f"S{i}" for i in range(n)])
    return CohortGraphs(adjacency, np.arange(n) % 2, names, np.arange(p).astype(str))


def upper_triangles(graphs):
    return graphs[:, *np.triu_indices(graphs.shape[1], 1)].astype(float)


def pipeline(method):
    """The method as a pipeline of scikit-learn, and its grid."""
    svm = LinearSVC(random_state=0)
    if method == "edges":
        return Pipeline([("features", FunctionTransformer(upper_triangles)), ("svm", svm)]), {
            "svm__C": PENALTIES
        }
    problem = int(method[-1])
    features = ContrastSubgraphFeatures(problem, labels={0: "td", 1: "asd"})
    steps = [("features", features), ("scale", StandardScaler())]
    names = ("td-asd", "asd-td") if problem == 1 else ("symmetric",)
    levels = np.stack(np.meshgrid(*[PERCENTILES] * len(names), indexing="ij"), axis=-1)
    grid = [dict(zip(names, row, strict=True)) for row in levels.reshape(-1, len(names)).tolist()]
    return Pipeline([*steps, ("svm", svm)]), {
        "features__percentile": grid,
        "svm__C": PENALTIES,
    }


def measure(method, cohort, splits, every):
    """CPU seconds of ours and the reference on some splits, and how far they agree.

    `every` thins the grid of the reference (its time is scaled up): cs-p1 has 384
    candidates and the reference extracts again for each.
    """
    y, ours, theirs, choices, tests = cohort.y, 0.0, 0.0, [], []
    for repeat, split in enumerate(splits):
        train, test = np.flatnonzero(~split), np.flatnonzero(split)
        protocol = Nested(Labels(cohort, name="benchmark"), FOLDS)
        fold = protocol.inner_folds(y, train, repeat)
        begin = time.process_time()
        learner = make_learner(cohort, METHODS[method], name=method, percentiles=PERCENTILES)
        fitted, which, candidate = protocol.choose(learner, y, train, fold)
        decision = learner.decision(fitted, which, candidate, y, train, test)
        ours += time.process_time() - begin

        model, grid = pipeline(method)
        if every > 1:
            grid = grid | {"features__percentile": grid["features__percentile"][::every]}
        search = GridSearchCV(model, grid, cv=PredefinedSplit(fold[train]))
        begin = time.process_time()
        search.fit(cohort.adjacency[train], y[train])
        predicted = search.predict(cohort.adjacency[test])
        theirs += (time.process_time() - begin) * every
        if every == 1:
            inner = [learner.fit(train[fold[train] != k], y) for k in range(FOLDS)]
            best = learner.cross_validate(inner, y, fold).max()
            choices.append(abs(search.best_score_ - best) < 1e-9)
            tests.append(((decision > 0) == predicted).mean())
    agree = f"{np.mean(choices):.2f} / {np.mean(tests):.2f}" if choices else "-"
    return ours / len(splits), theirs / len(splits), agree


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--subjects", type=int, nargs="+", default=[101, 294])
    parser.add_argument("--splits", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("One nested split (5-fold choice of alpha and C inside, fit, test), CPU seconds.")
    print(f"{'subjects':>8} {'method':>8} {'ours':>9} {'GridSearchCV':>13} {'ratio':>7}   same")
    with threadpool_limits(1):
        measure("cs-p1", random_cohort(40), stratified_splits(np.arange(40) % 2, 1, 0.2, 0), 32)
        for n in options.subjects:
            cohort = random_cohort(n)
            splits = stratified_splits(cohort.y, options.splits, 0.2, 0, "benchmark")
            for method, every in (("cs-p1", 16), ("cs-p2", 1), ("edges", 1)):
                ours, theirs, same = measure(method, cohort, splits, every)
                times = f"{ours:>9.4f} {theirs:>13.2f} {theirs / ours:>6.0f}x"
                print(f"{n:>8} {method:>8} {times}   {same}")


if __name__ == "__main__":
    main()
