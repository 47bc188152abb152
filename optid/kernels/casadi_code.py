"""CasADi's own C code of a function, looped over samples: for functions that are more than scalar operations (loops, interpolants, solvers)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import casadi as ca

from .vector_code import table

_DRIVER = """
#include <stdlib.h>
int optid_kernel(const double *const *inputs, const long long *strides, long long n, double *out, long long by_sample, long long by_element) {
  int failed = 0, memory;
  double *in = malloc(sizeof(double) * (N_IN + N_OUT + SIZE_W + 1)), *results = in + N_IN, *w = results + N_OUT;
  casadi_int *iw = malloc(sizeof(casadi_int) * (SIZE_IW + 1));
  const double *arguments[SIZE_ARG + 1];
  double *targets[SIZE_RES + 1];
  if (!in || !iw) { free(in); free(iw); return 1; }
  kernel_incref();
  memory = kernel_checkout();
  for (long long s = 0; s < n && !failed; ++s) {
    for (int i = 0; i < N_IN; ++i) in[i] = inputs[IN_INPUT[i]][s * strides[IN_INPUT[i]] + IN_ELEMENT[i]];
    for (int i = 0; i < N_ARGUMENTS; ++i) arguments[i] = in + ARGUMENT_START[i];
    targets[0] = results;
    failed = kernel(arguments, targets, iw, w, memory);
    for (int o = 0; o < N_OUT; ++o) out[s * by_sample + OUT_ELEMENT[o] * by_element] = results[o];
  }
  kernel_release(memory);
  kernel_decref();
  free(in);
  free(iw);
  return failed;
}
"""


def casadi_source(function: ca.Function) -> str | None:
    """C source of ``optid_kernel`` (see :mod:`optid.kernels.native` for its arguments); None when CasADi cannot generate the function.

    The function is wrapped under a fixed name. CasADi writes the names of the functions inside, and of their inputs, into comments: these are taken out, and
    a name that could end a comment early is refused.
    """
    if not all(name.isidentifier() and name.isascii() for name in _names(function)):
        return None
    arguments = [ca.MX.sym(f"i{i}", function.sparsity_in(i)) for i in range(function.n_in())]
    wrapped = ca.Function("kernel", arguments, [function(*arguments)])
    generator = ca.CodeGenerator("kernel", {"casadi_int": "long long"})
    try:
        generator.add(wrapped)
        text = generator.dump()
    except RuntimeError:  # callbacks and other code that lives in memory only
        return None
    if any(line.count("*/") > 1 for line in text.splitlines()):
        return None
    body = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    elements = [wrapped.sparsity_in(i).find() for i in range(wrapped.n_in())]
    places = [(i, e) for i, inside in enumerate(elements) for e in inside]
    rows, columns = wrapped.sparsity_out(0).get_triplet()
    starts = [sum(map(len, elements[:i])) for i in range(len(elements))]
    sizes = {
        "N_IN": len(places),
        "N_OUT": len(rows),
        "N_ARGUMENTS": len(elements),
        "SIZE_W": wrapped.sz_w(),
        "SIZE_IW": wrapped.sz_iw(),
        "SIZE_ARG": wrapped.sz_arg(),
        "SIZE_RES": wrapped.sz_res(),
    }
    tables = [
        table("IN_INPUT", [i for i, _ in places]),
        table("IN_ELEMENT", [e for _, e in places]),
        table("ARGUMENT_START", starts),
        table("OUT_ELEMENT", [row * wrapped.size2_out(0) + column for row, column in zip(rows, columns, strict=True)]),
    ]
    return "\n".join([body, "enum { " + ", ".join(f"{name} = {size}" for name, size in sizes.items()) + " };", *tables, _DRIVER])


def _names(function: ca.Function) -> Iterator[str]:
    """Names of inputs and outputs of a function and of all functions in it, branches too (CasADi itself checks the functions' names)."""
    for each in (function, *function.find_functions()):
        yield from (*each.name_in(), *each.name_out())
