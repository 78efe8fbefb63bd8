"""Executes notebooks from first cell to last, in a kernel of this Python; one that fails ends with its error.

    python scripts/notebooks.py [--keep] NOTEBOOK...

``--keep`` writes the outputs into the files. With CLAUSALITY_PICTURES=FOLDER every picture is left there as NOTEBOOK-CELL.svg or .png, to be looked at.
"""

import base64
import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ENDINGS = {"image/svg+xml": "svg", "image/png": "png"}


def pictures(notebook):
    """Every picture among the outputs: the number of its cell, its ending and its bytes."""
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            for kind, ending in ENDINGS.items():
                content = output.get("data", {}).get(kind)
                if content is not None:
                    yield number, ending, base64.b64decode(content) if ending == "png" else content.encode()


def forget_execution(notebook):
    """Takes out what only this execution knows: times, widgets of a kernel that is gone, and remarks with paths of this machine."""
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)


def main(arguments):
    keep = "--keep" in arguments
    folder = os.environ.get("CLAUSALITY_PICTURES")
    for path in (Path(name) for name in arguments if name != "--keep"):
        notebook = nbformat.read(path, as_version=4)
        client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}})
        client.execute()
        found = list(pictures(notebook))
        if not found:
            sys.exit(f"{path}: no picture came of it")
        for number, ending, content in found if folder else []:
            Path(folder, f"{path.stem}-{number}.{ending}").write_bytes(content)
        if keep:
            forget_execution(notebook)
            nbformat.write(notebook, path)
        print(f"{path}: {len(notebook.cells)} cells, {len(found)} pictures")


main(sys.argv[1:])
