"""Settings: one table of environment variables, from which messages, documentation and `python -m devarray` come."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import devarray as da
from devarray._runtime.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
OWN = [name for name in SETTINGS if name.startswith("DEVARRAY_")]


def python(*command: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter in which only these of devarray's variables are set."""
    path = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry)
    environment = {name: text for name, text in os.environ.items() if name == "DEVARRAY_CACHE_DIR" or name not in OWN}
    return subprocess.run(
        [sys.executable, *command], env={**environment, "PYTHONPATH": path, **settings}, text=True,
        capture_output=True, timeout=300, cwd="/", check=False,
    )  # fmt: skip


WRONG = [
    ("DEVARRAY_EAGER", "maybe", "0 or 1"),
    ("DEVARRAY_EAGER", "2", "0 or 1"),
    ("DEVARRAY_FORBID_WAITS", "never", "0 or 1"),
    ("DEVARRAY_DEBUG", "9", "a number from 0 to 4"),
    ("DEVARRAY_DEBUG", "-1", "a number from 0 to 4"),
    ("DEVARRAY_DEBUG", "\N{SUPERSCRIPT TWO}", "a number from 0 to 4"),
    ("DEVARRAY_FALLBACK", "shrug", "raise, warn, allow"),
    ("DEVARRAY_MEMORY", "foo", "buffer, svm_coarse, svm_fine, device, managed, pinned"),
    ("DEVARRAY_CACHE_BYTES", "abc", "a number of bytes, with K, M or G for their multiples"),
    ("DEVARRAY_CACHE_BYTES", "-1G", "a number of bytes, with K, M or G for their multiples"),
    ("DEVARRAY_CACHE_BYTES", str(2**63), "a number of bytes, with K, M or G for their multiples"),
    ("DEVARRAY_COPY_THREADS", "-1", "a number from 1 to 256"),
    ("DEVARRAY_COPY_THREADS", "many", "a number from 1 to 256"),
    ("DEVARRAY_COMPILER_NOTICE", "soon", "a number of seconds, 0 for none"),
    ("DEVARRAY_COMPILER_NOTICE", "-1", "a number of seconds, 0 for none"),
    ("DEVARRAY_COMPILER_NOTICE", "nan", "a number of seconds, 0 for none"),
]


@pytest.mark.parametrize(("name", "text", "takes"), WRONG)
def test_a_wrong_value_is_an_error_that_says_what_is_taken(name: str, text: str, takes: str) -> None:
    done = python("-P", "-c", "import devarray", **{name: text})
    assert done.stderr.splitlines()[-1] == f"devarray.errors.ValueError: {name}={text}: it takes {takes}"


@pytest.mark.parametrize("name", ["deferred", "deterministic", "forbid_waits", "background"])
@pytest.mark.parametrize("value", ["0", "maybe", 2, None])
def test_switches_take_no_other_values_than_the_two(name: str, value: object) -> None:
    before = getattr(da.config, name)
    with pytest.raises(ValueError, match=f"{name} is one of False, True, not"):
        setattr(da.config, name, value)
    setattr(da.config, name, int(before))
    assert getattr(da.config, name) is before


def test_all_wrong_values_are_named_at_once() -> None:
    done = python("-P", "-c", "import devarray", DEVARRAY_DEBUG="9", DEVARRAY_EAGER="maybe")
    assert "DEVARRAY_DEBUG=9" in done.stderr and "DEVARRAY_EAGER=maybe" in done.stderr


@pytest.mark.parametrize(
    ("settings", "expression", "expected"),
    [
        ({"DEVARRAY_EAGER": "1"}, "da.config.deferred", "False"),
        ({"DEVARRAY_EAGER": "No"}, "da.config.deferred", "True"),
        ({"DEVARRAY_EAGER": ""}, "da.config.deferred", "True"),
        ({"DEVARRAY_DEBUG": "3"}, "da.config.debug", "3"),
        ({"DEVARRAY_FORBID_WAITS": "on"}, "da.config.forbid_waits", "True"),
        ({"DEVARRAY_FALLBACK": "raise"}, "da.config.fallback", "raise"),
        ({"DEVARRAY_CACHE_BYTES": "3mb"}, "config.cache_bytes()", str(3 * 2**20)),
        ({"DEVARRAY_CACHE_BYTES": " 12 "}, "config.cache_bytes()", "12"),
        ({}, "config.cache_bytes()", str(2**30)),
        ({"DEVARRAY_CACHE_DIR": ""}, "config.cache_dir()", "None"),
        ({"DEVARRAY_CACHE_DIR": "/nowhere"}, "config.cache_dir()", "/nowhere"),
    ],
)
def test_what_is_taken(settings: dict[str, str], expression: str, expected: str) -> None:
    program = f"import sys, devarray as da\nconfig = sys.modules['devarray._runtime.settings']\nprint({expression})"
    assert python("-P", "-c", program, **settings).stdout == f"{expected}\n"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("DEVARRAY_EAGR", "is DEVARRAY_EAGER meant?"),
        ("DEVARRAY_CACHE_BYTE", "is DEVARRAY_CACHE_BYTES meant?"),
        ("DEVARRAY_XYZZY", "python -m devarray lists all of them"),
    ],
)
def test_a_misspelt_name_is_a_logged_warning(name: str, says: str) -> None:
    program = """
import logging
logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
import devarray"""
    done = python("-P", "-c", program, **{name: "1"})
    assert done.stderr == f"devarray WARNING {name} is no setting; {says}\n"


