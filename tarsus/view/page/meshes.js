// Meshes: from vertices and triangles to corners with normals that are smooth where the surface is.
//
// Parts of machines have edges. A normal that is shared by all faces at a vertex would round them
// off; one per face would show the facets of every cylinder. A corner takes the mean of those faces
// at its vertex that meet its own at less than the crease angle.

import { cross, norm, subtract } from "./vectors.js"

const CREASE = Math.cos((38 * Math.PI) / 180)

/** Numbers from an array, a typed array, rows of an array, or base64 of little-endian values. */
export function numbers(given, Kind = Float32Array) {
  if (typeof given === "string") {
    return new Kind(Uint8Array.from(atob(given), each => each.charCodeAt(0)).buffer)
  }
  return given instanceof Kind ? given : Kind.from(Array.isArray(given[0]) ? given.flat() : given)
}

/** Corners of triangles: {points, normals (9 per triangle), triangles (their number), low, high}. */
export function meshOf(vertices, triangles) {
  const [points, indices] = [numbers(vertices), numbers(triangles, Uint32Array)]
  const count = Math.floor(indices.length / 3)
  const mesh = { points: new Float32Array(9 * count), normals: new Float32Array(9 * count), triangles: count }
  const faces = new Float32Array(4 * count)
  for (let i = 0; i < count; i++) {
    const corners = mesh.points.subarray(9 * i, 9 * i + 9)
    for (let k = 0; k < 9; k++) corners[k] = points[3 * indices[3 * i + Math.floor(k / 3)] + (k % 3)]
    const [a, b, c] = [corners.subarray(0, 3), corners.subarray(3, 6), corners.subarray(6, 9)]
    const normal = cross(subtract(b, a), subtract(c, a))
    const area = norm(normal)
    for (let k = 0; k < 3; k++) faces[4 * i + k] = normal[k] / (area || 1)
    faces[4 * i + 3] = area
  }
  smooth(mesh, faces)
  return Object.assign(mesh, boundsOf(mesh.points))
}

/** Write the normals: sums of faces about a place, weighted by their areas. */
function smooth(mesh, faces) {
  const place = places(mesh.points)
  const first = new Int32Array(mesh.triangles * 3 + 1).fill(-1)
  const next = new Int32Array(mesh.triangles * 3)
  place.forEach((group, corner) => {
    next[corner] = first[group]
    first[group] = corner
  })
  for (let corner = 0; corner < place.length; corner++) {
    const own = 4 * Math.floor(corner / 3)
    let [x, y, z] = [0, 0, 0]
    for (let other = first[place[corner]]; other >= 0; other = next[other]) {
      const face = 4 * Math.floor(other / 3)
      const along = faces[own] * faces[face] + faces[own + 1] * faces[face + 1] + faces[own + 2] * faces[face + 2]
      if (along < CREASE) continue
      x += faces[face] * faces[face + 3]
      y += faces[face + 1] * faces[face + 3]
      z += faces[face + 2] * faces[face + 3]
    }
    const length = Math.sqrt(x * x + y * y + z * z)
    mesh.normals[3 * corner] = length > 0 ? x / length : 0
    mesh.normals[3 * corner + 1] = length > 0 ? y / length : 0
    mesh.normals[3 * corner + 2] = length > 0 ? z / length : 1
  }
}

/** A number for each corner, the same where corners are at one place. */
function places(points) {
  const { low, high } = boundsOf(points)
  const fine = 1e5 / Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-9)
  const known = new Map()
  const found = new Int32Array(points.length / 3)
  for (let i = 0; i < found.length; i++) {
    const at = k => Math.round((points[3 * i + k] - low[k]) * fine)
    const key = (at(0) * 131072 + at(1)) * 131072 + at(2)
    let place = known.get(key)
    if (place === undefined) known.set(key, (place = known.size))
    found[i] = place
  }
  return found
}

/** The box around points: {low, high}. */
export function boundsOf(points) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]]
  for (let i = 0; i < points.length; i++) {
    const k = i % 3
    if (points[i] < low[k]) low[k] = points[i]
    if (points[i] > high[k]) high[k] = points[i]
  }
  return { low, high }
}

/** A key that is the same for meshes of the same numbers: they are drawn together. */
export function keyOf(mesh) {
  let hash = 2166136261
  const words = new Uint32Array(mesh.points.buffer, mesh.points.byteOffset, mesh.points.length)
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words[i], 16777619)
  return `${mesh.triangles}:${hash >>> 0}`
}

/** One mesh of several. */
export function joined(...meshes) {
  const all = name => {
    const out = new Float32Array(meshes.reduce((sum, mesh) => sum + mesh[name].length, 0))
    let at = 0
    for (const mesh of meshes) {
      out.set(mesh[name], at)
      at += mesh[name].length
    }
    return out
  }
  const points = all("points")
  return { points, normals: all("normals"), triangles: points.length / 9, ...boundsOf(points) }
}

/** The mesh moved by a pose that neither scales nor mirrors. */
export function moved(mesh, pose) {
  const [points, normals] = [new Float32Array(mesh.points.length), new Float32Array(mesh.points.length)]
  for (let i = 0; i < points.length; i++) {
    const [row, at] = [4 * (i % 3), i - (i % 3)]
    const turned = from => pose[row] * from[at] + pose[row + 1] * from[at + 1] + pose[row + 2] * from[at + 2]
    points[i] = turned(mesh.points) + pose[row + 3]
    normals[i] = turned(mesh.normals)
  }
  return { points, normals, triangles: mesh.triangles, ...boundsOf(points) }
}
