# contrast-subgraphs with its pinned environment. Your folder is /data in it:
#   docker build -t contrast-subgraphs .
#   docker run --rm --user "$(id -u)" -v "$PWD:/data" contrast-subgraphs find controls/ patients/
#   docker run --rm --user "$(id -u)" -v "$PWD:/data" contrast-subgraphs run mine.yaml --cores 2
# The same bytes of the base image, too, once you know its digest:
#   docker build --build-arg PYTHON=python@sha256:... -t contrast-subgraphs .
# packaging/apptainer.def does the same for Apptainer; a test holds the two together.
ARG PYTHON=python:3.12-slim
FROM ${PYTHON}

WORKDIR /opt/contrast-subgraphs
COPY envs envs
RUN pip install --no-cache-dir --require-hashes -r envs/requirements.txt
COPY LICENSE README.md Snakefile config.yaml pyproject.toml ./
COPY examples examples
COPY profiles profiles
COPY workflow workflow
# What builds the package has an environment of its own, of which nothing stays.
RUN python -m venv tool \
    && tool/bin/pip install --no-cache-dir --require-hashes -r envs/requirements-build.txt \
    && tool/bin/python -m hatchling build --target wheel --directory dist \
    && pip install --no-cache-dir --no-deps --no-index dist/*.whl \
    && rm -r tool dist
RUN pip check && contrast-subgraphs info
# Any user may run it: Snakemake and numba keep their files where everyone can write.
RUN mkdir home && chmod 1777 home
ENV HOME=/opt/contrast-subgraphs/home

WORKDIR /data
ENTRYPOINT ["contrast-subgraphs"]
CMD ["--help"]
