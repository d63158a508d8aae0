// How joints, springs and forces look in the picture: icons where they are, arrows as long as they pull.
import { readable } from "./elements.js"
import { extentsOf } from "./snap.js"

const ICONS = {
  revolute: "hinge",
  prismatic: "slider",
  spherical: "ball",
  universal: "universal",
  cylindrical: "slider",
  screw: "screw",
  weld: "weld",
  spring: "spring",
  rubber: "string",
  damper: "damper",
  string: "string",
  distance: "string",
  nail: "nail",
  motor: "motor",
  brake: "brake",
}
const BETWEEN = new Set(["spring", "damper", "string"])
const ARROWS = { drag: "pull", velocity: "velocity", torque: "torque", cone: "cone" }
const STATES = new Set(["open", "stick", "slip", "impact"])

/** Icons of all joints and parts of a world, as scene.js wants them. */
export function iconsOf(world) {
  const { scene } = world,
    size = 0.06 * (scene.size || 1)
  if (scene.shown && !scene.shown.includes("joints"))
    return scene.parts.map(part => partIcon(world, part, size)).filter(Boolean)
  const joints = scene.joints
    .filter(joint => ICONS[joint.kind])
    .map(joint => jointIcon(world, joint))
  return [...joints, ...scene.parts.map(part => partIcon(world, part, size)).filter(Boolean)]
}

function jointIcon(world, joint) {
  const kind = ICONS[joint.kind],
    at = (body, pose) => ({ body: world.bodyIndex(body), point: [pose[3], pose[7], pose[11]] })
  if (BETWEEN.has(kind)) return { kind, from: at(joint.a, joint.pose_a), to: at(joint.b, joint.pose_b) }
  return {
    kind,
    body: world.bodyIndex(joint.a),
    placement: turned(joint.pose_a, joint.loop ? null : joint.axis),
    size: jointSize(world, joint),
  }
}

/** A joint is a little thicker than the thinner of the bodies it joins. */
function jointSize({ scene }, { a, b }) {
  const thin = [a, b]
    .map(name => scene.bodies.find(body => body.name === name))
    .filter(Boolean)
    .map(thickness)
    .filter(x => x > 0)
  const most = 0.09 * (scene.size || 1)
  return thin.length ? Math.max(0.2 * most, Math.min(most, 3.6 * Math.min(...thin))) : 0.6 * most
}

const known = new WeakMap()

/** Half of how thick a body is: the lesser extent of its box across the greatest [m]. */
function thickness(body) {
  if (!known.has(body.surfaces)) {
    const extents = extentsOf(body).sort((x, y) => x - y)
    known.set(body.surfaces, extents[1] / 2)
  }
  return known.get(body.surfaces)
}

function partIcon(world, { kind, a, b }, size) {
  const drawn = ICONS[kind]
  if (!drawn || !a) return null
  const place = end => ({ body: world.bodyIndex(end.body), point: end.point })
  if (BETWEEN.has(drawn)) return b && { kind: drawn, from: place(a), to: place(b), size: 0.7 * size }
  const [x, y, z] = a.point
  return { kind: drawn, body: world.bodyIndex(a.body), placement: [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z], size }
}

/** Three rows of a pose whose z axis lies along an axis of it; as it is if there is none. */
function turned(pose, axis) {
  if (!axis) return pose.slice(0, 12)
  const length = Math.hypot(...axis.slice(-3)) || 1,
    z = axis.slice(-3).map(x => x / length)
  const helper = Math.abs(z[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]
  const x = unit(cross(helper, z)),
    y = cross(z, x)
  return [0, 4, 8].flatMap(r =>
    [x, y, z].map(v => pose[r] * v[0] + pose[r + 1] * v[1] + pose[r + 2] * v[2]).concat(pose[r + 3]),
  )
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
const unit = a => a.map(x => x / (Math.hypot(...a) || 1))

/** Arrows of a frame, as scene.js wants them: the weight of the machine is half its size long, or one and a
 * half where friction cones are shown, which are seen only if forces on single corners are long. */
export function arrowsOf({ scene, frame }) {
  const weight = 9.81 * scene.bodies.reduce((sum, body) => sum + (body.mass || 0), 0) || 1
  const size = scene.size || 1,
    long = scene.shown?.includes("cones") ? 1.5 : 0.5
  return (frame.arrows ?? []).map((arrow, k) => {
    const numbers = frame.arrowNumbers.subarray(6 * k, 6 * k + 6)
    const vector = [...numbers.subarray(3)],
      force = arrow.force ?? Math.hypot(...vector)
    const wanted = arrow.kind === "velocity" ? 0.2 * force : (long * size * force) / weight
    const scale = Math.min(wanted, 0.8 * size) / (force || 1)
    return {
      from: [...numbers.subarray(0, 3)],
      vector: vector.map(x => x * scale),
      kind: ARROWS[arrow.kind] ?? "force",
      state: STATES.has(arrow.state) ? arrow.state : undefined,
      coefficient: arrow.friction,
      label: labelOf(arrow, force),
    }
  })
}

/** What is told beside an arrow: its size, what a contact does, and how far its force leans. */
function labelOf({ name, kind, state, friction, share }, force) {
  const size = `${name}: ${readable(force)} ${kind === "velocity" ? "m/s" : "N"}${state ? `, ${state}` : ""}`
  return friction === undefined ? size : `${size}, ${Math.round(100 * share)} % of friction ${readable(friction)}`
}

/** Where an arrow is that a hand pulls with: the page draws its spring instead. */
export const isHand = arrow => arrow.kind === "pull"
