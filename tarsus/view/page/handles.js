// Handles: a ball to drag in the plane of the screen, arrows to drag along axes, rings to turn.
//
//   const handles = new HandleSet(scene, send)
//   handles.set([{name, position, wxyz, plain}])   without wxyz a handle cannot be turned;
//                                                  a plain one is a ball without arrows
//   send({handle: name, position, wxyz})        is called while one is dragged
//
// They are as large on the screen near and far, and are drawn over everything.

import { LOOKS } from "./materials.js"
import { pixelsFromSegment } from "./picking.js"
import { ball, cone, cylinder, tube } from "./solids.js"
import { rgb } from "./themes.js"
import {
  add, cross, dot, multiplyQuaternions, norm, poseAlong, poseOfColumns, poseOfQuaternion, scale, subtract, unit,
} from "./vectors.js"

const COLORS = ["#d6336c", "#1b9a78", "#1c8fd6"].map(rgb)
const CENTRE = rgb("#f0f3f6")
const PLAIN = rgb("#7b4fc4")
const GRABBED = rgb("#ffb020")
/** Length of an arrow and radius of a ring [CSS pixels]. */
const [ARROW, RING] = [74, 58]
const EDGES = 48

export class HandleSet {
  constructor(scene, send) {
    this.scene = scene
    this.send = send
    this.list = []
    this.grabbed = null
    this.under = null
    const plain = { cast: false }
    const { renderer } = scene
    const circle = Array.from({ length: EDGES + 1 }, (_, k) => [Math.cos((2 * Math.PI * k) / EDGES), Math.sin((2 * Math.PI * k) / EDGES), 0])
    this.balls = renderer.batch(ball(1), plain)
    this.shafts = renderer.batch(cylinder(1, 0, 1, 12), plain)
    this.heads = renderer.batch(cone(1, 0, 1), plain)
    this.rings = renderer.batch(tube(circle, 0.028, 8), plain)
    this.batches = [this.balls, this.shafts, this.heads, this.rings]
    scene.overlays.push(this)
    this.listen()
  }

  set(list) {
    // what is being dragged stays in the hand
    this.list = list.map(each => (this.grabbed && this.grabbed.handle.name === each.name ? this.grabbed.handle : each))
    this.scene.dirty = true
  }

  // --- pictures ---------------------------------------------------------------------------------

  fill(view, pixels) {
    for (const batch of this.batches) batch.clear()
    for (const handle of this.list) {
      const pixel = norm(subtract(handle.position, view.eye)) / pixels
      const paint = (part, color) => (this.isLit(handle, part) ? GRABBED : color)
      const round = (pose, size) => poseOfColumns(...[0, 1, 2].map(k => scale(axisOf(pose, k), size)), handle.position)
      const still = poseOfColumns([1, 0, 0], [0, 1, 0], [0, 0, 1], handle.position)
      this.balls.add(round(still, 8 * pixel), paint("ball", handle.plain ? PLAIN : CENTRE), LOOKS.sign)
      if (handle.plain) continue
      for (const k of [0, 1, 2]) {
        const axis = worldAxis(k)
        const end = add(handle.position, scale(axis, (ARROW - 16) * pixel))
        this.shafts.add(poseAlong(handle.position, scale(axis, (ARROW - 16) * pixel), 2 * pixel), paint(`arrow${k}`, COLORS[k]), LOOKS.sign)
        this.heads.add(poseAlong(end, scale(axis, 16 * pixel), 6 * pixel), paint(`arrow${k}`, COLORS[k]), LOOKS.sign)
        if (handle.wxyz) this.rings.add(this.ringPose(handle, k, RING * pixel), paint(`ring${k}`, COLORS[k]), LOOKS.sign)
      }
    }
  }

  isLit(handle, part) {
    const lit = this.grabbed ?? this.under
    return lit && lit.handle === handle && lit.part === part
  }

  /** A ring about axis k of the handle's own turn. */
  ringPose(handle, k, radius) {
    const own = poseOfQuaternion(handle.wxyz, handle.position)
    const [x, y, z] = [1, 2, 3].map(i => scale(axisOf(own, (k + i) % 3), radius))
    return poseOfColumns(x, y, z, handle.position)
  }

  // --- what people do -----------------------------------------------------------------------------

