"""Checks that openapi.yaml is valid, that its examples fit their schemas, and that every operation follows the project's rules.

These checks need no server. Tests/ContractTests compare the server with the spec.
"""

import re
import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

import generators
from spec import FILE, Specification

# Changes with these scopes need a recent sign-in of a person.
CAREFUL = {"api_keys:write", "members:write", "signing_keys:write", "usage:write", "pricing:write"}
REFUSAL = "#/components/responses/Problem"


def pointer(place):
    return "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in place)


class Check:
    def __init__(self, specification):
        self.specification = specification
        self.problems = []
        self.examples = 0
        self.registry = Registry().with_resource(
            "urn:openapi", Resource.from_contents(specification.document, default_specification=DRAFT202012))

    def refuse(self, place, what):
        self.problems.append(f"{place}: {what}")

    # -- Validity

    def document(self):
        for error in OpenAPIV31SpecValidator(self.specification.document).iter_errors():
            # If all alternatives fail, the deepest error is the most useful one.
            deepest = max([error, *_descendants(error)], key=lambda each: len(each.absolute_path))
            self.refuse("/".join(map(str, deepest.absolute_path)) or "document", deepest.message.split("\n")[0][:300])

    # -- Examples

    def all_examples(self, value, place=()):
        """Checks every `example` and `examples` of the document."""
        if isinstance(value, list):
            for index, element in enumerate(value):
                self.all_examples(element, (*place, index))
            return
        if not isinstance(value, dict):
            return
        if isinstance(value.get("schema"), dict):
            schema = (*place, "schema")
            if "example" in value:
                self.fits(value["example"], schema, (*place, "example"))
            for name, example in (value.get("examples") or {}).items():
                example = self.specification.resolve(example)
                if "value" in example:
                    self.fits(example["value"], schema, (*place, "examples", name))
        elif "schemas" in place or "schema" in place:
            # The examples of a schema. A property with the name `examples` is not a list.
            if isinstance(value.get("examples"), list):
                for index, example in enumerate(value["examples"]):
                    self.fits(example, place, (*place, "examples", index))
            if "example" in value and place[-1] != "properties":
                self.refuse(pointer(place), "a schema has `examples`, a list; `example` is OpenAPI 3.0's")
            if "default" in value and place[-1] != "properties":
                self.fits(value["default"], place, (*place, "default"))
        for key, member in value.items():
            if member is None:
                self.refuse(pointer(place), f"{key!r} has no value. A text with a comma may lack quotes.")
            if key in ("example", "default", "const", "enum") or key == "examples" and place[-1:] != ("properties",):
                continue
            self.all_examples(member, (*place, key))

    def fits(self, example, schema, place):
        self.examples += 1
        validator = Draft202012Validator(
            {"$ref": f"urn:openapi#/{pointer(schema)}"}, registry=self.registry,
            format_checker=Draft202012Validator.FORMAT_CHECKER)
        for error in validator.iter_errors(example):
            self.refuse(pointer(place), f"{error.json_path}: {error.message[:300]}")

    # -- The project's rules

    def operations(self):
        tags = [tag["name"] for tag in self.specification.document["tags"]]
        seen = {}
        for operation in self.specification.operations:
            value, say = operation.value, lambda what: self.refuse(operation.id, what)
            if "operationId" not in value or not re.fullmatch("[a-z][A-Za-z]+", value["operationId"]):
                say("has no operationId in camelCase")
            if operation.id in seen:
                say(f"is also the operationId of {seen[operation.id]}")
            seen[operation.id] = f"{operation.method.upper()} {operation.path}"
            if len(value.get("tags", [])) != 1 or value["tags"][0] not in tags:
                say("must have exactly one tag from the list in docs/openapi/openapi.yaml")
            if not re.fullmatch(r"[A-Z].*\.", value.get("summary", "")):
                say("must have a summary that is a sentence")
            if "security" not in value:
                say("has no `security`")
            self.path_parameters(operation, say)
            self.bodies(operation, say)
            if operation.path.startswith("/v1/"):
                self.rest(operation, say)
        for tag in tags:
            if not any(tag in operation.value.get("tags", []) for operation in self.specification.operations):
                self.refuse("tags", f"no operation has the tag {tag}")

    def path_parameters(self, operation, say):
        in_path = re.findall(r"{(\w+)}", operation.path)
        described = [each["name"] for each in map(self.specification.resolve, operation.parameters) if each["in"] == "path"]
        if sorted(in_path) != sorted(described):
            say(f"has {in_path} in its path, but describes {described}")
        for parameter in map(self.specification.resolve, operation.parameters):
            if not (parameter.get("description") or parameter["in"] == "query" and operation.scopes is None):
                say(f"does not describe its parameter {parameter['name']}")
            if parameter["in"] == "path" and "example" not in parameter:
                say(f"has no example of its parameter {parameter['name']}")

    def bodies(self, operation, say):
        request = self.specification.resolve(operation.value.get("requestBody", {}))
        for kind, content in request.get("content", {}).items():
            if kind == "application/json":
                members = self.specification.resolve(content["schema"])
                is_empty = members.get("additionalProperties") is False and not members.get("properties")
                if not is_empty and not {"example", "examples"} & set(content):
                    say("has no example of its request")
                self.closed(content["schema"], say, "its request")
                for name, member in members.get("properties", {}).items():
                    member = self.specification.resolve(member)
                    takes_null = any("null" in each.get("type", []) for each in [member, *member.get("anyOf", []), *member.get("oneOf", [])])
                    # A PATCH may state that a member cannot be removed.
                    if operation.method == "post" and name not in members.get("required", []) and not takes_null:
                        say(f"treats null in the field {name} as absent, but the schema does not allow null")
        for status, answer in operation.value.get("responses", {}).items():
            answer = self.specification.resolve(answer)
            if not answer.get("description"):
                say(f"does not describe {status}")
            for kind, content in answer.get("content", {}).items():
                if status.startswith("2") and kind.endswith("json"):
                    if "example" not in content and "examples" not in content:
                        say(f"has no example of its response {status}")
                    if operation.scopes is not None:
                        self.closed(content["schema"], say, f"its response {status}")

    def closed(self, schema, say, what, seen=frozenset()):
        """Checks that every object in a schema names all its members."""
        if isinstance(schema, dict) and schema.get("$ref") in seen:
            return
        if isinstance(schema, dict) and "$ref" in schema:
            seen = seen | {schema["$ref"]}
            what = f"{what}, {schema['$ref'].rsplit('/', 1)[1]}"
        schema = self.specification.resolve(schema)
        if not isinstance(schema, dict):
            return
        # A request of an interface for other products may state that other members are ignored.
        is_open = schema.get("additionalProperties") is True and what.startswith("its request")
        if "properties" in schema and not (
                is_open or schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False or "allOf" in what):
            say(f"does not exclude other members in {what}")
        for name, member in schema.get("properties", {}).items():
            self.closed(member, say, f"{what}.{name}", seen)
        if "items" in schema:
            self.closed(schema["items"], say, f"{what}[]", seen)
        for keyword in ("oneOf", "anyOf"):
            for member in schema.get(keyword, []):
                self.closed(member, say, what, seen)

    def rest(self, operation, say):
        if operation.scopes != operation.scopes_of_people:
            say("must name the same scopes for API keys and for people")
        needs_sign_in = operation.method == "delete" or CAREFUL & set(operation.scopes or [])
        # The emergency brake of an owner.
        needs_sign_in = needs_sign_in and operation.id != "endSupportAccess"
        if needs_sign_in and operation.value.get("x-recent-sign-in") is not True:
            say("changes keys, members, money or deletes something, so it must have `x-recent-sign-in: true`")
        # Every caller may see itself.
        if operation.id == "getCaller":
            if operation.scopes != []:
                say("needs no scope")
        elif not operation.scopes or not all(re.fullmatch("[a-z_]+:(read|write)", scope) for scope in operation.scopes):
            say("must name the scope of its API key")
        elif (operation.scopes[0].endswith(":read")) != (operation.method == "get" or operation.value.get("x-changes-nothing", False)):
            say(f"is a {operation.method.upper()} with the scope {operation.scopes[0]}")
        references = [each.get("$ref", "").rsplit("/", 1)[-1] for each in operation.parameters]
        parameters = [self.specification.resolve(each) for each in operation.parameters]
        for parameter in parameters:
            schema = self.specification.resolve(parameter["schema"])
            limits = {"enum", "format", "pattern", "minLength"}
            if parameter["in"] == "query" and schema.get("type") == "string" and not limits & set(schema):
                say(f"accepts an empty {parameter['name']} by its schema: add `minLength: 1`")
        answers = operation.value["responses"]
        needed = {"401", "403", "429"}
        if "{" in operation.path:
            needed.add("404")
        if any(each["in"] == "query" for each in parameters) or "requestBody" in operation.value:
            needed.add("400")
        if "requestBody" in operation.value:
            needed |= {"413", "415"}
        if operation.method == "post":
            # The responses to a key that was used for another request or for a running one.
            needed |= {"400", "409", "422"}
            if "IdempotencyKey" not in references:
                say("must have the parameter IdempotencyKey, because it is a POST")
        if "IfMatch" in references or "RequiredIfMatch" in references:
            needed.add("412")
        if "RequiredIfMatch" in references:
            needed.add("428")
        for status in sorted(needed - set(answers)):
            say(f"does not describe {status}")
        for status in sorted(answers):
            if status.startswith("4") and answers[status].get("$ref") != REFUSAL:
                say(f"{status} must be {REFUSAL}")
        if answers.get("default", {}).get("$ref") != "#/components/responses/Unexpected":
            say("has no default answer, #/components/responses/Unexpected")
        if not any(status.startswith("2") for status in answers):
            say("has no 2xx response")
        if re.match("list[A-Z]", operation.id):
            for name in ("Limit", "After", "Before"):
                if name not in references:
                    say(f"is a list without the parameter {name}")
        shown = [each.path for each in self.specification.operations if each.method == "get"]
        headers = self.specification.resolve(answers.get("201", {})).get("headers", {})
        if "201" in answers and "Location" not in headers and any(re.fullmatch(re.escape(operation.path) + "/{[^/]*}", each) for each in shown):
            say("creates a resource that a GET shows, so 201 must have the header Location")

    def generators(self):
        for place, what in generators.violations(self.specification):
            self.refuse(place, what)

    def components(self):
        text = repr(self.specification.document)
        for kind, members in self.specification.document["components"].items():
            for name in members:
                if kind == "securitySchemes":
                    used = any(name in each for operation in self.specification.operations for each in operation.value["security"])
                else:
                    used = f"'#/components/{kind}/{name}'" in text
                # Only the introduction describes `Request-Id`.
                if not used and (kind, name) != ("headers", "RequestID"):
                    self.refuse(f"components/{kind}/{name}", "is unused")


def _descendants(error):
    for each in error.context or ():
        yield each
        yield from _descendants(each)


def main():
    check = Check(Specification(*sys.argv[1:2]))
    check.document()
    if not check.problems:
        check.all_examples(check.specification.document)
        check.operations()
        check.generators()
        check.components()
    for problem in check.problems:
        print(f"{FILE.name}: {problem}", file=sys.stderr)
    if check.problems:
        sys.exit(f"{len(check.problems)} problems")
    print(f"{FILE.name}: {len(check.specification.operations)} operations and {check.examples} examples are valid")


main()
