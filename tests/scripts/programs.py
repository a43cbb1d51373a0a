"""The scripts that sifr is held to, for tools that run all of them."""
import json
import pathlib
from typing import NamedTuple

root = pathlib.Path(__file__).resolve().parents[2]
header = "import torch, math\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


class Program(NamedTuple):
    name: str    # kind/name, as passing.txt has it
    area: str
    source: str
    out: str
    raises: bool


def scripts(folder, kind):
    """Each NAME.py of a folder that has a NAME.out beside it."""
    for path in sorted(folder.glob("*.py")):
        out, err = path.with_suffix(".out"), path.with_suffix(".err")
        if out.exists():
            area = path.stem.split("__")[0] if "__" in path.stem else kind
            raises = err.exists() and any(line.startswith("error: ") for line in err.read_text().splitlines())
            yield Program(f"{kind}/{path.stem}", area, path.read_text(), out.read_text(), raises)


def probes():
    """The small programs, one JSON object a line."""
    for line in (root / "tests/scripts/probes.jsonl").read_text().splitlines():
        probe = json.loads(line)
        yield Program(f"probe/{probe['id']}", probe["area"], header + probe["code"], probe["stdout"], bool(probe.get("error")))


def gpu_programs():
    """All that programs for a GPU are held to: scripts that say `cuda`, our own, the examples, and what passing.txt lists of the corpus and the probes.
    Left out are those of the others that ask for CUDA: their records are of a machine without it."""
    listed = set((root / "tests/scripts/passing.txt").read_text().split())
    yield from scripts(root / "tests/cuda/scripts", "cuda")
    others = [*scripts(root / "examples", "example"), *scripts(root / "tests/scripts", "own"), *scripts(root / "tests/semantics", "semantics")]
    others += [p for p in (*scripts(root / "tests/scripts/corpus", "corpus"), *probes()) if p.name in listed]
    yield from (p for p in others if "cuda" not in p.source)
