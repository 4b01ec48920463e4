"""What is said in two places is the same: versions of the tools, parts of CI that workflows name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_hooks_have_the_tools_that_ci_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = set(project["optional-dependencies"]["lint"])
    assert all("==" in tool for tool in pinned)
    hooks = set(re.findall(r'additional_dependencies: \["(.*)"\]', (ROOT / ".pre-commit-config.yaml").read_text()))
    assert {tool for tool in pinned if not tool.startswith(("mypy==", "basedpyright=="))} == hooks


def test_workflows_run_what_the_repository_has() -> None:
    parts = set(re.search(r"parts are ([a-z, ]+)", (ROOT / ".ci" / "run").read_text())[1].split(", "))
    assert WORKFLOWS
    for path in WORKFLOWS:
        for command in re.findall(r"- run: (.*)", path.read_text()):
            script, *arguments = command.split()
            assert (ROOT / script).is_file(), f"{path.name}: {command}"
            assert script != ".ci/run" or set(arguments) <= parts, f"{path.name}: {command}"


def test_every_python_that_is_named_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["project"]["classifiers"]))
    (matrix,) = re.findall(r"python: \[(.*)\]", (ROOT / ".github" / "workflows" / "tests.yml").read_text())
    assert re.findall(r"3\.\d+", matrix) == named
    assert project["tool"]["cibuildwheel"]["build"].split() == [f"cp{name.replace('.', '')}-*" for name in named]
