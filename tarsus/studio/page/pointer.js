// The pointer on the picture: every press, move and release goes to the tool in hand.
const SLACK = 4
/** A finger trembles more than a mouse, and means something by staying [pixels, ms]. */
const FINGER_SLACK = 10
const LONG = 500

export class Pointer {
  #studio
  #down = null

  constructor(studio, stage) {
    this.#studio = studio
    const canvas = studio.picture.canvas
    // What a tool takes is not the camera's: tools are asked before the canvas is.
    stage.addEventListener("pointerdown", event => this.#press(event), { capture: true })
    stage.addEventListener("pointermove", event => this.#move(event), { capture: true })
    for (const name of ["pointerup", "pointercancel"])
      stage.addEventListener(name, event => this.#release(event), { capture: true })
    canvas.addEventListener("pointerleave", () => studio.tool?.away?.())
  }

  #place(event) {
    const box = this.#studio.picture.canvas.getBoundingClientRect()
    return {
      x: event.clientX - box.left,
      y: event.clientY - box.top,
      shift: event.shiftKey,
      alt: event.altKey,
      touch: event.pointerType === "touch",
    }
  }

  #press(event) {
    if (event.target !== this.#studio.picture.canvas) return
    if (!event.isPrimary) this.#giveUp()
    if (event.button !== 0 || !event.isPrimary) return
    const at = this.#place(event)
    const held = this.#studio.tool?.press?.(at) === true
    this.#down = { ...at, held, id: event.pointerId, moved: false, client: [event.clientX, event.clientY] }
    if (at.touch) this.#down.timer = setTimeout(() => this.#stay(), LONG)
    if (!held) return
    this.#studio.picture.canvas.setPointerCapture(event.pointerId)
    this.#studio.picture.canvas.focus({ preventScroll: true })
    event.stopPropagation()
  }

  // Two fingers are the camera's, wherever the first of them was put.
  #giveUp() {
    const down = this.#end()
    if (!down?.held) return
    this.#studio.tool?.cancel?.()
    this.#studio.scene.camera.pointers.set(down.id, down.client)
  }

  /** A finger that stays where it was pressed means more than one that is lifted. */
  #stay() {
    const down = this.#down
    if (!down || down.moved || !this.#studio.tool?.stay?.(down)) return
    this.#studio.tool.cancel?.()
    navigator.vibrate?.(15)
    down.done = true
  }

  #end() {
    const down = this.#down
    clearTimeout(down?.timer)
    this.#down = null
    return down
  }

  #move(event) {
    const at = this.#place(event),
      down = this.#down
    if (!down || event.pointerId !== down.id) {
      if (event.target === this.#studio.picture.canvas && !event.buttons) this.#studio.tool?.hover?.(at)
      return
    }
    down.client = [event.clientX, event.clientY]
    down.moved ||= Math.hypot(at.x - down.x, at.y - down.y) > (at.touch ? FINGER_SLACK : SLACK)
    if (!down.held) return
    event.stopPropagation()
    if (down.moved && !down.done) this.#studio.tool?.pull?.(at)
  }

  // A press that stayed where it was is a click, whether the tool or the camera had it.
  #release(event) {
    if (event.pointerId !== this.#down?.id) return
    const down = this.#end(),
      at = this.#place(event)
    if (down.held) event.stopPropagation()
    if (down.done) return
    if (down.held && down.moved) this.#studio.tool?.release?.(at)
    else if (!down.moved && event.type === "pointerup") this.#studio.tool?.click?.(at)
    else this.#studio.tool?.away?.()
  }
}
