"""Robots with elastic joints: closed-loop simulation, tuning of the feedforward, and what helps to choose experiments."""
