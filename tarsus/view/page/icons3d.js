// Icons of joints and parts that look like what they do. The axis of a joint is z, its size is 1.
//
// At a place {kind, body, placement (12 numbers in the body), size [m], color}: "hinge", "slider",
// "ball", "universal", "screw", "gear", "weld", "nail", "pin", "motor", "brake", "free".
// Between two places {kind, from, to, size, color}: "spring", "damper", "string" (with `rest` [m] it
// sags where it is longer than the way).

import { joined, moved } from "./meshes.js"
import { LOOKS } from "./materials.js"
import { ball, box, cone, cylinder, gearWheel, pipe, tube, turned } from "./solids.js"
import { add, norm, poseAlong, poseOfColumns, scale, subtract, unit } from "./vectors.js"

const STEEL = [0.72, 0.75, 0.78]
const DARK = [0.2, 0.23, 0.27]
const BEAD = [0.85, 0.55, 0.2]

const ALONG_X = poseOfColumns([0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 0])
const ALONG_Y = poseOfColumns([0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 0])
const at = (x, y, z) => poseOfColumns([1, 0, 0], [0, 1, 0], [0, 0, 1], [x, y, z])

/** Pieces of each icon: a mesh, a colour (none: the icon's own) and a look. */
const ICONS = {
  hinge: () => [
    [pipe(0.34, 0.2, -0.16, 0.16)],
    [joined(pipe(0.34, 0.2, -0.5, -0.19), pipe(0.34, 0.2, 0.19, 0.5)), DARK, LOOKS.painted],
    [joined(cylinder(0.18, -0.58, 0.58), cylinder(0.25, 0.56, 0.64), cylinder(0.25, -0.64, -0.56)), STEEL, LOOKS.metal],
  ],
  slider: () => [
    [joined(box([0.1, 0.3, 0.8], [-0.12, 0, 0]), box([0.06, 0.12, 0.8], [0.02, 0, 0])), STEEL, LOOKS.metal],
    [joined(box([0.16, 0.42, 0.32], [0.2, 0, 0]), box([0.1, 0.1, 0.32], [0.05, 0.3, 0]), box([0.1, 0.1, 0.32], [0.05, -0.3, 0]))],
  ],
  ball: () => [
    [ball(0.34), STEEL, LOOKS.metal],
    [joined(shellBelow(0.46, 0.38), cylinder(0.16, -0.75, -0.42))],
    [cylinder(0.12, 0.28, 0.75), STEEL, LOOKS.metal],
  ],
  universal: () => [
    [joined(moved(cylinder(0.13, -0.5, 0.5), ALONG_X), moved(cylinder(0.13, -0.5, 0.5), ALONG_Y), ball(0.2)), STEEL, LOOKS.metal],
    [yoke()],
    [moved(yoke(), poseOfColumns([0, 1, 0], [1, 0, 0], [0, 0, -1], [0, 0, 0])), DARK, LOOKS.painted],
  ],
  screw: () => [
    [joined(cylinder(0.17, -0.8, 0.8), helix(0.2, -0.78, 0.78, 9, 0.055)), STEEL, LOOKS.metal],
    [turned([[0.2, -0.2], [0.42, -0.2], [0.42, 0.2], [0.2, 0.2]], 6)],
  ],
  gear: () => [[gearWheel(18, 0.24)], [pipe(0.3, 0.2, -0.2, 0.2), STEEL, LOOKS.metal]],
  weld: () => [[beads(), BEAD, LOOKS.metal]],
  nail: () => [[joined(cylinder(0.3, 0.5, 0.6), cylinder(0.1, -0.4, 0.52), cone(0.1, -0.4, -0.75)), STEEL, LOOKS.metal]],
  pin: () => [[ball(0.32)], [joined(cylinder(0.06, -0.8, -0.2), cone(0.06, -0.8, -1)), STEEL, LOOKS.metal]],
  motor: () => [
    [joined(cylinder(0.42, -0.6, 0.2), cylinder(0.3, 0.2, 0.28)), DARK, LOOKS.painted],
    [joined(...Array.from({ length: 5 }, (_, k) => pipe(0.46, 0.4, -0.5 + 0.13 * k, -0.44 + 0.13 * k)))],
    [cylinder(0.1, 0.2, 0.62), STEEL, LOOKS.metal],
  ],
  brake: () => [[pipe(0.5, 0.2, -0.05, 0.05), STEEL, LOOKS.metal], [box([0.16, 0.2, 0.16], [0.42, 0, 0])]],
  free: () => [[joined(...[ALONG_X, ALONG_Y, at(0, 0, 0)].map(p => moved(tube(circle(0.45), 0.035, 8), p)))]],
}

/** Names of icons at a place and of those between two. */
export const KINDS = [...Object.keys(ICONS), "spring", "damper", "string"]

export class Icons {
  constructor(renderer) {
    this.renderer = renderer
    this.batches = new Map()
    this.list = []
  }

  get opaque() {
    return [...this.batches.values()]
  }

  set(list) {
    for (const { kind } of list) {
      if (!KINDS.includes(kind)) throw new Error(`an icon's kind is ${kind}, must be one of ${KINDS.join(", ")}`)
    }
    this.list = list
  }

