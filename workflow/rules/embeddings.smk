# Stage embeddings.
