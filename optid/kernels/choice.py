"""Which backend a kernel uses: told by name, or learnt from the work it is given."""

from __future__ import annotations

import logging
import threading

from .casadi_code import casadi_source
from .interpreter import Interpreter
from .native import Native
from .vector_code import vector_source

LONGEST_TAPE = 50_000
"""Operations beyond which straight-line code takes a compiler minutes."""

FIRST_LOOK = 1000
"""Samples below which "auto" does not even count operations."""

INTERPRETED_SECONDS = 2.5e-9
"""Interpreter's time an operation and sample."""

COMPILED_SECONDS = (0.3, 2.5e-4)
"""Compiler's time, and its time an operation."""

WORTH_A_LOOK = 0.02
"""Seconds of interpretation above which finding compiled code in the cache pays."""

_logger = logging.getLogger(__name__)


class Choice:
    """The backend of one kernel.

    "auto" compiles once the interpreter's time so far, this call included, reaches half of what the compiler would take: by count of operations and samples,
    never by the clock, so that equal calls decide equally.
    """

    def __init__(self, backend: str, interpreter: Interpreter) -> None:
        self.backend = backend
        self.interpreter = interpreter
        self._lock = threading.Lock()
        self._settled = backend == "interpreter"
        self._native: Native | None = None
        self._looked = False
        self._samples = 0

    def native(self, n: int) -> Native | None:
        """Machine code for a call with ``n`` samples, None for the interpreter."""
        if self._settled:
            return self._native
        with self._lock:
            if not self._settled:
                self._samples += n
                if self.backend == "auto":
                    self._learn()
                else:
                    self._settle(self._told())
            return self._native

    def _settle(self, native: Native | None) -> None:
        self._native = native
        self._settled = True

    def _learn(self) -> None:
        if self._samples < FIRST_LOOK:
            return
        tape = self.interpreter.tape
        if tape is None or len(tape.steps) > LONGEST_TAPE:
            self._settle(None)
            return
        spent = INTERPRETED_SECONDS * len(tape.steps) * self._samples
        if spent >= 0.5 * (COMPILED_SECONDS[0] + COMPILED_SECONDS[1] * len(tape.steps)):
            self._settle(Native.build(self._name, vector_source(tape), vector=True))
        elif spent >= WORTH_A_LOOK and not self._looked:
            self._looked = True
            found = Native.cached(self._name, vector_source(tape), vector=True)
            if found is not None:
                self._settle(found)

    def _told(self) -> Native | None:
        tape = self.interpreter.tape if self.backend == "simd" else None
        if tape is not None and len(tape.steps) <= LONGEST_TAPE:
            return Native.build(self._name, vector_source(tape), vector=True)
        if self.backend == "simd":
            _logger.warning("function %r is long or more than scalar operations: compiled sample by sample, without SIMD.", self._name)
        source = casadi_source(self.interpreter.function)
        if source is None:
            _logger.warning("function %r has no C code (it calls Python or a plugin): it is interpreted.", self._name)
            return None
        return Native.build(self._name, source, vector=False)

    @property
    def _name(self) -> str:
        return str(self.interpreter.function.name())
