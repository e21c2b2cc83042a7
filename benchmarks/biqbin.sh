#!/bin/sh
# Fetch and build BiqBin, which `benchmarks.biqmac` compares with; it is under the GPL and stays
# outside this project. Needs git, make, a C compiler and OpenBLAS (Debian: libopenblas-dev).
set -eu
folder=${1:?"usage: benchmarks/biqbin.sh FOLDER"}
git clone --depth 1 https://github.com/Rudolfovoorg/serial_biqbin_maxcut "$folder"
mkdir -p "$folder/obj"
make -C "$folder" biqbin
echo "built: $folder/biqbin"
