// Small vectors, matrices, poses and quaternions.
//
// A vector is an array of 3 numbers. A pose is 12 numbers: three rows of [R | p], as Python sends
// them. A matrix is 16 numbers in columns, as WebGL wants them.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s]
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
export const norm = a => Math.hypot(a[0], a[1], a[2])
export const unit = a => scale(a, 1 / (norm(a) || 1))
export const mix = (a, b, share) => a.map((x, i) => x + (b[i] - x) * share)
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x))

/** Some unit vector across `a`. */
export function across(a) {
  const least = Math.abs(a[0]) < 0.6 * norm(a) ? [1, 0, 0] : [0, 1, 0]
  return unit(cross(least, a))
}

// --- poses: three rows of four --------------------------------------------------------------

export const STILL = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])

/** The point x of a body in the world. */
export function applyPose(p, x) {
  return [0, 4, 8].map(i => p[i] * x[0] + p[i + 1] * x[1] + p[i + 2] * x[2] + p[i + 3])
}
/** The direction x of a body in the world. */
export function turnByPose(p, x) {
  return [0, 4, 8].map(i => p[i] * x[0] + p[i + 1] * x[1] + p[i + 2] * x[2])
}
/** The point x of the world in a body; the pose must not scale. */
export function undoPose(p, x) {
  const d = [x[0] - p[3], x[1] - p[7], x[2] - p[11]]
  return [0, 1, 2].map(j => p[j] * d[0] + p[4 + j] * d[1] + p[8 + j] * d[2])
}
/** The direction x of the world in a body. */
export function unturnByPose(p, x) {
  return [0, 1, 2].map(j => p[j] * x[0] + p[4 + j] * x[1] + p[8 + j] * x[2])
}
/** First b, then a; written to `out` from `at` on. */
export function composePoses(a, b, out = new Float32Array(12), at = 0) {
  for (let i = 0; i < 12; i += 4) {
    for (let j = 0; j < 4; j++) {
      out[at + i + j] = a[i] * b[j] + a[i + 1] * b[4 + j] + a[i + 2] * b[8 + j] + (j === 3 ? a[i + 3] : 0)
    }
  }
  return out
}
/** A pose of columns x, y, z and an origin. */
export function poseOfColumns(x, y, z, p) {
  return new Float32Array([
    ...[x[0], y[0], z[0], p[0]],
    ...[x[1], y[1], z[1], p[1]],
    ...[x[2], y[2], z[2], p[2]],
  ])
}
/** The pose that stretches something of radius 1 and length 1 along z onto `vector` at `from`. */
export function poseAlong(from, vector, radius) {
  const x = across(vector)
  const y = cross(unit(vector), x)
  return poseOfColumns(scale(x, radius), scale(y, radius), vector, from)
}

// --- quaternions [w, x, y, z] ---------------------------------------------------------------

export function quaternionOfPose(p) {
  const [a, b, c] = [p[0], p[5], p[10]]
  const large = Math.max(a + b + c, a, b, c)
  let q
  if (large === a + b + c) q = [1 + large, p[9] - p[6], p[2] - p[8], p[4] - p[1]]
  else if (large === a) q = [p[9] - p[6], 1 + a - b - c, p[1] + p[4], p[2] + p[8]]
  else if (large === b) q = [p[2] - p[8], p[1] + p[4], 1 + b - a - c, p[6] + p[9]]
  else q = [p[4] - p[1], p[2] + p[8], p[6] + p[9], 1 + c - a - b]
  const length = Math.hypot(...q)
  return q.map(x => x / length)
}
export function poseOfQuaternion([w, x, y, z], p) {
  return new Float32Array([
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), p[0]],
    ...[2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), p[1]],
    ...[2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), p[2]],
  ])
}
/** First b, then a. */
export function multiplyQuaternions([w, x, y, z], [s, i, j, k]) {
  return [
    w * s - x * i - y * j - z * k,
    w * i + x * s + y * k - z * j,
    w * j - x * k + y * s + z * i,
    w * k + x * j - y * i + z * s,
  ]
}
/** A pose between two others: the straight way, and the shortest turn. */
export function poseBetween(a, b, share) {
  const [q, other] = [quaternionOfPose(a), quaternionOfPose(b)]
  const sign = q.reduce((sum, x, i) => sum + x * other[i], 0) < 0 ? -1 : 1
  const mixed = q.map((x, i) => x + (sign * other[i] - x) * share)
  const length = Math.hypot(...mixed)
  const place = [3, 7, 11].map(i => a[i] + (b[i] - a[i]) * share)
  return poseOfQuaternion(mixed.map(x => x / length), place)
}

// --- matrices of the camera and the sun -------------------------------------------------------

export function multiply(a, b) {
  const out = new Float32Array(16)
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      let sum = 0
      for (let k = 0; k < 4; k++) sum += a[4 * k + i] * b[4 * j + k]
      out[4 * j + i] = sum
    }
  }
  return out
}
/** From the world to someone at `eye` who looks along −`back`. */
export function looking(eye, right, up, back) {
  const column = i => [right[i], up[i], back[i], 0]
  const shift = [-dot(right, eye), -dot(up, eye), -dot(back, eye), 1]
  return new Float32Array([...column(0), ...column(1), ...column(2), ...shift])
}
export function perspective(focal, aspect, near, far) {
  const [z, w] = [(far + near) / (near - far), (2 * far * near) / (near - far)]
  return new Float32Array([focal / aspect, 0, 0, 0, 0, focal, 0, 0, 0, 0, z, -1, 0, 0, w, 0])
}
export function orthographic(width, height, near, far) {
  const [z, w] = [2 / (near - far), (far + near) / (near - far)]
  return new Float32Array([2 / width, 0, 0, 0, 0, 2 / height, 0, 0, 0, 0, z, 0, 0, 0, w, 1])
}
/** Where a matrix takes a point: [x, y, z, w]. */
export function project(m, x) {
  return [0, 1, 2, 3].map(i => m[i] * x[0] + m[4 + i] * x[1] + m[8 + i] * x[2] + m[12 + i])
}
