"""Trees against Pinocchio: imported robots and random trees, and arms that swing freely.

    M(q) dv/dt + c(q, v) + w(q) = tau

M by `crba`, c + w by `nonLinearEffects`, w by `computeGeneralizedGravity`. `cargo xtask test robots` makes the
environment (requirements.txt) and starts this; with `--store FILE` it writes the reference of the Rust tests instead.

Conventions. Pinocchio has quaternions (x, y, z, w), and of a free joint the linear velocity in the axes of the body:
u = T v, T = diag(R^T, 1), so that M_ours = T^T M T and bias_ours = T^T (bias + M dT/dt v), dT/dt v = (-omega x u, 0).
Continuous joints have (cos, sin) there.
"""
import argparse
import json
import re
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pinocchio as pin

TOLERANCE = 1e-9  # of the largest entry alike; both sides sum some hundred products of doubles
STATES = 3
TREES = 200
STORED = [2, 3, 4, 5, 7, 8]
EVERY = Path(__file__).resolve().with_name("every-joint.urdf")

# Files that are no robots, or wrong; the importer must say so in these words.
REFUSED = {
    "hector_description/robots/quadrotor_base.urdf.xacro": "xacro",
    "ur_description/urdf/ur3.urdf": "the robot has no links",
    "alex_description/urdf/alex_psyonic_hands.urdf": "there is no such joint",
}
# Its head is a point mass behind three joints: at zero its mass matrix is singular, and no run can start there.
SINGULAR = {"icub_description/robots/icub.urdf"}
# What is swung: arms, hands and other robots on a base that does not move.
SWUNG = (
    "asr_twodof", "double_pendulum", "finger_edu", "kinova_description", "panda", "so_arm", "talos_left_arm",
    "ur_description", "xarm", "z1_description", "allegro",
)


