"""A recording prepared chunk by chunk is the recording prepared whole: time axis, filters, derivatives, selection, counts and notes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from optid.errors import DataError, DataWarning
from optid.experiment import Trial
from optid.signals import Nyquist, PeriodicOptions, Preprocessing, Samples, survey, windows
from optid.signals import stream as stream_module
from optid.signals.stream import InMemory, SampleStream
from optid.signals.survey import order_statistics

N = 6000
RATE = 500.0


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many windows in a short recording."""
    monkeypatch.setattr(windows, "CHUNK", 700)
    monkeypatch.setattr(survey, "PART", 512)
    monkeypatch.setattr(stream_module, "PART", 512)
    monkeypatch.setattr(survey, "TABLE", 64)
    monkeypatch.setattr("optid.signals.series.TABLE", 64)
    monkeypatch.setattr(stream_module, "DECIMATED_CHUNK", 900)


def trial(time: np.ndarray, seed: int = 0, **changes: Any) -> Trial:
    """Two joints; the second one rests for a while."""
    rng = np.random.default_rng(seed)
    phase = np.stack([time, np.minimum(time, 5.0)], axis=1)
    q = 0.8 * np.sin(2 * phase) + 0.2 * np.cos(7 * phase) + 1e-5 * rng.standard_normal((len(time), 2))
    dq = 1.6 * np.cos(2 * phase) + 1e-3 * rng.standard_normal((len(time), 2))
    tau = np.sin(3 * phase) + 0.1 * rng.standard_normal((len(time), 2))
    given = {"dq": dq, "ddq": 3 * np.cos(2 * phase) + 0.01 * rng.standard_normal(q.shape), "tau": tau, "name": "swing", **changes}
    return Trial(time, q, **given)


def even(n: int = N) -> np.ndarray:
    return 100.0 + np.arange(n) / RATE


def gathered(stream: SampleStream) -> dict[str, np.ndarray]:
    """All chunks, without their margins."""
    found: dict[str, list[np.ndarray]] = {}
    for k in range(stream.n_chunks):
        samples, own = stream.chunk(k)
        for what in ("time", "q", "dq", "ddq", "tau", "tau_raw"):
            value = samples.decimated(getattr(samples, what))[own]
            found.setdefault(what, []).append(value)
        found.setdefault("use", []).append(samples.decimated_use()[own])
    return {what: np.concatenate(parts) for what, parts in found.items()}


def both(record: Trial, options: Preprocessing) -> tuple[Samples, SampleStream, dict[str, np.ndarray]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        whole, stream = options.apply(record), SampleStream.of(InMemory(record), options)
    return whole, stream, gathered(stream)


def differences(record: Trial, options: Preprocessing, accuracy: float = 1e-10) -> list[str]:
    """What the chunks do not have in common with the recording prepared whole: signals within ``accuracy`` of their rms; masks, counts and notes exactly."""
    whole, stream, parts = both(record, options)
    found = [] if stream.n_chunks > 3 else ["chunks too few to tell"]
    for what in ("time", "q", "dq", "ddq", "tau", "tau_raw"):
        wanted = whole.decimated(getattr(whole, what))
        close = parts[what].shape == wanted.shape and np.abs(parts[what] - wanted).max() <= accuracy * np.sqrt(np.mean(wanted**2))
        found += [] if close else [what]
    equal = {
        "use": np.array_equal(parts["use"], whole.decimated_use()),
        "n_samples": stream.n_samples == whole.n_samples,
        "parts": stream.parts() == whole.parts(),
        "independent_share": stream.independent_share == pytest.approx(whole.independent_share, rel=1e-12),
        "rate": stream.rate == pytest.approx(whole.rate, rel=1e-12),
        "notes": sorted(stream.notes) == sorted(whole.notes),
        "counts": stream.counts == dict(whole.counts),
    }
    return found + [what for what, same in equal.items() if not same]


MEASURED = {"use_measured_velocity": True, "use_measured_acceleration": True}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cutoff": 20.0, "torque_cutoff": "auto"},
        {"cutoff": Nyquist(0.3), "order": 2, "trim": 5},
        {"cutoff": 30.0, "order": 8, "min_speed": 0.0},
        {"cutoff": None, "min_speed": (0.1, 0.2)},
        {"cutoff": 40.0, **MEASURED},
        {"cutoff": 20.0, "velocity_cutoff": 40.0, "acceleration_cutoff": 45.0},
        {"cutoff": None, "velocity_cutoff": None, "acceleration_cutoff": None, **MEASURED},
        {"derivative": "savgol", "savgol_window": 0.05},
        {"start": 1.0, "stop": 9.3},
        {"every": 3, "start": 0.5},
        {"rate": 350.0},
        {"rate": 1000.0, "interpolation": "pchip"},
        {"clock": "stamps", "interpolation": "linear"},
        {"clock": "recorded"},
        {"clock": "nominal"},
    ],
)
def test_even_stamps(options: dict[str, Any]) -> None:
    assert differences(trial(even()), Preprocessing(**options)) == []


