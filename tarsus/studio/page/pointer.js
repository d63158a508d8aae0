// The pointer on the picture: every press, move and release goes to the tool in hand.
const SLACK = 4

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
    if (event.button !== 0 || event.target !== this.#studio.picture.canvas || !event.isPrimary) return
    const at = this.#place(event)
    const held = this.#studio.tool?.press?.(at) === true
    this.#down = { ...at, held, id: event.pointerId, moved: false }
    if (!held) return
    this.#studio.picture.canvas.setPointerCapture(event.pointerId)
    this.#studio.picture.canvas.focus({ preventScroll: true })
    event.stopPropagation()
  }

  #move(event) {
    const at = this.#place(event),
      down = this.#down
    if (!down || event.pointerId !== down.id) {
      if (event.target === this.#studio.picture.canvas && !event.buttons) this.#studio.tool?.hover?.(at)
      return
    }
    down.moved ||= Math.hypot(at.x - down.x, at.y - down.y) > SLACK
    if (!down.held) return
    event.stopPropagation()
    if (down.moved) this.#studio.tool?.pull?.(at)
  }

  // A press that stayed where it was is a click, whether the tool or the camera had it.
  #release(event) {
    const down = this.#down
    if (!down || event.pointerId !== down.id) return
    this.#down = null
    const at = this.#place(event)
    if (down.held) event.stopPropagation()
    if (down.held && down.moved) this.#studio.tool?.release?.(at)
    else if (!down.moved && event.type === "pointerup") this.#studio.tool?.click?.(at)
    else this.#studio.tool?.away?.()
  }
}
