# The workflow with its pinned environment:
#   docker build -t contrast-subgraphs .
#   docker run --rm -v "$PWD/results:/workflow/results" contrast-subgraphs \
#       --cores 2 --config source=simulated
FROM python:3.12-slim

WORKDIR /workflow
COPY envs envs
RUN pip install --no-cache-dir --require-hashes -r envs/requirements.txt
COPY Snakefile config.yaml ./
COPY profiles profiles
COPY workflow workflow

ENTRYPOINT ["snakemake"]
CMD ["--cores", "1", "--config", "source=simulated"]
