"""The rules that keep openapi.yaml usable through generators of clients, for example openapi-python-client, openapi-typescript
and swift-openapi-generator.

A valid document may still lose operations or members in a generated client. Each rule names a form that a generator drops, renames
or sends by mistake. `script/check-generated-client` proves the result for Python.
"""

import re

COMPOSITIONS = ("oneOf", "anyOf", "allOf")
# Swift's generator drops a member with `not`. The others are unknown to at least one generator.
SKIPPED = ("not", "if", "then", "else", "prefixItems", "patternProperties", "propertyNames", "dependentSchemas", "contains")


def schemas(specification):
    """Each schema of the document with its place. Webhooks are left out, because no client sends them."""
    document = specification.document
    for name, schema in document["components"]["schemas"].items():
        yield from _inner(schema, ("components", "schemas", name))
    yield from _held(document["paths"], ("paths",))
    for kind, members in document["components"].items():
        if kind not in ("schemas", "securitySchemes"):
            yield from _held(members, ("components", kind))


def _held(value, place):
    """The schemas in a part of the document that is not a schema itself."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from _held(element, (*place, index))
    elif isinstance(value, dict):
        for key, member in value.items():
            if key == "schema":
                yield from _inner(member, (*place, key))
            elif key not in ("example", "examples"):
                yield from _held(member, (*place, key))


def _inner(schema, place):
    yield schema, place
    for name, member in schema.get("properties", {}).items():
        yield from _inner(member, (*place, "properties", name))
    for keyword in COMPOSITIONS:
        for index, member in enumerate(schema.get(keyword, [])):
            yield from _inner(member, (*place, keyword, index))
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from _inner(schema[keyword], (*place, keyword))


def violations(specification):
    """Each place with a form that a generator does not support, and the alternative."""
    for schema, place in schemas(specification):
        for what in _of_schema(schema, place):
            yield "/".join(map(str, place)), what
    yield from _of_names(specification)


def _of_schema(schema, place):
    if "$ref" in schema:
        return
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if not types and not any(keyword in schema for keyword in COMPOSITIONS):
        yield "has no `type`: generators treat it as any value"
    if types == ["null"]:
        yield 'has only the type "null", which Swift\'s generator drops: write `type: [string, "null"]`, or leave the member out'
    if "array" in types and "items" not in schema:
        yield "is an array without `items`"
    for keyword in SKIPPED:
        if keyword in schema:
            yield f"uses `{keyword}`, which generators skip"
    if "title" in schema:
        yield "has a `title`, which becomes its name in a generated client: name the component instead"
    if "enum" in schema:
        values = [each for each in schema["enum"] if each is not None]
        if not values or not all(isinstance(each, str) for each in values):
            yield "has an `enum` with other values than strings: use `const`, a range, or the type alone"
        elif (None in schema["enum"]) != ("null" in types):
            yield "has null in only one of `type` and `enum`"
    is_component = place[:2] == ("components", "schemas") and len(place) == 3
    if "properties" in schema and not is_component:
        yield "is an object without a name: move it to components/schemas, because generators make up a name that may exist already"
    if "default" in schema and not _is_parameter(place):
        # A Python client sends it with every request, even with a PATCH. In TypeScript the member becomes required.
        yield "has a `default` in a body: write it in the description"


def _is_parameter(place):
    return "parameters" in place and place[-1] == "schema"


def _of_names(specification):
    """Components and what stands inline in them become types side by side: `Connection.check` and `ConnectionCheck` are one name."""
    seen = {}
    for name, schema in specification.document["components"]["schemas"].items():
        made = [(name, name)]
        for member, inner in schema.get("properties", {}).items():
            if "enum" in inner or "enum" in inner.get("items", {}) or any(each in inner for each in COMPOSITIONS):
                made.append((f"{name}.{member}", name + member))
        for shown, text in made:
            key = re.sub("[^a-z0-9]", "", text.lower())
            if key in seen:
                yield f"components/schemas/{shown}", f"has the same name as {seen[key]} in a generated client"
            seen.setdefault(key, shown)
    operations = {}
    for operation in specification.operations:
        key = operation.id.lower()
        if operations.setdefault(key, operation.id) != operation.id:
            yield operation.id, f"has the same name as {operations[key]} except for case"
