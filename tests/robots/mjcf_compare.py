"""Imported MJCF files against MuJoCo itself.

    M(q) dv/dt + c(q, v) + w(q) = tau

M by `mj_fullM`, c + w is `qfrc_bias`, w the same at rest. The files are those of `dm_control` (suite), of `gymnasium`
(envs/mujoco/assets) and of the folder `mjcf` beside this script. `cargo xtask test robots` makes the environment
(requirements.txt) and starts this; with `--store FILE` it writes the reference of the Rust tests instead.

Conventions are the same on both sides: quaternions (w, x, y, z), angular velocities in the axes of the body, velocities
of free bodies in those of the world. MuJoCo adds `armature` to the diagonal of M; the importer lists it as ignored, and
it is subtracted here.
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

# Of the largest entry alike; both sides sum some hundred products of doubles.
TOLERANCE = 1e-12
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
    """M without armature, c, w."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    mass = full_mass(model, data) - np.diag(model.dof_armature)
    bias = data.qfrc_bias.copy()
    data.qvel[:] = 0
    mujoco.mj_forward(model, data)
    weight = data.qfrc_bias.copy()
    return mass, bias - weight, weight


def compare(holonomy, file, text, seed):
    model = mujoco.MjModel.from_xml_path(str(file))
    if model.ntendon and np.any(model.tendon_armature):
        raise ValueError("armature of tendons cannot be subtracted")
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
        mass, coriolis, weight = theirs(model, q, v)
        mass, coriolis, weight = mass[np.ix_(order_v, order_v)], coriolis[order_v], weight[order_v]
        n = len(weight)
        # Digits are those of what is summed: M with armature, and momenta times rates beside the bias itself.
        armoured = np.diag(mass) + model.dof_armature[order_v]
        size = np.sqrt(np.outer(armoured, armoured))
        turned = v[order_v]
        bias = max(np.abs(coriolis + weight).max(), np.abs(mass @ turned).max() * np.abs(turned).max())
        errors = np.maximum(errors, [
            (np.abs(np.reshape(ours["mass"], (n, n)) - mass) / size).max(),
            np.abs(np.add(ours["coriolis"], ours["weight"]) - coriolis - weight).max() / (bias or 1.0),
            np.abs(ours["weight"] - weight).max() / (np.abs(weight).max() or 1.0),
        ])
        kept.append(given | {"mass": mass, "coriolis": coriolis, "weight": weight})
    return errors, names["velocities"], kept


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
            errors, velocities, kept = compare(holonomy, file, text, 1)
        except ValueError as error:
            failures.append(f"{key}: {error}")
            continue
        compared += 1
        print(f"{key:42} M {errors[0]:.0e}  bias {errors[1]:.0e}  gravity {errors[2]:.0e}  {said.split(chr(10))[0][9:]}")
        if not errors.max() <= TOLERANCE:
            failures.append(f"{key}: M, bias and gravity differ by {errors}")
        if key.startswith("own/"):
            rounded = lambda values: [float(f"{x:.15g}") for x in np.ravel(values)]
            state = {name: rounded(values) for name, values in kept[0].items()}
            cases.append({"mjcf": file.name, "velocities": velocities, "states": [state]})
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
