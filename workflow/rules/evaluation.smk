# Stage evaluation.
