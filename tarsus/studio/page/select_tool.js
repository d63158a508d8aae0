// The tool of an empty hand: a click selects, a pull on a body drags it through a spring.
import { end, words } from "./lines.js"

export class SelectTool {
  #studio
  #grip = null
  #sending = false
  #wanted = null

  constructor(studio) {
    this.#studio = studio
    studio.picture.each(() => this.#draw())
  }

  /** What is held now: body, point in its frame, where it is pulled to; nothing if nothing is. */
  get grip() {
    return this.#grip
  }

  press({ x, y }) {
    const hit = this.#hit(x, y)
    if (!hit) return false
    this.#grip = { body: hit.body, local: hit.local, start: hit.point, to: hit.point, held: false }
    return true
  }

  click({ x, y }) {
    this.#grip = null
    const joint = this.#studio.overlay.badgeAt(x, y)
    this.#studio.select(joint ?? this.#hit(x, y)?.body ?? "")
  }

  hover({ x, y }) {
    const body = this.#hit(x, y)?.body ?? ""
    this.#studio.picture.hover(body)
    this.#studio.picture.canvas.style.cursor = body ? "grab" : ""
  }

  away() {
    this.#studio.picture.hover("")
  }

  pull({ x, y }) {
    const grip = this.#grip
    if (!grip) return
    this.#studio.picture.canvas.style.cursor = "grabbing"
    grip.to = this.#across(x, y, grip.start)
    if (!grip.held) {
      grip.held = true
      this.#studio.select(grip.body)
      this.#begin(grip)
    } else this.#send(`drag ${words(grip.to)}`)
  }

  release() {
    const grip = this.#grip
    this.#grip = null
    this.#wanted = null
    this.#studio.picture.canvas.style.cursor = ""
    if (grip?.held) this.#end(grip)
  }

  leave() {
    this.release()
    this.away()
  }

  #hit(x, y) {
    const hit = this.#studio.picture.pick(x, y)
    return hit && hit.body !== "world" ? hit : null
  }

  // A machine at rest moves while it is held, and rests again when it is let go.
  async #begin(grip) {
    grip.playsAlready = this.#studio.world.frame.playing
    grip.begun = this.#studio.run(`grab ${end(grip)} -to ${words(grip.to)}`)
    await grip.begun
    if (!grip.playsAlready) await this.#studio.run("play")
    this.#flush()
  }

  async #end(grip) {
    await grip.begun
    await this.#studio.run("release")
    if (!grip.playsAlready) await this.#studio.run("pause")
  }

  /** The point under the pointer in the plane across the view through where the pull began. */
  #across(x, y, through) {
    const { from, way } = this.#studio.picture.ray(x, y)
    const { way: ahead } = this.#studio.picture.ray(...this.#studio.picture.middle)
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    const far = dot(through.map((p, i) => p - from[i]), ahead) / dot(way, ahead)
    return from.map((p, i) => p + far * way[i])
  }

  // One line is on its way at a time, the newest follows: a slow world is not flooded.
  #send(line) {
    this.#wanted = line
    if (!this.#sending && this.#grip?.begun) this.#flush()
  }

  async #flush() {
    if (this.#sending) return
    this.#sending = true
    await this.#grip?.begun
    while (this.#wanted && this.#grip) {
      const line = this.#wanted
      this.#wanted = null
      await this.#studio.run(line, { quiet: true })
    }
    this.#sending = false
  }

  #draw() {
    const grip = this.#grip
    if (!grip?.held) return
    const from = this.#studio.world.toWorld(grip.body, grip.local)
    this.#studio.overlay.spring(from, grip.to, this.#force())
  }

  /** The force of the hand [N], as the frame tells it. */
  #force() {
    const { arrows, arrowNumbers } = this.#studio.world.frame
    const k = (arrows ?? []).findIndex(arrow => arrow.kind === "drag")
    return k < 0 ? null : Math.hypot(...arrowNumbers.subarray(6 * k + 3, 6 * k + 6))
  }
}