class Holonomy:
    """The command, and the example `tree_matrices` that prints what stands in the equations."""

    def __init__(self, command, matrices, work):
        self.command, self.work = command, work
        self.matrices = subprocess.Popen(
            [matrices, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def importing(self, urdf, name, *flags):
        """The model of a robot, or what is said against it; and what was ignored."""
        model = self.work / f"{name}.toml"
        done = subprocess.run([self.command, "import", urdf, "-o", model, "--force", *flags],
                              capture_output=True, text=True)
        return (model if done.returncode == 0 else None), done.stderr

    def ask(self, model, states):
        self.matrices.stdin.write(json.dumps({"model": str(model), "states": states}) + "\n")
        answer = json.loads(self.matrices.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def run(self, model, steps):
        done = subprocess.run(
            [self.command, "run", model, "--no-files", "--json", "--quiet", "--steps", str(steps), "--every", "1"],
            capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip().splitlines()[0])
        return json.loads(done.stdout)


class Numbers:
    """Ours and Pinocchio's numbers of one configuration, filled joint by joint under one name."""

    def __init__(self, model, random):
        self.model, self.random = model, random
        self.q, self.v = pin.neutral(model), np.zeros(model.nv)
        self.ours = {}
        self.columns = {}  # our velocity -> Pinocchio's
        self.free = []

    def scalar(self, joint, name, slides):
        """A joint with one coordinate; `name` is that of the joint, or None where we have no such joint."""
        x, rate = self.random.uniform(-3, 3) * (0.2 if slides else 1.0), self.random.uniform(-2, 2)
        iq, iv = self.model.idx_qs[joint], self.model.idx_vs[joint]
        self.q[iq:iq + self.model.nqs[joint]] = [x] if self.model.nqs[joint] == 1 else [np.cos(x), np.sin(x)]
        if name is None:
            return
        self.v[iv] = rate
        where, speed = ("slide", "speed") if slides else ("theta", "omega")
        self.ours[f"{where}.{name}"], self.ours[f"{speed}.{name}"] = x, rate
        self.columns[f"{speed}.{name}"] = iv

    def ball(self, joint, name):
        turn = self.random.normal(size=4)
        turn /= np.linalg.norm(turn)
        omega = self.random.uniform(-2, 2, 3)
        iq, iv = self.model.idx_qs[joint], self.model.idx_vs[joint]
        free = self.model.nqs[joint] == 7
        iq, at = (iq + 3, iv + 3) if free else (iq, iv)
        self.q[iq:iq + 4], self.v[at:at + 3] = turn, omega
        for axis, value in zip("xyzw", turn):
            self.ours[f"quaternion.{name}.{axis}"] = value
        for k, axis in enumerate("xyz"):
            self.ours[f"omega.{name}.{axis}"] = omega[k]
            self.columns[f"omega.{name}.{axis}"] = at + k
        if free:
            place, velocity = self.random.uniform(-1, 1, 3), self.random.uniform(-2, 2, 3)
            rotation = pin.Quaternion(turn).toRotationMatrix()
            self.q[iq - 3:iq], self.v[iv:iv + 3] = place, rotation.T @ velocity
            self.free.append((iv, rotation, omega))
            for k, axis in enumerate("xyz"):
                self.ours[f"position.{name}.{axis}"], self.ours[f"velocity.{name}.{axis}"] = place[k], velocity[k]
                self.columns[f"velocity.{name}.{axis}"] = iv + k

    def plane(self, joint, name):
        """A planar joint with normal z: two slides and a turn here; (x, y, cos, sin) and a twist of the body there."""
        (x, y), angle, omega = self.random.uniform(-1, 1, 2), self.random.uniform(-3, 3), self.random.uniform(-2, 2)
        velocity = self.random.uniform(-2, 2, 2)
        rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        iq, iv = self.model.idx_qs[joint], self.model.idx_vs[joint]
        self.q[iq:iq + 4] = x, y, np.cos(angle), np.sin(angle)
        self.v[iv:iv + 3] = *(rotation.T @ velocity), omega
        self.free.append((iv, rotation, omega))
        self.ours |= {f"slide.{name}-x": x, f"slide.{name}-y": y, f"theta.{name}": angle}
        self.ours |= {f"speed.{name}-x": velocity[0], f"speed.{name}-y": velocity[1], f"omega.{name}": omega}
        self.columns |= {f"speed.{name}-x": iv, f"speed.{name}-y": iv + 1, f"omega.{name}": iv + 2}

    def state(self, names):
        pick = lambda kind: [self.ours[name] for name in names[kind]]
        return {"q": pick("coordinates"), "v": pick("velocities")}

    def theirs(self, velocities):
        """M, c, w in our convention and order, and the largest entry that belongs to joints we do not have."""
        data = self.model.createData()
        mass = np.triu(pin.crba(self.model, data, self.q))
        mass = mass + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(self.model, data, self.q, self.v)
        weight = pin.computeGeneralizedGravity(self.model, data, self.q).copy()
        turn, rate = np.eye(self.model.nv), np.zeros(self.model.nv)
        for iv, rotation, omega in self.free:
            n = len(rotation)
            turn[iv:iv + n, iv:iv + n] = rotation.T
            u = self.v[iv:iv + n]
            rate[iv:iv + n] = -np.cross(omega, u) if n == 3 else omega * np.array([u[1], -u[0]])
        bias = turn.T @ (bias + mass @ rate)
        mass, weight = turn.T @ mass @ turn, turn.T @ weight
        order = [self.columns[name] for name in velocities]
        left = [k for k in range(self.model.nv) if k not in set(order)]
        rest = max([0.0, *np.abs(mass[left]).ravel(), *np.abs(bias[left]), *np.abs(weight[left])])
        return mass[np.ix_(order, order)], bias[order] - weight[order], weight[order], rest


def worst(model, states, answer):
    """The largest relative differences of M, c + w and w."""
    errors = np.zeros(3)
    for numbers, ours in zip(states, answer["states"]):
        mass, coriolis, weight, rest = numbers.theirs(answer["velocities"])
        n = len(weight)
        size = np.sqrt(np.outer(np.diag(mass), np.diag(mass)))
        bias = np.abs(coriolis + weight).max()
        errors = np.maximum(errors, [
            (np.abs(np.reshape(ours["mass"], (n, n)) - mass) / size).max(),
            np.abs(np.add(ours["coriolis"], ours["weight"]) - coriolis - weight).max() / (bias or 1.0),
            np.abs(ours["weight"] - weight).max() / (np.abs(weight).max() or 1.0),
        ])
        if rest > 1e-12 * np.abs(mass).max():
            raise ValueError(f"a joint that is held has inertia or weight {rest:.1e}")
    return errors


def usable(name):
    """The name of a link in a model."""
    return re.sub(r"[^\w-]", "_", name)


def compare_robot(holonomy, urdf, text, floating, seed):
    """Differences of an imported robot from Pinocchio's reading of the same file, and Pinocchio's model."""
    model = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer()) if floating \
        else pin.buildModelFromUrdf(str(urdf))
    written = tomllib.loads(text.read_text())
    bodies = {body["name"]: body["joint"]["kind"] for body in written["body"]}
    links = {}  # link behind a joint, by the name of the joint
    for joint in ElementTree.parse(urdf).getroot().findall("joint"):
        links[joint.get("name")] = usable(joint.find("child").get("link"))
    random = np.random.default_rng(seed)
    states = []
    for _ in range(STATES):
        numbers = Numbers(model, random)
        for joint in range(1, model.njoints):
            name = model.names[joint]
            if name == "root_joint" and floating:
                root = next(body["name"] for body in written["body"] if "parent" not in body)
                numbers.ball(joint, root)
                continue
            kind = bodies[links[name]]
            if kind == "free":
                numbers.ball(joint, usable(name))
                continue
            if "Planar" in model.joints[joint].shortname():
                numbers.plane(joint, usable(name))
                continue
            numbers.scalar(joint, None if kind == "fixed" else usable(name), kind == "prismatic")
        states.append(numbers)
    names = holonomy.ask(text, [])
    answer = holonomy.ask(text, [numbers.state(names) for numbers in states])
    return worst(model, states, answer), states, answer


def robots(holonomy, folder):
    rows, failures = [], []
    arms = []
    for urdf in sorted(path for path in folder.rglob("*") if path.name.endswith((".urdf", ".urdf.xacro"))):
        key = str(urdf.relative_to(folder))
        name = usable(key.removesuffix(".urdf"))
        row = {"robot": urdf.name.removesuffix(".urdf"), "fixed": "", "floating": ""}
        rows.append(row)
        for base in ("fixed", "floating"):
            flags = ["--floating"] if base == "floating" else []
            text, said = holonomy.importing(urdf, f"{name}-{base}", *flags)
            if key in SINGULAR and "moves nothing that has inertia" in said:
                text = elsewhere(holonomy.work / f"{name}-{base}.toml")
            if text is None:
                reason = said.splitlines()[0].removeprefix("error: ")
                expected = REFUSED.get(key, "nothing in this robot can move" if base == "fixed" else None)
                if expected is None or expected not in said:
                    failures.append(f"{key}: {reason}")
                row[base] = "refused: " + (expected or reason)
                continue
            row["carried"] = re.search(r"carried\s+(.*?);", said).group(1)
            ignored = re.split(r"\nchanged", re.split(r"\nignored\s+", said)[-1])[0] if "\nignored" in said else ""
            what = [re.sub(r" \(.*|: .*", "", line.strip()) for line in ignored.splitlines()]
            row["ignored"] = ", ".join(dict.fromkeys(re.sub(r" of .*|^\d+ × ", "", w) for w in what if w))
            try:
                errors, _, _ = compare_robot(holonomy, urdf, text, base == "floating", 1)
                row[base] = f"{errors.max():.0e}"
                if not errors.max() <= TOLERANCE:
                    failures.append(f"{key}, {base}: M, bias and gravity differ by {errors}")
            except ValueError as error:
                failures.append(f"{key}, {base}: {type(error).__name__}: {error}")
                row[base] = "FAILED"
            if base == "fixed" and any(word in key for word in SWUNG):
                arms.append((row["robot"], text))
    wide = max(len(row["robot"]) for row in rows)
    print(f"{'robot':{wide}}  {'fixed':>8}  {'floating':>8}  carried; ignored")
    for row in rows:
        rest = "; ".join(filter(None, [row.get("carried"), row.get("ignored")]))
        print(f"{row['robot']:{wide}}  {row['fixed']:>8}  {row['floating']:>8}  {rest}")
    return failures, arms, len(rows)


def elsewhere(text):
    """The same model with every joint at 0.3, moving."""
    lines = []
    for line in text.read_text().splitlines():
        lines.append(line)
        if line.startswith("joint = {") and re.search(r'kind = "(revolute|prismatic)"', line):
            lines += ["position = 0.3", "velocity = 1"]
    moved = text.with_suffix(".moved.toml")
    moved.write_text("\n".join(lines) + "\n")
    return moved


def random_tree(seed):
    """A tree with every kind of joint: its text as a model, and Pinocchio's model with one name per joint."""
    random = np.random.default_rng(1000 + seed)
    model = pin.Model()
    gravity = random.uniform(-10, 10, 3)
    model.gravity = pin.Motion(gravity, np.zeros(3))
    listed = lambda v: "[" + ", ".join(repr(float(x)) for x in v) + "]"
    text = ['title = "A random tree"', 'space = "tree"', f"gravity = {listed(gravity)}"]
    bodies = []
    for i in range(int(random.integers(1, 11))):
        name = f"b{i}"
        # A chain, a branch, or another tree beside it.
        parent = None if i == 0 or random.uniform() < 0.1 else (i - 1 if seed % 3 == 0 else int(random.integers(i)))
        at, turn = random.uniform(-1, 1, 3), random.normal(size=4)
        turn /= np.linalg.norm(turn)
        axis, other = random.normal(size=3), random.normal(size=3)
        unit, second = axis / np.linalg.norm(axis), other / np.linalg.norm(other)
        pitch = random.uniform(-1, 1)
        kinds = ["revolute", "prismatic", "screw", "universal", "spherical", "free"] + (["fixed"] if i else [])
        kind = kinds[int(random.integers(len(kinds)))]
        one = f", axis = {listed(axis)}"
        keys, joints = {
            "revolute": (one, [(pin.JointModelRevoluteUnaligned(unit), name, "turn")]),
            "prismatic": (one, [(pin.JointModelPrismaticUnaligned(unit), name, "slide")]),
            "screw": (f"{one}, pitch = {pitch!r}", [(pin.JointModelHelicalUnaligned(unit, pitch), name, "turn")]),
            "universal": (f", axes = [{listed(axis)}, {listed(other)}]",
                          [(pin.JointModelRevoluteUnaligned(unit), f"{name}.1", "turn"),
                           (pin.JointModelRevoluteUnaligned(second), f"{name}.2", "turn")]),
            "spherical": ("", [(pin.JointModelSpherical(), name, "ball")]),
            "free": ("", [(pin.JointModelFreeFlyer(), name, "ball")]),
            "fixed": ("", []),
        }[kind]
        # Four points: every inertia they make is possible.
        masses, points = random.uniform(0.1, 2, 4), random.uniform(-1, 1, (4, 3))
        mass, centre = masses.sum(), masses @ points / masses.sum()
        moment = sum(m * ((d @ d) * np.eye(3) - np.outer(d, d)) for m, d in zip(masses, points - centre))
        moment = (moment + moment.T) / 2
        place = pin.SE3(pin.Quaternion(turn).toRotationMatrix(), at)
        bodies.append((parent, place, joints, pin.Inertia(mass, centre, moment)))
        text += ["", "[[body]]", f'name = "{name}"'] + ([f'parent = "b{parent}"'] if parent is not None else [])
        turned = [turn[3], *turn[:3]]
        text += [f'joint = {{ kind = "{kind}"{keys}, at = {listed(at)}, turned = {listed(turned)} }}',
                 f"mass = {float(mass)!r}", f"centre = {listed(centre)}",
                 "inertia = [" + ", ".join(listed(row) for row in moment) + "]"]
    text += ["", "[method]", 'name = "tree-variational"', "", "[run]", "step = 0.001", "duration = 1"]
    placed = []

    def add(body, joint, before):
        """Pinocchio wants a branch to its end before the next begins."""
        _, place, joints, inertia = bodies[body]
        before = before * place
        for one, label, what in joints:
            joint = model.addJoint(joint, one, before, label)
            before = pin.SE3.Identity()
            placed.append((joint, label, what))
        model.appendBodyToJoint(joint, inertia, before)
        for child, (parent, *_) in enumerate(bodies):
            if parent == body:
                add(child, joint, before)

    for body, (parent, *_) in enumerate(bodies):
        if parent is None:
            add(body, 0, pin.SE3.Identity())
    return "\n".join(text) + "\n", model, placed


def compare_tree(holonomy, seed):
    text, model, joints = random_tree(seed)
    path = holonomy.work / "random.toml"
    path.write_text(text)
    random = np.random.default_rng(seed)
    states = []
    for _ in range(STATES):
        numbers = Numbers(model, random)
        for joint, label, what in joints:
            if what == "ball":
                numbers.ball(joint, label)
            else:
                numbers.scalar(joint, label, what == "slide")
        states.append(numbers)
    names = holonomy.ask(path, [])
    if not names["velocities"]:
        return np.zeros(3), states, names, text
    answer = holonomy.ask(path, [numbers.state(names) for numbers in states])
    return worst(model, states, answer), states, answer, text


def random_trees(holonomy):
    failures, largest = [], np.zeros(3)
    for seed in range(TREES):
        errors, _, _, _ = compare_tree(holonomy, seed)
        largest = np.maximum(largest, errors)
        if not errors.max() <= TOLERANCE:
            failures.append(f"random tree {seed}: M, bias and gravity differ by {errors}")
    print(f"{TREES} random trees: M {largest[0]:.0e}, bias {largest[1]:.0e}, gravity {largest[2]:.0e}")
    return failures


def swing(holonomy, arms, steps):
    """Runs without damping: the fitted drift is zero within four of its standard errors. These motions are chaotic, and
    energies that wander may look like a slope for a while; a run of ten times the length then has none like it."""
    failures = []
    for name, text in arms:
        moved = elsewhere(text)
        moved.write_text(re.sub(r"^damping = .*\n", "", moved.read_text(), flags=re.M))
        try:
            drift, error = slope(holonomy, name, moved, steps)
            if not abs(drift) < 4 * error:
                longer, error = slope(holonomy, name, moved, 10 * steps)
                if not (abs(longer) < 4 * error or abs(longer) < abs(drift) / 5):
                    failures.append(f"{name}: the energy drifts by {longer} +- {error} of what moves per second")
        except ValueError as error:
            failures.append(f"{name}: {error}")
    return failures


def slope(holonomy, name, model, steps):
    """The drift and its standard error, as parts of the energy in motion per second."""
    energy = holonomy.run(model, steps)["energy"]
    part = lambda key: energy[key] / energy["in_motion"]
    drift, error = part("drift_per_second"), part("drift_standard_error")
    print(f"{name:28} {steps:7} steps: mean |E - E0| {part('mean_abs_error'):.1e} of what moves, "
          f"drift {drift:+.1e} +- {error:.0e} per s")
    return drift, error


def own(holonomy):
    """A robot of our own with every kind of joint."""
    failures = []
    for base in ("fixed", "floating"):
        text, said = holonomy.importing(EVERY, f"every-joint-{base}", *(["--floating"] if base == "floating" else []))
        errors = compare_robot(holonomy, EVERY, text, base == "floating", 7)[0]
        print(f"every-joint.urdf, {base}: {errors.max():.0e}")
        if not errors.max() <= TOLERANCE:
            failures.append(f"every-joint.urdf, {base}: M, bias and gravity differ by {errors}")
    return failures


def store(holonomy, file):
    """What Pinocchio says of some robots and trees, in our conventions, for tests without it."""
    rounded = lambda values: [float(f"{x:.12g}") for x in np.ravel(values)]
    cases = []

    def add(states, names, **keys):
        kept = []
        for numbers in states[:1]:
            mass, coriolis, weight, _ = numbers.theirs(names["velocities"])
            kept.append(numbers.state(names) | {
                "mass": rounded(mass), "coriolis": rounded(coriolis), "weight": rounded(weight)})
        cases.append(keys | {"velocities": names["velocities"], "states": kept})

    for base in ("fixed", "floating"):
        text, _ = holonomy.importing(EVERY, f"every-joint-{base}", *(["--floating"] if base == "floating" else []))
        _, states, names = compare_robot(holonomy, EVERY, text, base == "floating", 7)
        add(states, names, urdf=EVERY.name, floating=base == "floating")
    for seed in STORED:
        _, states, names, text = compare_tree(holonomy, seed)
        add(states, names, model=text)
    about = f"made by compare.py --store with Pinocchio {pin.__version__}"
    lines = ",\n".join(json.dumps(case) for case in cases)
    file.write_text(f'{{"about": "{about}", "cases": [\n{lines}\n]}}\n')
    print(f"{file}: {len(cases)} cases, {file.stat().st_size} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--holonomy", required=True)
    parser.add_argument("--matrices", required=True)
    parser.add_argument("--work", required=True, type=Path)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--store", type=Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    holonomy = Holonomy(arguments.holonomy, arguments.matrices, arguments.work)
    if arguments.store:
        store(holonomy, arguments.store)
        return 0
    shared = Path(pin.__file__).resolve().parents[4] / "share" / "example-robot-data" / "robots"
    start = time.time()
    failures, arms, count = robots(holonomy, shared)
    print(f"{count} files of example-robot-data in {time.time() - start:.0f} s\n")
    failures += own(holonomy) + random_trees(holonomy)
    start = time.time()
    print(f"\n{len(arms)} robots on a fixed base, {arguments.steps} steps of 1 ms without damping")
    failures += swing(holonomy, arms, arguments.steps)
    print(f"in {time.time() - start:.0f} s")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
