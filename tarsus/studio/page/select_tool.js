// The tool of an empty hand: a click selects, a pull on a body drags it, moves it or leads it.
import { holdFor } from "./holds.js"
import { boxOf } from "./snap.js"
import { Things } from "./things.js"

/** How near a handle a press must be [px]: a finger is as wide. */
const NEAR = 18

export class SelectTool {
  #studio
  #grip = null
  #hold = null
  #box = null
  #things

  constructor(studio) {
    this.#studio = studio
    this.#things = new Things(studio)
    studio.overlay.layer(
      pen => this.#draw(pen),
      () => this.#hold !== null || this.#box !== null,
    )
    studio.overlay.layer(
      pen => this.#hold || pen.handle(this.#handle()),
      () => this.#handle() !== null,
    )
  }

  press({ x, y, shift }) {
    if (shift) {
      this.#box = { from: [x, y], to: [x, y] }
      return true
    }
    const handle = this.#handle(),
      seen = handle && this.#studio.picture.project(handle)
    if (seen && Math.hypot(seen[0] - x, seen[1] - y) < NEAR) {
      this.#grip = { body: this.#studio.selected, local: [0, 0, 0], start: handle, to: handle, leads: true }
      return true
    }
    const hit = this.#hit(x, y)
    if (!hit) return false
    this.#grip = { body: hit.body, local: hit.local, start: hit.point, to: hit.point }
    return true
  }

  click({ x, y, shift }) {
    this.#grip = this.#box = null
    if (this.#studio.refusals.clear(x, y)) return
    const name = this.#studio.overlay.badgeAt(x, y) ?? this.#hit(x, y)?.body ?? ""
    if (!shift) this.#studio.select(name)
    else if (name) this.#studio.toggle(name)
  }

  /** A finger that stays on a body adds it to what is selected. */
  stay({ x, y }) {
    const hit = this.#hit(x, y)
    if (hit) this.#studio.toggle(hit.body)
    return Boolean(hit)
  }

  hover({ x, y }) {
    const body = this.#hit(x, y)?.body ?? ""
    this.#studio.picture.hover(body)
    this.#studio.picture.canvas.style.cursor = body ? "grab" : ""
    const arrow = this.#studio.scene.pickArrow(x, y)?.label
    this.#studio.overlay.tell(x, y, arrow ?? this.#things.wordsAt(x, y) ?? this.#studio.nearness.wordsOf(body))
  }

  away() {
    this.#studio.picture.hover("")
    this.#studio.overlay.tell(0, 0, "")
  }

  pull({ x, y, alt }) {
    if (this.#box) {
      this.#box.to = [x, y]
      return
    }
    const grip = this.#grip
    if (!grip) return
    grip.to = this.#across(x, y, grip.start)
    if (this.#hold) {
      this.#hold.move(grip)
      return
    }
    this.#studio.picture.canvas.style.cursor = "grabbing"
    this.away()
    if (!this.#studio.selection.includes(grip.body)) this.#studio.select(grip.body)
    this.#hold = holdFor(this.#studio, grip, alt || grip.leads)
    this.#hold.begin(grip)
  }

  release() {
    if (this.#box) this.#studio.selectAll([...new Set([...this.#studio.selection, ...this.#inBox()])])
    this.#letGo(hold => hold.end)
  }

  /** Lets go without doing what was meant. */
  cancel() {
    this.#letGo(hold => hold.cancel)
  }

  leave() {
    this.cancel()
    this.away()
  }

  #letGo(way) {
    const [grip, hold] = [this.#grip, this.#hold]
    this.#grip = this.#hold = this.#box = null
    this.#studio.picture.canvas.style.cursor = ""
    if (hold) way(hold)?.call(hold, grip)
  }

  /** The names of the bodies whose middle is in the box. */
  #inBox() {
    const { from, to } = this.#box
    const isBetween = (x, i) => x >= Math.min(from[i], to[i]) && x <= Math.max(from[i], to[i])
    return this.#studio.world.scene.bodies
      .filter(body => {
        const [low, high] = boxOf(body)
        if (!Number.isFinite(low[0])) return false
        const middle = low.map((x, i) => (x + high[i]) / 2)
        return this.#studio.picture.project(this.#studio.world.toWorld(body.name, middle))?.every(isBetween)
      })
      .map(body => body.name)
  }

  /** Where the frame of the selected body is led by inverse kinematics: at rest, if joints carry it. */
  #handle() {
    const { world, selected, isResting } = this.#studio
    if (!isResting || world.frame.playing || world.bodyIndex(selected) < 0) return null
    const carried = world.scene.joints.some(joint => joint.a === selected || joint.b === selected)
    return carried ? world.toWorld(selected, [0, 0, 0]) : null
  }

  #hit(x, y) {
    const hit = this.#studio.picture.pick(x, y)
    return hit && hit.body !== "world" ? hit : null
  }

  /** The point under the pointer in the plane across the view through where the pull began. */
  #across(x, y, through) {
    const { from, way } = this.#studio.picture.ray(x, y)
    const { way: ahead } = this.#studio.picture.ray(...this.#studio.picture.middle)
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    const far =
      dot(
        through.map((p, i) => p - from[i]),
        ahead,
      ) / dot(way, ahead)
    return from.map((p, i) => p + far * way[i])
  }

  #draw(pen) {
    if (this.#box) pen.box(this.#box.from, this.#box.to)
    if (this.#grip && this.#hold) this.#hold.draw(pen, this.#grip)
  }
}
