// Three ways to hold a body: a spring of the hand, putting it elsewhere, leading it by inverse kinematics.
import { end, word, words } from "./lines.js"
import { moveSelected } from "./selection.js"

/** The way that fits: what runs or is joined is pulled; what is loose, or several, is put at rest. */
export function holdFor(studio, { body }, alt) {
  const { world } = studio
  if (world.frame.playing) return new SpringHold(studio)
  if (alt) return new LeadHold(studio)
  const isLoose = studio.selection.length > 1 || !world.attachedTo(body).length
  return isLoose ? new MoveHold(studio) : new SpringHold(studio)
}

/** One line is on its way at a time, the newest follows: a slow world is not flooded. */
class Stream {
  #studio
  #wanted = null
  #busy = false

  constructor(studio) {
    this.#studio = studio
  }

  async send(line) {
    this.#wanted = line
    if (this.#busy) return
    this.#busy = true
    while (this.#wanted) {
      const next = this.#wanted
      this.#wanted = null
      await this.#studio.run(next, { quiet: true })
    }
    this.#busy = false
  }

  stop() {
    this.#wanted = null
  }
}

/** Pulls through a spring. A machine at rest runs while it is held, and rests again afterwards. */
class SpringHold {
  #studio
  #stream
  #begun = null
  #ran

  constructor(studio) {
    this.#studio = studio
    this.#stream = new Stream(studio)
    this.#ran = studio.world.frame.playing
  }

  begin(grip) {
    this.#studio.hand.own = grip.to
    this.#begun = this.#start(grip)
  }

  async #start(grip) {
    await this.#studio.run(`grab ${end(grip)} -to ${words(grip.to)}`)
    if (!this.#ran) await this.#studio.run("play")
    this.#stream.send(`drag ${words(grip.to)}`)
  }

  async move(grip) {
    this.#studio.hand.own = grip.to
    await this.#begun
    this.#stream.send(`drag ${words(grip.to)}`)
  }

  async end() {
    this.#studio.hand.own = null
    await this.#begun
    this.#stream.stop()
    await this.#studio.run("release")
    if (!this.#ran) await this.#studio.run("pause")
  }

  cancel() {
    return this.end()
  }

  draw() {}
}

/** Puts what is selected elsewhere when it is let go: one edit, one step of undo. */
class MoveHold {
  #studio

  constructor(studio) {
    this.#studio = studio
  }

  begin() {}

  move() {}

  end({ start, to }) {
    return moveSelected(
      this.#studio,
      to.map((x, i) => x - start[i]),
    )
  }

  draw(pen, { start, to }) {
    pen.thread(start, to)
    pen.mark(to, "", `moved by ${words(to.map((x, i) => Number((x - start[i]).toFixed(3))))} m`)
  }
}

/** Leads the frame of a body by inverse kinematics, at rest; meanwhile one sees how near bodies are. */
class LeadHold {
  #studio
  #stream
  #origin
  #begun = null
  #showed

  constructor(studio) {
    this.#studio = studio
    this.#stream = new Stream(studio)
  }

  begin(grip) {
    this.#origin = this.#studio.world.toWorld(grip.body, [0, 0, 0])
    this.#showed = this.#studio.world.scene.shown.includes("distances")
    this.#begun = this.#showed ? null : this.#studio.run("show distances on")
    this.move(grip)
  }

  async move({ body, start, to }) {
    await this.#begun
    return this.#stream.send(`reach ${word(body)} ${words(this.#origin.map((x, i) => x + to[i] - start[i]))}`)
  }

  async end() {
    await this.#begun
    if (!this.#showed) await this.#studio.run("show distances off")
  }

  draw(pen, { start, to }) {
    pen.thread(start, to)
    pen.mark(to, "", "inverse kinematics")
  }
}
