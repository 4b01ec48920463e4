#!/usr/bin/env bash
# Build, test and measure devarray on a machine with an NVIDIA GPU, in one call.
#
#   tools/gpu_check.sh [build] [test-cuda] [test-opencl] [demo] [bench] [sanitize]      these by default
#                      [conformance] [drivers] [transfers] [sanitize-tests] [soak] [sweep] [fuzz]
#
# sweep: tools/sweep.py, every public function on both drivers, and once more with DEVARRAY_CHECK_BOUNDS.
# conformance: the Array API suite on both drivers (ARRAY_API_TESTS_DIR, EXAMPLES). drivers, transfers: the raw layers'
# calls and the copies, beside the peers'. sanitize-tests: compute-sanitizer over tests/cuda, all four tools at once.
# soak: tests/memory/soak.py, four processes of 2.5 million allocations, and shorter ones under memcheck and initcheck.
# fuzz: random programs compared with NumPy, on both drivers.
# Each step has its own time limit and log; one that fails does not stop the next. A short table comes last, and the run's
# line for docs/gpu-checked.md, which is also left in $OUT/gpu-checked-line.txt (tools/gpu_checked.py add).
#
# A new step is a function of its name, with - for _, that calls `step`; and its name in `steps` below.
#
# COMMIT       the commit that is checked (asked of git, where there is a repository)
# OUT          folder for the logs and the benchmarks' JSON files (./gpu_out)
# PYTHON       the interpreter (python3)
# BENCH        regular expression of the cases to time (all)
# BENCH_ARGS   further arguments of benchmarks/run.py (--quick)
# TESTS        what pytest runs (tests)
# PYTEST_ARGS  further arguments of pytest
# JOBS         processes of the build and, at most 8, of pytest (all cores)
# FUZZ_SECONDS how long to make random programs, on each driver (240)
# LIMIT        seconds that a step may take, instead of its own limit
set -u -o pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "${OUT:=$PWD/gpu_out}"
out=$(cd "$OUT" && pwd)
python=${PYTHON:-python3}
jobs=${JOBS:-$(nproc)}
rm -f "$out"/*.log
work=$(mktemp -d)  # steps run here, where no folder named devarray hides the installed package
trap 'rm -rf "$work"' EXIT
export DEVARRAY_CACHE_DIR=${DEVARRAY_CACHE_DIR:-$work/cache}
export PYTHONUNBUFFERED=1
steps=(build test-cuda test-opencl demo bench sanitize conformance drivers transfers sanitize-tests soak sweep fuzz)
table=()
seen=()  # what each part of a step ended with, in a few words, for docs/gpu-checked.md
failed=0

# note NAME RC SECONDS LAST-LINE: how a part of a step ended.
note() {
  local counts
  table+=("$(printf '%-14s %4s %6s  %s' "$1" "$2" "$3" "$4")")
  counts=$(sed -nE 's/^=* ?(([0-9]+ [a-z]+(, )?)+) in .*/\1/p' <<<"$4")
  case $2 in
    0) counts=${counts:-ok} ;;
    -) counts="left out" ;;
    *) counts="${counts:+$counts, }rc $2" failed=1 ;;
  esac
  seen+=("$1: $counts")
}

# step LOG NAME SECONDS COMMAND...: runs a command in the work folder, adds to a log, and notes how it ended.
step() {
  local log=$out/$1.log name=$2 limit=${LIMIT:-$3} begin=$SECONDS rc last
  shift 3
  echo "== $name (at most $limit s)" | tee -a "$log"
  (cd "$work" && timeout --kill-after=10 "$limit" "$@") >>"$log" 2>&1
  rc=$?
  last=$(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | cut -c1-110)
  if [ "$rc" = 124 ] || [ "$rc" = 137 ]; then last="time limit or killed: $last"; fi
  note "$name" "$rc" "$((SECONDS - begin))" "$last"
}

build() {
  SKBUILD_CMAKE_DEFINE=DEVARRAY_TESTING=ON CMAKE_BUILD_PARALLEL_LEVEL=$jobs step build build 540 \
    "$python" -m pip install --no-build-isolation --no-deps --force-reinstall --disable-pip-version-check "$root"
}

test_cuda() { run_tests test-cuda cuda; }
test_opencl() { run_tests test-opencl opencl; }

