// One joint or two are clicked: a motor, a rotor or a gear acts on them.
import { word } from "./lines.js"
import { Tool } from "./tool.js"

const REACH = 28

export class JointTool extends Tool {
  #chosen = []

  constructor(studio, given) {
    super(studio, given)
    this.count = given.how === "joints" ? 2 : 1
  }

  get hint() {
    if (!this.#joints().length) return `${this.title}: there is no hinge or slide yet. Make a joint first.`
    if (this.#chosen.length) return `${this.title}: ${this.#chosen[0]} leads. Now click the joint that follows.`
    return `${this.title}: click ${this.count > 1 ? "the joint that leads" : "the joint it acts on"}.`
  }

  get nothing() {
    return "Click a joint."
  }

  take({ name }) {
    this.#chosen.push(name)
    if (this.#chosen.length < this.count) {
      this.changed()
      return
    }
    const [first, second] = this.#chosen.splice(0).map(word)
    this.add(second ? `-leader ${first} -follower ${second}` : `-joint ${first}`)
  }

  #joints() {
    const { world } = this.studio
    return world.scene.joints
      .filter(joint => !joint.amiss && !this.#chosen.includes(joint.name))
      .map(joint => ({ name: joint.name, point: world.jointPoint(joint) }))
  }

  at({ x, y }) {
    let best = null
    for (const joint of this.#joints()) {
      const seen = this.studio.picture.project(joint.point)
      const away = seen ? Math.hypot(seen[0] - x, seen[1] - y) : Infinity
      if (away < REACH && (!best || away < best.away)) best = { ...joint, away }
    }
    return best
  }

  draw(pen) {
    for (const { point } of this.#joints()) pen.dot(point)
    if (this.under) pen.mark(this.under.point, "", this.under.name)
  }
}
