"""Imported MJCF files against MuJoCo itself.

    M(q) dv/dt + c(q, v) + w(q) = tau

M by `mj_fullM`, c + w is `qfrc_bias`, w the same at rest. The files are those of `dm_control` (suite), of `gymnasium`
(envs/mujoco/assets) and of the folder `mjcf` beside this script. `cargo xtask test robots` makes the environment
(requirements.txt) and starts this; with `--store FILE` it writes the reference of the Rust tests instead.

Conventions are the same on both sides: quaternions (w, x, y, z), angular velocities in the axes of the body, velocities
of free bodies in those of the world. M contains `armature`.

What 1e-12 is relative to. An entry of M is a sum over the bodies k that both joints carry,

    M_ij = sum_k m_k (u_ki . u_kj) + w_i . I_k w_j,      u_ki = w_i x (c_k - a_i), or the direction of a slide

and its terms may cancel. Rounding knows the terms, not their sum. With n bodies, and d joints before the last, each
place is a product of d poses of some 20 roundings each, and the sum has n terms: to first order an entry is off by at
most (2 * 20 d + n) u times

    T_ij = sum_k m_k (r_ki r_kj + r_ki s_kj + s_ki r_kj) + |I_k|,      u = 1.1e-16

with r_ki the way from axis i to the centre c_k along the joints, over which this program sums, or by the centre of mass
of the whole, over which MuJoCo does, whichever is longer; and s_ki = |a_i| + |c_k|: MuJoCo's arms are differences of
places in the world, which are rounded as far as they are from its origin. (A slide has the arm 1, exactly.) With chains
of up to 100 joints and 200 bodies the bound is 5e-13 of T, and both programs round: 1e-12. The same for the bias,

    B_i = sum_k m_k ((r_ki + s_ki) A(r_k) + r_ki A(s_k)) + |I_k| W^2,   W = sum_j |v_j|,   A(r) = sum_jl |v_j| |v_l| r

over the joints j, l before k that turn, r the larger of theirs (for a slide and a turn it is 1), and for gravity with
|g| in place of A, once. Each file is held to its own bound, 2 (40 d + n) u.
"""
import argparse
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np

# Of the absolute terms of each entry, see above.
MOST = 1e-12
STATES = 5
OWN = Path(__file__).resolve().with_name("mjcf")
# The importer must say so in these words.
REFUSED = {
    "dm_control/dog.xml": "comes from a mesh",
    "dm_control/lqr.xml": "the file has no bodies",  # a template that dm_control fills
}


class Holonomy:
    """The command, and the example `tree_matrices` that prints what stands in the equations."""

    def __init__(self, command, matrices, work):
        self.command, self.work = command, work
        self.matrices = subprocess.Popen(
            [matrices, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def importing(self, file, name):
        model = self.work / f"{name}.toml"
        done = subprocess.run([self.command, "import", file, "-o", model, "--force"], capture_output=True, text=True)
        return (model if done.returncode == 0 else None), done.stderr

    def ask(self, model, states):
        self.matrices.stdin.write(json.dumps({"model": str(model), "states": states}) + "\n")
        answer = json.loads(self.matrices.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer


def labels(model):
    """What joints are called here: after themselves, or after their bodies; a second one of a name has `_2`."""
    taken, out = {"world"}, []
    # The importer counts bodies that have no name from one.
    for joint in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint)
        body = model.jnt_bodyid[joint]
        name = name or mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body) or f"body-{body}"
        name = re.sub(r"[^\w-]", "_", name)
        if name.isdigit() or name == "world":
            name = f"joint_{name}"
        unique, count = name, 1
        while unique in taken:
            count += 1
            unique = f"{name}_{count}"
        taken.add(unique)
        out.append(unique)
    return out


def columns(model):
    """Our names of MuJoCo's numbers, in its order."""
    q, v = [], []
    for joint, name in enumerate(labels(model)):
        kind = mujoco.mjtJoint(int(model.jnt_type[joint]))
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            q += [f"position.{name}.{axis}" for axis in "xyz"]
            v += [f"velocity.{name}.{axis}" for axis in "xyz"]
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            q += [f"quaternion.{name}.{axis}" for axis in "wxyz"]
            v += [f"omega.{name}.{axis}" for axis in "xyz"]
        elif kind == mujoco.mjtJoint.mjJNT_HINGE:
            q, v = q + [f"theta.{name}"], v + [f"omega.{name}"]
        else:
            q, v = q + [f"slide.{name}"], v + [f"speed.{name}"]
    return q, v


def configuration(model, random):
    q = np.array(model.qpos0) + random.uniform(-1, 1, model.nq)
    for joint in range(model.njnt):
        at = model.jnt_qposadr[joint]
        kind = mujoco.mjtJoint(int(model.jnt_type[joint]))
        at += 3 if kind == mujoco.mjtJoint.mjJNT_FREE else 0
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            q[at:at + 4] = random.normal(size=4)
            q[at:at + 4] /= np.linalg.norm(q[at:at + 4])
    return q, random.uniform(-2, 2, model.nv)


def full_mass(model, data):
    dense = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, dense)
    except TypeError:
        mujoco.mj_fullM(model, dense, data.qM)
    return dense


