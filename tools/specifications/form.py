"""A specification asked for field by field: questions made of its JSON Schema, the same for terminal and chat."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from labwright.tools.specifications.answer_vocabulary import words
from labwright.tools.specifications.base import Path, Problem, SpecificationError
from labwright.tools.specifications.patches import patched, read_patches
from labwright.tools.specifications.yaml_files import plain_value

HELP, MOST_FIXES = "?", 20
Check = Callable[[dict[str, Any]], list[Problem]]


@dataclass(frozen=True, slots=True)
class FormField:
    """One question of a form.

    Attributes:
        name: of the field.
        about: what it is.
        kinds: JSON types that it takes.
        required: whether there is no default.
        default: what is taken if nothing is said.
        options: the values there are, if they can be listed.
        limits: smallest and largest value in words; empty if there are none.
        example: a value, as text.
        inner: fields of an object, or of each item of a list.
        repeated: a list.
    """

    name: str
    about: str = ""
    kinds: tuple[str, ...] = ()
    required: bool = False
    default: Any = None
    options: tuple[str, ...] = ()
    limits: str = ""
    example: str = ""
    inner: tuple[FormField, ...] = ()
    repeated: bool = False

    @property
    def summary(self) -> str:
        """The first sentence of what it is."""
        return self.about.partition(". ")[0].partition("\n")[0].rstrip(".")

    def help(self) -> str:
        """Everything that is known of it, in a few lines."""
        kinds = "one of " + ", ".join(self.options) if self.options else " or ".join(self.kinds)
        kinds += ", one after the other; an empty answer ends the list" if self.repeated else ""
        lines = [self.about, f"Takes: {kinds}{f', {self.limits}' if self.limits else ''}."]
        lines += [f"Example: {self.example}"] if self.example else []
        lines += ["Its fields: " + ", ".join(each.name for each in self.inner)] if self.inner else []
        return "\n".join(filter(None, [*lines, "It has to be given." if self.required else _default(self)]))


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is shown before an answer: where it belongs, and what was wrong with the last one, or its help."""

    path: Path
    field: FormField
    said: str = ""

    @property
    def text(self) -> str:
        """One line: path, what it is, default."""
        name = ".".join(map(str, self.path))
        about = self.field.summary
        more = "; y fills it in" if self.field.inner else ""
        default = "has to be given" if self.field.required else in_short(self.field.default)
        return f"{name}{f' ({about}{more})' if about else ''} [{default}]:"


def fields(schema: Mapping[str, Any]) -> tuple[FormField, ...]:
    """The questions of a JSON Schema, nested ones inside; what is fixed or written by Labwright is left out."""
    return _fields(schema, schema.get("$defs", {}))


def fixed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that have one value: the version of the format, and the system."""
    return {name: each["const"] for name, each in schema.get("properties", {}).items() if "const" in each}


def _fields(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> tuple[FormField, ...]:
    required = schema.get("required", [])
    return tuple(
        _field(name, each, defs, name in required)
        for name, each in schema.get("properties", {}).items()
        if not each.get("readOnly") and "const" not in each
    )


def _field(name: str, schema: Mapping[str, Any], defs: Mapping[str, Any], required: bool) -> FormField:
    forms = _forms(schema, defs)
    kinds = tuple(dict.fromkeys(form["type"] for form in forms if form.get("type", "null") != "null"))
    listed = next((form for form in forms if form.get("type") == "array"), None)
    items = _forms(listed.get("items", {}), defs) if listed else forms
    plain = any(form.get("type") == "string" for form in items)  # the short form of an object, or of a list
    inner = next((form for form in items if form.get("properties") and not plain), None)
    other = {"string", "object"} & set(kinds)  # a form that is no list: then it is one text, read as YAML
    repeated = listed is not None and (inner is not None or not other)
    if repeated:
        kinds = tuple(dict.fromkeys(form["type"] for form in items if "type" in form))
    return FormField(
        name,
        schema.get("description", "") or (inner or {}).get("description", ""),
        kinds,
        required,
        schema.get("default"),
        tuple(str(value) for form in forms for value in form.get("enum", []) if value != ""),
        _limits(forms),
        str(next(iter(schema.get("examples", [])), "")),
        _fields(inner, defs) if inner else (),
        repeated,
    )


def _forms(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The forms that a value may have, references followed."""
    if "$ref" in schema:
        return _forms(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        return [form for each in schema["anyOf"] for form in _forms(each, defs)]
    return [schema]


def _limits(forms: list[Mapping[str, Any]]) -> str:
    signs = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "above", "exclusiveMaximum": "below"}
    return ", ".join(f"{sign} {form[name]:g}" for form in forms for name, sign in signs.items() if name in form)


