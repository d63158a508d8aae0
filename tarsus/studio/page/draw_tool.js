// Two clicks draw a rod from point to point; ends that snap to a body are hinged to it.
import { end, fromX, words } from "./lines.js"
import { attachmentAt } from "./snap.js"
import { WorkPlane } from "./work_plane.js"

/** The options that say how long a part is along its x axis. */
const SIZE = {
  rod: length => `-length ${words([length])} -radius ${words([Math.min(0.02, length / 10)])}`,
  capsule: length => `-length ${words([length])} -radius ${words([Math.min(0.05, length / 6)])}`,
}

export class DrawTool {
  static joins = true
  #studio
  #plane
  #first = null
  #under = null
  #stop

  constructor(studio, { kind, title }) {
    this.#studio = studio
    this.kind = kind
    this.title = title
    this.#plane = new WorkPlane(studio)
    this.#plane.through = studio.lastPoint ?? [0, 0, 0]
  }

  get hint() {
    return this.#first
      ? `${this.title}: click where it ends.`
      : `${this.title}: click where it begins. Ends snap to ends.`
  }

  choices() {
    return [
      {
        label: `Plane ${this.#plane.title}`,
        key: "P",
        act: () => {
          this.#plane.turn()
          this.#studio.emit("hint")
        },
      },
      {
        label: "Hinge where it snaps",
        key: "J",
        pressed: DrawTool.joins,
        act: () => {
          DrawTool.joins = !DrawTool.joins
          this.#studio.emit("hint")
        },
      },
    ]
  }

  key(name) {
    const choice = this.choices().find(each => each.key.toLowerCase() === name.toLowerCase())
    choice?.act()
    return Boolean(choice)
  }

  enter() {
    this.#stop = this.#studio.overlay.layer(draw => this.#draw(draw))
    this.#studio.picture.canvas.style.cursor = "crosshair"
  }

  leave() {
    this.#stop()
    this.#studio.picture.canvas.style.cursor = ""
  }

  hover(at) {
    this.#under = this.#at(at)
  }

  click(at) {
    const place = this.#at(at)
    if (!place) return
    if (this.#first) this.finish(place)
    else {
      this.#first = place
      this.#plane.through = place.point
      this.#studio.emit("hint")
    }
  }

  async finish(second) {
    const first = this.#first,
      { world } = this.#studio
    const along = second.point.map((x, i) => x - first.point[i]),
      length = Math.hypot(...along)
    if (length < 1e-3) {
      this.#studio.say("A part needs a length: click farther away.")
      return
    }
    const name = world.freshName(this.kind),
      middle = first.point.map((x, i) => (x + second.point[i]) / 2)
    const line = `add ${this.kind} ${name} -t ${words(middle)} -E ${words(fromX(along))} ${SIZE[this.kind](length)}`
    const normal = this.#plane.normal
    this.#first = null
    this.#studio.lastPoint = second.point
    if (!(await this.#studio.run(line)).ok) return
    if (DrawTool.joins) {
      await this.#join(first, name, [-length / 2, 0, 0], normal)
      await this.#join(second, name, [length / 2, 0, 0], normal)
    }
    this.#studio.select(name)
    this.#studio.emit("hint")
  }

  async #join(place, name, local, normal) {
    if (!place.body || place.body === name) return
    const { world } = this.#studio
    const axis = words(world.turnToBody(place.body, normal))
    await this.#studio.run(
      `add revolute ${world.freshName("hinge")} -a ${end(place)} -b ${end({ body: name, local })} -axis ${axis}`,
    )
  }

  #at({ x, y, shift }) {
    const snapped = attachmentAt(this.#studio, x, y)
    if (snapped?.snapped) return snapped
    const point = this.#plane.at(x, y, shift)
    return point && { body: "", point, what: words(point) }
  }

  #draw(draw) {
    for (const body of this.#studio.world.scene.bodies) draw.snaps(body)
    draw.grid(this.#plane, this.#under?.point ?? this.#first?.point)
    if (this.#first) draw.mark(this.#first.point, "1")
    if (!this.#under) return
    const far = this.#first && Math.hypot(...this.#under.point.map((x, i) => x - this.#first.point[i]))
    const text = this.#under.body ? `${this.#under.body} · ${this.#under.what}` : `${this.#under.what} m`
    draw.mark(this.#under.point, this.#first ? "2" : "1", far ? `${far.toFixed(3)} m` : text)
    if (this.#first) draw.bar(this.#first.point, this.#under.point)
  }
}
