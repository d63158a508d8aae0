// A point of a body is clicked, then points of the way it shall go; Enter makes it.
import { end, words } from "./lines.js"
import { Tool } from "./tool.js"

export class PathTool extends Tool {
  #first = null
  #path = []

  get hint() {
    if (!this.#first) return this.lacksBodies || `${this.title}: click the point of a body that shall follow a path.`
    if (this.#path.length < 2) return "Click where the path goes on."
    return `A path of ${this.#path.length} points. Click on, or press Enter when it is done.`
  }

  choices() {
    return this.#path.length > 1 ? [{ label: "Done", key: "Enter", act: () => this.finish() }] : []
  }

  at(place) {
    if (!this.#first) return super.at(place)
    const point = this.plane.at(place.x, place.y, place.shift)
    return point && { point }
  }

  // The path begins where the point is, so that nothing has to jump.
  take(found) {
    if (!this.#first) {
      this.#first = found
      this.plane.through = found.point
    }
    this.#path.push(found.point)
    this.changed()
  }

  finish() {
    this.add(`-where ${end(this.#first)} -path ${this.#path.map(words).join(" ")}`, this.studio.world.freshName("path"))
  }

  draw(pen) {
    if (!this.#first) this.drawSnaps(pen)
    this.#path.forEach((point, k) => {
      if (k) pen.thread(this.#path[k - 1], point)
      pen.dot(point)
    })
    if (!this.under) return
    if (this.#path.length) pen.thread(this.#path.at(-1), this.under.point)
    pen.mark(this.under.point, "")
  }
}
