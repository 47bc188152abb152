"""optid: find a robot's dynamic model from measurements.

Public names are loaded when they are first used, so that ``import optid`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_NAMES = {
    "DHRow": "optid.robot",
    "Drive": "optid.robot",
    "Joint": "optid.robot",
    "Limits": "optid.robot",
    "Link": "optid.robot",
    "Robot": "optid.robot",
    "Transform": "optid.robot",
    "DynamicModel": "optid.model",
    "BaseParameters": "optid.regressor",
    "Trial": "optid.experiment",
    "Experiment": "optid.experiment",
    "read_experiment": "optid.experiment",
    "add_results": "optid.experiment",
    "import_bag": "optid.experiment",
    "import_csv": "optid.experiment",
    "import_mat": "optid.experiment",
    "import_npz": "optid.experiment",
    "import_recording": "optid.experiment",
    "recover": "optid.experiment",
    "validate_file": "optid.experiment",
    "write_experiment": "optid.experiment",
    "Recorder": "optid.experiment",
    "Preprocessing": "optid.signals",
    "save_result": "optid.identification",
    "load_result": "optid.identification",
    "solve": "optid.solvers",
    "available_solvers": "optid.solvers",
    "identify": "optid.identification",
    "identify_batch": "optid.identification",
    "compare": "optid.identification",
    "identified_robot": "optid.identification",
    "identify_drive_gains": "optid.identification",
    "identify_payload": "optid.identification",
    "identify_power": "optid.identification",
    "physical_set": "optid.identification",
    "spread": "optid.identification",
    "write_robot": "optid.identification",
    "OnlineIdentification": "optid.identification",
    "OnlineOptions": "optid.identification",
    "OnlinePayload": "optid.identification",
    "IdentificationResult": "optid.problems",
    "validate": "optid.validation",
    "OptidError": "optid.errors",
}
_ROOMS = (
    "campaign",
    "control",
    "errors",
    "excitation",
    "experiment",
    "export",
    "flexibility",
    "identification",
    "kernels",
    "kinematics",
    "library",
    "model",
    "problems",
    "regressor",
    "report",
    "robot",
    "signals",
    "simulation",
    "solvers",
    "statistics",
    "testing",
    "trajectory",
    "validation",
)

__all__ = [*sorted(_NAMES), *_ROOMS]

if TYPE_CHECKING:
    from optid.errors import OptidError as OptidError
    from optid.experiment import Experiment as Experiment
    from optid.experiment import Trial as Trial
    from optid.experiment import add_results as add_results
    from optid.experiment import import_bag as import_bag
    from optid.experiment import import_csv as import_csv
    from optid.experiment import import_mat as import_mat
    from optid.experiment import import_npz as import_npz
    from optid.experiment import import_recording as import_recording
    from optid.experiment import read_experiment as read_experiment
    from optid.experiment import recover as recover
    from optid.experiment import validate_file as validate_file
    from optid.experiment import write_experiment as write_experiment
    from optid.identification import OnlineIdentification as OnlineIdentification
    from optid.identification import OnlineOptions as OnlineOptions
    from optid.identification import OnlinePayload as OnlinePayload
    from optid.identification import identified_robot as identified_robot
    from optid.identification import identify as identify
    from optid.identification import identify_batch as identify_batch
    from optid.identification import identify_drive_gains as identify_drive_gains
    from optid.identification import identify_payload as identify_payload
    from optid.identification import identify_power as identify_power
    from optid.identification import load_result as load_result
    from optid.identification import physical_set as physical_set
    from optid.identification import save_result as save_result
    from optid.identification import write_robot as write_robot
    from optid.identification.compare import compare as compare
    from optid.identification.spread import spread as spread
    from optid.model import DynamicModel as DynamicModel
    from optid.problems import IdentificationResult as IdentificationResult
    from optid.regressor import BaseParameters as BaseParameters
    from optid.robot import DHRow as DHRow
    from optid.robot import Drive as Drive
    from optid.robot import Joint as Joint
    from optid.robot import Limits as Limits
    from optid.robot import Link as Link
    from optid.robot import Robot as Robot
    from optid.robot import Transform as Transform
    from optid.signals import Preprocessing as Preprocessing
    from optid.solvers import available_solvers as available_solvers
    from optid.solvers import solve as solve
    from optid.validation import validate as validate


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return import_module(f"optid.{name}")
    raise AttributeError(f"module 'optid' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
