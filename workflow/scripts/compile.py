"""Have the functions of the stage contrast compiled, on a graph that takes no time."""

from job import job

with job(snakemake):
    import numpy as np
    from contrast_subgraphs.contrast import difference_graph, sweep
    from contrast_subgraphs.contrast.proof.tree import prove
    from contrast_subgraphs.contrast.solver.limits import Budget, Limits

    rng = np.random.default_rng(0)
    graphs = np.triu(rng.random((8, 30, 30)) < 0.5, 1).astype(np.uint8)
    graphs = graphs + graphs.transpose(0, 2, 1)
    weights = difference_graph(graphs, np.repeat(["td", "asd"], 4), "td-asd")
    for solver in ("exact", "densdp"):
        sweep(weights, percentiles=[80], alternatives=0.05, solver=solver)
    # The second proof, which starts if the first does not end.
    matrix = weights - 0.1 * (1 - np.eye(30))
    prove(matrix, 0.0, Budget(Limits()), bound=1e-3, first=0)
    prove(matrix, 0.0, Budget(Limits()), first=0)
