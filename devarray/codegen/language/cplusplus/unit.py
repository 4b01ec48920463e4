"""A whole text of C++ in C."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from devarray.codegen.language.cplusplus.calls import Calls
from devarray.codegen.language.cplusplus.complex import COMPLEX, ENGINES
from devarray.codegen.language.cplusplus.constants import Constant, constant
from devarray.codegen.language.cplusplus.definitions import (
    Function,
    Structure,
    StructureTemplate,
    TemplateParameter,
    exclude,
    function,
    operator_name,
    structure,
    template_parameters,
)
from devarray.codegen.language.cplusplus.expressions import Expressions, Node
from devarray.codegen.language.cplusplus.reader import Reader, Variable, closing
from devarray.codegen.language.cplusplus.statements import Statements
from devarray.codegen.language.cplusplus.tokens import NotUnderstood, Token, check_directives, read
from devarray.codegen.language.cplusplus.types import Type

__all__ = ["Unit"]

_LIBRARIES = frozenset(("std", "cuda", "thrust", "cooperative_groups"))
_HEADERS = re.compile(
    r"#\s*include\s*<(?:cupy/complex\.cuh|thrust/complex\.h|c(?:std\w+|math|float|limits|uda/std/\w+)|limits)>"
)
"""What CUDA's compiler includes, and a text has here without."""
_VECTOR = re.compile(r"(u?)(char|short|int|long|longlong|float|double)[1-4]")


