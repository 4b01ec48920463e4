"""The documentation site: its sources, built by Sphinx, and what is checked of it.

    python tools/make_site.py                   builds build/site/html
    python tools/make_site.py --no-gallery      leaves the gallery's examples out, which run as it is built

Needs the extra "docs" and nothing of the network. The sources are docs/, with what is written here beside it: the
reference, made from the package's public names, the tables of settings and errors, and a list of the pages of docs/
that no other page lists. Warnings are errors; then every public name must be in the site's index, and every link
within it lead somewhere.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from pages import links, reference, tables

ROOT = Path(__file__).resolve().parents[1]


def collect(folder: Path) -> Path:
    """Put together what Sphinx reads; returns the folder of its conf.py."""
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source)
    shutil.rmtree(folder / "examples", ignore_errors=True)
    (folder / "examples").mkdir()
    for path in (ROOT / "examples").glob("*.*"):
        if path.suffix == ".txt" or in_gallery(path):
            shutil.copy(path, folder / "examples")
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        text = (ROOT / name).read_text().replace("](docs/", "](").replace("](CHANGELOG.md)", "](changelog.md)")
        (source / name.lower()).write_text(text)
    reference.write(source / "reference")
    (source / "settings.md").write_text(tables.settings())
    (source / "errors.md").write_text(tables.errors())
    listed = "\n".join(path.read_text() for path in source.glob("*.md"))  # folders' lists are of their own pages
    others = [page.stem for page in sorted(source.glob("*.md")) if f"\n{page.stem}\n" not in listed]
    topics = source / "topics.md"
    topics.write_text(
        topics.read_text().replace("(others)\n", "".join(f"{name}\n" for name in others if name != "index"))
    )
    return source


def in_gallery(example: Path) -> bool:
    """Whether an example has a title, as those of the gallery have; others only run."""
    return "\n====" in "".join(example.read_text().split('"""')[1:2])


def build(source: Path, html: Path, gallery: bool) -> int:
    """Run Sphinx, with warnings as errors."""
    options = [] if gallery else ["-D", "sphinx_gallery_conf.plot_gallery=0"]
    shutil.rmtree(html, ignore_errors=True)
    sphinx = [sys.executable, "-P", "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", "auto"]
    return subprocess.run([*sphinx, *options, source, html], check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the documentation site and check it.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--no-gallery", action="store_true", help="do not run the gallery's examples")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    html = folder / "html"
    if build(collect(folder), html, not options.no_gallery):
        return 1
    wrong = [f"not in the site's index: {name}" for name in reference.missing(html / "objects.inv")]
    wrong += links.broken(html)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(list(html.rglob('*.html')))} pages in {html}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
