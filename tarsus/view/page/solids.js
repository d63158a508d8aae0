// Solids of which arrows and icons are made: turned profiles, boxes, tubes along curves, gear wheels.

import { meshOf } from "./meshes.js"
import { across, cross, subtract, unit } from "./vectors.js"

const SIDES = 28

/** The solid that a profile of [radius, height] makes when it turns about z. */
export function turned(profile, sides = SIDES) {
  const [vertices, triangles] = [[], []]
  for (const [radius, height] of profile) {
    for (let k = 0; k < sides; k++) {
      const angle = (2 * Math.PI * k) / sides
      vertices.push(radius * Math.cos(angle), radius * Math.sin(angle), height)
    }
  }
  for (let row = 0; row + 1 < profile.length; row++) {
    for (let k = 0; k < sides; k++) {
      const [a, b] = [row * sides + k, row * sides + ((k + 1) % sides)]
      if (profile[row][0] > 0) triangles.push(a, b, profile[row + 1][0] > 0 ? b + sides : a + sides)
      if (profile[row + 1][0] > 0) triangles.push(a, b + sides, a + sides)
    }
  }
  return meshOf(vertices, triangles)
}

/** A cylinder about z from one height to another. */
export const cylinder = (radius, low, high, sides = SIDES) =>
  turned([[0, low], [radius, low], [radius, high], [0, high]], sides)

/** A pipe about z: outer and inner radius. */
export const pipe = (outer, inner, low, high) =>
  turned([[inner, low], [outer, low], [outer, high], [inner, high], [inner, low]])

export const cone = (radius, low, high) => turned([[0, low], [radius, low], [0, high]])

/** A ball about the origin, or the part of it between two angles of latitude. */
export function ball(radius, from = -Math.PI / 2, to = Math.PI / 2, rings = 14) {
  const profile = Array.from({ length: rings + 1 }, (_, k) => {
    const angle = from + ((to - from) * k) / rings
    const across = Math.abs(Math.abs(angle) - Math.PI / 2) < 1e-9 ? 0 : Math.cos(angle)
    return [radius * across, radius * Math.sin(angle)]
  })
  return turned(profile)
}

/** A box with corners at ±half sizes, about a middle. */
export function box([x, y, z], [p, q, r] = [0, 0, 0]) {
  const corners = [-1, 1].flatMap(i => [-1, 1].flatMap(j => [-1, 1].map(k => [p + i * x, q + j * y, r + k * z])))
  const faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
  return meshOf(corners, faces.flatMap(f => [f[0], f[1], f[2], f[0], f[2], f[3]]))
}

/** A tube of a radius along a curve of points; its ends are closed by points. */
export function tube(curve, radius, sides = 10) {
  const [vertices, triangles] = [[], []]
  let side = across(subtract(curve[1], curve[0]))
  curve.forEach((point, row) => {
    const along = unit(subtract(curve[Math.min(row + 1, curve.length - 1)], curve[Math.max(row - 1, 0)]))
    const up = unit(cross(along, side))
    // the side is carried along, so that the tube does not twist
    side = cross(up, along)
    for (let k = 0; k < sides; k++) {
      const [c, s] = [Math.cos((2 * Math.PI * k) / sides), Math.sin((2 * Math.PI * k) / sides)]
      for (let i = 0; i < 3; i++) vertices.push(point[i] + radius * (c * side[i] + s * up[i]))
    }
    if (!row) return
    for (let k = 0; k < sides; k++) {
      const [a, b] = [(row - 1) * sides + k, (row - 1) * sides + ((k + 1) % sides)]
      triangles.push(a, b, b + sides, a, b + sides, a + sides)
    }
  })
  const [first, last] = [0, (curve.length - 1) * sides]
  for (let k = 1; k + 1 < sides; k++) {
    triangles.push(first, first + k + 1, first + k, last, last + k, last + k + 1)
  }
  return meshOf(vertices, triangles)
}

/** A plate about z whose outline has a radius for each angle, with a hole. */
export function plate(radii, hole, low, high) {
  const count = radii.length
  const [vertices, triangles] = [[], []]
  for (const height of [low, high]) {
    for (const radius of [radii, radii.map(() => hole)]) {
      radius.forEach((r, k) => {
        const angle = (2 * Math.PI * k) / count
        vertices.push(r * Math.cos(angle), r * Math.sin(angle), height)
      })
    }
  }
  const quad = (a, b, c, d) => triangles.push(a, b, c, a, c, d)
  for (let k = 0; k < count; k++) {
    const [i, j] = [k, (k + 1) % count]
    const [outer, inner, upper, bore] = [0, count, 2 * count, 3 * count]
    quad(outer + i, outer + j, upper + j, upper + i)
    quad(inner + j, inner + i, bore + i, bore + j)
    quad(upper + i, upper + j, bore + j, bore + i)
    quad(outer + j, outer + i, inner + i, inner + j)
  }
  return meshOf(vertices, triangles)
}

/** A gear wheel of radius 1 about z, with teeth of the height that fits their number. */
export function gearWheel(teeth, width) {
  const height = 2.2 / teeth
  const tooth = [1 - height, 1 - height, 1 + 0.8 * height, 1 + 0.8 * height, 1 - height, 1 - height]
  return plate(Array.from({ length: teeth }, () => tooth).flat(), 0.28, -width / 2, width / 2)
}
