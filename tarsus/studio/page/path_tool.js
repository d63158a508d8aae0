// A point of a body is clicked, then points of the way it shall go; Enter makes it.
import { end, words } from "./lines.js"
import { attachmentAt } from "./snap.js"
import { WorkPlane } from "./work_plane.js"

export class PathTool {
  #studio
  #plane
  #first = null
  #path = []
  #under = null
  #stop

  constructor(studio, { kind, title }) {
    this.#studio = studio
    this.kind = kind
    this.title = title
    this.#plane = new WorkPlane(studio)
  }

  get hint() {
    if (!this.#first) return `${this.title}: click the point of a body that shall follow a path.`
    if (this.#path.length < 2) return "Click where the path goes on."
    return `A path of ${this.#path.length} points. Click on, or press Enter when it is done.`
  }

  choices() {
    return this.#path.length > 1 ? [{ label: "Done", key: "Enter", act: () => this.finish() }] : []
  }

  key(name) {
    if (name !== "Enter" || this.#path.length < 2) return false
    this.finish()
    return true
  }

  enter() {
    this.#stop = this.#studio.overlay.layer(draw => this.#draw(draw))
    this.#studio.picture.canvas.style.cursor = "crosshair"
  }

  leave() {
    this.#stop()
    this.#studio.picture.canvas.style.cursor = ""
  }

  hover({ x, y, shift }) {
    this.#under = this.#first ? { point: this.#plane.at(x, y, shift) } : attachmentAt(this.#studio, x, y)
  }

  click({ x, y, shift }) {
    if (!this.#first) {
      this.#first = attachmentAt(this.#studio, x, y)
      if (!this.#first) this.#studio.say("Click a point of a body.")
      else {
        // The path begins where the point is, so that nothing has to jump.
        this.#path = [this.#first.point]
        this.#plane.through = this.#first.point
      }
    } else {
      const point = this.#plane.at(x, y, shift)
      if (point) this.#path.push(point)
    }
    this.#studio.emit("hint")
  }

  async finish() {
    const name = this.#studio.world.freshName("path")
    const answer = await this.#studio.run(
      `add ${this.kind} ${name} -where ${end(this.#first)} -path ${this.#path.map(words).join(" ")}`,
    )
    if (!answer.ok) return
    this.#studio.drop()
    this.#studio.select(name)
  }

  #draw(draw) {
    if (!this.#first) for (const body of this.#studio.world.scene.bodies) draw.snaps(body)
    this.#path.forEach((point, k) => {
      if (k) draw.thread(this.#path[k - 1], point)
      draw.dot(point)
    })
    if (!this.#under?.point) return
    if (this.#path.length) draw.thread(this.#path.at(-1), this.#under.point)
    draw.mark(this.#under.point, "")
  }
}
