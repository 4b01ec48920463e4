"""What messages tell pip to install, by where this installation came from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from devarray._runtime import install

METADATA = """Metadata-Version: 2.1
Name: devarray
Version: 0.1.0
Requires-Dist: numpy>=2.0
Requires-Dist: tbb>=2021; extra == "cpu"
Requires-Dist: intel-opencl-rt>=2025; extra == "cpu"
Requires-Dist: matplotlib>=3.8; extra == "plot"
Requires-Dist: devarray[cpu,plot]; extra == "demo"
Requires-Dist: scikit-learn>=1.4; extra == "demo"
"""


@pytest.fixture
def installed_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes an installation that says where it came from, as pip writes it down."""

    def make(origin: dict[str, Any] | None) -> None:
        folder = tmp_path / "site" / "devarray-0.1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(METADATA)
        if origin is not None:
            (folder / "direct_url.json").write_text(json.dumps(origin))
        monkeypatch.syspath_prepend(str(folder.parent))

    return make


def test_in_the_clone_that_it_was_installed_from(
    installed_from: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed_from({"url": tmp_path.as_uri(), "dir_info": {}})
    monkeypatch.chdir(tmp_path)
    assert install.command("cpu") == "pip install './[cpu]'"


def test_elsewhere_the_clone_is_named_by_its_path(installed_from: Any, tmp_path: Path) -> None:
    clone = tmp_path / "a clone"
    clone.mkdir()
    installed_from({"url": clone.as_uri(), "dir_info": {"editable": True}})
    assert install.command("cpu") == f"pip install '{clone}[cpu]'"


def test_a_wheel_is_named_by_its_file(installed_from: Any, tmp_path: Path) -> None:
    wheel = tmp_path / "devarray-0.1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
    wheel.touch()
    installed_from({"url": wheel.as_uri(), "archive_info": {}})
    assert install.command("demo") == f"pip install '{wheel}[demo]'"


def test_a_repository_is_named_by_its_commit(installed_from: Any) -> None:
    installed_from({"url": "https://host/devarray.git", "vcs_info": {"vcs": "git", "commit_id": "abc123"}})
    assert install.command("cpu") == "pip install 'devarray[cpu] @ git+https://host/devarray.git@abc123'"


def test_where_nothing_is_there_any_more_the_packages_are_named(installed_from: Any) -> None:
    installed_from({"url": "file:///nonexistent/devarray.whl", "archive_info": {}})
    assert install.command("cpu") == "pip install 'intel-opencl-rt>=2025' 'tbb>=2021'"
    everything = "pip install 'intel-opencl-rt>=2025' 'matplotlib>=3.8' 'scikit-learn>=1.4' 'tbb>=2021'"
    assert install.command("demo") == everything


def test_from_an_index_its_extras_are_there(installed_from: Any) -> None:
    installed_from(None)
    assert install.command("cuda13") == "pip install 'devarray[cuda13]'"


def test_messages_of_the_core_are_said_for_here(installed_from: Any, tmp_path: Path) -> None:
    wheel = tmp_path / "d.whl"
    wheel.touch()
    installed_from({"url": wheel.as_uri(), "archive_info": {}})
    text = install.localised("install it: pip install 'devarray[cuda13]' (or 'devarray[cuda12]')")
    assert text == f"install it: pip install '{wheel}[cuda13]' (or '{wheel}[cuda12]')"


def test_the_cores_errors_pass_there(installed_from: Any, tmp_path: Path) -> None:
    """A driver that is none, in a process of its own, whose error names the extra of this installation."""
    wheel = tmp_path / "d.whl"
    wheel.touch()
    installed_from({"url": wheel.as_uri(), "archive_info": {}})
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path / "site")!r})
from devarray import _core, errors
_core.cuda._use_library("libthere_is_none.so")
try:
    _core.cuda.init()
except errors.MissingDriverError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert f"pip install '{wheel}[cpu]'" in done.stdout, done.stdout + done.stderr


def test_a_search_for_devices_reads_no_advice() -> None:
    program = "import sys, devarray; devarray.devices(); print('importlib.metadata' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "False"
