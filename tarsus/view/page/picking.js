// What is under the pointer: a ray against triangles, on the processor.
//
// An id buffer would cost a pass over the scene and wait for the graphics card at each move of the
// pointer, and would know the body only. A ray knows the point, the normal and the distance too, as
// exactly as the mesh has them, and needs no card to be tested. Boxes around meshes let most pass.

import { applyPose, norm, subtract, turnByPose, undoPose, unit, unturnByPose } from "./vectors.js"

/**
 * The nearest hit of a ray {from, way}: {body, point, local, normal, distance}, or null.
 *
 * `parts` are {body, mesh, pose}; `local` is the point in the body, `normal` faces the eye.
 */
export function pick(ray, parts) {
  let best = null
  for (const part of parts) {
    const own = { from: undoPose(part.pose, ray.from), way: unturnByPose(part.pose, ray.way) }
    const limit = best ? best.distance : Infinity
    if (!meetsBox(own, part.mesh, limit)) continue
    const hit = meetsMesh(own, part.mesh, limit)
    if (hit) best = { ...hit, part }
  }
  if (!best) return null
  const { part, distance, triangle, local } = best
  let normal = turnByPose(part.pose, normalOf(part.mesh, triangle))
  if (normal[0] * ray.way[0] + normal[1] * ray.way[1] + normal[2] * ray.way[2] > 0) normal = normal.map(x => -x)
  return { body: part.body, point: applyPose(part.pose, local), local, normal, distance }
}

/** Whether a ray meets the box around a mesh before a distance. */
export function meetsBox({ from, way }, { low, high }, limit) {
  let [enter, leave] = [0, limit]
  for (let i = 0; i < 3; i++) {
    const [a, b] = [(low[i] - from[i]) / way[i], (high[i] - from[i]) / way[i]]
    // a ray in the plane of a side gives 0/0, which is no bound
    if (Number.isNaN(a) || Number.isNaN(b)) continue
    enter = Math.max(enter, Math.min(a, b))
    leave = Math.min(leave, Math.max(a, b))
  }
  return enter <= leave
}

/** Möller's and Trumbore's test (1997) with all triangles. */
function meetsMesh({ from, way }, mesh, limit) {
  const p = mesh.points
  let best = null
  let nearest = limit
  for (let i = 0; i < p.length; i += 9) {
    const [ux, uy, uz] = [p[i + 3] - p[i], p[i + 4] - p[i + 1], p[i + 5] - p[i + 2]]
    const [vx, vy, vz] = [p[i + 6] - p[i], p[i + 7] - p[i + 1], p[i + 8] - p[i + 2]]
    const [hx, hy, hz] = [way[1] * vz - way[2] * vy, way[2] * vx - way[0] * vz, way[0] * vy - way[1] * vx]
    const det = ux * hx + uy * hy + uz * hz
    if (Math.abs(det) < 1e-18) continue
    const [sx, sy, sz] = [from[0] - p[i], from[1] - p[i + 1], from[2] - p[i + 2]]
    const a = (sx * hx + sy * hy + sz * hz) / det
    if (a < 0 || a > 1) continue
    const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux]
    const b = (way[0] * qx + way[1] * qy + way[2] * qz) / det
    if (b < 0 || a + b > 1) continue
    const distance = (vx * qx + vy * qy + vz * qz) / det
    if (distance > 1e-6 && distance < nearest) {
      nearest = distance
      best = { distance, triangle: i / 9, local: from.map((x, k) => x + distance * way[k]) }
    }
  }
  return best
}

function normalOf(mesh, triangle) {
  const n = mesh.normals.subarray(9 * triangle, 9 * triangle + 9)
  return unit([0, 1, 2].map(i => n[i] + n[3 + i] + n[6 + i]))
}

/** How far a place of the canvas is from a segment of the world, in CSS pixels. */
export function pixelsFromSegment(project, from, to, x, y) {
  const [a, b] = [project(from), project(to)]
  if (!a || !b) return Infinity
  const [u, w] = [[b[0] - a[0], b[1] - a[1], 0], [x - a[0], y - a[1], 0]]
  const share = Math.min(1, Math.max(0, (u[0] * w[0] + u[1] * w[1]) / (u[0] * u[0] + u[1] * u[1] || 1)))
  return norm(subtract(w, u.map(each => each * share)))
}
