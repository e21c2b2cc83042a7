"""Who is compared, and what is held constant: designs and covariates, below all stages."""
