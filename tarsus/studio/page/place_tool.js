// One click puts a part where the pointer is: on the body under it, or in the work plane.
import { words } from "./lines.js"
import { WorkPlane } from "./work_plane.js"

/** How far above what it stands on the middle of a part is at first [m]. */
const HEIGHTS = { box: 0.1, plate: 0.02, sphere: 0.1, wheel: 0.15, foot: 0.03, cylinder: 0.1 }

export class PlaceTool {
  #studio
  #plane
  #under = null
  #stop

  constructor(studio, { kind, title }) {
    this.#studio = studio
    this.kind = kind
    this.title = title
    this.#plane = new WorkPlane(studio)
  }

  get hint() {
    return `${this.title}: click where it shall be. It stands on what is under the pointer.`
  }

  choices() {
    return [{ label: "In the middle", key: "Enter", act: () => this.put([0, 0, 0]) }]
  }

  key(name) {
    if (name === "Enter") this.put([0, 0, 0])
    return name === "Enter"
  }

  enter() {
    this.#stop = this.#studio.overlay.layer(draw => this.#under && draw.mark(this.#under, "", this.kind))
    this.#studio.picture.canvas.style.cursor = "copy"
  }

  leave() {
    this.#stop()
    this.#studio.picture.canvas.style.cursor = ""
  }

  hover(at) {
    this.#under = this.#at(at)
  }

  click(at) {
    const point = this.#at(at)
    if (point) this.put(point)
  }

  async put(point) {
    const name = this.#studio.world.freshName(this.kind)
    const above = [point[0], point[1], point[2] + (HEIGHTS[this.kind] ?? 0.1)]
    const answer = await this.#studio.run(`add ${this.kind} ${name} -t ${words(above)}`)
    if (!answer.ok) return
    this.#studio.drop()
    this.#studio.select(name)
  }

  #at({ x, y, shift }) {
    const hit = this.#studio.picture.pick(x, y)
    return hit?.point ?? this.#plane.at(x, y, shift)
  }
}
