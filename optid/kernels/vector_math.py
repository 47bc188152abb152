"""C text that generated kernels start with: vectors of doubles (GCC and Clang vector extensions) and the functions they need.

A vector holds one sample in each lane, and no lane looks at another, so a sample's result does not depend on its neighbours. Sine and cosine reduce the
argument by multiples of π/2 held in three parts (exact for |x| <= 10⁶, beyond that the C library is asked), exponentials by multiples of ln 2; what is left is
a Taylor polynomial cut below 1e-17. Functions that a robot model rarely holds call the C library lane by lane.
"""

from __future__ import annotations

from math import factorial

LIBRARY_UNARY = ["log", "tan", "asin", "acos", "atan", "floor", "ceil", "erf", "sinh", "cosh", "asinh", "acosh", "atanh", "log1p"]
LIBRARY_BINARY = {"pow": "pow", "constpow": "pow", "fmod": "fmod", "atan2": "atan2", "hypot": "hypot", "remainder": "remainder", "fmin": "fmin", "fmax": "fmax"}


def _polynomial(variable: str, coefficients: list[float]) -> str:
    """C expression, by Horner's rule, of coefficients of rising powers."""
    text = f"S({coefficients[-1].hex()})"
    for c in reversed(coefficients[:-1]):
        text = f"(S({c.hex()}) + {variable} * {text})"
    return text


_SINE = _polynomial("z", [(-1.0) ** k / factorial(2 * k + 1) for k in range(1, 8)])
_COSINE = _polynomial("z", [(-1.0) ** k / factorial(2 * k) for k in range(2, 9)])
_EXPM1 = _polynomial("r", [1.0 / factorial(k) for k in range(2, 15)])

_TYPES = """
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__AVX512F__)
#define W 8
#elif defined(__AVX__)
#define W 4
#else
#define W 2
#endif
#define EACH_LANE for (int l = 0; l < W; ++l)
typedef double V __attribute__((vector_size(8 * W)));
typedef long long M __attribute__((vector_size(8 * W)));

static inline V S(double c) { V r; EACH_LANE r[l] = c; return r; }
static inline M I(long long c) { M r; EACH_LANE r[l] = c; return r; }
static inline V keep(M mask, V a) { return (V)(mask & (M)a); }
static inline V pick(M mask, V a, V b) { return (V)((mask & (M)a) | (~mask & (M)b)); }
static inline V truth(M mask) { return keep(mask, S(1.0)); }
static inline int any(M mask) { long long s = 0; EACH_LANE s |= mask[l]; return s != 0; }
static inline V v_fabs(V a) { return (V)((M)a & I(0x7fffffffffffffffLL)); }
static inline V v_copysign(V a, V b) { return (V)(((M)a & I(0x7fffffffffffffffLL)) | ((M)b & ~I(0x7fffffffffffffffLL))); }
static inline V v_sign(V a) { return pick((M)(a < S(0.0)), S(-1.0), pick((M)(a > S(0.0)), S(1.0), a)); }
static inline V v_sqrt(V a) { V r; EACH_LANE r[l] = sqrt(a[l]); return r; }
"""

_TURN = """
#if defined(__clang__) || __GNUC__ >= 12
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define MIX(a, b, ...) __builtin_shuffle(a, b, (M){__VA_ARGS__})
#endif
#if W == 8
#define SWAP1(i) a = r[i], b = r[i + 1], r[i] = MIX(a, b, 0, 8, 2, 10, 4, 12, 6, 14), r[i + 1] = MIX(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define SWAP2(i) a = r[i], b = r[i + 2], r[i] = MIX(a, b, 0, 1, 8, 9, 4, 5, 12, 13), r[i + 2] = MIX(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define SWAP4(i) a = r[i], b = r[i + 4], r[i] = MIX(a, b, 0, 1, 2, 3, 8, 9, 10, 11), r[i + 4] = MIX(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#define SWAPS SWAP1(0), SWAP1(2), SWAP1(4), SWAP1(6), SWAP2(0), SWAP2(1), SWAP2(4), SWAP2(5), SWAP4(0), SWAP4(1), SWAP4(2), SWAP4(3)
#elif W == 4
#define SWAP1(i) a = r[i], b = r[i + 1], r[i] = MIX(a, b, 0, 4, 2, 6), r[i + 1] = MIX(a, b, 1, 5, 3, 7)
#define SWAP2(i) a = r[i], b = r[i + 2], r[i] = MIX(a, b, 0, 1, 4, 5), r[i + 2] = MIX(a, b, 2, 3, 6, 7)
#define SWAPS SWAP1(0), SWAP1(2), SWAP2(0), SWAP2(1)
#else
#define SWAPS a = r[0], b = r[1], r[0] = MIX(a, b, 0, 2), r[1] = MIX(a, b, 1, 3)
#endif
static inline void turned(const V *t, V *r) { V a, b; EACH_LANE r[l] = t[l]; SWAPS; }
"""