  listen() {
    const { canvas, camera } = this.scene
    const before = camera.allows
    camera.allows = event => !this.grab(event) && before(event)
    canvas.addEventListener("pointermove", event => this.move(event))
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => this.release())
  }

  /** The handle and its part under a place of the canvas, or null. */
  at(x, y) {
    const { camera } = this.scene
    const view = camera.view()
    const place = point => camera.place(point, view.matrix)
    let [best, nearest] = [null, 11]
    const offer = (handle, part, away) => { if (away < nearest) [best, nearest] = [{ handle, part }, away] }
    for (const handle of this.list) {
      const pixel = norm(subtract(handle.position, view.eye)) / this.scene.pixels
      const centre = place(handle.position)
      if (!centre) continue
      offer(handle, "ball", Math.hypot(centre[0] - x, centre[1] - y) - 6)
      if (handle.plain) continue
      for (const k of [0, 1, 2]) {
        const near = add(handle.position, scale(worldAxis(k), 12 * pixel))
        const far = add(handle.position, scale(worldAxis(k), ARROW * pixel))
        offer(handle, `arrow${k}`, pixelsFromSegment(place, near, far, x, y))
        if (!handle.wxyz) continue
        const pose = this.ringPose(handle, k, RING * pixel)
        for (let i = 0; i < EDGES; i++) {
          const [a, b] = [i, i + 1].map(j => rim(pose, (2 * Math.PI * j) / EDGES))
          offer(handle, `ring${k}`, pixelsFromSegment(place, a, b, x, y) + 1)
        }
      }
    }
    return best
  }

  grab(event) {
    if (event.button !== 0) return false
    const found = this.at(event.offsetX, event.offsetY)
    if (!found) return false
    this.scene.canvas.setPointerCapture(event.pointerId)
    const { position, wxyz } = found.handle
    this.grabbed = { ...found, position: [...position], wxyz: wxyz && [...wxyz] }
    this.grabbed.first = this.along(event)
    return true
  }

  move(event) {
    if (!this.grabbed) {
      const under = event.buttons ? null : this.at(event.offsetX, event.offsetY)
      if (under?.part !== this.under?.part) this.scene.dirty = true
      this.under = under
      return
    }
    const now = this.along(event)
    const { handle, part, position, wxyz, first } = this.grabbed
    if (now === null || first === null) return
    if (part.startsWith("ring")) {
      const half = (now - first) / 2
      const axis = axisOf(poseOfQuaternion(wxyz, position), Number(part[4]))
      handle.wxyz = multiplyQuaternions([Math.cos(half), ...scale(axis, Math.sin(half))], wxyz)
    } else {
      handle.position = add(position, subtract(now, first))
    }
    this.scene.dirty = true
    this.send({ handle: handle.name, position: handle.position, wxyz: handle.wxyz })
  }

  release() {
    if (this.grabbed) this.scene.dirty = true
    this.grabbed = null
  }

  /** Where the pointer is in terms of what is grabbed: a point of the world, or an angle. */
  along(event) {
    const { part, position, wxyz } = this.grabbed
    const ray = this.scene.ray(event.offsetX, event.offsetY)
    const k = Number(part.at(-1))
    if (part === "ball") return onPlane(ray, position, this.scene.camera.axes().back)
    if (part.startsWith("arrow")) return onLine(ray, position, worldAxis(k))
    const own = poseOfQuaternion(wxyz, position)
    const hit = onPlane(ray, position, axisOf(own, k))
    if (!hit) return null
    const away = subtract(hit, position)
    return Math.atan2(dot(away, axisOf(own, (k + 2) % 3)), dot(away, axisOf(own, (k + 1) % 3)))
  }
}

const worldAxis = k => [0, 1, 2].map(i => (i === k ? 1 : 0))
const axisOf = (pose, k) => [pose[k], pose[4 + k], pose[8 + k]]
const rim = (p, angle) => [0, 4, 8].map(i => p[i + 3] + Math.cos(angle) * p[i] + Math.sin(angle) * p[i + 1])

function onPlane({ from, way }, point, normal) {
  const along = dot(way, normal)
  if (Math.abs(along) < 1e-4) return null
  return add(from, scale(way, dot(subtract(point, from), normal) / along))
}
/** The point of a line that is nearest to a ray. */
function onLine({ from, way }, point, axis) {
  const side = cross(axis, way)
  if (norm(side) < 0.05) return null
  const normal = unit(cross(way, side))
  return add(point, scale(axis, dot(subtract(from, point), normal) / dot(axis, normal)))
}
