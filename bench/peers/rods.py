"""Rods on ball joints for MuJoCo: nested bodies, each hanging along its own -z."""
import numpy as np


def frame(direction):
    """A rotation that takes -z to the direction."""
    third = -np.asarray(direction) / np.linalg.norm(direction)
    first = np.cross([0.0, 1.0, 0.0], third)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(third, first), third])


def mujoco_rods(directions, length, mass, radius, h, pin=None):
    """Model and start: thin rods along the directions, the first hung at the origin, the last perhaps pinned."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = h, [0, 0, -9.81]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    off = mujoco.mjtDisableBit.mjDSBL_CONTACT
    spec.option.disableflags |= off if pin is not None else off | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    along, across = 0.5 * mass * radius**2, mass * length**2 / 12
    body = spec.worldbody
    for i in range(len(directions)):
        body = body.add_body(name=f"b{i}", pos=[0, 0, 0 if i == 0 else -length])
        body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        body.explicitinertial = True
        body.mass, body.ipos, body.inertia = mass, [0, 0, -length / 2], [across, across, along]
    if pin is not None:
        connect = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY)
        connect.name1, connect.name2 = body.name, "world"
        connect.data[0:3] = [0, 0, -length]
        connect.solref = [0.002, 1]
        connect.solimp = [0.9999, 0.9999, 0.001, 0.5, 2]
    model = spec.compile()
    if pin is not None:
        # MuJoCo puts the anchor in the world where the undeformed cable ends; it belongs at the pin.
        model.eq_data[0, 0:3], model.eq_data[0, 3:6] = [0, 0, -length], pin
    data = mujoco.MjData(model)
    start = np.empty(model.nq)
    before = np.eye(3)
    for i, direction in enumerate(directions):
        now = frame(direction)
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, (before.T @ now).flatten())
        start[4 * i : 4 * i + 4] = quaternion
        before = now

    def reset():
        mujoco.mj_resetData(model, data)
        data.qpos[:] = start

    return f"MuJoCo {mujoco.__version__}", reset, lambda n: mujoco.mj_step(model, data, n)