def interview(schema: Mapping[str, Any], check: Check) -> Generator[Prompt, str, dict[str, Any]]:
    """Asks for every field; send the answers in, and the specification's plain data comes back.

    Args:
        schema: of the specification.
        check: what is wrong with data as far as they have come; only what lies at the answered field is told.
    """
    properties = schema.get("properties", {})
    data = fixed(schema)
    yield from _asked_all(data, data, fields(schema), (), check)
    for _ in range(MOST_FIXES):
        wrong = check(data)
        if not wrong:
            break
        text = yield Prompt(("PATH = VALUE",), FormField("", required=True), wrong[0].sentence())
        try:
            data = patched(data, read_patches(text) or [], list(properties))
        except SpecificationError as error:
            yield Prompt(("Enter goes on",), FormField(""), str(error))
    return data


Asking = Generator[Prompt, str, None]


def _asked_all(
    whole: dict[str, Any], here: dict[str, Any], asked: tuple[FormField, ...], path: Path, check: Check
) -> Asking:
    for field in asked:
        yield from _asked(whole, here, field, path, check)


def _asked(whole: dict[str, Any], here: dict[str, Any], field: FormField, path: Path, check: Check) -> Asking:
    """One field: a value, a list of them, or an object whose fields are asked one by one."""
    if not field.repeated:
        yield from _value(whole, here, field.name, field, (*path, field.name), check)
        return
    items: list[Any] = []
    while True:
        one = replace(field, repeated=False, required=field.required and not items, default=None)
        place = (*path, field.name, len(items))
        here[field.name] = [*items, None]
        yield from _value(whole, here[field.name], len(items), one, place, check)
        if here[field.name][-1] is None:
            break
        items = here[field.name]
    here[field.name] = items
    if not items:
        del here[field.name]


def _value(whole: dict[str, Any], holder: Any, key: Any, field: FormField, path: Path, check: Check) -> Asking:
    if field.inner and field.required:
        holder[key] = {}
        yield from _asked_all(whole, holder[key], field.inner, path, check)
        return
    said = ""
    while True:
        answer = (yield Prompt(path, field, said)).strip()
        if answer == HELP:
            said = field.help()
        elif not answer and field.required:
            said = "It has to be given; ? shows help."
        elif not answer:
            return
        elif field.inner and answer.lower() in words("yes"):
            holder[key] = {}
            yield from _asked_all(whole, holder[key], field.inner, path, check)
            return
        else:
            holder[key] = value_of(answer, field)
            wrong = [each for each in check(whole) if each.path[: len(path)] == path and not each.missing]
            if not wrong:
                return
            _forget(holder, key)
            said = " ".join(filter(None, (wrong[0].message, wrong[0].fix)))


def _forget(holder: Any, key: Any) -> None:
    """Take a wrong answer back; the place in a list stays, because it is asked for again."""
    if isinstance(holder, list):
        holder[key] = None
    else:
        del holder[key]


def value_of(answer: str, field: FormField) -> Any:
    """An answer as the value of its field: as YAML reads it, where the field takes more than text."""
    if set(field.kinds) <= {"string"} or answer in field.options:
        return answer
    return plain_value(answer)


def _default(field: FormField) -> str:
    return f"If empty: {in_short(field.default)}." if in_short(field.default) else "It may be left out."


def in_short(value: Any) -> str:
    """A default as it is shown; empty where there is nothing to show."""
    return str(value).lower() if isinstance(value, bool) else "" if value in ("", [], {}, None) else str(value)
