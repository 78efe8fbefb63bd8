"""Pictures in notebooks: light or dark as the notebook is, without a script."""

from __future__ import annotations

import re

#: How notebooks mark what they are: JupyterLab and Notebook, VS Code, Colab.
DARK = '[data-jp-theme-light="false"], .vscode-dark, .vscode-high-contrast, html[theme="dark"]'
LIGHT = '[data-jp-theme-light="true"], .vscode-light, html[theme="light"]'


def in_notebook(svg: str) -> str:
    """A picture as a part of a notebook's page: its colours are those of the picture's own style, chosen by the notebook's theme.

    >>> 'data-jp-theme-light' in in_notebook('<svg><style>[data-theme="light"] { --x: 1 } [data-theme="dark"] { --x: 0 }</style></svg>')
    True
    """
    colours = {theme: re.search(rf'\[data-theme="{theme}"\]\s*{{([^}}]*)}}', svg) for theme in ("light", "dark")}
    rules = [
        f"{marks} {{{found.group(1)}}}"
        for marks, found in ((LIGHT, colours["light"]), (DARK, colours["dark"]))
        if found is not None
    ]
    style = f"<style>{' '.join(rules)}</style>"
    return f'<div style="max-width: 100%; overflow: auto">{style}{svg}</div>'
