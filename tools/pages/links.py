"""Links within a built site: each must lead to a file that is there, and to an anchor in it.

What a page shows or runs must be the site's own: it is read without a network, too.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["broken"]


class _Page(HTMLParser):
    """The links of a page, and the anchors that links may name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.parts: list[str] = []  # scripts, styles, pictures
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if value and ((name == "href" and tag in ("a", "link")) or (name == "src" and tag in ("img", "script"))):
                self.links.append(value)
                if tag != "a" and dict(attrs).get("rel", "stylesheet") == "stylesheet":
                    self.parts.append(value)


def broken(folder: Path) -> list[str]:
    """A line for each link that leads nowhere."""
    found = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.resolve(): _Page(path.read_text(encoding="utf-8")) for path in found}
    wrong = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.parts and parts.scheme != "data":
                    wrong.append(f"{path.relative_to(folder)}: {link} is of another site")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                wrong.append(f"{path.relative_to(folder)}: {link} leads to no file")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{path.relative_to(folder)}: {link} leads to no place of that page")
    return wrong
