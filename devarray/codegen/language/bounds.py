"""Kernels that check each access to memory against its allocation: the debug setting DEVARRAY_CHECK_BOUNDS.

A pass over the finished text of a kernel, as a sanitizer's is over a compiler's, so that no template can forget it:
each `pointer[index]`, `*pointer` and atomic operation on global memory gets its address through the function
`in_bounds`, which compares it with the memory argument that the pointer comes from. An access out of bounds is noted in
the queue's report and goes to spare memory behind that; csrc/engine/index_flags.cpp hands the bounds over, and raises
the error when it looks.

The engine passes, behind a kernel's own arguments, the report as the last memory argument and these slots: the report's
offset, the launch's number, and for each memory argument its first byte and its end, both counted from the argument.
"""

from __future__ import annotations

import re
import sys
import zlib

__all__ = ["check_accesses", "explain", "prelude"]

_REPORT_WORDS = 16  # i64 words before the spare memory

_FUNCTION = """\
FN GLOBAL char* in_bounds(
  GLOBAL const char* base, GLOBAL const char* place, i64 bytes, i64 begin, i64 end, i64 site, i64 memory, i64 launch,
  GLOBAL char* at)
{
  const i64 first = place - base;
  if (first >= begin && first <= end - bytes) return (GLOBAL char*)place;
  GLOBAL i64* report = (GLOBAL i64*)at;
  if (CLAIM_REPORT((GLOBAL i32*)at + 1)) {
    report[1] = launch; report[2] = site; report[3] = memory; report[4] = first; report[5] = bytes;
    report[6] = begin; report[7] = end;
  }
  return (GLOBAL char*)(report + %d);
}
"""
_CLAIM = {
    "cuda": "#define CLAIM_REPORT(p) (atomicCAS(p, 0, 1) == 0)\n",
    "opencl": "#define CLAIM_REPORT(p) (atomic_cmpxchg((volatile global i32*)(p), 0, 1) == 0)\n",
}

