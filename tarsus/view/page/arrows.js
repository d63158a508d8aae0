// Arrows: forces, velocities, torques, friction cones; as thick on the screen near and far.
//
// {from, vector [m], kind, state, label, color} with kind "force", "velocity", "acceleration", "pull",
// "torque" (an arc about `vector`) or "cone" (a friction cone about the normal `vector` with a
// `coefficient`). What a contact does has a shape as well as a colour:
//
//   sticks  a full shaft        slips  a shaft in pieces
//   strikes two heads           open   a head without a shaft
//
// A cone whose contact sticks has a whole rim, one whose contact slips a rim in pieces.

import { joined } from "./meshes.js"
import { LOOKS, STATES, VECTORS } from "./materials.js"
import { pixelsFromSegment } from "./picking.js"
import { cone, cylinder, tube, turned } from "./solids.js"
import { add, norm, poseAlong, scale, unit } from "./vectors.js"

/** Radius of a shaft [CSS pixels]. */
const RADIUS = 2.6
/** Width of a head, in radii of the shaft. */
const HEAD = 4.6

export class Arrows {
  constructor(renderer) {
    const plain = { cast: false }
    this.shaft = renderer.batch(cylinder(1, 0, 1, 16), plain)
    this.head = renderer.batch(cone(1, 0, 1), plain)
    this.dot = renderer.batch(turned([[0, -0.5], [0.7, -0.35], [1, 0], [0.7, 0.35], [0, 0.5]]), plain)
    this.arc = renderer.batch(arcMesh(), plain)
    this.hull = renderer.batch(turned([[0, 0], [1, 1]], 40), plain)
    this.rim = renderer.batch(rimMesh(1, 48), plain)
    this.pieces = renderer.batch(rimMesh(12, 4), plain)
    this.opaque = [this.shaft, this.head, this.dot, this.arc, this.rim, this.pieces]
    this.translucent = [this.hull]
    this.list = []
  }

  set(list) {
    this.list = list.map(arrow => ({ kind: "force", ...arrow }))
    for (const { kind, state } of this.list) {
      if (kind !== "cone" && !VECTORS[kind]) {
        throw new Error(`an arrow's kind is ${kind}, must be one of ${Object.keys(VECTORS).join(", ")}, cone`)
      }
      if (state !== undefined && !STATES[state]) {
        throw new Error(`an arrow's state is ${state}, must be one of ${Object.keys(STATES).join(", ")}`)
      }
    }
  }

  /** Fill the batches for a view; `place` resolves where arrows begin. */
  fill(view, pixels, place, hovered) {
    for (const batch of [...this.opaque, ...this.translucent]) batch.clear()
    for (const arrow of this.list) {
      const from = place(arrow.from)
      const far = norm(from.map((x, i) => x - view.eye[i]))
      const radius = ((RADIUS * far) / pixels) * (arrow === hovered ? 1.5 : 1)
      if (arrow.kind === "cone") this.addCone(arrow, from)
      else if (arrow.kind === "torque") this.addArc(arrow, from, radius)
      else this.addStraight(arrow, from, radius)
    }
  }

  addStraight(arrow, from, radius) {
    const { vector, state } = arrow
    const length = norm(vector)
    if (!(length > 0)) return
    const color = colorOf(arrow)
    const way = unit(vector)
    const head = Math.min(HEAD * 1.9 * radius, 0.6 * length)
    const look = [...LOOKS.sign]
    // stripes are counted over the shaft's own length, which is one
    if (state === "slip") look[3] = Math.max(2, Math.round((length - head) / (5 * radius)))
    if (state !== "open") this.shaft.add(poseAlong(from, scale(way, length - head), radius), color, look)
    this.head.add(poseAlong(add(from, scale(way, length - head)), scale(way, head), (HEAD * radius) / 2), color, LOOKS.sign)
    if (state === "impact" && length > 2.5 * head) {
      const second = add(from, scale(way, length - 1.9 * head))
      this.head.add(poseAlong(second, scale(way, head), (HEAD * radius) / 2), color, LOOKS.sign)
    }
    this.dot.add(poseAlong(from, scale(way, 2.2 * radius), 2 * radius), color, LOOKS.sign)
  }

  /** An arc about the torque: as wide as the vector is long, half of it. */
  addArc(arrow, from, radius) {
    const length = norm(arrow.vector)
    if (!(length > 0)) return
    const wide = Math.max(0.35 * length, 6 * radius)
    this.arc.add(poseAlong(from, scale(unit(arrow.vector), wide), wide), colorOf(arrow), LOOKS.sign)
    this.addStraight({ ...arrow, state: undefined }, from, 0.7 * radius)
  }

  addCone(arrow, from) {
    const wide = (arrow.coefficient ?? 0.5) * norm(arrow.vector)
    if (!(wide > 0)) return
    const [r, g, b] = colorOf(arrow)
    this.hull.add(poseAlong(from, arrow.vector, wide), [r, g, b, 0.3], LOOKS.plastic)
    const rim = arrow.state === "slip" || arrow.state === "impact" ? this.pieces : this.rim
    rim.add(poseAlong(add(from, arrow.vector), scale(unit(arrow.vector), wide), wide), [r, g, b], LOOKS.sign)
  }

  /** The arrow under a place of the canvas, or null. */
  hovered(camera, matrix, place, x, y) {
    let [best, nearest] = [null, 9]
    // the force in a cone is what is meant, where both are drawn
    for (const arrow of [...this.list].sort((a, b) => (a.kind === "cone") - (b.kind === "cone"))) {
      const from = place(arrow.from)
      const away = pixelsFromSegment(p => camera.place(p, matrix), from, add(from, arrow.vector), x, y)
      if (away < nearest) [best, nearest] = [arrow, away]
    }
    return best
  }
}

/** What is written beside an arrow: its label, and what the contact does. */
export function arrowWords(arrow) {
  const state = arrow.state === undefined ? "" : STATES[arrow.state].words
  return [arrow.label, state].filter(Boolean).join(", ")
}

function colorOf({ color, state, kind }) {
  return color ?? (state === undefined ? (VECTORS[kind] ?? VECTORS.force) : STATES[state].color)
}

/** A circle of radius 1 about z, in so many pieces of so many sides. */
function rimMesh(pieces, sides) {
  const share = pieces > 1 ? 0.6 : 1
  const arcs = Array.from({ length: pieces }, (_, piece) => {
    const curve = Array.from({ length: sides + 1 }, (_, k) => {
      const angle = ((piece + (share * k) / sides) * 2 * Math.PI) / pieces
      return [Math.cos(angle), Math.sin(angle), 0]
    })
    return tube(curve, 0.035, 6)
  })
  return joined(...arcs)
}

/** Three quarters of a turn of radius 1 about z, with a head. */
function arcMesh() {
  const end = 1.5 * Math.PI
  const curve = Array.from({ length: 37 }, (_, k) => {
    const angle = (end * k) / 36
    return [Math.cos(angle), Math.sin(angle), 0]
  })
  const tip = tube([[0, -1, 0], [0.1, -1, 0]], 0.16, 16)
  // the end of the tube is drawn together to a point: a head
  for (let i = 0; i < tip.points.length; i += 3) {
    if (tip.points[i] > 0.05) tip.points.set([0.42, -1, 0], i)
  }
  return joined(tube(curve, 0.06, 10), tip)
}
