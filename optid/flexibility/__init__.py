"""Robots with elastic joints: closed-loop simulation, tuning of the feedforward on simulated and real robots, stiffness from recordings.

Names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optid.model.flexible import FlexibleModel as FlexibleModel
    from optid.model.flexible_joint import ElasticJoint as ElasticJoint
    from optid.model.flexible_joint import MotorFriction as MotorFriction
    from optid.model.flexible_joint import Spring as Spring

    from .gains import Gains as Gains
    from .inputs import best_input as best_input
    from .joint_stiffness import recorded_stiffness as recorded_stiffness
    from .linear import LinearModel as LinearModel
    from .linear import linearise as linearise
    from .loop import FlexibleLoop as FlexibleLoop
    from .objectives import PathRule as PathRule
    from .objectives import TailRule as TailRule
    from .objectives import settled as settled
    from .objectives import tool_error as tool_error
    from .paths import MoveLimits as MoveLimits
    from .paths import tcp_line as tcp_line
    from .paths import within as within
    from .plants import on_stand as on_stand
    from .plants import with_bending_link as with_bending_link
    from .protocol import axis_by_axis as axis_by_axis
    from .rapid_run import RapidRun as RapidRun
    from .robot_folder import RobotFolder as RobotFolder
    from .robot_folder import tune_through_folder as tune_through_folder
    from .session import TuningSession as TuningSession
    from .settings import SafetyLimits as SafetyLimits
    from .settings import TuningSettings as TuningSettings
    from .shapers import ShapedMotion as ShapedMotion
    from .shapers import Shaper as Shaper
    from .simulated_robot import SimulatedRobot as SimulatedRobot
    from .stiffness import stiffness_from_encoders as stiffness_from_encoders
    from .two_axis import set_a as set_a
    from .two_axis import set_b as set_b
    from .two_masses import two_mass_from_motor as two_mass_from_motor

_LAZY = {
    "ElasticJoint": "optid.model.flexible_joint",
    "FlexibleLoop": "loop",
    "FlexibleModel": "optid.model.flexible",
    "Gains": "gains",
    "LinearModel": "linear",
    "MotorFriction": "optid.model.flexible_joint",
    "MoveLimits": "paths",
    "PathRule": "objectives",
    "RapidRun": "rapid_run",
    "RobotFolder": "robot_folder",
    "SafetyLimits": "settings",
    "ShapedMotion": "shapers",
    "Shaper": "shapers",
    "SimulatedRobot": "simulated_robot",
    "Spring": "optid.model.flexible_joint",
    "TailRule": "objectives",
    "TuningSession": "session",
    "TuningSettings": "settings",
    "axis_by_axis": "protocol",
    "best_input": "inputs",
    "linearise": "linear",
    "on_stand": "plants",
    "set_a": "two_axis",
    "set_b": "two_axis",
    "recorded_stiffness": "joint_stiffness",
    "settled": "objectives",
    "stiffness_from_encoders": "stiffness",
    "tcp_line": "paths",
    "tool_error": "objectives",
    "tune_through_folder": "robot_folder",
    "two_mass_from_motor": "two_masses",
    "with_bending_link": "plants",
    "within": "paths",
}

__all__ = sorted(_LAZY)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        home = _LAZY[name]
        value = getattr(import_module(home if "." in home else f".{home}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
