"""How pip brings an extra of devarray: from where this installation came, since no package index may have it.

What only a message needs is imported where the message is made.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import Distribution

__all__ = ["command", "localised"]


def command(extra: str) -> str:
    """The command that installs an extra: ``pip install './[cpu]'`` in the clone that devarray was installed from.

    From elsewhere the clone is named by its path, a wheel by its file, a repository by its address and commit. What
    came from an index has its extras there. Where clone or wheel are gone, the extra's packages are named.

    Examples
    --------
    >>> from devarray._runtime.install import command
    >>> command("cpu").startswith("pip install '")
    True
    """
    return f"pip install {_quoted(extra)}"


def localised(text: str) -> str:
    """A message of the C++ core, which writes ``'devarray[cpu]'``, with what pip is to be given here.

    Examples
    --------
    >>> from devarray._runtime.install import command, localised
    >>> localised("try pip install 'devarray[cpu]'") == "try " + command("cpu")
    True
    """
    return re.sub(r"'devarray\[(\w+)\]'", lambda match: _quoted(match[1]), text)


def _quoted(extra: str) -> str:
    import json
    from importlib import metadata

    try:
        ours = metadata.distribution("devarray")
    except metadata.PackageNotFoundError:
        return f"'devarray[{extra}]'"
    origin = json.loads(ours.read_text("direct_url.json") or "null")  # PEP 610: pip writes it, but for indexes
    if origin is None:
        return f"'devarray[{extra}]'"
    if (place := _place(origin, extra)) is not None:
        return place if place.startswith("'") else f"'{place}'"
    packages = sorted(set(_packages(ours, extra)))
    return " ".join(f"'{package}'" for package in packages) or f"'devarray[{extra}]'"


def _place(origin: dict[str, Any], extra: str) -> str | None:
    """What pip takes for the extra from there; None where nothing is there any more."""
    from shlex import quote
    from urllib.parse import unquote, urlsplit

    url = origin["url"]
    if version := origin.get("vcs_info"):
        return f"devarray[{extra}] @ {version['vcs']}+{url}@{version['commit_id']}"
    if not url.startswith("file:"):
        return f"devarray[{extra}] @ {url}"
    path = unquote(urlsplit(url).path)
    if not os.path.exists(path):
        return None
    if os.path.isdir(path) and os.path.samefile(path, os.getcwd()):
        return f"./[{extra}]"
    return quote(f"{path}[{extra}]")


def _packages(ours: Distribution, extra: str) -> Iterator[str]:
    """The requirements of an extra, those of the extras that it names among them."""
    for line in ours.requires or ():
        package, _, marker = line.partition(";")
        if not re.search(rf"extra == [\"']{re.escape(extra)}[\"']", marker):
            continue
        if own := re.match(r"devarray\[([\w, -]+)\]", package):
            for part in own[1].split(","):
                yield from _packages(ours, part.strip())
        else:
            yield package.strip()