def test_the_right_names_are_no_warning() -> None:
    assert python("-P", "-c", "import devarray", DEVARRAY_EAGER="1").stderr == ""


def test_the_switches_take_what_the_variables_take() -> None:
    for wrong in (9, -1, "abc", 1.5, None):
        with pytest.raises(ValueError, match="debug is a number from 0 to 4"):
            da.config.debug = wrong
    assert da.config.debug == 0


def test_a_wrong_device_is_named_as_such(device: da.Device) -> None:
    done = python("-P", "-c", "import devarray as da\nda.ones(3)", DEVARRAY_DEVICE="abacus")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("devarray.errors.DeviceError: DEVARRAY_DEVICE=abacus: no such device; there are ")
    assert str(device) in last


def test_memory_that_the_device_lacks_is_named_as_such(device: da.Device) -> None:
    kind = next(kind for kind in ("device", "buffer") if kind not in device.memory_kinds)
    name = f"{device.driver}:{device.index}"
    done = python("-P", "-c", "import devarray as da\nda.ones(3)", DEVARRAY_DEVICE=name, DEVARRAY_MEMORY=kind)
    assert done.stderr.splitlines()[-1].startswith(f"devarray.errors.DeviceError: DEVARRAY_MEMORY={kind}: ")
    again = "import devarray as da\ntry:\n    da.ones(3)\nexcept da.DeviceError:\n    da.ones(3)"
    done = python("-P", "-c", again, DEVARRAY_DEVICE=name, DEVARRAY_MEMORY=kind)
    assert done.stderr.splitlines()[-1].startswith(f"devarray.errors.DeviceError: DEVARRAY_MEMORY={kind}: ")


def test_memory_that_the_default_device_lacks_is_no_matter_elsewhere(device: da.Device) -> None:
    others = [d for d in da.devices() if d is not device and d.driver == device.driver]
    if not others:
        pytest.skip("wants two devices of one driver")
    kind = next(kind for kind in ("device", "buffer") if kind not in device.memory_kinds)
    one, other = (f"{d.driver}:{d.index}" for d in (device, others[0]))
    program = f"""
import devarray as da
print(da.asarray([1, 2], device="{other}").sum(), da.ones(3, device="{other}").sum())
with da.use(device="{other}"):
    print((da.arange(3) + 1).sum())
da.ones(3, device="{one}")
"""
    done = python("-P", "-c", program, DEVARRAY_DEVICE=one, DEVARRAY_MEMORY=kind)
    assert done.stdout.split() == ["3", "3.0", "6"], done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"devarray.errors.DeviceError: DEVARRAY_MEMORY={kind}: ")


def test_the_command_lists_devices_and_settings_whatever_is_wrong(device: da.Device) -> None:
    done = python("-m", "devarray", DEVARRAY_DEVICE="abacus", DEVARRAY_DEBUG="9", DEVARRAY_EAGR="1")
    assert done.returncode == 1, done.stderr
    assert f"  {device}\n" in done.stdout
    assert "  DEVARRAY_DEBUG=9: it takes a number from 0 to 4\n" in done.stdout
    assert "  DEVARRAY_DEVICE=abacus: no such device; there are " in done.stdout
    assert "  DEVARRAY_EAGR is no setting; is DEVARRAY_EAGER meant?\n" in done.stdout
    for name, row in SETTINGS.items():
        (line,) = [line for line in done.stdout.splitlines() if line.split()[:1] == [name]]
        assert line.endswith(row.default)
    assert re.search(r"^  DEVARRAY_DEBUG +'9', by default 0$", done.stdout, re.MULTILINE)


def test_other_commands_end_at_a_wrong_setting() -> None:
    done = python("-m", "devarray", "cache", DEVARRAY_DEBUG="9")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "devarray: DEVARRAY_DEBUG=9: it takes a number from 0 to 4\n"


def test_every_variable_that_the_sources_read_has_a_row() -> None:
    read = re.compile(r"""(?:environ(?:\.get)?[\[(]|getenv\(|value_of\()\s*"([A-Z_]+)\"""")
    files = [*(ROOT / "devarray").rglob("*.py"), *(ROOT / "csrc").rglob("*.cpp")]
    found = {name for file in files for name in read.findall(file.read_text())}
    assert {"DEVARRAY_DEVICE", "DEVARRAY_COPY_THREADS", "OCL_ICD_VENDORS"} <= found
    assert found <= set(SETTINGS)


def test_the_guide_has_every_row() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text()
    for name, row in SETTINGS.items():
        assert f"\n| `{name}` | {row.default} | {row.takes} | {row.help} |\n" in guide


def test_documents_name_no_variable_that_there_is_not() -> None:
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "devarray").rglob("*.py")]
    named = {name for file in documents for name in re.findall(r"(?<!-D)\bDEVARRAY_[A-Z_]*[A-Z]\b", file.read_text())}
    assert named <= set(SETTINGS) | {"DEVARRAY_", "DEVARRAY_TESTING"}  # the build's
