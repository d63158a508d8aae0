// One click on a point of a body puts there what acts on it alone: a nail, a push, a brake.
import { end } from "./lines.js"
import { attachmentAt } from "./snap.js"

export class AttachTool {
  #studio
  #under = null
  #stop

  constructor(studio, { kind, title, start }) {
    this.#studio = studio
    this.kind = kind
    this.title = title
    this.start = start
  }

  get hint() {
    if (!this.#studio.world.scene.bodies.length) return `${this.title}: there is no body yet. Place a part first.`
    return `${this.title}: click the point of a body where it acts.`
  }

  enter() {
    this.#stop = this.#studio.overlay.layer(draw => {
      for (const body of this.#studio.world.scene.bodies) draw.snaps(body)
      if (this.#under) draw.mark(this.#under.point, "", `${this.#under.body} · ${this.#under.what}`)
    })
    this.#studio.picture.canvas.style.cursor = "crosshair"
  }

  leave() {
    this.#stop()
    this.#studio.picture.canvas.style.cursor = ""
  }

  hover({ x, y }) {
    this.#under = attachmentAt(this.#studio, x, y)
  }

  async click({ x, y }) {
    const place = attachmentAt(this.#studio, x, y)
    if (!place) {
      this.#studio.say("Click a point of a body.")
      return
    }
    const name = this.#studio.world.freshName(this.kind)
    const answer = await this.#studio.run(`add ${this.kind} ${name} -where ${end(place)} ${this.start}`.trim())
    if (!answer.ok) return
    this.#studio.drop()
    this.#studio.select(name)
  }
}
