# The workflow with its pinned environment:
#   docker build -t contrast-subgraphs .
#   docker run --rm --user "$(id -u)" -v "$PWD/results:/workflow/results" contrast-subgraphs \
#       --cores 2 --configfile examples/simulated.yaml
# The same bytes of the base image, too, once you know its digest:
#   docker build --build-arg PYTHON=python@sha256:... -t contrast-subgraphs .
ARG PYTHON=python:3.12-slim
FROM ${PYTHON}

WORKDIR /workflow
COPY envs envs
RUN pip install --no-cache-dir --require-hashes -r envs/requirements.txt
COPY Snakefile config.yaml pyproject.toml ./
COPY examples examples
COPY profiles profiles
COPY workflow workflow
# Any user may run it: Snakemake and numba keep their files where everyone can write.
RUN chmod 1777 /workflow
ENV HOME=/workflow

ENTRYPOINT ["snakemake"]
CMD ["--cores", "1", "--config", "source=simulated"]
