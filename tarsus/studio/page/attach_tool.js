// One click on a point of a body puts there what acts on it alone: a nail, a push, a brake.
import { end } from "./lines.js"
import { Tool } from "./tool.js"

export class AttachTool extends Tool {
  get hint() {
    return this.lacksBodies || `${this.title}: click the point of a body where it acts.`
  }

  take(place) {
    this.add(`-where ${end(place)}`)
  }

  draw(pen) {
    this.drawSnaps(pen)
    this.drawUnder(pen)
  }
}
