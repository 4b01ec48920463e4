"""The site's reference has every public name, its pages list each other, and links that lead nowhere are found."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

import devarray as da
from devarray._runtime.settings import SETTINGS

pytest.importorskip("distributed")  # the reference has devarray.dask

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import make_site  # noqa: E402
from pages import links, reference, tables  # noqa: E402


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_that_count_kernels_count_those_of_the_host(path: Path) -> None:
    text = path.read_text()
    assert ("launches" in text) <= ("host_runs" in text), "small work of a CPU device launches nothing"


def test_code_in_cells_breaks_at_dots_and_brackets() -> None:
    break_code = runpy.run_path(str(ROOT / "docs" / "conf.py"))["_break_code"]
    long = "test_a_launch_is_done_when_the_process_ends"
    words = ["x.copy_to_host()", "da.cuda.f(1.5)", long, "__cuda_array_interface__"]
    code = "".join(f'<code><span class="pre">{word}</span></code>' for word in words)
    page = {"body": f"{code}<table><td>{code}</td></table>"}
    break_code(None, "", "", page, None)
    outside, _, inside = page["body"].partition("<table>")
    assert outside == code
    found = [part.partition("</span>")[0] for part in inside.split('<span class="pre">')[1:]]
    assert found[0] == "x.<wbr>copy_to_host()"
    assert found[1] == "da.<wbr>cuda.<wbr>f(<wbr>1.<wbr>5)"
    assert found[2] == long.replace("_", "_<wbr>")
    assert found[3] == words[3]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reference")
    reference.write(folder)
    return {path.stem: path.read_text() for path in folder.glob("*.rst")}


def described(text: str) -> set[str]:
    """The full names that a page's directives describe."""
    found, namespace = set(), ""
    for line in text.splitlines():
        if match := re.match(r"\.\. currentmodule:: (.+)", line):
            namespace = match[1]
        elif match := re.match(r"\.\. (?:auto\w+|py:data|py:class):: (.+)", line):
            found.add(f"{namespace}.{match[1]}")
            last = match[1]
        elif match := re.match(r"   :(?:special-)?members: (.+)", line):
            found |= {f"{namespace}.{last}.{name}" for name in match[1].split(", ")}
    return found


def test_every_public_name_is_in_the_reference(written: dict[str, str]) -> None:
    """As tests/public_api.txt has them, which another test holds to the package."""
    lines = (ROOT / "tests" / "public_api.txt").read_text().splitlines()
    names = {line.split("(")[0].replace("devarray.array.Array", "devarray.Array", 1) for line in lines}
    found = set().union(*map(described, written.values()))
    assert sorted(names & reference.public_names() - found) == []
    assert len(found) > 2500


def test_chapters_are_numpys(written: dict[str, str]) -> None:
    for chapter, name in (
        ("creation", "zeros"),
        ("manipulation", "concatenate"),
        ("math", "sin"),
        ("bitwise", "bitwise_and"),
        ("logic", "less"),
        ("sorting", "unique"),
        ("statistics", "median"),
        ("linalg", "einsum"),
        ("exchange", "from_dlpack"),
        ("devices", "use"),
        ("transfers", "pinned_array"),
        ("kernels", "ElementwiseKernel"),
        ("profiling", "profile"),
    ):
        assert f"devarray.{name}" in described(written[chapter])
    assert "more" not in written or "numpy" not in written["more"]


def test_every_page_is_listed(written: dict[str, str]) -> None:
    listed = set(re.findall(r"^   (\S+)$", written["index"], re.MULTILINE))
    assert listed - {":maxdepth:"} == set(written) - {"index"}


def test_tables_have_every_setting_and_error() -> None:
    settings, errors = tables.settings(), tables.errors()
    assert all(f"| `{name}` |" in settings for name in SETTINGS)
    for name in da.errors.__all__:
        (line,) = [line for line in errors.splitlines() if f"`~devarray.errors.{name}`" in line]
        assert len(re.split(r"(?<!\\)\|", line)) == 5


def test_pages_that_no_other_lists_come_under_topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        "docs/index.md": "# I\n\n```{toctree}\ntopics\nlisted\n```\n",
        "docs/topics.md": "# T\n\n```{toctree}\nsettings\nerrors\n(others)\n```\n",
        "docs/listed.md": "# L\n",
        "docs/new-page.md": "# N\n",
        "CONTRIBUTING.md": "[d](docs/listed.md)\n",
        "CHANGELOG.md": "# C\n",
        "examples/heat.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(make_site, "ROOT", tmp_path)
    source = make_site.collect(tmp_path / "out")
    toctree = (source / "topics.md").read_text().split("```")[1].splitlines()
    assert toctree[1:] == ["settings", "errors", "changelog", "contributing", "new-page"]
    assert (source / "contributing.md").read_text() == "[d](listed.md)\n"


def test_parts_of_other_sites_are_found(tmp_path: Path) -> None:
    (tmp_path / "own.js").write_text("")
    (tmp_path / "a.html").write_text(
        '<link rel="stylesheet" href="https://elsewhere/a.css"><link rel="canonical" href="https://elsewhere/a.html">'
        '<script src="own.js"></script><script src="https://elsewhere/b.js"></script><img src="data:image/png;base64,">'
        '<a href="https://elsewhere/b.js">1</a><img src="//elsewhere/c.png">'
    )
    assert links.broken(tmp_path) == [
        f"a.html: {link} is of another site"
        for link in ("https://elsewhere/a.css", "https://elsewhere/b.js", "//elsewhere/c.png")
    ]


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#there">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>')
    (tmp_path / "b.html").write_text('<p id="there"><a href="https://elsewhere/x">4</a><a href="#there">5</a>')
    assert links.broken(tmp_path) == [
        "a.html: b.html#gone leads to no place of that page",
        "a.html: c.html leads to no file",
    ]