class Unit(Calls):
    """A text, and what it defines.

    Parameters
    ----------
    tokens : list of Token
    types : dict
        Names of types from elsewhere.
    """

    def __init__(self, tokens: list[Token], types: Mapping[str, Type] | None = None) -> None:
        super().__init__()
        self.functions: dict[str, list[Function]] = {}
        self.structures: dict[str, Structure] = {}
        self.templates: dict[str, list[StructureTemplate]] = {}
        self.aliases: dict[str, Type | str] = dict(types or {})
        self.variables: dict[str, Variable] = {}
        self.made_of: dict[str, tuple[str, list[Type | str]]] = {}  # instances of structures' templates
        self.constants: dict[str, Constant] = {}  # enumerators
        self._mangled: dict[tuple[str, ...], str] = {}
        self.namespaces: set[str] = {*_LIBRARIES, *self._declared_namespaces(tokens)}
        self.pending: list[str] = []  # functions and structures that what is being read needs before it
        self.names = {t.text for t in tokens if t.kind == "name"}
        self.given_names: set[str] = set()
        self._parts: list[str | Callable[[], str]] = []
        self._kernels: list[Function] = []
        check_directives(tokens)
        self._spaces: list[str] = []
        self._branches: dict[int, int] = {}
        self._conditions = 0
        self._own = True  # whether our own text is read
        if "complex" in self.names or {t.base for t in self.aliases.values() if isinstance(t, Type)} & set(
            ENGINES.values()
        ):
            self._top(Statements(self, read(COMPLEX), self.aliases, self.variables))
            self._parts.clear()
            for kind in ENGINES:
                self._structure_of(Reader(self, [], {}), "complex", [Type(kind)])
            self.pending.clear()  # every program has these
        for name in self.names if "operator" in self.names else ():  # CUDA's vectors have none of their own
            if _VECTOR.fullmatch(name):
                axes = {axis: self.part(Type(name), axis) or Type("float") for axis in "xyzw"[: int(name[-1])]}
                self.structures[name] = Structure(name, axes)
        self._own = False
        self._top(Statements(self, tokens, self.aliases, self.variables))
        self.given_names |= {f.name for functions in self.functions.values() for f in functions if f.kernel}

    @staticmethod
    def _declared_namespaces(tokens: list[Token]) -> list[str]:
        return [b.text for a, b in pairwise(tokens) if a.text == "namespace" and b.kind == "name"]

    def program(self, kernels: Mapping[str, str]) -> str:
        """The whole text in C."""
        wanted = [(*self._expression(name), name, plain) for name, plain in kernels.items()]
        missing = [name for function, _, name, _ in wanted if function is None]
        if missing:
            raise KeyError(missing[0])
        made = [self.definitions()]
        for found, bound, _, plain in wanted:
            text = self._kernel(found, plain, bound)
            made += [*self.pending, text]
            self.pending.clear()
        return "".join(made)

    def definitions(self) -> str:
        """What the text defines at its outermost level, without what nothing needs."""
        made: list[str] = []
        for part in self._parts:
            text = part if isinstance(part, str) else part()
            made += [*self.pending, text]
            self.pending.clear()
        return "".join(made)

    def _expression(self, name: str) -> tuple[Any, dict[str, Type | str]]:
        """The template kernel that a name such as ``"f<float, 4>"`` means, and its arguments."""
        reader = Reader(self, read(name), {})
        reader.skip_namespaces()
        own = reader.take().text
        given = reader.template_arguments()
        for found in self.functions.get(own, []):
            if found.kernel and len(given) <= len(found.template) and found.special is None:
                bound: dict[str, Type | str] = {}
                for place, p in enumerate(found.template):
                    if place >= len(given) and not p.default:
                        break
                    value = (
                        given[place]
                        if place < len(given)
                        else Reader(self, p.default, bound).template_default(p.is_type)
                    )
                    bound[p.name] = self.typed(value, p, bound)
                else:
                    return found, bound
        return None, {}

    # --- the outermost level -----------------------------------------------------------------------------------------

    def _top(self, reader: Statements) -> None:
        while reader.peek().kind:
            token = reader.peek()
            self._parts.append(_HEADERS.sub("", token.space))
            self._enter_branches(token.space)
            reader.tokens[reader.at] = replace(token, space="")
            self._definition(reader)
        self._parts.append(reader.peek().space)

    def _enter_branches(self, space: str) -> None:
        """Follow the preprocessor's conditions."""
        for word in re.findall(r"^[ \t]*#[ \t]*(if|el|endif)", space, re.M):
            if word == "if":
                self._conditions += 1
                self._branches[self._conditions] = 0
            elif self._branches:
                number = max(self._branches)
                branch = self._branches.pop(number)
                if word == "el":
                    self._branches[number] = branch + 1

    def _definition(self, reader: Statements) -> None:
        token, after = reader.peek(), reader.peek(1)
        if token.text in (";", "}"):
            if reader.take().text == "}" and self._spaces:
                self._spaces.pop()
        elif token.text == "namespace" or (token.text == "inline" and after.text == "namespace"):
            name = ""
            while not reader.ask("{"):
                if reader.ask("="):
                    reader.fail("another name of a namespace; write the namespace")
                name += reader.take().text
            self._spaces.append(name.removeprefix("inline").removeprefix("namespace"))
        elif token.text == "extern" and after.kind == "text" and reader.peek(2).text == "{":
            reader.at += 3
            self._spaces.append("")
        elif token.text in ("using", "typedef") and reader.peek(1).text not in ("struct", "enum", "union"):
            reader.statement()
        elif token.text == "template":
            reader.take()
            if reader.peek().text != "<":
                reader.fail("an instance of a template that is asked for; calls ask for it")
            self._template(reader)
        elif token.text == "typedef":
            self._typedef(reader)
        elif token.text in ("struct", "class") and self._structure(reader, []):
            pass
        elif token.text in ("enum", "union"):
            self._verbatim(reader)
        else:
            self._function_or_variable(reader, [])

    def _template(self, reader: Statements) -> None:
        outer = dict(reader.bound)
        template = template_parameters(reader)
        if reader.peek().text in ("struct", "class") and self._structure(reader, template, is_template=True):
            pass
        elif reader.peek().text == "using":
            reader.fail("a template of a type's name; write a structure, or the type")
        else:
            self._function_or_variable(reader, template, is_template=True)
        reader.bound.clear()
        reader.bound.update(outer)

    def _structure(self, reader: Statements, template: list[TemplateParameter], *, is_template: bool = False) -> bool:
        """Read a structure's definition; False where something else begins with the word."""
        start = reader.at
        reader.take()
        _, attributes = reader.qualifiers()
        name = reader.take().text
        special = reader.template_arguments() if is_template and reader.peek().text == "<" else None
        if reader.ask(";"):
            if is_template:
                self.templates.setdefault(name, [])
            return True
        if reader.peek().text == ":":
            reader.fail("a structure that inherits; write its members")
        if reader.peek().text != "{":
            reader.at = start
            return False
        close = closing(reader.tokens, reader.at)
        tokens = reader.tokens[reader.at + 1 : close]
        reader.at = close + 1
        line = reader.tokens[start].line
        if is_template:
            others = self.templates.setdefault(name, [])
            if special is None and any(t.special is None for t in others):
                reader.fail(f"the structure {name}, which is defined twice; give each a name of its own")
            others.append(StructureTemplate(template, special, tokens))
        else:
            made = structure(self, name, tokens, {}, attributes)
            self._parts += [*self._taken(), f"\n#line {line}\n{made.text}"]
        if reader.peek().text != ";":
            reader.fail(f"a variable behind the structure {name}; declare it by itself")
        reader.take()
        return True

    def _taken(self) -> list[str]:
        made = [*self.pending]
        self.pending.clear()
        return made

    def _typedef(self, reader: Statements) -> None:
        """`typedef struct { ... } name;`"""
        line, kind = reader.take().line, reader.take().text
        _, attributes = reader.qualifiers()
        tag = reader.take().text if reader.peek().kind == "name" else ""
        if kind != "struct" or reader.peek().text != "{":
            reader.at -= 2 + bool(tag)
            self._verbatim(reader)
            return
        close = closing(reader.tokens, reader.at)
        tokens = reader.tokens[reader.at + 1 : close]
        reader.at = close + 1
        _, more = reader.qualifiers()
        name = reader.take().text
        reader.need(";")
        made = structure(self, name, tokens, {}, attributes + more)
        self._parts += [*self._taken(), f"\n#line {line}\n{made.text}"]
        if tag and tag != name:
            self.aliases[tag] = Type(name)

    def _verbatim(self, reader: Statements) -> None:
        """A definition that C has, too: its name is one of a type."""
        first = reader.at
        if reader.peek(1).text in ("class", "struct"):
            reader.fail("`enum class`; write `enum`")
        name = ""
        while reader.peek().text != ";":
            if reader.peek().text == "{":
                reader.at = closing(reader.tokens, reader.at)
            token = reader.take()
            name = token.text if token.kind == "name" else name
        reader.take()
        tokens = reader.tokens[first : reader.at]
        if "enum" in (tokens[0].text, tokens[1].text):
            self._enumerators(reader, tokens)
        self._parts.append("".join(map(str, tokens)))
        if tokens[0].text == "typedef":
            self.aliases[name] = Type(name)
        elif tokens[1].kind == "name":
            self._parts.append(f" typedef {tokens[0].text} {tokens[1].text} {tokens[1].text};")
            self.aliases[tokens[1].text] = Type("int" if tokens[0].text == "enum" else tokens[1].text)

    def _enumerators(self, reader: Statements, tokens: list[Token]) -> None:
        """Note the values of an enumeration."""
        at = next((n for n, t in enumerate(tokens) if t.text == "{"), len(tokens) - 1) + 1
        value: Constant | None = (-1, Type("int"))
        while at < len(tokens) and tokens[at].kind == "name":
            name, first = tokens[at].text, at + 2
            at += 1
            if at < len(tokens) and tokens[at].text == "=":
                while at < len(tokens) and tokens[at].text not in (",", "}"):
                    at = closing(tokens, at) + 1 if tokens[at].text == "(" else at + 1
                end = Token("", "", "", reader.peek().line)
                value = constant([*tokens[first:at], end], reader.known_constant)
            else:
                value = (value[0] + 1, value[1]) if value is not None else None
            if value is not None:
                number = (value[0], Type("int"))
                if self.constants.setdefault(name, number) != number:
                    reader.fail(f"{name}, which has two values; give each a name of its own")
            at += 1

    def _function_or_variable(
        self, reader: Statements, template: list[TemplateParameter], *, is_template: bool = False
    ) -> None:
        start = reader.at
        _, words, attributes = reader.specifiers()
        end = reader.at
        while reader.peek(end - reader.at).text in ("*", "&", "const", "__restrict__"):
            end += 1
        reader.at = end
        further, more = reader.qualifiers()
        words, attributes = words + further, attributes + more
        place = reader.at
        name = reader.take().text
        if name == "operator":
            name = operator_name(reader)
        elif reader.peek().text == "::":
            reader.fail("a member that is defined outside of its structure; write it within")
        special = None
        if is_template and not template and reader.peek().text == "<":
            special = reader.template_arguments()
        if reader.peek().text != "(":
            reader.at = start
            if is_template:
                reader.fail("a template of a variable; write a constant")
            self._variable(reader)
            return
        del place
        made = function(reader, name, start, end, words)
        made.template = template
        if is_template and not template:
            made.special = special if special is not None else []
        if not made.body:
            return
        self._add(reader, made)
        if made.kernel and not template:
            made.head = [Token("", attributes, "text", made.line)] if attributes else []
            self._parts.append(lambda: self._kernel(made, made.name, {}))

    def _add(self, reader: Reader, made: Function) -> None:
        others = self.functions.setdefault(made.name, [])
        made.branches = dict(self._branches)
        if not self._own and not made.name.startswith("operator") and not made.kernel:
            made.space = tuple(word for word in self._spaces if word)
        own = [t.text for t in made.parameters]
        if any(
            (
                f.special == made.special
                and len(f.template) == len(made.template)
                and [t.text for t in f.parameters] == own
            )
            or exclude(f.branches, made.branches)
            for f in others
        ):
            raise NotUnderstood(
                f"{made.name}, which is defined twice; write it once, without `#if` around it", made.line
            )
        others.append(made)

    def _variable(self, reader: Statements) -> None:
        line = reader.peek().line
        text = reader.declaration()
        self._parts += [*self._taken(), f"\n#line {line}\n{text}"]

    def _kernel(self, made: Function, name: str, bound: dict[str, Type | str]) -> str:
        parameters = Reader(self, made.parameters, dict(bound)).parameters()
        reader = Statements(self, made.body, dict(bound), self.variables, {})
        reader.result = Type("void")
        texts = []
        for p in parameters:
            if p.reference:
                raise NotUnderstood(f"the reference {p.name} of the kernel {made.name}; write a pointer", made.line)
            kind = replace(p.type, space=p.type.space or "GLOBAL") if p.type.is_pointer else p.type
            name_ = reader.written(p.name)
            reader.declare(p.name, Variable(name_, kind))
            shown = replace(kind, space="") if kind.stars == 1 and kind.space == "GLOBAL" else kind
            texts.append(shown.spelled(f"__restrict__ {name_}" if p.restrict else name_))
        attributes = made.head[0].text if made.head and not made.template else self._attributes(made)
        body = reader.block()
        head = f"__global__ void {attributes}{name}({', '.join(texts)})"
        return f"\n#line {made.body[0].line}\n{head} {body.lstrip()}"

    @staticmethod
    def _attributes(made: Function) -> str:
        """Attributes of a template kernel, such as `__launch_bounds__(256)`, which OpenCL passes over."""
        return ""

    # --- what readers ask --------------------------------------------------------------------------------------------

    def is_type(self, name: str) -> bool:
        return isinstance(self.aliases.get(name), Type) or name in self.structures or name in self.templates

    def has_function(self, name: str, arguments: list[Node]) -> bool:
        """Whether a call means a function of the text; `sqrt` of a number, beside that of complex ones, does not."""
        of_complex = all(any(t.text == "complex" for t in f.parameters) for f in self.functions.get(name, []))
        of_structures = any(self.is_structure(a.type) for a in arguments) or name == "polar"
        return name in self.functions and (not of_complex or of_structures)

    def is_template(self, name: str) -> bool:
        functions = self.functions.get(name, [])
        methods = (f for s in self.structures.values() for f in s.methods.get(name, []))
        return name in self.templates or any(f.template for f in (*functions, *methods))

    def type_named(self, reader: Reader, name: str) -> Type:
        alias = self.aliases.get(name)
        if isinstance(alias, Type):
            return alias
        if name in self.templates:
            if reader.peek().text != "<":
                reader.fail(f"the template {name} without its arguments; write {name}<...>")
            return Type(self._structure_of(reader, name, reader.template_arguments()))
        if (
            reader.peek().text == "<"
            and reader.peek(1).kind == "name"
            and name in ("complex", "vector", "array", "pair")
        ):
            reader.fail(f"`{name}<...>` of a library of C++; write a structure")
        return Type(name)

    def _structure_of(self, reader: Reader, name: str, given: list[Type | str]) -> str:
        """An instance of a structure's template."""
        primary = next((t for t in self.templates[name] if t.special is None), None)
        bound: dict[str, Type | str] = {}
        for place, p in enumerate(primary.template if primary else []):
            if place >= len(given):
                if not p.default:
                    reader.fail(f"{name} with {len(given)} template arguments")
                given = [*given, Reader(self, p.default, bound).template_default(p.is_type)]
            given = [*given[:place], self.typed(given[place], p, bound), *given[place + 1 :]]
            bound[p.name] = given[place]
        words = [g.spelled() if isinstance(g, Type) else g for g in given]
        mangled = f"{name}__" + "_".join(re.sub(r"\W+", "_", word.replace("*", "_ptr")) for word in words)
        mangled = ENGINES.get(words[0], mangled) if name == "complex" else mangled
        mangled = self._mangled.setdefault((name, *words), mangled)
        if mangled in self.structures and self.made_of.get(mangled, (name, given)) != (name, given):
            mangled = self._mangled[name, *words] = self.fresh(mangled)  # `-1` and `+1` are one name
        if mangled in self.structures:
            return mangled
        self.made_of[mangled] = (name, given)
        parts = {part for word in words for part in re.findall(r"[A-Za-z_]\w*", word)}
        if any(reader.bound.get(part) in (Type(part), part) for part in parts):
            return mangled  # of a template's own parameters: nothing is made yet
        parameters = primary.template if primary else []
        special = next(
            (t for t in self.templates[name] if t.special is not None and len(t.special) == len(given)
             and [self.typed(s, p, bound) for s, p in zip(t.special, parameters, strict=False)] == given), None
        )  # fmt: skip
        if special is not None:
            primary, bound = special, {}
        if primary is None:
            reader.fail(f"{name}<{', '.join(words)}>, which the text does not have")
        if special is None and any(t.special and t.template for t in self.templates[name]):
            reader.fail(f"a specialisation of {name} for some of its arguments; write one for each type")
        made = structure(
            self, mangled, primary.tokens, {**bound, name: Type(mangled)}
        )  # by its name alone within itself
        self.pending.append(f"\n{made.text}\n")
        return mangled

    def inner_type(self, kind: Type, name: str) -> Type | None:
        made = self.structures.get(kind.base)
        found = made.types.get(name) if made is not None else None
        return found if isinstance(found, Type) else None

    def member(self, owner: str, name: str) -> Type | str | Node | None:
        """A structure's member: a field's type, a constant, or "method"."""
        made = self.structures[owner]
        return made.fields.get(name) or made.constants.get(name) or ("method" if name in made.methods else None)

    def static_member(self, at: Expressions, space: str, kind: Type, name: str) -> Node:
        made = self.structures.get(kind.base)
        if made is not None and (constant := made.constants.get(name)):
            return replace(constant, text=space + constant.text)
        if made is not None and any(f.static for f in made.methods.get(name, [])) and at.peek().text in ("(", "<"):
            given = at.template_arguments() if at.peek().text == "<" else None
            node = self.method(at, Node("", Type(kind.base)), name, at.arguments(), given)
            return replace(node, text=space + node.text.lstrip())
        at.fail(f"`{kind.base}::{name}`, which the text does not have")

    def is_made(self, kind: Type) -> bool:
        """Whether a structure has a constructor without arguments that does something."""
        made = self.structures.get(kind.base) if not kind.stars else None
        return made is not None and any(self._takes(f, 0) and (f.begins or len(f.body) > 2) for f in made.constructors)

    def has_constructor(self, kind: Type) -> bool:
        return self.is_structure(kind) and bool(self.structures[kind.base].constructors)

    def part(self, kind: Type | None, name: str) -> Type | None:
        """The type of a component of a vector such as float4."""
        found = _VECTOR.fullmatch(kind.base) if kind is not None and not kind.stars and not kind.dims else None
        if found is None or name not in ("x", "y", "z", "w"):
            return None
        sign = "unsigned " if found[1] else ""
        return Type(sign + found[2].replace("longlong", "long long"))
