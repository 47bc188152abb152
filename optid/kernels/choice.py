"""Which backend a kernel uses: told by name, or by the size of the call."""

from __future__ import annotations

import logging
import threading

from .casadi_code import casadi_source
from .interpreter import Interpreter
from .native import Native
from .vector_code import vector_source

LONGEST_TAPE = 50_000
"""Operations beyond which straight-line code takes a compiler minutes."""

INTERPRETED_SECONDS = 2.5e-9
"""Interpreter's time an operation and sample."""

COMPILED_SECONDS = (0.3, 2.5e-4)
"""Compiler's time, and its time an operation."""

_logger = logging.getLogger(__name__)


class Choice:
    """The backend of one kernel.

    "auto" takes machine code for a call whose interpretation would take half as long as the compiler, by count of operations and samples: never by the clock,
    by what was computed before or by what a cache holds, so that equal calls decide equally and give the same bits.
    """

    def __init__(self, backend: str, interpreter: Interpreter) -> None:
        self.backend = backend
        self.interpreter = interpreter
        self._lock = threading.Lock()
        self._built = False
        self._native: Native | None = None

    def native(self, n: int) -> Native | None:
        """Machine code for a call with ``n`` samples, None for the interpreter."""
        if self.backend == "interpreter" or (self.backend == "auto" and not self._pays(n)):
            return None
        with self._lock:
            if not self._built:
                self._native = self._told()
                self._built = True
        return self._native

    def _pays(self, n: int) -> bool:
        if INTERPRETED_SECONDS * LONGEST_TAPE * n < 0.5 * COMPILED_SECONDS[0]:
            return False
        tape = self.interpreter.tape
        if tape is None or len(tape.steps) > LONGEST_TAPE:
            return False
        return INTERPRETED_SECONDS * len(tape.steps) * n >= 0.5 * (COMPILED_SECONDS[0] + COMPILED_SECONDS[1] * len(tape.steps))

    def _told(self) -> Native | None:
        tape = None if self.backend == "compiled" else self.interpreter.tape
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
