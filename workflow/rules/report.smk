# Stage report.
