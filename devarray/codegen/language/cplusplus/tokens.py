"""A text of C++ as tokens, its macros expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

__all__ = ["NotUnderstood", "Token", "check_directives", "plain", "read"]

_SPACE = re.compile(r"(?:[ \t\r\f\v]|\\\n|//(?:\\\n|[^\n])*|/\*.*?\*/)+", re.S)
_DIRECTIVE = re.compile(r"#(?:[^\n\\]|\\\n|\\.)*")
_DEFINE = re.compile(r"#\s*(define|undef)\s+(\w+)(\(([^)]*)\))?(.*)", re.S)
_TOKEN = re.compile(
    r"(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<text>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    # `>>` stays two tokens: it may close two lists of template arguments
    r"|(?P<sign><<=|>>=|\.\.\.|->\*?|::|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|##|.)",
    re.S,
)


class NotUnderstood(Exception):
    """What a text has that is not put in C.

    Parameters
    ----------
    what : str
        The construct, and what to write instead.
    line : int
        Of the text, from 1.
    """

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes
    ----------
    space : str
        What stands before it: blanks, comments, directives.
    text : str
        Empty at the end of the text.
    kind : str
        ``"name"``, ``"number"``, ``"text"``, ``"sign"``, or empty at the end.
    line : int
    """

    space: str
    text: str
    kind: str
    line: int

    def __str__(self) -> str:
        return self.space + self.text


@dataclass(frozen=True, slots=True)
class _Macro:
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


def read(text: str) -> list[Token]:
    """The tokens of a text, the last an empty one.

    Macros are expanded where they are defined once and under no condition; the directives stay in the blanks.
    """
    macros: dict[str, _Macro] = {}
    conditional = set(_names_by_condition(text))
    tokens, space = [], ""
    for token in _expanded(list(_plain(text, conditional)), macros):
        if token.kind == _BLANK:
            space += token.space
        else:
            tokens.append(replace(token, space=space + token.space) if space else token)
            space = ""
    return tokens


def plain(text: str) -> list[Token]:
    """The tokens of a text, the last an empty one, with macros as they are."""
    return [t for t in _plain(text, set()) if t.kind != _MACRO]


def _names_by_condition(text: str) -> Iterator[str]:
    """Names that are defined under a condition: which definition holds is the compiler's to know."""
    depth = 0
    for line in re.findall(r"^[ \t]*#[ \t]*(.*)$", text, re.M):
        depth += line.startswith("if")
        depth -= line.startswith("endif")
        if depth and (found := re.match(r"(?:define|undef)\s+(\w+)", line)):
            yield found[1]


_MACRO, _BLANK = "macro", "blank"  # kinds of tokens: where a macro begins to hold, and what an empty one leaves


def _plain(text: str, conditional: set[str]) -> Iterator[Token]:
    """Tokens, and one of kind "macro" where a macro begins to hold."""
    at, space, line, first = 0, "", 1, True
    while at < len(text):
        if text[at] == "\n":
            space, at, line, first = space + "\n", at + 1, line + 1, True
            continue
        if found := _SPACE.match(text, at):
            pass
        elif first and text[at] == "#" and (found := _DIRECTIVE.match(text, at)):
            defined = _DEFINE.match(re.sub(r"\\\n|//.*|/\*.*?\*/", " ", found[0]))
            if defined and defined[2] not in conditional:
                yield Token("", found[0], _MACRO, line)
        if found:
            space, at, line = space + found[0], found.end(), line + found[0].count("\n")
            continue
        found = _TOKEN.match(text, at)
        assert found is not None  # "." matches whatever is left
        yield Token(space, found[0], str(found.lastgroup), line)
        at, space, first = found.end(), "", False
    yield Token(space, "", "", line)


def _define(directive: str, macros: dict[str, _Macro]) -> None:
    found = _DEFINE.match(re.sub(r"\\\n|//.*|/\*.*?\*/", " ", directive))
    assert found is not None
    kind, name, listed, parameters, body = found.groups()
    macros.pop(name, None)
    if kind == "define":
        tokens = tuple(t for t in _plain(body, set()) if t.kind)
        taken = None if listed is None else tuple(p.strip() for p in parameters.split(",") if p.strip())
        macros[name] = _Macro(taken, tokens)


