"""Closed forms: expanded polynomials in sines, cosines, rates and parameters, exact, with the sums of angles of parallel axes drawn together. Needs sympy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from optid.errors import RobotError, require, sentence
from optid.kernels.tape import Step

from .equations import Equations, parts_of
from .statements import tape_of

MOST_TERMS = 20_000
"""An element with more terms is no longer read by anybody."""


def expanded(equations: Equations, part: str) -> Any:
    """One of the equations' expressions as an expanded sympy Matrix.

    Every cosine and sine is written by its angle: ``c2`` = cos(q2), ``s23`` = sin(q2 + q3). ``s² + c² = 1`` is used throughout. Terms
    with the same speeds and accelerations stand together. Numbers are exact: a length of 0.3 m is 3/10.

    Raises
    ------
    MissingExtraError
        Without sympy.
    RobotError
        When an element has too many terms to be of use (arms with six or seven skew axes): use straight-line text or C.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.export import Equations, expanded
    >>> expanded(Equations(DynamicModel(library.planar_2r(), "none")), "gravity")[1]
    981*c12*mx2/100 - 981*my2*s12/100
    """
    sympy = require("sympy", "symbolic")
    (part,) = parts_of(equations, part)
    function = equations.function(part)
    work = _Ring(sympy, equations, function.name_in())
    tape = tape_of(function)
    values: list[Any] = []
    for step in tape.steps:
        values.append(work.apply(step, values))
    rows, columns = tape.shape
    result = sympy.zeros(rows, columns)
    for element, value in tape.outputs:
        result[element // columns, element % columns] = work.expression(values[value])
    return result


def decimal(expression: Any) -> Any:
    """An expression with 0.15 in place of 3/20, for printing."""
    sympy = require("sympy", "symbolic")

    def shown(number: Any) -> Any:
        return sympy.sign(number) * sympy.Symbol(repr(float(abs(number))))

    return expression.replace(lambda e: e.is_Rational and not e.is_Integer, shown)


class _Ring:
    """Polynomials over the rationals in all symbols, with a sine and a cosine of every joint angle."""

    def __init__(self, sympy: Any, equations: Equations, inputs: list[str]) -> None:
        self.sympy, self.inputs = sympy, list(inputs)
        n = equations.model.n
        self.angles = [f"q{j + 1}" for j in range(n)]
        self.chains = _parallel(equations)
        trig = [f"{letter}{j + 1}" for j in range(n) for letter in "cs"]
        extra = [f"sign(dq{j + 1})" for j in range(n)]
        self.rates = {f"{stem}{j + 1}" for stem in ("dq", "ddq") for j in range(n)} | set(extra)
        names = [*(name for name in equations.symbols), *trig, *extra]
        taken = set(equations.symbols) & {*trig, *extra}
        if taken:
            raise RobotError(sentence("names of the equations", f"{sorted(taken)[0]!r}", "other names than those of cosines, sines and signs"))
        self.ring, *generators = sympy.ring(names, sympy.QQ)
        self.names = names
        self.generator = dict(zip(names, generators, strict=True))

    def apply(self, step: Step, values: list[Any]) -> Any:
        """The value of one operation."""
        if step.op == "input":
            return self.generator[self.inputs[step.args[0]]]
        if step.op == "const":
            # 9.81 is meant, not the nearest binary fraction
            fraction = Fraction(repr(step.constant))
            return self.ring.domain_new(self.sympy.QQ(fraction.numerator, fraction.denominator)) * self.ring.one
        a = [values[k] for k in step.args]
        if step.op in ("sin", "cos", "sign"):
            return self._elementary(step.op, a[0])
        simple = {
            "add": lambda: a[0] + a[1],
            "sub": lambda: a[0] - a[1],
            "mul": lambda: a[0] * a[1],
            "neg": lambda: -a[0],
            "sq": lambda: a[0] ** 2,
            "twice": lambda: 2 * a[0],
        }
        if step.op not in simple:
            raise RobotError(
                sentence("expression to expand", f"the operation {step.op!r}", "sums, products, sines, cosines and signs", "Export it unexpanded.")
            )
        result = self._reduced(simple[step.op]())
        if len(result) > MOST_TERMS:
            raise RobotError(sentence("expression to expand", f"more than {MOST_TERMS} terms", "fewer", "Export it unexpanded."))
        return result

    def _elementary(self, op: str, argument: Any) -> Any:
        name = str(argument)
        if op == "sign" and name.startswith("dq") and name in self.generator:
            return self.generator[f"sign({name})"]
        if op != "sign" and name in self.angles:
            return self.generator[f"{op[0]}{name[1:]}"]
        raise RobotError(sentence("expression to expand", f"{op}({name})", "sines and cosines of joint angles, signs of joint speeds", "Export it unexpanded."))

    def _reduced(self, p: Any) -> Any:
        """Even powers of sines replaced by cosines."""
        places = [(self.names.index(f"s{a[1:]}"), self.generator[f"c{a[1:]}"]) for a in self.angles]
        if not any(powers[at] > 1 for powers in p for at, _ in places):
            return p
        result = self.ring.zero
        for powers, coefficient in p.terms():
            left = list(powers)
            factor = self.ring.one
            for at, cosine in places:
                factor *= (1 - cosine**2) ** (left[at] // 2)
                left[at] %= 2
            result += self.ring.from_dict({tuple(left): coefficient}) * factor
        return result

    # -- sums of angles -----------------------------------------------------------------------------------------------------------------------------

    def expression(self, p: Any) -> Any:
        """A sympy expression with angles of parallel axes added up and terms of equal speeds and accelerations together."""
        terms = {self._key(powers): coefficient for powers, coefficient in p.terms()}
        for chain in self.chains:
            for size in range(2, len(chain) + 1):
                for first in range(len(chain) - size + 1):
                    terms = _folded(terms, chain[first : first + size - 1], chain[first + size - 1])
        sympy = self.sympy
        groups: dict[Any, list[Any]] = {}
        for (powers, trig), coefficient in terms.items():
            rates = [sympy.Symbol(self.names[k]) ** power for k, power in powers if self.names[k] in self.rates]
            factors = [sympy.Symbol(self.names[k]) ** power for k, power in powers if self.names[k] not in self.rates]
            factors += [sympy.Symbol(f"{letter}{''.join(str(j) for j in joints)}") ** power for (letter, joints), power in trig]
            groups.setdefault(sympy.Mul(*rates), []).append(sympy.Rational(coefficient.numerator, coefficient.denominator) * sympy.Mul(*factors))
        return sympy.Add(*(rate * sympy.Add(*group) for rate, group in groups.items()))

    def _key(self, powers: tuple[int, ...]) -> _Key:
        plain, trig = [], []
        for k, power in enumerate(powers):
            name = self.names[k]
            if not power:
                continue
            if name[0] in "cs" and name[1:].isdigit() and f"q{name[1:]}" in self.angles:
                trig.append(((name[0], (int(name[1:]),)), power))
            else:
                plain.append((k, power))
        return tuple(plain), tuple(sorted(trig))


_Key = tuple[tuple[tuple[int, int], ...], tuple[tuple[tuple[str, tuple[int, ...]], int], ...]]


def _parallel(equations: Equations) -> list[tuple[int, ...]]:
    """Runs of revolute joints whose axes point the same way (numbers from 1), slides along them left out."""
    robot = equations.model.robot
    if robot.mimic or robot.coupling is not None:
        return []
    runs: list[list[int]] = []
    axis, turn = None, np.eye(3)
    for j, joint in enumerate(robot.joints, start=1):
        turn = turn @ joint.before.R
        if joint.revolute:
            now = turn @ joint.axis
            if axis is not None and np.abs(now - axis).max() < 1e-12:
                runs[-1].append(j)
            else:
                runs.append([j])
            # rotations about the axis itself do not turn it; after others the run ends by comparison
            axis = now
        turn = turn @ joint.after.R
    return [tuple(run) for run in runs if len(run) > 1]


def _folded(terms: dict[_Key, Any], left: tuple[int, ...], right: int) -> dict[_Key, Any]:
    """Replace ``x c_left c_right − x s_left s_right`` by ``x c_both`` and ``x s_left c_right + x c_left s_right`` by ``x s_both``, for whatever x occurs."""
    both = (*left, right)
    rules = ((("c", "c"), ("s", "s"), -1, "c"), (("s", "c"), ("c", "s"), 1, "s"))
    result = dict(terms)
    for first, second, sign, made in rules:
        for key in [k for k in result if _has(k, (first[0], left), (first[1], (right,)))]:
            rest = _without(key, (first[0], left), (first[1], (right,)))
            partner = _with(rest, (second[0], left), (second[1], (right,)))
            if key not in result or partner not in result:
                continue
            share = result[key]
            if result[partner] * sign != share:
                continue
            del result[key], result[partner]
            target = _with(rest, (made, both))
            result[target] = result.get(target, 0) + share
    return {key: value for key, value in result.items() if value}


def _has(key: _Key, *factors: tuple[str, tuple[int, ...]]) -> bool:
    found = dict(key[1])
    return all(found.get(factor, 0) > 0 for factor in factors)


def _without(key: _Key, *factors: tuple[str, tuple[int, ...]]) -> _Key:
    found = dict(key[1])
    for factor in factors:
        found[factor] -= 1
    return key[0], tuple(sorted((factor, power) for factor, power in found.items() if power))


def _with(key: _Key, *factors: tuple[str, tuple[int, ...]]) -> _Key:
    found = dict(key[1])
    for factor in factors:
        found[factor] = found.get(factor, 0) + 1
    return key[0], tuple(sorted(found.items()))