# run_tests NAME DEVICE
run_tests() {
  local parallel=(-o addopts=-ra) tests arguments  # without pytest-xdist: pyproject.toml's options ask for it
  read -ra tests <<<"${TESTS:-tests}"
  read -ra arguments <<<"${PYTEST_ARGS:-}"
  if "$python" -P -c 'import xdist' 2>/dev/null; then parallel=(-n "$((jobs < 8 ? jobs : 8))"); fi
  DEVARRAY_DEVICE=$2 step "$1" "$1" 400 "$python" -P -m pytest -q -p no:benchmark -m "not slow" --maxfail=40 -c "$root/pyproject.toml" \
    --rootdir "$root" "${parallel[@]}" "${arguments[@]}" "${tests[@]/#/$root/}"
}

demo() {
  step demo demo-cuda 120 "$python" -P -m devarray demo --device cuda
  step demo demo-opencl 120 "$python" -P -m devarray demo --device opencl
}

bench() {
  local device arguments
  read -ra arguments <<<"${BENCH_ARGS:---quick}"
  for device in cuda opencl; do
    step bench "bench-$device" 300 "$python" "$root/benchmarks/run.py" --device "$device" --cases "${BENCH:-}" \
      --json "$out/bench-$device.json" "${arguments[@]}"
  done
}

sanitize() {
  local tool
  tool=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
  if [ -z "$tool" ]; then
    note sanitize - 0 'compute-sanitizer is not installed'
    return
  fi
  cat >"$work/sample.py" <<'SAMPLE'
"""A little of everything that runs on a device, checked against NumPy."""

import numpy as np

import devarray as da

rng = np.random.default_rng(1)
for shape in ((1000,), (37, 53), (5, 7, 11)):
    h, g = rng.random(shape, dtype=np.float32), rng.random(shape, dtype=np.float32)
    a, b = da.to_device(h), da.to_device(g)
    pairs = [
        (da.sqrt(a * a + b * b) * 2 + a - b, np.sqrt(h * h + g * g) * 2 + h - g),
        (a[::2] + b[::-2][: a[::2].shape[0]], h[::2] + g[::-2][: h[::2].shape[0]]),
        (da.where(a > b, a, -b).astype("float64"), np.where(h > g, h, -g).astype("float64")),
        (da.sum(a), h.sum()),
        (da.sum(a * b, axis=0), (h * g).sum(axis=0)),
        (da.max(a, axis=-1), h.max(axis=-1)),
        (da.argmax(b), g.argmax()),
        (da.std(a, axis=-1), h.std(axis=-1)),
        (da.sort(a), np.sort(h)),
        (da.argsort(a, stable=True), np.argsort(h, kind="stable")),
        (da.cumulative_sum(a.reshape(-1)), np.cumsum(h)),
        (da.unique_values(da.round(a * 50)), np.unique(np.round(h * 50))),
        (a[a > 0.5], h[h > 0.5]),
        (da.concat([a, b]), np.concatenate([h, g])),
        (a.T.copy(), h.T),
    ]
    if len(shape) == 2:
        pairs.append((a @ b.T, h @ g.T))
    for ours, numpy in pairs:
        np.testing.assert_allclose(ours.copy_to_host(), numpy, rtol=2e-5, atol=1e-5)
c = da.arange(1000, dtype="int32")
c[1:] += c[:-1]
np.testing.assert_array_equal(c.copy_to_host()[:3], [0, 1, 3])
print("all right on", da.default_device())
SAMPLE
  DEVARRAY_DEVICE=cuda step sanitize memcheck 240 "$tool" --tool memcheck --error-exitcode 9 "$python" -P "$work/sample.py"
  DEVARRAY_DEVICE=cuda step sanitize racecheck 240 "$tool" --tool racecheck --error-exitcode 9 "$python" -P "$work/sample.py"
}

sweep() {
  local device
  for device in cuda opencl; do
    step sweep "sweep-$device" 500 "$python" "$root/tools/sweep.py" --device "$device" --jobs "$((jobs < 8 ? jobs : 8))"
    DEVARRAY_CHECK_BOUNDS=1 step sweep "bounds-$device" 500 "$python" "$root/tools/sweep.py" --device "$device" \
      --pairs 6 --jobs "$((jobs < 8 ? jobs : 8))"
  done
}

conformance() {
  local device
  for device in cuda opencl; do
    step "conformance-$device" "suite-$device" 300 "$python" -P "$root/array_api_compat/run_suite.py" --device "$device" --cold \
      --examples "${EXAMPLES:-30}" --json "$out/suite-$device.json" -- -p no:benchmark -n "$((jobs < 12 ? jobs : 12))" array_api_tests
  done
}

