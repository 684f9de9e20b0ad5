"""Facts about the icosahedron after three subdivisions, with the vertices moved to the unit sphere.

What: numbers of vertices, edges and faces, the mean edge length, the sorted distinct edge lengths and
  how often each occurs. Edges are straight chords. Writes icosphere.json.
How: each triangle is cut into four by the midpoints of its edges; after every cut the new vertices are
  normalised. Integer vertex indices, coordinates in mpmath with 50 digits; lengths that agree to 1e-30
  are one length.
Accuracy: all printed digits (17). Verified: Euler's formula V - E + F = 2, 12 vertices of degree 5 and
  the others 6, every edge in two faces, distinct lengths are at least 1e-6 apart, and the 15 lengths,
  0.13828... to 0.16465..., and the mean 0.150730 of the earlier double-precision analysis.
Run: pip install mpmath; python make_icosphere.py
"""

import itertools
import pathlib

import mpmath as mp

mp.mp.dps = 50


def unit(v):
    length = mp.sqrt(mp.fsum(x * x for x in v))
    return [x / length for x in v]


def distance(a, b):
    return mp.sqrt(mp.fsum((x - y) ** 2 for x, y in zip(a, b)))


def icosahedron():
    phi = (1 + mp.sqrt(5)) / 2
    points = []
    for s, t in itertools.product((1, -1), repeat=2):
        base = [mp.mpf(0), mp.mpf(s), t * phi]
        points += [base, [base[1], base[2], base[0]], [base[2], base[0], base[1]]]
    # Corners of unit icosahedron edges are two apart before normalisation.
    near = {(i, j) for i, j in itertools.combinations(range(12), 2) if abs(distance(points[i], points[j]) - 2) < 1e-20}
    faces = [t for t in itertools.combinations(range(12), 3) if all(p in near for p in itertools.combinations(t, 2))]
    assert len(near) == 30 and len(faces) == 20
    return [unit(p) for p in points], faces


def subdivide(points, faces):
    points, middle, cut = list(points), {}, []

    def mid(i, j):
        key = (min(i, j), max(i, j))
        if key not in middle:
            middle[key] = len(points)
            points.append(unit([(x + y) / 2 for x, y in zip(points[i], points[j])]))
        return middle[key]

    for a, b, c in faces:
        ab, bc, ca = mid(a, b), mid(b, c), mid(c, a)
        cut += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return points, cut


def main():
    points, faces = icosahedron()
    for _ in range(3):
        points, faces = subdivide(points, faces)
    uses = {}
    for face in faces:
        for i, j in itertools.combinations(sorted(face), 2):
            uses[i, j] = uses.get((i, j), 0) + 1
    assert set(uses.values()) == {2} and len(points) - len(uses) + len(faces) == 2
    degree = [0] * len(points)
    for i, j in uses:
        degree[i] += 1
        degree[j] += 1
    assert degree.count(5) == 12 and degree.count(6) == len(points) - 12
    lengths = sorted(distance(points[i], points[j]) for i, j in uses)
    groups = [[lengths[0]]]
    for x in lengths[1:]:
        if x - groups[-1][0] < mp.mpf("1e-30"):
            groups[-1].append(x)
        else:
            assert x - groups[-1][0] > 1e-6
            groups.append([x])
    mean = mp.fsum(lengths) / len(lengths)
    assert len(groups) == 15 and abs(mean - mp.mpf("0.150730")) < 1e-6
    show = lambda x: mp.nstr(x, 17)
    body = (
        "{\n"
        '  "about": "Icosahedron after 3 subdivisions with vertices projected to the unit sphere; chord lengths",\n'
        '  "accuracy": 1e-16,\n'
        f'  "vertices": {len(points)},\n  "edges": {len(uses)},\n  "faces": {len(faces)},\n'
        f'  "mean_edge": {show(mean)},\n'
        '  "edge_lengths": [\n    ' + ",\n    ".join(show(g[0]) for g in groups) + "\n  ],\n"
        '  "edge_counts": [' + ", ".join(str(len(g)) for g in groups) + "]\n}\n"
    )
    (pathlib.Path(__file__).parent / "icosphere.json").write_text(body)
    print(body)


if __name__ == "__main__":
    main()
