"""A: l = 1 m, m = 1 kg, 60 degrees from straight down, 2 m/s sideways, h = 0.01 s.

    z is down, as in ours, except in MuJoCo:  q'' = g - (g.q + |q'|^2) q
"""
from math import ceil, sqrt

H, G = 0.01, 9.81
START = [sqrt(0.75), 0.0, 0.5, 0.0, 2.0, 0.0]


def numba_rk4(_size, _file):
    import numba
    import numpy as np
    from systems import pendulum_rk4 as steps_of

    state = np.array(START)

    def reset():
        state[:] = START

    return f"numba {numba.__version__}", reset, lambda n: steps_of(state, H, n)


def heyoka(_size, _file):
    import heyoka as hy
    from systems import heyoka_pendulum

    integrator = heyoka_pendulum(START, 1e-16)

    def reset():
        integrator.time = 0.0
        integrator.state[:] = START

    return f"heyoka {hy.__version__}", reset, lambda n: integrator.propagate_until(n * H)


def mujoco(_size, _file):
    import mujoco
    import numpy as np

    # A ball joint and a point mass: MuJoCo wants some inertia; 1e-6 changes nothing that can be seen.
    model = mujoco.MjModel.from_xml_string(f"""
      <mujoco><option timestep="{H}" integrator="RK4" gravity="0 0 -{G}">
        <flag contact="disable" constraint="disable"/></option>
        <worldbody><body><joint type="ball"/>
          <inertial pos="0 0 -1" mass="1" diaginertia="1e-6 1e-6 1e-6"/></body></worldbody></mujoco>""")
    data = mujoco.MjData(model)

    def reset():
        mujoco.mj_resetData(model, data)
        # 60 degrees about y: the bob is at (-sin, 0, -cos); 2 m/s along y is omega x r.
        data.qpos[:] = [np.cos(np.pi / 6), 0, np.sin(np.pi / 6), 0]
        omega = np.array([0.0, 0.0, -2.0 / sqrt(0.75)])
        down = np.array([-sqrt(0.75), 0, -0.5])
        omega = np.cross(down, [0, 2.0, 0])
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, data.qpos)
        data.qvel[:] = rotation.reshape(3, 3).T @ omega

    return f"MuJoCo {mujoco.__version__}", reset, lambda n: mujoco.mj_step(model, data, n)


def scipy_dop853(_size, _file):
    import scipy
    from scipy.integrate import solve_ivp
    from systems import pendulum_rate

    def steps(n):
        solve_ivp(pendulum_rate, (0, n * H), START, method="DOP853", rtol=1e-9, atol=1e-9, t_eval=[n * H])

    return f"SciPy {scipy.__version__}", lambda: None, steps


PEERS = {
    "numba-rk4": numba_rk4,
    "heyoka": heyoka,
    "mujoco-rk4": mujoco,
    "scipy-dop853": scipy_dop853,
}