@pytest.mark.parametrize("clock", ["auto", "stamps", "nominal", "recorded"])
def test_jitter(clock: str) -> None:
    rng = np.random.default_rng(1)
    assert differences(trial(even() + rng.uniform(-0.3, 0.3, N) / RATE), Preprocessing(clock=clock, cutoff=30.0)) == []


@pytest.mark.parametrize("clock", ["auto", "stamps", "nominal", "recorded"])
@pytest.mark.parametrize("jitter", [0.0, 0.2])
def test_faults_of_all_kinds(clock: str, jitter: float) -> None:
    """Lost samples, two gaps, doubled stamps, NaN and samples marked invalid."""
    rng = np.random.default_rng(2)
    kept = np.ones(N, dtype=bool)
    kept[rng.choice(N, 60, replace=False)] = False
    kept[511:513] = kept[1000:1100] = kept[4000:4500] = False
    time = (even() + rng.uniform(-jitter, jitter, N) / RATE)[kept]
    time[2000], time[2001] = time[1999], time[1999]
    valid = np.ones(len(time), dtype=bool)
    valid[[700, 2500]] = False
    record = trial(time, valid=valid)
    tau = record.tau.copy()
    tau[300, 1] = np.nan
    record = trial(time, valid=valid, tau=tau)
    options = Preprocessing(clock=clock, cutoff=30.0)
    assert differences(record, options) == []
    stream = both(record, options)[1]
    assert len(stream.parts()) == 3
    assert stream.counts["not finite"] == 1 and stream.counts["marked invalid"] == 2 and stream.counts["duplicate stamps"] == 2


def test_nominal_clock_at_another_rate() -> None:
    """Two grids on top of each other."""
    kept = np.ones(N, dtype=bool)
    kept[[100, 101, 102, 2500]] = False
    assert differences(trial(even()[kept]), Preprocessing(clock="nominal", rate=330.0, cutoff=30.0)) == []


@pytest.mark.parametrize("factor", [2, 5, 24])
def test_decimation(factor: int) -> None:
    """The filter of a decimation, too, forgets where its window began."""
    record = trial(even(50_000))
    assert differences(record, Preprocessing(decimate=factor, trim=0, min_speed=0.0), accuracy=1e-9) == []


def test_decimation_of_short_pieces_is_told() -> None:
    time = np.delete(even(20_000), slice(20, 500))
    options = Preprocessing(decimate=12, trim=0)
    assert differences(trial(time), options, accuracy=1e-9) == []
    assert both(trial(time), options)[1].counts["too few to decimate"] == 20


def test_a_slow_filter_widens_the_windows() -> None:
    """A cut-off of 1 Hz at 500 Hz: margins of 5000 samples."""
    stream = SampleStream.of(InMemory(trial(even(40_000))), Preprocessing(cutoff=1.0))
    assert stream.windows.margin > 2000 and stream.windows.size == 2 * stream.windows.margin
    assert differences(trial(even(60_000)), Preprocessing(cutoff=1.0)) == []


def test_order_statistics_are_exact() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.lognormal(0, 8, 1001), np.full(50, 1e-3), [5e-324, 1e308]])
    parts = np.array_split(values, 7)
    ranks = [0, 1, 500, 526, 1051, 1052]
    assert order_statistics(lambda: parts, ranks) == np.sort(values)[ranks].tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tau": None}, "no torque"),
        ({"ddq": None}, "no ddq, expected one, as use_measured_acceleration says"),
    ],
)
def test_missing_signals_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        SampleStream.of(InMemory(trial(even(), **change)), Preprocessing(**MEASURED))


def test_errors_are_those_of_the_whole_recording() -> None:
    backward = even()
    backward[3000] -= 0.01
    broken = even()
    broken[700] = np.nan
    bad = trial(even())
    bad.tau[5000, 1] = np.inf
    cases = [
        (trial(backward), Preprocessing()),
        (trial(broken), Preprocessing()),
        (bad, Preprocessing(on_bad="raise")),
        (trial(even(20)), Preprocessing(cutoff=10.0)),
        (trial(even()), Preprocessing(start=50.0)),
        (trial(even(1)), Preprocessing()),
        (trial(np.full(100, 2.0)), Preprocessing()),
        (trial(even()), Preprocessing(max_gap=1e-6)),
        (trial(even(), valid=np.arange(N) == 7), Preprocessing()),
    ]
    for record, options in cases:
        with pytest.raises(DataError) as whole:
            options.apply(record)
        with pytest.raises(DataError) as parts:
            SampleStream.of(InMemory(record), options)
        assert str(parts.value) == str(whole.value)


def test_cycles_need_the_whole() -> None:
    with pytest.raises(DataError, match="averaging over cycles"):
        SampleStream.of(InMemory(trial(even(), period=2.0)), Preprocessing(periodic=PeriodicOptions()))


def test_whole_is_what_preparing_whole_gives() -> None:
    record = trial(even())
    assert np.array_equal(SampleStream.of(InMemory(record), Preprocessing()).whole().ddq, Preprocessing().apply(record).ddq)


def test_chunks_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    record = trial(even())
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        found.append(gathered(SampleStream.of(InMemory(record), Preprocessing())))
    assert all(np.array_equal(found[0][what], found[1][what]) for what in found[0])
