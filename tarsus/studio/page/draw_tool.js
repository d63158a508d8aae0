// Two clicks draw a part from point to point; ends that snap to a body are joined to it.
import { end, fromX, words } from "./lines.js"
import { Tool } from "./tool.js"

/** The options that say how long a part is along its x axis. */
const SIZE = {
  rod: length => `-length ${words([length])} -radius ${words([Math.min(0.02, length / 10)])}`,
  capsule: length => `-length ${words([length])} -radius ${words([Math.min(0.05, length / 6)])}`,
}

export class DrawTool extends Tool {
  static joins = true
  #first = null

  constructor(studio, given) {
    super(studio, given)
    this.plane.through = studio.lastPoint ?? [0, 0, 0]
  }

  get hint() {
    return `${this.title}: click where it ${this.#first ? "ends" : "begins. Ends snap to ends"}.`
  }

  choices() {
    return [
      { label: `Plane ${this.plane.title}`, key: "P", act: () => this.#turn() },
      { label: this.joined, key: "J", pressed: DrawTool.joins, act: () => this.#join() },
    ]
  }

  /** What becomes of ends that snap to something. */
  get joined() {
    return "Hinge where it snaps"
  }

  #turn() {
    this.plane.turn()
    this.changed()
  }

  #join() {
    DrawTool.joins = !DrawTool.joins
    this.changed()
  }

  take(place) {
    const first = this.#first
    this.plane.through = place.point
    this.#first = first ? null : place
    if (first) this.#finish(first, place)
    else this.changed()
  }

  async #finish(first, second) {
    if (Math.hypot(...second.point.map((x, i) => x - first.point[i])) < 1e-3) {
      this.#first = first
      this.studio.say("A part needs a length: click farther away.")
      return
    }
    this.studio.lastPoint = second.point
    const name = this.studio.world.freshName(this.kind)
    if (await this.make(name, first, second)) this.studio.select(name)
    this.changed()
  }

  /** Runs the lines that make the part; the promise is whether it is there. */
  async make(name, first, second) {
    const along = second.point.map((x, i) => x - first.point[i]),
      length = Math.hypot(...along)
    const middle = first.point.map((x, i) => (x + second.point[i]) / 2),
      { normal } = this.plane
    const line = `add ${this.kind} ${name} -t ${words(middle)} -E ${words(fromX(along))} ${SIZE[this.kind](length)}`
    if (!(await this.studio.run(line)).ok) return false
    await this.#hinge(first, name, [-length / 2, 0, 0], normal)
    await this.#hinge(second, name, [length / 2, 0, 0], normal)
    return true
  }

  async #hinge(place, name, local, normal) {
    if (!DrawTool.joins || !place.body) return
    const { world } = this.studio
    const axis = words(world.turnToBody(place.body, normal))
    await this.studio.run(
      `add revolute ${world.freshName("hinge")} -a ${end(place)} -b ${end({ body: name, local })} -axis ${axis}`,
    )
  }

  at(place) {
    const snapped = super.at(place)
    if (snapped?.snapped) return snapped
    const point = this.plane.at(place.x, place.y, place.shift)
    return point && { body: "", point, what: `${words(point)} m` }
  }

  draw(pen) {
    const [first, under] = [this.#first, this.under]
    this.drawSnaps(pen)
    pen.grid(this.plane, under?.point ?? first?.point)
    if (first) pen.mark(first.point, "1")
    if (!under) return
    const far = first && Math.hypot(...under.point.map((x, i) => x - first.point[i]))
    const text = under.body ? `${under.body} · ${under.what}` : under.what
    pen.mark(under.point, first ? "2" : "1", far ? `${far.toFixed(3)} m` : text)
    if (first) pen.bar(first.point, under.point)
  }
}
