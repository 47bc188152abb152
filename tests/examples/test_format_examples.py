"""The examples on files of other programs run as they are, and the numbers they print last are right."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

import pytest


def test_import_rosbag(run: Callable[..., str]) -> None:
    """No noise: derivatives by differences at 250 Hz err by ω²h²/6 = 2e-5 at 0.45 Hz, a tenth of the torque hangs on them; the sorted columns are suspected."""
    pytest.importorskip("rosbags", reason="the extra formats is not installed")
    said = run("import_rosbag")
    assert "not said what it is, expected torque or current or none" in said and "the joints gripper are not among those wanted" in said
    assert "5000 samples in 19.996 s at 250 Hz" in said and "suspicions: 0\n" in said
    assert "its columns taken as sorted by joint name" in said
    error = re.search(r"largest error of the predicted torque: (\S+)$", said.strip())
    assert error is not None and float(error[1]) < 2e-5


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler on this machine")
def test_export_c_code(run: Callable[..., str]) -> None:
    """Rounding only, and the same model in four functions."""
    said = run("export_c_code")
    assert "void ur10e_inverse_dynamics(const double q[6], const double dq[6], const double ddq[6], double tau[6]);" in said
    assert said.count("\nvoid ur10e_") == 4 and r" \pm " in said
    difference = re.search(r"largest difference of the C code's torque, relative: (\S+)$", said.strip())
    assert difference is not None and float(difference[1]) < 1e-12
