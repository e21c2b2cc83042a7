"""Permuted residuals beside nuisance variables."""

import numpy as np
from contrast_subgraphs.design import of_variable
from contrast_subgraphs.design.freedman_lane import explained_again, permuted_residuals


def test_permuted_residuals_are_free_of_the_nuisance_and_of_one_length():
    rng = np.random.default_rng(0)
    age, motion = rng.normal(size=(2, 30))
    design = of_variable(age + motion, called="age", covariates={"motion": motion})
    draws = np.stack([rng.permutation(30) for _ in range(5)])
    rows = permuted_residuals(design, draws)
    np.testing.assert_allclose(rows @ design.nuisance, 0, atol=1e-12)
    np.testing.assert_allclose((rows**2).sum(axis=1), design.residual @ design.residual)
    shorter = permuted_residuals(design, draws, as_fitted=True)
    assert ((shorter**2).sum(axis=1) < (rows**2).sum(axis=1)).all()


def test_what_is_explained_again_is_that_of_least_squares():
    rng = np.random.default_rng(1)
    age, motion, weight = rng.normal(size=(3, 20))
    design = of_variable(age, called="age", covariates={"motion": motion})
    draw = rng.permutation(20)
    left = weight - design.nuisance @ (design.nuisance.T @ weight)
    # Permuting the regressor is permuting the residuals the other way round.
    permuted = np.empty(20)
    permuted[draw] = left
    again = explained_again(design, draw[None], lambda rows: rows @ left[:, None])
    np.testing.assert_allclose(again[0, 0], ((design.nuisance.T @ permuted) ** 2).sum())
