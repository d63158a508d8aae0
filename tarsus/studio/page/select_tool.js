// The tool of an empty hand: a click selects, a pull on a body drags it, moves it or leads it.
import { holdFor } from "./holds.js"
import { Things } from "./things.js"

/** How near a handle a press must be [px]: a finger is as wide. */
const NEAR = 18

export class SelectTool {
  #studio
  #grip = null
  #hold = null
  #things

  constructor(studio) {
    this.#studio = studio
    this.#things = new Things(studio)
    studio.overlay.layer(
      pen => this.#draw(pen),
      () => this.#hold !== null,
    )
    studio.overlay.layer(
      pen => this.#hold || pen.handle(this.#handle()),
      () => this.#handle() !== null,
    )
  }

  press({ x, y }) {
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

  click({ x, y }) {
    this.#grip = null
    const joint = this.#studio.overlay.badgeAt(x, y)
    this.#studio.select(joint ?? this.#hit(x, y)?.body ?? "")
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
    const grip = this.#grip
    if (!grip) return
    grip.to = this.#across(x, y, grip.start)
    if (this.#hold) {
      this.#hold.move(grip)
      return
    }
    this.#studio.picture.canvas.style.cursor = "grabbing"
    this.away()
    this.#studio.select(grip.body)
    this.#hold = holdFor(this.#studio, grip, alt || grip.leads)
    this.#hold.begin(grip)
  }

  release() {
    const [grip, hold] = [this.#grip, this.#hold]
    this.#grip = null
    this.#hold = null
    this.#studio.picture.canvas.style.cursor = ""
    hold?.end(grip)
  }

  leave() {
    this.release()
    this.away()
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
    if (this.#grip && this.#hold) this.#hold.draw(pen, this.#grip)
  }
}
