"""Reads openapi.yaml for the scripts in this folder."""

from dataclasses import dataclass, field
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "openapi.yaml"
METHODS = ("get", "put", "post", "patch", "delete")


class Loader(yaml.SafeLoader):
    """YAML with the types of JSON: a time is a string, and a repeated key is an error."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key) for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"{key!r} is repeated", node.start_mark)
        return super().construct_mapping(node, deep)


Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass
class Operation:
    method: str
    path: str
    item: dict
    value: dict
    pointer: tuple
    parameters: list = field(default_factory=list)

    @property
    def id(self):
        return self.value.get("operationId", f"{self.method.upper()} {self.path}")

    @property
    def scopes(self):
        """The scopes that an API key needs; None for an operation that takes no API key."""
        for requirement in self.value.get("security", []):
            if "apiKey" in requirement:
                return requirement["apiKey"]
        return None

    @property
    def scopes_of_people(self):
        """The scopes that the role of a person needs; None for an operation that takes no session of a person."""
        for requirement in self.value.get("security", []):
            if "person" in requirement:
                return requirement["person"]
        return None


class Specification:
    def __init__(self, file=FILE):
        with open(file, encoding="utf-8") as text:
            self.document = yaml.load(text, Loader)

    def find(self, reference):
        """The target of a reference within the document."""
        value = self.document
        for part in reference.removeprefix("#/").split("/"):
            value = value[part.replace("~1", "/").replace("~0", "~")]
        return value

    def resolve(self, value):
        """The value itself, or the target of its `$ref`."""
        while isinstance(value, dict) and "$ref" in value:
            value = self.find(value["$ref"])
        return value

    @property
    def operations(self):
        found = []
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    operation = Operation(method, path, item, item[method], ("paths", path, method))
                    operation.parameters = item.get("parameters", []) + item[method].get("parameters", [])
                    found.append(operation)
        return found
