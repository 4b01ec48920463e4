#!/usr/bin/env bash
# Build the whole extension with sanitizers, and run tests or the soak with it.
#
#   tools/sanitize.sh address [what pytest is to run]     AddressSanitizer and UndefinedBehaviorSanitizer
#   tools/sanitize.sh thread [what pytest is to run]      ThreadSanitizer
#   tools/sanitize.sh address|thread soak [arguments]     tests/memory/soak.py; engine-soak: tests/engine/soak.py
#
# Fails where a test fails or a sanitizer reports something; the reports lie in BUILD/report.* and are shown. Undefined
# behaviour ends the process at once (GCC's runtime cannot write it to a file). Tests of how much memory the process
# takes are left out, since a sanitizer takes some itself.
#
# ThreadSanitizer ends a process that starts threads after it was forked from one with several ("dup thread with used
# id"), so that the three tests of tests/engine/test_forks.py in which a child works on fail under it.
#
# BUILD    build folder (build/address, build/thread)
# PYTHON   the interpreter (python3), with devarray's build and test requirements
# LEAKS    1: also look for leaks when a process ends, and show those that csrc/ allocated
# JOBS     processes of the build (2)
set -eu -o pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kind=${1:?address or thread; see the top of this file}
shift
case $kind in
  address) sanitizers=address,undefined libraries="asan ubsan stdc++" ;;
  thread) sanitizers=thread libraries="tsan stdc++" ;;
  *) echo "no sanitizer named $kind; see the top of this file" >&2; exit 2 ;;
esac
python=$(command -v "${PYTHON:-python3}")
mkdir -p "${BUILD:=$root/build/$kind}"
build=$(cd "$BUILD" && pwd)

cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" \
  -DDEVARRAY_SANITIZE="$sanitizers" -DPython_EXECUTABLE="$python" >"$build/cmake.log"
cmake --build "$build" -j "${JOBS:-2}" >"$build/build.log" || { tail -n 40 "$build/build.log" >&2; exit 1; }
mkdir -p "$build/package/devarray"
ln -sfn "$root"/devarray/* "$build"/_core*.so "$build/package/devarray/"
rm -f "$build"/report.*

# The interpreter is not instrumented: the runtimes come first, and with them libstdc++, whose exceptions they watch.
preload=
for library in $libraries; do preload+="$(readlink -f "$("${CXX:-c++}" -print-file-name="lib$library.so")") "; done
# Under a sanitizer dlopen no longer sees its caller's search path, by which NVRTC finds its own second library.
wheels=$("$python" -c 'import sysconfig, glob; print(*glob.glob(sysconfig.get_path("platlib") + "/nvidia/*/lib"), sep=":")')
export LD_LIBRARY_PATH=$wheels:${LD_LIBRARY_PATH:-}
export PYTHONPATH=$build/package PYTHONMALLOC=malloc
export TBB_ENABLE_SANITIZERS=1  # or TBB, below Intel's runtime, opens libraries in a way that no sanitizer allows
export ASAN_OPTIONS=log_path=$build/report:exitcode=0:allocator_may_return_null=1:quarantine_size_mb=32
ASAN_OPTIONS+=:detect_stack_use_after_return=1:detect_leaks=${LEAKS:-0}
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=66
# Only accesses from csrc/ count, and not those in the drivers' callbacks: what orders them is an atomic of the driver's,
# which is not instrumented.
printf 'race:%s\n' libintelocl libpocl >"$build/drivers.txt"
export TSAN_OPTIONS=log_path=$build/report:exitcode=0:allocator_may_return_null=1:ignore_noninstrumented_modules=1
TSAN_OPTIONS+=:suppressions=$build/drivers.txt:die_after_fork=0

case ${1:-} in
soak) command=("$python" -P "$root/tests/memory/soak.py" "${@:2}") ;;
engine-soak) command=("$python" -P "$root/tests/engine/soak.py" "${@:2}") ;;
*)
  [ $# -gt 0 ] || set -- "$root/tests"
  # Only Python's own output is caught, so that a last word on undefined behaviour is seen.
  command=("$python" -P -m pytest -q -n 0 --capture=sys -m "not slow" -k "not memory_stays_flat" -c "$root/pyproject.toml" --rootdir "$root" "$@")
  ;;
esac
rc=0  # reports decide, also those of processes that the tests start
LD_PRELOAD=$preload "${command[@]}" || rc=$?
for report in "$build"/report.*; do
  if [ -e "$report" ] && awk -v RS= '!/ leak of / || /\/csrc\//' "$report" | grep -v 'LeakSanitizer: detected\|^SUMMARY\|^=*$'; then
    echo "== $report"
    rc=66
  fi
done
exit "$rc"
