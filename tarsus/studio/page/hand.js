// The hand that holds a body, of this page, another one or a script: all see its spring and its force.

export class Hand {
  /** Where this page's own pointer is, which is newer than what frames tell [m]; or null. */
  own = null
  #studio

  constructor(studio) {
    this.#studio = studio
    studio.overlay.layer(
      pen => this.#draw(pen),
      () => this.#ends() !== null,
    )
  }

  #draw(pen) {
    const [from, to] = this.#ends()
    pen.spring(from, this.own ?? to, this.#force())
  }

  /** The point of the body, and the one it is pulled to; null if nothing is held. */
  #ends() {
    const { lines, lineNumbers } = this.#studio.world.frame
    const k = lines.findIndex(line => line.name === "hand")
    return k < 0 ? null : [lineNumbers.subarray(6 * k, 6 * k + 3), lineNumbers.subarray(6 * k + 3, 6 * k + 6)]
  }

  /** How hard it pulls [N], as the frame tells it. */
  #force() {
    const { arrows, arrowNumbers } = this.#studio.world.frame
    const k = arrows.findIndex(arrow => arrow.kind === "drag")
    return k < 0 ? null : Math.hypot(...arrowNumbers.subarray(6 * k + 3, 6 * k + 6))
  }
}
