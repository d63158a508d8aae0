// What all tools of the palette share: a layer upon the picture, keys of choices, the line at the end.
import { attachmentAt } from "./snap.js"
import { WorkPlane } from "./work_plane.js"

/**
 * A tool says what is meant `at` a place of the picture, what happens when that is `take`n, and
 * draws itself; its `hint` says what to click next.
 */
export class Tool {
  cursor = "crosshair"
  under = null
  #stop

  constructor(studio, { kind, title, start = "" }) {
    Object.assign(this, { studio, kind, title, start, plane: new WorkPlane(studio) })
  }

  enter() {
    this.#stop = this.studio.overlay.layer(pen => this.draw(pen))
    this.studio.picture.canvas.style.cursor = this.cursor
  }

  leave() {
    this.#stop()
    this.studio.picture.canvas.style.cursor = ""
  }

  /** What is said when a click meets nothing. */
  get nothing() {
    return "Click a point of a body."
  }

  /** Buttons beside the hint: {label, key, act, pressed}. */
  choices() {
    return []
  }

  key(name) {
    const choice = this.choices().find(each => each.key.toLowerCase() === name.toLowerCase())
    choice?.act()
    return Boolean(choice)
  }

  hover(at) {
    this.under = this.at(at)
  }

  away() {
    this.under = null
  }

  click(at) {
    const found = this.at(at)
    if (found) this.take(found)
    else this.studio.say(this.nothing)
  }

  /** The attachment point of a body at a place of the picture, as snap.js has it. */
  at(place) {
    return attachmentAt(this.studio, place)
  }

  /** Runs the line that makes it; then it is selected, and the tool put away. */
  async add(rest, name = this.studio.world.freshName(this.kind)) {
    const line = ["add", this.kind, name, rest, this.start].filter(Boolean).join(" ")
    const answer = await this.studio.run(line)
    if (answer.ok) {
      this.studio.drop()
      this.studio.select(name)
    } else this.changed()
  }

  /** What it says and offers has changed. */
  changed() {
    this.studio.emit("hint")
  }

  get lacksBodies() {
    return this.studio.world.scene.bodies.length ? "" : `${this.title}: there is no body yet. Place a part first.`
  }

  /** The points of all bodies but one that can be clicked. */
  drawSnaps(pen, except = "") {
    for (const body of this.studio.world.scene.bodies) if (body.name !== except) pen.snaps(body)
  }

  drawUnder(pen, number = "") {
    if (this.under) pen.mark(this.under.point, number, `${this.under.body} · ${this.under.what}`)
  }
}