def theirs(model, q, v):
    """M, c, w."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    mass = full_mass(model, data)
    bias = data.qfrc_bias.copy()
    data.qvel[:] = 0
    mujoco.mj_forward(model, data)
    weight = data.qfrc_bias.copy()
    return mass, bias - weight, weight, terms(model, data, v)


def terms(model, data, v):
    """T of M, of c and of w: see above."""
    ball, free = mujoco.mjtJoint.mjJNT_BALL, mujoco.mjtJoint.mjJNT_FREE
    turns, places = np.zeros(model.nv, bool), np.zeros((model.nv, 3))
    for dof in range(model.nv):
        joint = model.dof_jntid[dof]
        kind = mujoco.mjtJoint(int(model.jnt_type[joint]))
        within = dof - model.jnt_dofadr[joint]
        turns[dof] = kind in (mujoco.mjtJoint.mjJNT_HINGE, ball) or (kind == free and within >= 3)
        places[dof] = data.xanchor[joint]
    mass = np.zeros((model.nv, model.nv))
    coriolis, weight = np.zeros(model.nv), np.zeros(model.nv)
    g = np.linalg.norm(model.opt.gravity)
    for body in range(1, model.nbody):
        # The joints before it, the nearest first, and the way to each along the joints.
        dofs, ways, at, way, carrier = [], [], data.xipos[body], 0.0, body
        while carrier > 0:
            first, count = model.body_dofadr[carrier], model.body_dofnum[carrier]
            for dof in range(first + count - 1, first - 1, -1):
                way, at = way + np.linalg.norm(at - places[dof]), places[dof]
                dofs, ways = dofs + [dof], ways + [way]
            way, at = way + np.linalg.norm(at - data.xpos[carrier]), data.xpos[carrier]
            carrier = model.body_parentid[carrier]
        if not dofs:
            continue
        dofs, ways = np.array(dofs), np.array(ways)
        o, centre = data.subtree_com[model.body_rootid[body]], data.xipos[body]
        by_centre = np.linalg.norm(places[dofs] - o, axis=1) + np.linalg.norm(centre - o)
        turning = turns[dofs]
        r = np.where(turning, np.maximum(ways, by_centre), 1.0)
        s = np.where(turning, np.linalg.norm(places[dofs], axis=1) + np.linalg.norm(centre), 0.0)
        m, inertia = model.body_mass[body], np.linalg.norm(model.body_inertia[body])
        products = np.outer(r, r) + np.outer(r, s) + np.outer(s, r)
        mass[np.ix_(dofs, dofs)] += m * products + inertia * np.outer(turning, turning)
        speed = np.abs(v[dofs])
        both, one = np.outer(turning, turning), np.logical_xor.outer(turning, turning)
        pulled = lambda arm: speed @ np.where(both, np.maximum.outer(arm, arm), one) @ speed
        coriolis[dofs] += m * ((r + s) * pulled(r) + r * pulled(s)) + inertia * (speed @ turning)**2 * turning
        weight[dofs] += m * (r + s) * g
    return mass + np.diag(model.dof_armature), coriolis, weight


def bound(model):
    """What the roundings of both programs may make of the terms."""
    depth = np.zeros(model.nbody, int)
    for body in range(1, model.nbody):
        depth[body] = depth[model.body_parentid[body]] + max(1, model.body_dofnum[body])
    return min(MOST, 2 * (40 * depth.max() + model.nbody) * 2.0**-53)


def ratio(difference, size):
    """The largest quotient; what has no terms has to be zero."""
    difference = np.abs(difference)
    if np.any(difference[size == 0] != 0):
        return np.inf
    return (difference[size > 0] / size[size > 0]).max(initial=0.0)


def compare(holonomy, file, text, seed):
    model = mujoco.MjModel.from_xml_path(str(file))
    if model.ntendon and np.any(model.tendon_armature):
        raise ValueError("armature of tendons is not carried over")
    random = np.random.default_rng(seed)
    theirs_q, theirs_v = columns(model)
    names = holonomy.ask(text, [])
    if sorted(names["velocities"]) != sorted(theirs_v):
        raise ValueError(f"velocities are {names['velocities']} here and {theirs_v} there")
    order_q = [theirs_q.index(name) for name in names["coordinates"]]
    order_v = [theirs_v.index(name) for name in names["velocities"]]
    states = [configuration(model, random) for _ in range(STATES)]
    asked = [{"q": list(q[order_q]), "v": list(v[order_v])} for q, v in states]
    answer = holonomy.ask(text, asked)
    errors, kept = np.zeros(3), []
    for (q, v), given, ours in zip(states, asked, answer["states"]):
        mass, coriolis, weight, sizes = theirs(model, q, v)
        mass, coriolis, weight = mass[np.ix_(order_v, order_v)], coriolis[order_v], weight[order_v]
        sizes = {"mass": sizes[0][np.ix_(order_v, order_v)], "coriolis": sizes[1][order_v], "weight": sizes[2][order_v]}
        n = len(weight)
        bias = np.add(ours["coriolis"], ours["weight"]) - coriolis - weight
        errors = np.maximum(errors, [
            ratio(np.reshape(ours["mass"], (n, n)) - mass, sizes["mass"]),
            ratio(bias, sizes["coriolis"] + sizes["weight"]),
            ratio(np.subtract(ours["weight"], weight), sizes["weight"]),
        ])
        kept.append((given | {"mass": mass, "coriolis": coriolis, "weight": weight}, sizes))
    return errors, bound(model), names["velocities"], kept


def packaged(package, *parts):
    found = importlib.util.find_spec(package)
    folder = Path(found.origin).resolve().parent.joinpath(*parts)
    return [(f"{package}/{file.name}", file) for file in sorted(folder.glob("*.xml"))]


def files():
    own = [(f"own/{file.name}", file) for file in sorted(OWN.glob("*.xml"))]
    return packaged("dm_control", "suite") + packaged("gymnasium", "envs", "mujoco", "assets") + own


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holonomy", required=True)
    parser.add_argument("--matrices", required=True)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--store", type=Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    holonomy = Holonomy(arguments.holonomy, arguments.matrices, arguments.work)
    failures, compared, cases = [], 0, []
    for key, file in files():
        text, said = holonomy.importing(file, re.sub(r"\W", "_", key))
        if text is None:
            reason = said.splitlines()[0].removeprefix("error: ")
            print(f"{key:42} refused: {reason}")
            if key not in REFUSED or REFUSED[key] not in said:
                failures.append(f"{key}: {reason}")
            continue
        try:
            errors, most, velocities, kept = compare(holonomy, file, text, 1)
        except ValueError as error:
            failures.append(f"{key}: {error}")
            continue
        compared += 1
        print(f"{key:42} M {errors[0]:.0e}  bias {errors[1]:.0e}  gravity {errors[2]:.0e}  {said.split(chr(10))[0][9:]}")
        if not errors.max() <= most:
            failures.append(f"{key}: M, bias and gravity differ by {errors}, {most:.0e} is rounding")
        if key.startswith("own/"):
            rounded = lambda values: [float(f"{x:.15g}") for x in np.ravel(values)]
            state, sizes = ({name: rounded(values) for name, values in part.items()} for part in kept[0])
            sizes = {name: [float(f"{x:.2g}") for x in values] for name, values in sizes.items()}
            cases.append({"mjcf": file.name, "velocities": velocities, "states": [state | {"terms": sizes}]})
    if arguments.store:
        lines = ",\n".join(json.dumps(case) for case in cases)
        about = f"made by mjcf_compare.py --store with MuJoCo {mujoco.__version__}"
        arguments.store.write_text(f'{{"about": "{about}", "cases": [\n{lines}\n]}}\n')
        return 0
    print(f"{compared} files compared")
    if compared < 20:
        failures.append("fewer than 20 files were compared")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
