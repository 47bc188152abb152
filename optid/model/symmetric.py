"""Linear equations with a mass matrix, as CasADi expressions."""

from __future__ import annotations

import casadi as ca


def solve_symmetric(M: ca.SX, b: ca.SX) -> ca.SX:
    """x with ``M x = b`` for a symmetric positive definite M, by L D Lᵀ."""
    if M.shape == (1, 1):
        return b / M
    D, LT, order = ca.ldl(ca.densify(M))
    return ca.ldl_solve(ca.densify(b), D, LT, order)
