"""The pages of the API reference in the documentation site: one per tag, one for the objects, one for the webhook events."""

import json
import re
import shlex

INTRODUCTION = "index"
OBJECTS = "objects"
EVENTS = "webhook-events"


class Reference:
    """Markdown pages from openapi.yaml. They link to one another by relative paths."""

    def __init__(self, specification):
        self.specification = specification
        self.document = specification.document
        self.resolve = specification.resolve
        self.lines = []
        # An ID of one word could also be the name of a parameter, so only the others become links.
        self.places = {
            each.id: f"{file_name(each.value['tags'][0])}.md#{each.id.lower()}"
            for each in specification.operations if not each.id.islower()}

    def pages(self):
        """Each page's name without `.md`, and its text."""
        yield INTRODUCTION, self.page(self.introduction)
        for tag in self.document["tags"]:
            yield file_name(tag["name"]), self.page(lambda: self.tag(tag))
        yield EVENTS, self.page(self.webhooks)
        yield OBJECTS, self.page(self.objects)

    def page(self, write):
        self.lines = []
        write()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines)).rstrip() + "\n"

    def say(self, *lines):
        self.lines += lines

    def linked(self, text):
        """The text, with a link at each operation that it names."""
        return re.sub(r"(?<!\[)`(\w+)`", lambda found: f"[{found[0]}]({self.places[found[1]]})" if found[1] in self.places else found[0], text)

    def introduction(self):
        self.say("# API", "", "[openapi.yaml](../openapi.yaml) is the OpenAPI 3.1 description of this API.", "")
        self.say(self.linked(self.document["info"]["description"].strip()), "", "## Authentication", "")
        for name, scheme in self.document["components"]["securitySchemes"].items():
            self.say(f"- **{name}** ({scheme['scheme'].capitalize()}): {one_line(scheme['description'])}")
        self.say("", "## Operations", "", "| tag | operation | | |", "| --- | --- | --- | --- |")
        for tag in self.document["tags"]:
            page = f"{file_name(tag['name'])}.md"
            for operation in self.operations(tag):
                self.say(
                    f"| [{tag['name']}]({page}) | [`{operation.id}`]({page}#{operation.id.lower()}) | "
                    f"`{operation.method.upper()} {operation.path}` | {one_line(operation.value['summary'])} |")

    def operations(self, tag):
        return [each for each in self.specification.operations if tag["name"] in each.value["tags"]]

    def tag(self, tag):
        self.say(f"# {title(tag['name'])}", "", self.linked(tag.get("description", "")), "")
        for operation in self.operations(tag):
            self.operation(operation)

    # -- An operation

    def operation(self, operation):
        value = operation.value
        self.say(f"## `{operation.id}`", "", f"**{value['summary']}** `{operation.method.upper()} {operation.path}`", "")
        self.say(self.security(value["security"]), "")
        if value.get("description"):
            self.say(self.linked(value["description"].strip()), "")
        parameters = [self.resolve(each) for each in operation.parameters]
        if parameters:
            self.say("| parameter | in | type | |", "| --- | --- | --- | --- |")
            for each in parameters:
                required = "" if each.get("required") else "optional"
                kind = ", ".join(part for part in (self.kind(each["schema"]), required) if part)
                self.say(f"| `{each['name']}` | {each['in']} | {kind} | {self.linked(one_line(each.get('description', '')))} |")
            self.say("")
        request = self.resolve(value.get("requestBody", {}))
        for media_type, content in request.get("content", {}).items():
            optional = "" if request.get("required") else " The body is optional."
            self.say(f"Body: `{media_type}`.{optional}", "")
            self.fields(content["schema"])
        self.curl(operation, parameters, request)
        self.answers(value["responses"])

    def security(self, requirements):
        if not requirements:
            return "Authentication: none."
        ways = []
        for requirement in requirements:
            for name, scopes in requirement.items():
                ways.append(f"`{name}`" + (f" with the scope {', '.join(f'`{scope}`' for scope in scopes)}" if scopes else ""))
        open_to_all = {} in requirements
        return "Authentication: " + " or ".join(ways) + (", or none." if open_to_all else ".")

    def curl(self, operation, parameters, request):
        path = operation.path
        query, parts = [], []
        for each in parameters:
            example = each.get("example", self.resolve(each["schema"]).get("examples", [None])[0])
            if each["in"] == "path":
                path = path.replace(f"{{{each['name']}}}", str(example or each["name"]))
            elif each["in"] == "query" and (each.get("required") or "example" in each):
                values = self.resolve(each["schema"]).get("enum", [""])
                query.append(f"--data-urlencode {shlex.quote(each['name'] + '=' + str(example or values[0]))}")
        if operation.scopes is not None:
            parts.append('-H "Authorization: Bearer $ESPALIER_API_KEY"')
        elif any("accessToken" in each for each in operation.value["security"]):
            parts.append('-H "Authorization: Bearer $access_token"')
        for each in parameters:
            if each["in"] == "header" and each["name"] == "If-Match" and each.get("required"):
                parts.append("-H 'If-Match: \"…\"'")
        for media_type, content in request.get("content", {}).items():
            example = first_example(content)
            if media_type == "application/json":
                parts.append("-H 'Content-Type: application/json'")
                parts.append("-d " + shlex.quote(json.dumps(example, ensure_ascii=False)))
            elif isinstance(example, dict):
                parts += [f"--data-urlencode {shlex.quote(f'{name}={member}')}" for name, member in example.items()]
            if example is not None:
                break
        method = {"get": "-G " if query else "", "post": "" if any(each.startswith(("-d", "--data")) for each in parts) else "-X POST "}.get(
            operation.method, f"-X {operation.method.upper()} ")
        if query and operation.method != "get":
            path += "?" + "&".join(shlex.split(each)[1] for each in query)
            query = []
        address = self.document["servers"][0]["url"] + path
        command = f"curl {method}{shlex.quote(address)}"
        self.say("```sh", " \\\n    ".join([command, *parts, *query]), "```", "")

    def answers(self, responses):
        # Statuses with the same response appear together.
        told, refusals = {}, []
        for status, answer in responses.items():
            if answer.get("$ref", "").endswith("/Problem"):
                refusals.append(status)
            elif status != "default":
                told.setdefault(json.dumps(answer), []).append(status)
        for answer, statuses in told.items():
            answer = self.resolve(json.loads(answer))
            headers = ", ".join(f"`{name}`" for name in answer.get("headers", {}))
            what = f"**{', '.join(statuses)}** {self.linked(one_line(answer['description']))}" + (f" With {headers}." if headers else "")
            for media_type, content in answer.get("content", {}).items():
                kind = self.kind(content["schema"])
                what += f" `{media_type}`" + ("." if kind in ("string", "object") else f": {kind}.")
            self.say(what, "")
            for content in answer.get("content", {}).values():
                if statuses[0].startswith("2") and first_example(content) is not None:
                    if "$ref" not in content["schema"]:
                        self.fields(content["schema"])
                    self.say("```json", laid_out(first_example(content)), "```", "")
        if refusals:
            self.say(f"**{', '.join(refusals)}** A [problem](../problems/index.md).", "")

    # -- Schemas

    def kind(self, schema):
        """A type and its limits, on one line."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            target = self.resolve(schema)
            if "properties" in target or "allOf" in target or "oneOf" in target:
                return f"[{name}]({OBJECTS}.md#{name.lower()})"
            return self.kind(target)
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        if "enum" in schema:
            return " ".join(f"`{each}`" if isinstance(each, str) else json.dumps(each) for each in schema["enum"]) + self.default(schema)
        for keyword in ("oneOf", "anyOf"):
            if keyword in schema:
                return " or ".join(self.kind(each) for each in schema[keyword])
        if "allOf" in schema:
            return " and ".join(self.kind(each) for each in schema["allOf"])
        types = schema.get("type", "any")
        names = types if isinstance(types, list) else [types]
        if "array" in names:
            text = f"list of {self.kind(schema.get('items', {}))}"
            if "minItems" in schema or "maxItems" in schema:
                text += f", {span(schema.get('minItems'), schema.get('maxItems'))} elements"
            if schema.get("uniqueItems"):
                text += ", all different"
            return text + self.default(schema)
        text = " or ".join(names)
        if schema.get("format"):
            text = schema["format"]
        if "minimum" in schema or "maximum" in schema:
            text += f" {span(schema.get('minimum'), schema.get('maximum'))}"
        if "minLength" in schema or "maxLength" in schema:
            text += f", {span(schema.get('minLength'), schema.get('maxLength'))} characters"
        if "pattern" in schema:
            text += f", `{schema['pattern'].replace('|', chr(92) + '|')}`"
        return text + self.default(schema)

    @staticmethod
    def default(schema):
        if "default" not in schema:
            return ""
        value = schema["default"]
        return f", default `{value if isinstance(value, str) else json.dumps(value)}`"

    def fields(self, schema):
        rows = list(self.rows(schema))
        if rows:
            self.say("| field | type | |", "| --- | --- | --- |")
            for name, kind, description in rows:
                self.say(f"| `{name}` | {kind} | {description} |")
            self.say("")

    def rows(self, schema, prefix=""):
        schema = self.resolve(schema)
        for each in schema.get("allOf", []) + schema.get("oneOf", []) + schema.get("anyOf", []):
            yield from self.rows(each, prefix)
        for name, member in schema.get("properties", {}).items():
            required = "" if name in schema.get("required", []) else "optional"
            kind = ", ".join(part for part in (self.kind(member), required) if part)
            description = member.get("description") or self.resolve(member).get("description", "")
            yield prefix + name, kind, self.linked(one_line(description))
            if "$ref" not in member:
                if "properties" in member:
                    yield from self.rows(member, f"{prefix}{name}.")
                elif "properties" in member.get("items", {}):
                    yield from self.rows(member["items"], f"{prefix}{name}[].")

    def webhooks(self):
        self.say("# Webhook events", "", "Espalier sends these requests to the webhooks of a tenant.", "")
        for name, item in self.document.get("webhooks", {}).items():
            value = next(value for method, value in item.items() if isinstance(value, dict) and "requestBody" in value)
            self.say(f"## `{name}`", "", self.linked(one_line(value.get("summary", ""))), "")
            self.say(self.linked((value.get("description") or "").strip()), "")
            for content in self.resolve(value["requestBody"])["content"].values():
                self.fields(content["schema"])
                for example in [content["example"]] if "example" in content else [
                        self.resolve(each).get("value") for each in content.get("examples", {}).values()]:
                    self.say("```json", laid_out(example), "```", "")

    def objects(self):
        """Every object that the operations above refer to."""
        used, rest = set(), [operation.value for operation in self.specification.operations]
        rest += list(self.document.get("webhooks", {}).values())
        while rest:
            value = rest.pop()
            if isinstance(value, dict):
                reference = value.get("$ref")
                if isinstance(reference, str) and reference not in used:
                    used.add(reference)
                    rest.append(self.specification.find(reference))
                rest += list(value.values())
            elif isinstance(value, list):
                rest += value
        self.say("# Objects", "", "The objects in requests and responses, by name.", "")
        for name in sorted(self.document["components"]["schemas"]):
            schema = self.document["components"]["schemas"][name]
            if f"#/components/schemas/{name}" in used and any(each in schema for each in ("properties", "allOf", "oneOf")):
                self.say(f"## {name}", "")
                if schema.get("description"):
                    self.say(self.linked(schema["description"].strip()), "")
                if "oneOf" in schema and "properties" not in schema:
                    self.say("Either " + " or ".join(self.kind(each) for each in schema["oneOf"]) + ".", "")
                else:
                    self.fields(schema)


def file_name(tag):
    return tag.replace(" ", "-")


def title(tag):
    """A tag as the heading of its page."""
    words = tag if tag in ("sign-in", "well-known") else tag.replace("-", " ")
    words = re.sub(r"^api\b", "API", words)
    return words[:1].upper() + words[1:]


def one_line(text):
    return " ".join(text.split()).replace("|", "\\|")


def span(least, most):
    if least is None:
        return f"at most {most}"
    if most is None:
        return f"at least {least}"
    return f"{least}" if least == most else f"{least} to {most}"


def laid_out(value, margin=""):
    """JSON with each value on one line if it fits."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(margin) + len(line) <= 100 and margin or not value:
        return line
    inner = margin + "  "
    if isinstance(value, list):
        members = [laid_out(element, inner) for element in value]
    else:
        members = [f"{json.dumps(name)}: {laid_out(member, inner)}" for name, member in value.items()]
    brackets = "[]" if isinstance(value, list) else "{}"
    return f"{brackets[0]}\n{inner}" + f",\n{inner}".join(members) + f"\n{margin}{brackets[1]}"


def first_example(content):
    if "example" in content:
        return content["example"]
    for example in content.get("examples", {}).values():
        return example.get("value")
    return None
