"""Posed optimization problems: ``from optid.problems import Identification``."""

if __name__ != "optid.problems":
    raise ImportError(f"this folder was imported as {__name__!r}; write  import optid.problems  instead.")

from importlib import import_module
from typing import TYPE_CHECKING, Any

_NAMES = {
    "Advice": "forms",
    "BlackBox": "forms",
    "BlackBoxProblem": "black_box",
    "ClosedLoop": "closed_loop",
    "CommandedMotion": "closed_loop",
    "Cone": "forms",
    "Decoupling": "decoupling",
    "DecouplingPlan": "tuning_plan",
    "DecouplingResult": "decoupling",
    "DriveFit": "drive_fit",
    "DriveGains": "drive_gains",
    "DriveGainsResult": "drive_gains",
    "Excitation": "excitation",
    "ExcitationResult": "excitation_result",
    "FitDetails": "fit_details",
    "FitErrors": "fit_errors",
    "FlexibilityResult": "flexibility",
    "FlexibilityTuning": "flexibility",
    "Form": "forms",
    "FrictionComparison": "friction_comparison",
    "FrictionCurve": "friction",
    "FrictionResult": "friction",
    "Identification": "identification",
    "IdentificationResult": "identification_result",
    "InstrumentalVariables": "instrumental",
    "InverseKinematics": "inverse_kinematics",
    "InverseKinematicsResult": "inverse_kinematics",
    "JointFriction": "friction_joint",
    "JointFrictionResult": "friction_joint",
    "KnownInertia": "known_inertia",
    "LeastSquares": "forms",
    "Nlp": "forms",
    "OutputError": "output_error",
    "Payload": "payload",
    "PayloadResult": "payload",
    "PhysicalIdentification": "physical",
    "PhysicalReport": "physical_report",
    "Plan": "predictive_control",
    "PredictiveControl": "predictive_control",
    "PredictiveModel": "predictive_control",
    "Prior": "prior",
    "Problem": "protocol",
    "Regression": "regression",
    "RegressionResult": "regression",
    "Residuals": "forms",
    "TotalLeastSquares": "total_least_squares",
    "compare_friction": "friction_comparison",
    "decoupling_plan": "tuning_plan",
}

__all__ = sorted(_NAMES)

if TYPE_CHECKING:
    from .black_box import BlackBoxProblem as BlackBoxProblem
    from .closed_loop import ClosedLoop as ClosedLoop
    from .closed_loop import CommandedMotion as CommandedMotion
    from .decoupling import Decoupling as Decoupling
    from .decoupling import DecouplingResult as DecouplingResult
    from .drive_fit import DriveFit as DriveFit
    from .drive_gains import DriveGains as DriveGains
    from .drive_gains import DriveGainsResult as DriveGainsResult
    from .excitation import Excitation as Excitation
    from .excitation_result import ExcitationResult as ExcitationResult
    from .fit_details import FitDetails as FitDetails
    from .fit_errors import FitErrors as FitErrors
    from .flexibility import FlexibilityResult as FlexibilityResult
    from .flexibility import FlexibilityTuning as FlexibilityTuning
    from .forms import Advice as Advice
    from .forms import BlackBox as BlackBox
    from .forms import Cone as Cone
    from .forms import Form as Form
    from .forms import LeastSquares as LeastSquares
    from .forms import Nlp as Nlp
    from .forms import Residuals as Residuals
    from .friction import FrictionCurve as FrictionCurve
    from .friction import FrictionResult as FrictionResult
    from .friction_comparison import FrictionComparison as FrictionComparison
    from .friction_comparison import compare_friction as compare_friction
    from .friction_joint import JointFriction as JointFriction
    from .friction_joint import JointFrictionResult as JointFrictionResult
    from .identification import Identification as Identification
    from .identification_result import IdentificationResult as IdentificationResult
    from .instrumental import InstrumentalVariables as InstrumentalVariables
    from .inverse_kinematics import InverseKinematics as InverseKinematics
    from .inverse_kinematics import InverseKinematicsResult as InverseKinematicsResult
    from .known_inertia import KnownInertia as KnownInertia
    from .output_error import OutputError as OutputError
    from .payload import Payload as Payload
    from .payload import PayloadResult as PayloadResult
    from .physical import PhysicalIdentification as PhysicalIdentification
    from .physical_report import PhysicalReport as PhysicalReport
    from .predictive_control import Plan as Plan
    from .predictive_control import PredictiveControl as PredictiveControl
    from .predictive_control import PredictiveModel as PredictiveModel
    from .prior import Prior as Prior
    from .protocol import Problem as Problem
    from .regression import Regression as Regression
    from .regression import RegressionResult as RegressionResult
    from .total_least_squares import TotalLeastSquares as TotalLeastSquares
    from .tuning_plan import DecouplingPlan as DecouplingPlan
    from .tuning_plan import decoupling_plan as decoupling_plan


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'optid.problems' has no attribute {name!r}")
    value = getattr(import_module(f"optid.problems.{_NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
