"""Execute the notebooks and write them again, outputs and all: ``python3 go.py notebooks``.

A notebook's first code cell, tagged ``parameters``, says how much is played, as whole numbers with
names in capitals. With the environment variable ``BAOBEI_NOTEBOOK_SCALE`` these are multiplied, so
that a test is quick; such notebooks are written only to where ``--out`` says.

What is written depends on nothing but the notebook and the versions of program and packages: no
times, no paths, no names of machines.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

HERE = Path(__file__).resolve().parent
SCALE = "BAOBEI_NOTEBOOK_SCALE"
LEAST = 200
"""Parameters are not scaled to less than this, unless they are less anyway."""

# Pictures that are small, and do not tell the version of the library that drew them.
KERNEL_ARGUMENTS = [
    "--InlineBackend.print_figure_kwargs="
    "{'metadata': {'Software': None}, 'pil_kwargs': {'optimize': True}}",
    "--IPKernelApp.log_level=40",
]


def main(arguments: list[str] | None = None) -> int:
    """Execute all notebooks, or the named ones; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="notebooks, without .ipynb; all if none is named")
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write them into")
    chosen = parser.parse_args(arguments)
    paths = {path.stem: path for path in sorted(HERE.glob("*.ipynb"))}
    unknown = [name for name in chosen.names if name not in paths]
    if unknown:
        parser.error(f"no such notebook: {unknown[0]}; there are {', '.join(paths)}")
    scale = float(os.environ.get(SCALE, "1"))
    if scale != 1 and chosen.out.resolve() == HERE:
        parser.error(f"with {SCALE} the notebooks can only be written elsewhere: name --out FOLDER")
    compile_engine()
    for name in chosen.names or paths:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            notebook = executed(paths[name], scale)
        except CellExecutionError as error:
            print(f"{name}.ipynb: {error}", file=sys.stderr)
            return 1
        chosen.out.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, chosen.out / paths[name].name)
    return 0


def compile_engine() -> None:
    """Compile the engine before a notebook needs it, as it says so where it must."""
    import sim

    sim.run(sim.Study.of(players="balanced,sharp", rounds=1))


def executed(path: Path, scale: float = 1) -> NotebookNode:
    """Return a notebook with fresh outputs.

    Args:
        path: Of the notebook.
        scale: What its parameters are multiplied with.

    Raises:
        CellExecutionError: A cell failed.
    """
    notebook = nbformat.read(path, as_version=4)
    cells = list(notebook.cells)
    if scale != 1:
        place, source = scaled(notebook, scale)
        notebook.cells.insert(place, nbformat.v4.new_code_cell(source))
    with tempfile.TemporaryDirectory() as empty:
        os.environ["IPYTHONDIR"] = empty  # nobody's own settings
        os.environ["JUPYTER_PLATFORM_DIRS"] = "1"
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=600,
            record_timing=False,
            resources={"metadata": {"path": empty}},
            extra_arguments=KERNEL_ARGUMENTS,
        )
        client.execute()
    notebook.cells = cells
    return cleaned(notebook)


def scaled(notebook: NotebookNode, scale: float) -> tuple[int, str]:
    """Return where a cell with scaled parameters belongs, and its source."""
    for place, cell in enumerate(notebook.cells):
        if "parameters" in cell.metadata.get("tags", ()):
            lines = [
                f"{target.id} = {max(int(node.value.value * scale), min(LEAST, node.value.value))}"
                for node in ast.parse(cell.source).body
                if isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, int)
                for target in node.targets
                if isinstance(target, ast.Name) and target.id.isupper()
            ]
            return place + 1, "\n".join(lines)
    raise ValueError("the notebook has no cell with the tag 'parameters'")


def cleaned(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook without what differs from one machine or time to the next."""
    count = 0
    for k, cell in enumerate(notebook.cells):
        cell.id = f"cell-{k}"
        cell.metadata = NotebookNode(
            {"tags": cell.metadata.tags} if "tags" in cell.metadata else {}
        )
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
                if "metadata" in output:
                    output.metadata = NotebookNode()
    notebook.metadata = NotebookNode(
        kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
        language_info={"name": "python"},
    )
    nbformat.validate(notebook)
    return notebook


if __name__ == "__main__":
    sys.exit(main())
