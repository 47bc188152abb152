"""What a campaign file may say: one frozen dataclass a table. Kinds, defaults and explanations in ``optid run --schema`` are read from these classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from optid.errors import DataError, sentence
from optid.signals import Preprocessing

from .schema_robot import LimitsPart, ModelPart, RobotPart
from .values import check_label, check_positive, check_whole


@dataclass(frozen=True)
class ExportPart:
    """The designed motion in the languages of controllers, as files in the folder design, and its report.

    Attributes
    ----------
    csv, rapid, urscript : str
        Name of the file: samples as CSV, an ABB RAPID module, a URScript program.
    rate : float [Hz]
        Of the CSV.
    hold : numbers [rad]
        Posture of the axes that the robot has beyond those designed.
    report : bool
        Write the report of the design, too.
    override : bool
        Export even a design that is not finished or not proven.
    """

    csv: str | None = None
    rapid: str | None = None
    urscript: str | None = None
    rate: float = 250.0
    hold: tuple[float, ...] = ()
    report: bool = True
    override: bool = False

    def __post_init__(self) -> None:
        check_positive(rate=self.rate)
        names = [name for name in (self.csv, self.rapid, self.urscript) if name is not None]
        for name in names:
            check_label("file", name)
            if names.count(name) > 1 or name in ("plan.h5", "design.json", "report"):
                raise DataError(sentence("file", repr(name), "a name of its own for each file"))


@dataclass(frozen=True)
class DesignPart:
    """The motion to record, designed within the limits; leave the table out when the recordings are there already.

    Attributes
    ----------
    harmonics : int
        Of the Fourier trajectory.
    period : float [s]
    criterion : str
        What is made small.
    samples : int
        Over the motion.
    rest : bool
        Start and end at rest.
    starts : int
        Seeded starts of the solver; the best design is kept.
    solver : str
        See optid.available_solvers().
    budget : int
        Most evaluations of a start.
    options : table
        Options of the solver.
    export : table
        Files for a controller.
    """

    harmonics: int = 5
    period: float = 10.0
    criterion: Literal["condition", "e", "d", "a", "combined"] = "condition"
    samples: int = 100
    rest: bool = True
    starts: int = 1
    solver: str = "ipopt"
    budget: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    export: ExportPart = field(default_factory=ExportPart)

    def __post_init__(self) -> None:
        check_positive(period=self.period)
        check_whole(harmonics=self.harmonics, samples=self.samples, starts=self.starts, budget=self.budget)


@dataclass(frozen=True)
class RecordingPart:
    """Files of recordings of one kind.

    Attributes
    ----------
    files : str or list of str
        Paths or patterns such as "logs/*.csv", from the campaign file's folder. Experiment files (.h5) are read as they are, other recordings (text tables,
        MAT, NPZ, rosbag2, MCAP) are imported first.
    role : str
        What they are for. Without it, an experiment file's trials have the roles written in it, and logs the role of their mapping.
    trials : list of str
        Take only these trials of experiment files.
    mapping : str or table
        How columns of a log become signals: a TOML file, or its keys in a table here (see optid import).
    effort : str
        ROS recordings: what the effort of their messages is.
    topic : str
        ROS recordings with several topics of joint states: which one.
    clock : str
        ROS recordings: stamps of the messages, or when they were recorded; the stamps when there are any.
    payload : str
        The recordings carry this payload, whose table is [payloads.NAME]; they serve to identify it and nothing else.
    partial : bool
        Leave bad rows of logs out, with a count, instead of refusing the log.
    other_robot : bool
        Take experiment files although they describe another robot than this campaign's.
    """

    files: str | tuple[str, ...]
    role: Literal["identification", "validation"] | None = None
    trials: tuple[str, ...] = ()
    mapping: str | dict[str, Any] | None = None
    effort: Literal["torque", "current", "none"] | None = None
    topic: str | None = None
    clock: Literal["header", "log"] | None = None
    payload: str | None = None
    partial: bool = False
    other_robot: bool = False

    def __post_init__(self) -> None:
        if not self.files or not all(self.patterns):
            raise DataError(sentence("files", "none", "paths or patterns"))
        if self.payload is not None and self.role is not None:
            raise DataError(sentence("role", f"{self.role!r} beside payload", "one of them", "Recordings with a payload serve to identify it."))

    @property
    def patterns(self) -> tuple[str, ...]:
        """Paths and patterns."""
        return (self.files,) if isinstance(self.files, str) else self.files


@dataclass(frozen=True)
class MethodPart:
    """One estimator; in place of the table its name alone will do: methods = ["wls", "physical"].

    Attributes
    ----------
    method : str
        Name of the estimation method, one of optid.identification.METHODS.
    label : str
        How it is called in files and tables; the method's name without it.
    solver : str
        Of the problem that the method poses; chosen by its form without it.
    options : table
        Options of the method.
    """

    method: str
    label: str | None = None
    solver: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_label("label", self.name)

    @classmethod
    def from_text(cls, text: str) -> MethodPart:
        """A method that is given by its name alone."""
        return cls(text)

    @property
    def name(self) -> str:
        """How it is called."""
        return self.label if self.label is not None else self.method


@dataclass(frozen=True)
class PayloadPart:
    """A payload to identify, from the recordings that carry it and those meant for identification.

    Attributes
    ----------
    known : table of numbers
        Parameters of the payload that are known, about the last link's frame origin, such as {m = 2.8}.
    method : str
        Robot and payload from all recordings at once, or one after the other.
    physical : bool
        Ask for a body that can exist.
    """

    known: dict[str, float] = field(default_factory=dict)
    method: Literal["joint", "difference"] = "joint"
    physical: bool = False


@dataclass(frozen=True)
class ReportPart:
    """The report.

    Attributes
    ----------
    method : str
        Label of the method that is reported; without it the one that predicts the validation recordings best (the first when there are none).
    judge : str
        What "best" means: the stacked error against torque filtered like the model, or against raw torque.
    """

    method: str | None = None
    judge: Literal["filtered", "raw"] = "filtered"


@dataclass(frozen=True)
class Campaign:
    """The top level of the file.

    Attributes
    ----------
    title : str
        Of plan and report.
    output : str
        Folder that gets everything that is made, from the campaign file's folder. It must be new, empty, or made by this command.
    seed : int
        Of everything random.
    workers : int
        Processes that share the recordings; without it one a processor when there is much to do. Results do not depend on it.
    robot : table
    model : table
    limits : table
    design : table
    recordings : array of tables
    preprocessing : table
    methods : array of tables or list of names
    payloads : tables
    report : table

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, read_campaign
    >>> with TemporaryDirectory() as folder:
    ...     campaign = read_campaign(new_campaign("library:ur5", f"{folder}/campaign.toml")).campaign
    >>> campaign.title, campaign.methods
    ('UR5', (MethodPart(method='wls', label=None, solver=None, options={}),))
    """

    robot: RobotPart
    title: str = ""
    output: str = "results"
    seed: int = 0
    workers: int | None = None
    model: ModelPart = field(default_factory=ModelPart)
    limits: LimitsPart = field(default_factory=LimitsPart)
    design: DesignPart | None = None
    recordings: tuple[RecordingPart, ...] = ()
    preprocessing: Preprocessing = field(default_factory=Preprocessing)
    methods: tuple[MethodPart, ...] = (MethodPart("wls"),)
    payloads: dict[str, PayloadPart] = field(default_factory=dict)
    report: ReportPart = field(default_factory=ReportPart)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise DataError(sentence("seed", self.seed, "a whole number, 0 or more"))
        check_whole(workers=self.workers)
        if not self.output.strip():
            raise DataError(sentence("output", repr(self.output), "the name of a folder"))
        for name in self.payloads:
            check_label("payload", name)
        labels = [part.name for part in self.methods]
        if not labels:
            raise DataError(sentence("methods", "none", "at least one"))
        for label in labels:
            if labels.count(label) > 1:
                raise DataError(sentence("methods", f"{label!r} twice", "a name of its own for each", "Give one of them a label."))
