"""Experiment files, the trials in them, and the recordings they are made from.

Names that need h5py or scipy are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .experiment import Experiment, RobotInfo
from .fault import Fault
from .joints import match_joints
from .trial import Trial

if TYPE_CHECKING:
    from .importers import import_bag as import_bag
    from .importers import import_csv as import_csv
    from .importers import import_mat as import_mat
    from .importers import import_npz as import_npz
    from .importers import import_recording as import_recording
    from .mapping import Mapping as Mapping
    from .preview import Preview as Preview
    from .reader import read_experiment as read_experiment
    from .recorder import Recorder as Recorder
    from .recorder import recover as recover
    from .suspicions import Suspicion as Suspicion
    from .suspicions import suspect as suspect
    from .validator import validate_file as validate_file
    from .writer import add_results as add_results
    from .writer import write_experiment as write_experiment

_LAZY = {
    "Mapping": ".mapping",
    "Preview": ".preview",
    "Recorder": ".recorder",
    "Suspicion": ".suspicions",
    "add_results": ".writer",
    "import_bag": ".importers",
    "import_csv": ".importers",
    "import_mat": ".importers",
    "import_npz": ".importers",
    "import_recording": ".importers",
    "read_experiment": ".reader",
    "recover": ".recorder",
    "suspect": ".suspicions",
    "validate_file": ".validator",
    "write_experiment": ".writer",
}

__all__ = ["Experiment", "Fault", "RobotInfo", "Trial", "match_joints", *_LAZY]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(import_module(_LAZY[name], __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