_TOKEN = re.compile(
    r"\s+|//[^\n]*|\#[^\n]*|\"[^\"]*\"|[A-Za-z_]\w*"
    r"|0[xX][0-9a-fA-F.]+(?:[pP][+-]?\d+)?\w*|\d[\w.]*(?:(?<=[eE])[+-]\d+\w*)?"
    r"|<<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|."
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ATOMIC = {
    "COUNT_UP": "i32", "RAISE_FLAG": "i32", "COUNT_UP_BY": "u32",
    "LOOK": "u32", "HAND_ON": "u32", "LOOK_WIDE": "u64", "HAND_ON_WIDE": "u64",
}  # fmt: skip
"""Macros of cooperation.py and warps.py whose first argument is a pointer, and what it points to."""

_sites: dict[int, str] = {}


def prelude(driver: str) -> str:
    """Definition of `in_bounds`."""
    return _CLAIM[driver] + _FUNCTION % _REPORT_WORDS


def check_accesses(body: str, memory: int, slots: int) -> str:
    """A kernel's statements with all accesses checked.

    Parameters
    ----------
    body : str
    memory : int
        Number of memory arguments, `m0` and so on; the report is one more.
    slots : int
        Number of the kernel's own slots.
    """
    template = sys._getframe(2).f_globals["__name__"]  # a name for errors: every kernel is called "k"
    return _Rewriter(body, memory, slots, template).text()


def explain(site: int) -> str:
    """The access of that number, and the template that it stands in."""
    return _sites.get(site, "")


class _Pointer:
    """What is known of a pointer: the type that it points to, and the memory arguments that it may come from."""

    def __init__(self, kind: str, origins: frozenset[int]) -> None:
        self.kind, self.origins = kind, origins


class _Rewriter:
    def __init__(self, body: str, memory: int, slots: int, template: str) -> None:
        self._tokens = _TOKEN.findall(body)
        self._memory, self._slots, self._template = memory, slots, template
        self._key = zlib.crc32(body.encode())
        self._count = 0
        arguments = {f"m{i}": _Pointer("char", frozenset([i])) for i in range(memory)}
        self._scopes: list[dict[str, _Pointer]] = [arguments]
        self._partners = _partners(self._tokens)

    def text(self) -> str:
        return self._rewrite(0, len(self._tokens))

    # What expressions are

    def _pointer(self, name: str) -> _Pointer | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _skip(self, i: int, step: int = 1) -> int:
        """The next token that is no white space."""
        while 0 <= i < len(self._tokens) and self._tokens[i][0] in " \n\t#/" and self._tokens[i] not in ("/", "/="):
            i += step
        return i

    def _at(self, i: int) -> str:
        i = self._skip(i)
        return self._tokens[i] if i < len(self._tokens) else ""

    def _cast(self, i: int) -> str | None:
        """The type that a cast to a pointer to global memory at token `i` points to."""
        if self._tokens[i] != "(":
            return None
        inside = "".join(self._tokens[i + 1 : self._partners[i]]).strip()
        found = re.fullmatch(r"((?:volatile )?GLOBAL (?:const )?\w+)\s*\*", inside)
        return found[1] if found else None

    def _origins(self, start: int, stop: int) -> frozenset[int]:
        """The memory arguments that a pointer expression comes from; indices do not count."""
        found: frozenset[int] = frozenset()
        i = start
        while i < stop:
            if self._tokens[i] == "[":
                i = self._partners[i]
            elif pointer := self._pointer(self._tokens[i]):
                found |= pointer.origins
            i += 1
        return found

    def _kind(self, start: int, stop: int) -> str | None:
        """The type that the expression of these tokens points to, where that is global memory."""
        start, stop = self._skip(start), self._skip(stop - 1, -1) + 1
        if kind := self._cast(start):
            return kind
        if self._tokens[start] == "(":
            return self._kind(start + 1, self._partners[start])
        pointer = self._pointer(self._tokens[start])
        return pointer.kind if pointer else None

    # The text

    def _checked(self, kind: str, origins: frozenset[int], address: str) -> str:
        """An address, or that of spare memory where it is out of bounds."""
        text = " ".join(address.split())
        site = zlib.crc32(f"{self._key} {self._count} {text}".encode()) & 0x7FFFFFFF
        self._count += 1
        _sites[site] = f"`{text}` of {self._template}"
        if not origins:
            raise ValueError(f"an access of {self._template} whose memory argument cannot be told: {text}")
        first, base = self._slots, 2 + self._slots
        size = f"(i64)sizeof({kind.split()[-1]})"
        report = f"m{self._memory} + s.v[{first}]"
        *others, last = sorted(origins)
        place = f"(GLOBAL const char*)({address})"
        checked = (
            f"in_bounds(m{last}, {place}, {size}, s.v[{base + 2 * last}], s.v[{base + 2 * last + 1}], {site}, {last}, "
            f"s.v[{first + 1}], {report})"
        )
        for k in others:
            far = f"{place} - m{k}"
            inside = f"{far} >= s.v[{base + 2 * k}] && {far} <= s.v[{base + 2 * k + 1}] - {size}"
            checked = f"({inside} ? (GLOBAL char*)({address}) : {checked})"
        return checked

    def _access(self, kind: str, origins: frozenset[int], address: str) -> str:
        return f"(*({kind}*){self._checked(kind, origins, address)})"

    def _rewrite(self, start: int, stop: int) -> str:
        parts: list[str] = []
        i = start
        while i < stop:
            text, i = self._next(i, stop)
            parts.append(text)
        return "".join(parts)

    def _next(self, i: int, stop: int) -> tuple[str, int]:
        """The text of what begins at token `i`, and the token behind it."""
        token = self._tokens[i]
        if token == "{":
            self._scopes.append({})
            return "{" + self._rewrite(i + 1, self._partners[i]) + self._close(), self._partners[i] + 1
        if token == "GLOBAL" and self._before(i) in ("", ";", "{", "}", ")"):
            return self._declaration(i)
        if token == "*" and self._is_unary(i):
            return self._dereference(i)
        if token == "(":
            return self._parenthesis(i)
        if token in _ATOMIC and self._at(i + 1) == "(":
            return self._atomic(i)
        if (pointer := self._pointer(token)) and self._at(i + 1) == "[":
            return self._subscript(token, pointer.kind, pointer.origins, self._skip(i + 1))
        return token, i + 1

    def _close(self) -> str:
        self._scopes.pop()
        return "}"

    def _before(self, i: int) -> str:
        i = self._skip(i - 1, -1)
        return self._tokens[i] if i >= 0 else ""

    def _is_unary(self, i: int) -> bool:
        before = self._before(i)
        if before == ")":  # of a cast or a condition, never of a product's operand: that has spaces around its sign
            return not self._tokens[i + 1].isspace()
        return not (before[-1:].isalnum() or before[-1:] in ("_", "]")) or before == "return"

    def _declaration(self, i: int) -> tuple[str, int]:
        """``GLOBAL const T* name = expression;``"""
        equals = self._tokens.index("=", i)
        head = "".join(self._tokens[i:equals])
        found = re.fullmatch(r"(GLOBAL (?:const )?\w+)\s*\*\s*(\w+)\s*", head)
        if not found:
            raise ValueError(f"a declaration of {self._template} that is not understood: {head}")
        end = self._tokens.index(";", equals)
        text = head + self._rewrite(equals, end)
        self._scopes[-1][found[2]] = _Pointer(found[1], self._origins(equals, end))
        return text, end

    def _dereference(self, i: int) -> tuple[str, int]:
        start = self._skip(i + 1)
        kind = self._cast(start)
        end = self._skip(self._partners[start] + 1) if kind else start
        end = self._partners[end] + 1 if self._tokens[end] == "(" else end + 1
        kind = kind or self._kind(start, end)
        if kind is None:
            return "*", i + 1
        return self._access(_typed(kind), self._origins(start, end), self._rewrite(start, end)), end

    def _parenthesis(self, i: int) -> tuple[str, int]:
        end = self._partners[i]
        if self._at(end + 1) == "[" and (kind := self._kind(i, end + 1)):
            base = "(" + self._rewrite(i + 1, end) + ")"
            return self._subscript(base, kind, self._origins(i, end), self._skip(end + 1))
        return "(" + self._rewrite(i + 1, end) + ")", end + 1

    def _subscript(self, base: str, kind: str, origins: frozenset[int], i: int) -> tuple[str, int]:
        end = self._partners[i]
        return self._access(_typed(kind), origins, f"&{base}[{self._rewrite(i + 1, end)}]"), end + 1

    def _atomic(self, i: int) -> tuple[str, int]:
        start = self._skip(i + 1)
        end, comma = self._partners[start], start + 1
        while comma < end and self._tokens[comma] != ",":
            comma = self._partners.get(comma, comma) + 1
        origins, first = self._origins(start + 1, comma), self._rewrite(start + 1, comma)
        if origins and not first.lstrip().startswith("&"):
            kind = _ATOMIC[self._tokens[i]]
            first = f"(GLOBAL {kind}*){self._checked(kind, origins, first)}"
        return f"{self._tokens[i]}({first}{self._rewrite(comma, end)})", end + 1


def _typed(kind: str) -> str:
    return "GLOBAL char" if kind == "char" else kind


def _partners(tokens: list[str]) -> dict[int, int]:
    """Where the bracket that opens at each token closes."""
    found, open_ = {}, []
    for i, token in enumerate(tokens):
        if token in _CLOSING:
            open_.append(i)
        elif open_ and token == _CLOSING[tokens[open_[-1]]]:
            found[open_.pop()] = i
    return found
