// Two clicks on attachment points make a joint, a spring, a string, a distance between them.
import { end, words, worldEnd } from "./lines.js"
import { attachmentAt } from "./snap.js"
import { WorkPlane } from "./work_plane.js"

const AXES = ["x", "y", "z"]

export class ConnectTool {
  #studio
  #first = null
  #under = null
  #axis = -1
  #stop
  #plane

  constructor(studio, { kind, title, start, axis = false }) {
    this.#studio = studio
    this.kind = kind
    this.title = title
    this.start = start
    this.hasAxis = axis
    this.#plane = new WorkPlane(studio)
  }

  get hint() {
    if (!this.#studio.world.scene.bodies.length) return `${this.title}: there is no body yet. Place a part first.`
    if (!this.#first) return `${this.title}: click the first point. Points snap to ends, centres and corners.`
    return `First point on ${this.#first.body}. Now click the second, on another body or on the ground.`
  }

  choices() {
    const list = []
    if (this.hasAxis) list.push({ label: `Axis ${AXES[this.axis]}`, key: "A", act: () => this.turnAxis() })
    if (this.#first)
      list.push({ label: "To the world, here", key: "W", act: () => this.finish(worldEnd(this.#first.point)) })
    return list
  }

  /** The number of the world's axis about or along which it moves: the one that faces the eye. */
  get axis() {
    return this.#axis >= 0 ? this.#axis : this.kind === "prismatic" ? (this.#plane.axis + 1) % 3 : this.#plane.axis
  }

  turnAxis() {
    this.#axis = (this.axis + 1) % 3
    this.#studio.emit("hint")
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

  hover({ x, y }) {
    this.#under = this.#at(x, y)
  }

  click({ x, y }) {
    const place = this.#at(x, y)
    if (!place) {
      this.#studio.say(this.#first ? "Click a point of another body, or the ground." : "Click a point of a body.")
      return
    }
    if (this.#first) this.finish(place)
    else this.begin(place)
  }

  begin(place) {
    this.#first = place
    this.#under = null
    this.#studio.emit("hint")
  }

  async finish(second) {
    const { world } = this.#studio,
      first = this.#first,
      name = world.freshName(this.kind)
    let line = `add ${this.kind} ${name} -a ${end(first)} -b ${end(second)}`
    if (this.hasAxis) {
      const way = [0, 0, 0]
      way[this.axis] = 1
      line += ` -axis ${words(world.turnToBody(first.body, way))}`
    }
    if (this.start) line += ` ${this.start}`
    this.#first = null
    const answer = await this.#studio.run(line)
    if (answer.ok) {
      this.#studio.drop()
      this.#studio.select(name)
    } else this.#studio.emit("hint")
  }

  // The first body is looked through for the second point: ends that meet lie upon each other.
  #at(x, y) {
    const except = this.#first ? [this.#first.body] : []
    const found = attachmentAt(this.#studio, x, y, { except })
    if (found || !this.#first) return found
    const hit = this.#studio.picture.pick(x, y)
    return hit && hit.body === "world" ? worldEnd(hit.point) : null
  }

  #draw(draw) {
    const { world } = this.#studio
    for (const body of world.scene.bodies) if (body.name !== this.#first?.body) draw.snaps(body)
    const from =
      this.#first &&
      (this.#first.body === "world" ? this.#first.point : world.toWorld(this.#first.body, this.#first.local))
    if (from) draw.mark(from, "1")
    if (this.#under) draw.mark(this.#under.point, this.#first ? "2" : "1", `${this.#under.body} · ${this.#under.what}`)
    if (from && this.#under) draw.thread(from, this.#under.point)
  }
}