def _expanded(tokens: list[Token], macros: dict[str, _Macro], busy: frozenset[str] = frozenset()) -> Iterator[Token]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.kind == _MACRO:
            _define(token.text, macros)
            continue
        macro = macros.get(token.text) if token.kind == "name" else None
        if macro is not None and token.text in busy:  # the compiler, which has the directive, would expand it again
            call = macro.parameters is None or (at < len(tokens) and tokens[at].text == "(")
            if call and [t.text for t in macro.body] != [token.text]:
                raise NotUnderstood(
                    f"the macro {token.text}, whose text has its own name; name it otherwise", token.line
                )
            macro = None
        if macro is None:
            yield token
            continue
        given: dict[str, list[Token]] = {}
        expanded: dict[str, list[Token]] = {}
        if macro.parameters is not None:
            if at >= len(tokens) or tokens[at].text != "(":
                yield token
                continue
            parts, at = _arguments(tokens, at)
            if macro.parameters and macro.parameters[-1] == "...":
                raise NotUnderstood(f"the macro {token.text} of any number of arguments; write it out", token.line)
            if len(parts) != len(macro.parameters) and macro.parameters:
                raise NotUnderstood(f"the macro {token.text} with {len(parts)} arguments", token.line)
            given = dict(zip(macro.parameters, parts, strict=False))
            expanded = {name: list(_expanded(part, macros, busy)) for name, part in given.items()}
        body = _substituted(macro.body, given, expanded, token)
        made = list(_expanded(body, macros, busy | {token.text}))
        for place, each in enumerate(made):
            yield replace(each, line=token.line, space=token.space if place == 0 else each.space or " ")
        if not made and token.space:
            yield Token(token.space, "", _BLANK, token.line)


def _arguments(tokens: list[Token], at: int) -> tuple[list[list[Token]], int]:
    """The arguments of a macro whose bracket is at `at`, and what follows it."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for place in range(at, len(tokens)):
        token = tokens[place]
        depth += (token.text in "([{" and token.kind == "sign") - (token.text in ")]}" and token.kind == "sign")
        if depth == 0:
            return parts, place + 1
        if depth == 1 and token.text == ",":
            parts.append([])
        elif place > at and token.kind not in ("", _MACRO):
            parts[-1].append(token)
    raise NotUnderstood("a bracket that does not close", tokens[at].line)


def _substituted(
    body: tuple[Token, ...], given: dict[str, list[Token]], expanded: dict[str, list[Token]], call: Token
) -> list[Token]:
    made: list[Token] = []
    place = 0
    while place < len(body):
        token = body[place]
        if token.text == "#" and place + 1 < len(body):
            raise NotUnderstood(f"the macro {call.text}, which makes text of its argument; write it out", call.line)
        joins = place + 1 < len(body) and body[place + 1].text == "##"
        values = (given if joins else expanded).get(token.text, [token])
        parts = [replace(t, space=t.space or (token.space if n == 0 else "")) for n, t in enumerate(values)]
        if token.text == "##" and made and place + 1 < len(body):
            after = given.get(body[place + 1].text, [body[place + 1]])
            joined = made.pop().text + (after[0].text if after else "")
            made += [*_plain(joined, set())][:-1]
            made += after[1:]
            place += 1
        else:
            made += parts
        place += 1
    return made


def check_directives(tokens: list[Token]) -> None:
    """Refuse directives where what stands between tokens is not kept."""
    brackets = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        inside = brackets or (before is not None and before.text not in (";", "{", "}", ")", ":", "else", "do"))
        if inside and "#" in token.space and re.search(r"^[ \t]*#", token.space, re.M):
            raise NotUnderstood("a directive within a statement; put it around whole ones", token.line)
        if token.kind == "sign":
            brackets += (token.text in ("(", "[")) - (token.text in (")", "]"))
