// Two clicks on attachment points make a joint, a spring, a string, a distance between them.
import { end, words, worldEnd } from "./lines.js"
import { attachmentAt } from "./snap.js"
import { Tool } from "./tool.js"

const AXES = ["x", "y", "z"]

export class ConnectTool extends Tool {
  #first = null
  #axis = -1

  constructor(studio, given) {
    super(studio, given)
    this.hasAxis = given.axis
  }

  get hint() {
    if (!this.#first)
      return this.lacksBodies || `${this.title}: click the first point. Points snap to ends, centres and corners.`
    return `First point on ${this.#first.body}. Now click the second, on another body or on the ground.`
  }

  get nothing() {
    return this.#first ? "Click a point of another body, or the ground." : "Click a point of a body."
  }

  choices() {
    const list = []
    if (this.hasAxis) list.push({ label: `Axis ${AXES[this.axis]}`, key: "A", act: () => this.turnAxis() })
    if (this.#first)
      list.push({ label: "To the world, here", key: "W", act: () => this.take(worldEnd(this.#first.point)) })
    return list
  }

  /** The number of the world's axis about or along which it moves: the one that faces the eye. */
  get axis() {
    return this.#axis >= 0 ? this.#axis : this.kind === "prismatic" ? (this.plane.axis + 1) % 3 : this.plane.axis
  }

  turnAxis() {
    this.#axis = (this.axis + 1) % 3
    this.changed()
  }

  take(place) {
    this.under = null
    const first = this.#first
    this.#first = first ? null : place
    if (first) this.add(`-a ${end(first)} -b ${end(place)}${this.hasAxis ? this.#axisOf(first.body) : ""}`)
    else this.changed()
  }

  #axisOf(body) {
    const way = [0, 1, 2].map(i => (i === this.axis ? 1 : 0))
    return ` -axis ${words(this.studio.world.turnToBody(body, way))}`
  }

  // The first body is looked through for the second point: ends that meet lie upon each other.
  at(place) {
    const found = attachmentAt(this.studio, place, { except: this.#first ? [this.#first.body] : [] })
    if (found || !this.#first) return found
    const hit = this.studio.picture.pick(place.x, place.y)
    return hit && hit.body === "world" ? worldEnd(hit.point) : null
  }

  draw(pen) {
    const first = this.#first
    this.drawSnaps(pen, first?.body)
    const from = first && (first.body === "world" ? first.point : this.studio.world.toWorld(first.body, first.local))
    if (from) pen.mark(from, "1")
    this.drawUnder(pen, first ? "2" : "1")
    if (from && this.under) pen.thread(from, this.under.point)
  }
}
