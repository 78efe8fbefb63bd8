"""Docstrings as the site shows them: examples as code after the text and before the arguments, names of other names as links' text.

An extension of griffe, which reads the package for mkdocstrings: its Sphinx style knows arguments, but neither examples nor roles.
"""

import re

from griffe import Extension

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n(?!>>>)|\Z)", re.M | re.S)
ROLE = re.compile(r":(?:func|meth|class|attr|exc|mod):`~?([^`]+)`")


def shown(text: str) -> str:
    text = ROLE.sub(r"`\1`", text)
    examples = "\n\n".join(f"```pycon\n{example}\n```" for example in EXAMPLE.findall(text))
    text = EXAMPLE.sub("", text)
    start = re.search(r"^:(?:param|returns?|raises)\b", text, re.M)
    said, arguments = (text[: start.start()], text[start.start() :]) if start else (text, "")
    return "\n\n".join(part.strip() for part in (said, examples, arguments) if part.strip())


class Examples(Extension):
    def on_instance(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = shown(obj.docstring.value)
