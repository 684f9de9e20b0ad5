"""F: 2 m of cable, 0.2 kg, n rods, pins 1.4 m apart, starts as a V in a plane tilted by 45 degrees, at rest; h = 1 ms.

MuJoCo holds the far end by `connect`, as stiff as it takes, with RK4: its settings that open least and conserve best.
"""
import numpy as np


def mujoco_rk4(n, _file):
    from rods import mujoco_rods

    depth = np.sqrt((1 - 0.49) / 2)
    down, up = np.array([0.7, depth, -depth]), np.array([0.7, -depth, depth])
    return mujoco_rods([down] * (n // 2) + [up] * (n // 2), 2.0 / n, 0.2 / n, 0.005, 1e-3, pin=[1.4, 0, 0])


PEERS = {"mujoco-rk4": mujoco_rk4}
