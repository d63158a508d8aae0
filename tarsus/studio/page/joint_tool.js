// One joint or two are clicked: a motor, a rotor or a gear acts on them.
import { word } from "./lines.js"

const REACH = 28

export class JointTool {
  #studio
  #chosen = []
  #under = null
  #stop

  constructor(studio, { kind, title, start, how }) {
    this.#studio = studio
    this.kind = kind
    this.title = title
    this.start = start
    this.count = how === "joints" ? 2 : 1
  }

  get hint() {
    if (!this.#joints().length) return `${this.title}: there is no hinge or slide yet. Make a joint first.`
    if (this.#chosen.length) return `${this.title}: ${this.#chosen[0]} leads. Now click the joint that follows.`
    return `${this.title}: click ${this.count > 1 ? "the joint that leads" : "the joint it acts on"}.`
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
    const joint = this.#at(x, y)
    if (!joint) {
      this.#studio.say("Click a joint.")
      return
    }
    this.#chosen.push(joint.name)
    if (this.#chosen.length === this.count) this.#finish()
    else this.#studio.emit("hint")
  }

  async #finish() {
    const name = this.#studio.world.freshName(this.kind),
      [first, second] = this.#chosen.splice(0)
    const joints = second ? `-leader ${word(first)} -follower ${word(second)}` : `-joint ${word(first)}`
    const answer = await this.#studio.run(`add ${this.kind} ${name} ${joints} ${this.start}`)
    if (!answer.ok) {
      this.#studio.emit("hint")
      return
    }
    this.#studio.drop()
    this.#studio.select(name)
  }

  #joints() {
    const { world } = this.#studio
    return world.scene.joints
      .filter(joint => joint.kind !== "free" && !this.#chosen.includes(joint.name))
      .map(joint => ({ name: joint.name, point: world.jointPoint(joint) }))
  }

  #at(x, y) {
    let best = null
    for (const joint of this.#joints()) {
      const seen = this.#studio.picture.project(joint.point)
      const away = seen ? Math.hypot(seen[0] - x, seen[1] - y) : Infinity
      if (away < REACH && (!best || away < best.away)) best = { ...joint, away }
    }
    return best
  }

  #draw(draw) {
    for (const { point } of this.#joints()) draw.dot(point)
    if (this.#under) draw.mark(this.#under.point, "", this.#under.name)
  }
}
