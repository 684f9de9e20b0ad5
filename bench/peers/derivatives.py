"""An arm of n hinges that turn about x and y in turn: bars of 1 m and 0.1 kg, h = 0.01 s; derivatives of a step.

The bars, the angles and the step are those of `arm` in `bench/src/derivatives.rs`. A step of the peers is one matrix A
with respect to the whole state, made again and again at the same state:

    mujoco-fd            mjd_transitionFD, one-sided differences of a step by the integrator implicitfast
    mujoco-fd-centred    the same with centred differences
    pinocchio-aba        computeABADerivatives: those of the accelerations alone, no step
    crocoddyl-euler      calcDiff of Euler's method with the forward dynamics of a free arm; the step itself, calc, once
    crocoddyl-rk4        the same of RK4
"""
import numpy as np

H, MASS, SIDES = 0.01, 0.1, (0.3, 0.3, 1.0)


def angles(n):
    return np.array([0.3 / joint for joint in range(1, n + 1)])


def principal():
    a, b, c = SIDES
    return [MASS / 12 * (b * b + c * c), MASS / 12 * (a * a + c * c), MASS / 12 * (a * a + b * b)]


def mujoco(n, centred):
    import mujoco as mj

    spec = mj.MjSpec()
    spec.option.timestep, spec.option.gravity = H, [0, 0, -9.81]
    spec.option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT | mj.mjtDisableBit.mjDSBL_CONSTRAINT
    body = spec.worldbody
    for i in range(n):
        body = body.add_body(name=f"b{i}", pos=[0, 0, 0 if i == 0 else -1])
        body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=[1, 0, 0] if i % 2 else [0, 1, 0])
        body.explicitinertial = True
        body.mass, body.ipos, body.inertia = MASS, [0, 0, -0.5], principal()
    model = spec.compile()
    data = mj.MjData(model)
    data.qpos[:] = angles(n)
    a = np.empty((2 * n, 2 * n))
    transition = mj.mjd_transitionFD

    def steps(count):
        for _ in range(count):
            transition(model, data, 1e-6, centred, a, None, None, None)

    return f"MuJoCo {mj.__version__}", lambda: None, steps


def arm(n):
    import pinocchio as pin

    model = pin.Model()
    bar = pin.Inertia(MASS, np.array([0, 0, -0.5]), np.diag(principal()))
    parent = 0
    for i in range(n):
        place = pin.SE3(np.eye(3), np.array([0, 0, 0.0 if i == 0 else -1.0]))
        kind = pin.JointModelRX() if i % 2 else pin.JointModelRY()
        parent = model.addJoint(parent, kind, place, f"j{i}")
        model.appendBodyToJoint(parent, bar, pin.SE3.Identity())
    return pin, model


def pinocchio(n, _file):
    pin, model = arm(n)
    data, q, v, tau = model.createData(), angles(n), np.zeros(n), np.zeros(n)

    def steps(count):
        derivatives = pin.computeABADerivatives
        for _ in range(count):
            derivatives(model, data, q, v, tau)

    return f"Pinocchio {pin.__version__}", lambda: None, steps


def crocoddyl(n, rk4):
    # Pinocchio comes first: it makes the types known that Crocoddyl takes.
    pin, model = arm(n)
    import crocoddyl as cro

    state = cro.StateMultibody(model)
    costs = cro.CostModelSum(state)
    free = cro.DifferentialActionModelFreeFwdDynamics(state, cro.ActuationModelFull(state), costs)
    if rk4:
        step = cro.IntegratedActionModelRK(free, cro.RKType.four, H)
    else:
        step = cro.IntegratedActionModelEuler(free, H)
    data, x, u = step.createData(), np.concatenate([angles(n), np.zeros(n)]), np.zeros(n)

    step.calc(data, x, u)

    def steps(count):
        diff = step.calcDiff
        for _ in range(count):
            diff(data, x, u)

    return f"Crocoddyl {cro.__version__}", lambda: None, steps


PEERS = {
    "mujoco-fd": lambda n, _file: mujoco(n, False),
    "mujoco-fd-centred": lambda n, _file: mujoco(n, True),
    "pinocchio-aba": pinocchio,
    "crocoddyl-euler": lambda n, _file: crocoddyl(n, False),
    "crocoddyl-rk4": lambda n, _file: crocoddyl(n, True),
}