drivers() {
  step drivers drivers-cuda 150 "$python" "$root/benchmarks/drivers.py" cuda --json "$out/drivers-cuda.json"
  step drivers drivers-cl 100 "$python" "$root/benchmarks/drivers.py" opencl nvidia --json "$out/drivers-opencl.json"
}

transfers() {
  step transfers transfers 200 "$python" "$root/benchmarks/transfers.py" --device cuda --json "$out/transfers.json"
  step replay replay 200 "$python" "$root/benchmarks/replay.py" --device cuda
}

sanitize_tests() {
  local tool left_out pids=()
  for tool in memcheck initcheck synccheck racecheck; do
    left_out="not ipc and not another_process and not illegal and not trap and not opens_no_driver and not names"
    # Kernels that launch kernels: memcheck alone knows them, the others count each as an error.
    # Stand-ins run nothing on the GPU, and their processes can hang in the tool (at a fork in cuda-pathfinder's import).
    [ "$tool" = memcheck ] || left_out+=" and not launches_another and not DynamicSourceModule"
    (cd "$work" && DEVARRAY_DEVICE=cuda timeout --kill-after=10 "${LIMIT:-240}" compute-sanitizer --report-api-errors no \
      --tool "$tool" --error-exitcode 9 "$python" -P -m pytest -q -p no:benchmark -o addopts=-ra -c "$root/pyproject.toml" \
      --rootdir "$root" "$root/tests/cuda" -m "not slow and not stand_in" -k "$left_out" >"$out/sanitize-$tool.log" 2>&1) &
    pids+=("$!:$tool")
  done
  for tool in "${pids[@]}"; do
    wait "${tool%%:*}"
    note "${tool##*:}" "$?" - "$(grep 'SUMMARY:' "$out/sanitize-${tool##*:}.log" | tail -n 1)"
  done
}

soak() {
  local pids=() name
  for name in 1 2 3 4 memcheck initcheck; do
    local tool=() count=2500000
    if [[ $name = *check ]]; then tool=(compute-sanitizer --report-api-errors no --tool "$name" --error-exitcode 9) count=1000000; fi
    (cd "$work" && timeout --kill-after=10 "${LIMIT:-240}" "${tool[@]}" "$python" -P "$root/tests/memory/soak.py" --device cuda \
      --count "$count" >"$out/soak-$name.log" 2>&1) &
    pids+=("$!:$name")
  done
  for name in "${pids[@]}"; do
    wait "${name%%:*}"
    note "soak-${name##*:}" "$?" - "$(tail -n 1 "$out/soak-${name##*:}.log" | cut -c1-110)"
  done
}

fuzz() {
  local device seconds=${FUZZ_SECONDS:-240}
  for device in cuda opencl; do
    step fuzz "fuzz-$device" "$((seconds + 120))" "$python" "$root/tools/fuzz.py" --device "$device" --seconds "$seconds" \
      --jobs "$((jobs < 4 ? jobs : 4))"
  done
}

# The run in one line of docs/gpu-checked.md.
line() {
  local commit=${COMMIT:-$(git -C "$root" rev-parse --short=10 HEAD 2>/dev/null)} gpu parts
  gpu=$(cd "$work" && "$python" -P - 2>/dev/null <<'GPU'
import devarray as da

gpu = next(d for d in da.devices() if d.type == "gpu")
drivers = dict.fromkeys(f"{d.caps['version']} driver {d.caps['driver_version']}" for d in da.devices() if d.type == "gpu")
print(gpu.name, "|", ", ".join(drivers).replace("|", "/"))
GPU
  )
  parts=$(printf '%s; ' "${seen[@]}")
  printf '| %s | %s | %s | %s |\n' "$(date -u +%Y-%m-%d)" "${commit:-unknown}" "${gpu:-no GPU | no driver}" "${parts%; }"
}

[ $# -gt 0 ] || set -- build test-cuda test-opencl demo bench sanitize
for name in "$@"; do
  case " ${steps[*]} " in
    *" $name "*) "${name//-/_}" ;;
    *) echo "no step named $name; see the top of this file" >&2; failed=2 ;;
  esac
done

printf '\n%-14s %4s %6s  %s\n' step rc s 'last line'
printf '%s\n' "${table[@]}"
line | tee "$out/gpu-checked-line.txt"
exit "$failed"
