use crate::Vec3;
use std::collections::HashMap;

/// A triangulated unit sphere: an icosahedron whose faces are cut in four `subdivisions` times,
/// new vertices pushed out to the sphere.
#[derive(Clone, Debug)]
pub struct Icosphere {
    /// Unit vectors, `10·4ᵏ + 2` of them.
    pub vertices: Vec<Vec3>,
    /// Corners of each face, counter-clockwise seen from outside.
    pub faces: Vec<[usize; 3]>,
}

impl Icosphere {
    /// Subdivides the icosahedron `subdivisions` times.
    pub fn new(subdivisions: u32) -> Self {
        let mut mesh = Self::icosahedron();
        for _ in 0..subdivisions {
            mesh = mesh.subdivided();
        }
        mesh
    }

    /// Mean length of the edges (chords).
    pub fn mean_edge(&self) -> f64 {
        // Every edge belongs to two faces, so summing over faces counts each twice.
        let total: f64 = self
            .faces
            .iter()
            .flat_map(|[a, b, c]| [(a, b), (b, c), (c, a)])
            .map(|(a, b)| (self.vertices[*a] - self.vertices[*b]).norm())
            .sum();
        total / (3 * self.faces.len()) as f64
    }

    fn icosahedron() -> Self {
        let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
        let mut vertices = Vec::with_capacity(12);
        for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
            vertices.push(Vec3::new(a, b, 0.0).normalize());
            vertices.push(Vec3::new(0.0, a, b).normalize());
            vertices.push(Vec3::new(b, 0.0, a).normalize());
        }
        // The faces are the triples of vertices that are mutually nearest.
        let edge = 2.0 / (1.0 + golden * golden).sqrt();
        let near = |a: usize, b: usize| (vertices[a] - vertices[b]).norm() < 1.01 * edge;
        let mut faces = Vec::with_capacity(20);
        for a in 0..12 {
            for b in a + 1..12 {
                for c in b + 1..12 {
                    if near(a, b) && near(b, c) && near(c, a) {
                        let (u, v) = (vertices[b] - vertices[a], vertices[c] - vertices[a]);
                        let outward = u.cross(&v).dot(&vertices[a]) > 0.0;
                        faces.push(if outward { [a, b, c] } else { [a, c, b] });
                    }
                }
            }
        }
        Self { vertices, faces }
    }

    fn subdivided(self) -> Self {
        let Self { mut vertices, faces } = self;
        let mut middles = HashMap::new();
        let mut middle = |a: usize, b: usize| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push((vertices[a] + vertices[b]).normalize());
                vertices.len() - 1
            })
        };
        let faces = faces
            .into_iter()
            .flat_map(|[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
        Self { vertices, faces }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_follow_euler() {
        for k in 0..5 {
            let mesh = Icosphere::new(k);
            assert_eq!(mesh.faces.len(), 20 * 4_usize.pow(k));
            assert_eq!(mesh.vertices.len(), 10 * 4_usize.pow(k) + 2);
            assert!(mesh.vertices.iter().all(|v| (v.norm() - 1.0).abs() < 1e-15));
        }
    }

    #[test]
    fn mean_edge_of_642_vertices_is_the_documented_one() {
        // docs/reading.md 2.9: 0.150730.
        assert!((Icosphere::new(3).mean_edge() - 0.150_730).abs() < 5e-7);
    }
}
