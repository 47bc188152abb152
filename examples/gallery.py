"""Make the gallery: run the examples, shrink their pictures to thumbnails, and write the table of ``examples/README.md``.

python examples/gallery.py            all examples (some minutes)
python examples/gallery.py payload    these examples only
python examples/gallery.py --page     the table alone, without running anything
"""

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
WIDTH, COLUMNS = 320, 3
BEGIN, END = "<!-- gallery -->", "<!-- end of gallery -->"
SECTIONS = {
    "A robot": ("robot_from_dh", "identify_from_urdf", "base_parameters"),
    "A motion for it": ("excitation_from_urdf", "excitation_irb140", "sequential_experiments", "excitation_alternatives"),
    "From recordings to a model": (
        "identify_recording",
        "import_rosbag",
        "campaign",
        "identify_irb140",
        "batch_of_recordings",
        "friction_laws",
        "payload",
        "payload_online",
        "export_c_code",
    ),
    "How far to trust it": ("every_estimator", "physically_consistent", "prior_and_damping", "honest_intervals", "closed_loop_bias"),
    "SCARA arms": (
        "scara_friction",
        "scara_computed_torque",
        "scara_written_law",
        "scara_control_laws",
        "scara_equations",
        "scara_printed_faults",
    ),
    "Elastic joints": ("flexibility_tuning", "robot_in_the_loop", "flexibility_surfaces", "flexibility_response", "flexibility_shapers"),
    "Problems and solvers": ("custom_problem", "custom_solver", "same_problem_every_solver", "complex_method", "complex_constraints"),
}


def thumbnail(name: str) -> None:
    """Run one example in an empty folder and shrink the picture that it leaves there."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py")], cwd=folder, env={**os.environ, "MPLBACKEND": "Agg"}, check=True)
        picture = Image.open(Path(folder) / f"{name}.png").convert("RGB")
    small = picture.resize((WIDTH, round(WIDTH * picture.height / picture.width)), Image.Resampling.LANCZOS)
    small.quantize(64, dither=Image.Dither.NONE).save(EXAMPLES / "images" / f"{name}.png", optimize=True)


def cell(name: str) -> str:
    """An example with its picture and the first sentence of what it says about itself."""
    about = (ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or "").split("\n\n")[0]
    return f"[![{name}](images/{name}.png)]({name}.py)<br>**{name}**<br>{' '.join(about.split())}"


def with_table(page: str) -> str:
    """The page with its table made anew."""
    lines = [BEGIN]
    for title, names in SECTIONS.items():
        lines += ["", f"### {title}", "", "|" + " |" * COLUMNS, "|" + "---|" * COLUMNS]
        for k in range(0, len(names), COLUMNS):
            cells = [cell(name) for name in names[k : k + COLUMNS]]
            lines.append("| " + " | ".join(cells + [""] * (COLUMNS - len(cells))) + " |")
    before, rest = page.split(BEGIN)
    return before + "\n".join([*lines, "", END]) + rest.split(END)[1]


if __name__ == "__main__":
    if "--page" not in sys.argv:
        for name in sys.argv[1:] or [name for names in SECTIONS.values() for name in names]:
            thumbnail(name)
    page = EXAMPLES / "README.md"
    page.write_text(with_table(page.read_text(encoding="utf-8")), encoding="utf-8")
