"""A robot that serves a folder, as somebody would write it who has read no more than  optid tune resume --help.  Its vibration is known in closed form."""

import re
import sys
import time
from pathlib import Path

import numpy as np

folder, lag = Path(sys.argv[1]), float(sys.argv[2])
clock = np.arange(300) / 1e3
shapes = np.stack([np.sin(2 * np.pi * f * clock) * np.exp(-8 * clock) for f in (8.0, 13.0)])
while not (folder / "optid_best.mod").exists():
    for go in sorted(folder.glob("run_*.go")):
        csv, done, number = go.with_suffix(".csv"), go.with_suffix(".done"), int(go.stem[4:])
        if done.exists():
            continue
        axis2, axis3 = (float(x) for x in re.findall(r"TuneServo ROB_1, \d, ([\d.]+)", go.with_suffix(".mod").read_text())[:2])
        away = np.array([[1.0, 0.2], [0.3, 0.5]]) @ [axis2 - 94, axis3 - 107] / 50
        tau = np.column_stack([away @ shapes, 0.6 * away[::-1] @ shapes]) + 1e-3 * np.random.default_rng(number).standard_normal((300, 2))
        tau += np.sin(np.pi * np.minimum(clock / 0.05, 1))[:, None]
        table = np.column_stack([clock, np.outer(np.minimum(clock / 0.05, 1), [0.03, 0.03]), tau])
        time.sleep(lag)
        with open(csv, "w") as file:
            file.write("time,q_axis2,q_axis3,tau_axis2,tau_axis3\n")
            for row in table:
                file.write(",".join(f"{x:.9g}" for x in row) + "\n")
        time.sleep(lag)
        done.touch()
    time.sleep(0.005)