_CIRCLE = f"""
static inline V turn(V x, M *quarter) {{
  V t = x * S(0x1.45f306dc9c883p-1) + S(0x1.8p+52);
  V k = t - S(0x1.8p+52);
  *quarter = (M)t;
  return ((x - k * S(0x1.921fb544p+0)) - k * S(0x1.0b4611a6p-34)) - k * S(0x1.3198a2e037073p-69);
}}
static inline V sine(V r) {{ V z = r * r; return pick((M)(r == S(0.0)), r, r + r * z * {_SINE}); }}
static inline V cosine(V r) {{ V z = r * r; return S(1.0) - (S(0.5) * z - z * z * {_COSINE}); }}
static inline V v_sin(V x) {{
  M k;
  V r = turn(x, &k), s = pick(-(k & I(1)), cosine(r), sine(r));
  s = (V)((M)s ^ ((k & I(2)) << 62));
  return any((M)(v_fabs(x) > S(1e6))) ? far_sin(x, s) : s;
}}
static inline V v_cos(V x) {{
  M k;
  V r = turn(x, &k), c = pick(-(k & I(1)), sine(r), cosine(r));
  c = (V)((M)c ^ (((k + I(1)) & I(2)) << 62));
  return any((M)(v_fabs(x) > S(1e6))) ? far_cos(x, c) : c;
}}
"""

_EXPONENTIAL = f"""
static inline V reduced(V x, V *power) {{
  V t = x * S(0x1.71547652b82fep+0) + S(0x1.8p+52);
  V k = t - S(0x1.8p+52);
  V r = (x - k * S(0x1.62e42fefp-1)) - k * S(0x1.473de6af278edp-34);
  *power = (V)(((M)t << 52) + I(1023LL << 52));
  return r + r * r * {_EXPM1};
}}
static inline V v_exp(V x) {{
  V p, e = reduced(x, &p);
  e = e * p + p;
  return any((M)(v_fabs(x) > S(700.0))) ? far_exp(x, e) : e;
}}
static inline V v_expm1(V x) {{
  V p, e = reduced(x, &p);
  e = pick((M)(x == S(0.0)), x, e * p + (p - S(1.0)));
  return any((M)(v_fabs(x) > S(700.0))) ? far_expm1(x, e) : e;
}}
static inline V v_tanh(V x) {{
  V p, a = v_fabs(x);
  a = pick((M)(a > S(20.0)), S(20.0), a);
  V e = reduced(S(-2.0) * a, &p);
  e = e * p + (p - S(1.0));
  return v_copysign(e / (e + S(2.0)), x);
}}
"""


def _far(name: str, limit: str) -> str:
    return f"static __attribute__((noinline, cold)) V far_{name}(V x, V r) {{ EACH_LANE if (fabs(x[l]) > {limit}) r[l] = {name}(x[l]); return r; }}\n"


def prelude() -> str:
    """Types and functions of the generated code."""
    far = _far("sin", "1e6") + _far("cos", "1e6") + _far("exp", "700.0") + _far("expm1", "700.0")
    one = "".join(f"static __attribute__((noinline, unused)) V v_{f}(V a) {{ V r; EACH_LANE r[l] = {f}(a[l]); return r; }}\n" for f in LIBRARY_UNARY)
    two = "".join(
        f"static __attribute__((noinline, unused)) V v_{f}(V a, V b) {{ V r; EACH_LANE r[l] = {f}(a[l], b[l]); return r; }}\n"
        for f in sorted(set(LIBRARY_BINARY.values()))
    )
    return _TYPES + _TURN + far + _CIRCLE + _EXPONENTIAL + one + two