  /** Fill the batches; return lines for strings. `place` resolves points, `poseAt` icons' poses. */
  fill(place, poseAt) {
    for (const batch of this.batches.values()) batch.clear()
    const lines = []
    for (const icon of this.list) {
      const color = icon.color ?? [0.91, 0.64, 0.24]
      if (icon.kind === "string") lines.push(stringLine(icon, place(icon.from), place(icon.to), color))
      else if (icon.kind === "spring") this.addSpring(icon, place(icon.from), place(icon.to), color)
      else if (icon.kind === "damper") this.addDamper(icon, place(icon.from), place(icon.to), color)
      else {
        const pose = sized(poseAt(icon), icon.size)
        const pieces = ICONS[icon.kind]
        this.pieces(icon.kind, pieces).forEach(([batch, own, look]) => batch.add(pose, own ?? color, look))
      }
    }
    return lines
  }

  /** Batches of an icon's pieces, made when the icon is first drawn. */
  pieces(kind, make) {
    this.made ??= new Map()
    if (!this.made.has(kind)) {
      this.made.set(kind, make().map(([mesh, color, look = LOOKS.painted], k) => [this.batch(`${kind}${k}`, () => mesh), color, look]))
    }
    return this.made.get(kind)
  }

  batch(key, make) {
    if (!this.batches.has(key)) this.batches.set(key, this.renderer.batch(make()))
    return this.batches.get(key)
  }

  /** A coil is made for about its own slenderness, or its wire would look flat when stretched. */
  addSpring({ size, turns = 10 }, from, to, color) {
    const way = subtract(to, from)
    const length = norm(way)
    if (!(length > 0)) return
    const radius = 0.5 * size
    const step = Math.round(Math.log(length / radius) / 0.08)
    const slender = Math.exp(0.08 * step)
    const coil = this.batch(`spring${turns}:${step}`, () => coilMesh(slender, turns))
    coil.add(poseAlong(from, scale(way, 1 / slender), radius), color, LOOKS.metal)
  }

  addDamper({ size, rest }, from, to, color) {
    const way = subtract(to, from)
    const [length, along] = [norm(way), unit(way)]
    if (!(length > 0)) return
    const barrel = Math.min(0.6 * (rest ?? length), 0.9 * length)
    const tin = this.batch("barrel", () => pipe(1, 0.5, 0, 1))
    const rod = this.batch("rod", () => cylinder(1, 0, 1))
    tin.add(poseAlong(from, scale(along, barrel), 0.4 * size), color, LOOKS.painted)
    rod.add(poseAlong(add(from, scale(along, 0.3 * barrel)), scale(along, length - 0.3 * barrel), 0.16 * size), STEEL, LOOKS.metal)
  }
}

/** A string: straight when taut, a parabola when slack, as long as its rest length tells. */
function stringLine({ rest, width = 3, taut }, from, to, color) {
  const length = norm(subtract(to, from))
  const slack = taut === true || rest === undefined ? 0 : Math.max(0, rest / Math.max(length, 1e-9) - 1)
  // a flat arc of sag s over d is longer by 8/3 (s/d)²
  const sag = length * Math.sqrt(0.375 * Math.min(slack, 4))
  const count = sag > 0 ? 20 : 1
  const points = Array.from({ length: count + 1 }, (_, k) => {
    const x = k / count
    const p = add(scale(from, 1 - x), scale(to, x))
    return [p[0], p[1], p[2] - 4 * sag * x * (1 - x)]
  })
  return { points, color: slack > 0 ? [...color.slice(0, 3), 0.7] : color, width: slack > 0 ? 0.7 * width : width }
}

const sized = (pose, size) => pose.map((x, i) => (i % 4 === 3 ? x : x * size))
const circle = radius => Array.from({ length: 41 }, (_, k) => [radius * Math.cos((Math.PI * k) / 20), radius * Math.sin((Math.PI * k) / 20), 0])

function curveAbout(radius, low, high, turns, steps = 14) {
  return Array.from({ length: turns * steps + 1 }, (_, k) => {
    const angle = (2 * Math.PI * k) / steps
    return [radius * Math.cos(angle), radius * Math.sin(angle), low + ((high - low) * k) / (turns * steps)]
  })
}
const helix = (radius, low, high, turns, wire) => tube(curveAbout(radius, low, high, turns), wire, 6)

/** A coil of radius 1 about z, with straight ends. */
function coilMesh(length, turns) {
  const end = Math.min(0.1 * length, 1)
  const middle = curveAbout(0.86, end, length - end, turns)
  return tube([[0, 0, 0], [0, 0, 0.7 * end], ...middle, [0, 0, length - 0.7 * end], [0, 0, length]], 0.14, 8)
}
function shellBelow(outer, inner) {
  const arc = (radius, k) => [radius * Math.cos(-Math.PI / 2 + k), radius * Math.sin(-Math.PI / 2 + k)]
  const steps = Array.from({ length: 13 }, (_, k) => (1.75 * k) / 12)
  return turned([...steps.map(k => arc(outer, k)), ...steps.reverse().map(k => arc(inner, k))])
}
function yoke() {
  return joined(box([0.1, 0.16, 0.26], [0.4, 0, 0.18]), box([0.1, 0.16, 0.26], [-0.4, 0, 0.18]), box([0.5, 0.16, 0.08], [0, 0, 0.5]), cylinder(0.18, 0.5, 0.8))
}
function beads() {
  return joined(...Array.from({ length: 10 }, (_, k) => {
    const angle = (Math.PI * k) / 5
    return moved(ball(0.14, -Math.PI / 2, Math.PI / 2, 8), at(0.36 * Math.cos(angle), 0.36 * Math.sin(angle), 0))
  }))
}
