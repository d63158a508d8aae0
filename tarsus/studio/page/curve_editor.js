// A curve to draw: a press puts a point, a pull moves it, Delete takes it away; keys do as well.
import { Paper, styleOf } from "./chart_paper.js"
import { element, iconButton, readable } from "./elements.js"
import { inPeriod, valueAt } from "./curves.js"

/** How near a point a press means it [px]: a finger is as wide. */
const NEAR = 16
/** The least time between two points, as a share of all. */
const APART = 2e-3

export class CurveEditor {
  #studio
  #curve
  #changed
  #chosen = 0
  #pulling = false
  #unsaid = 0
  #known
  #range = null
  #paper
  #canvas
  #words = element("p", { class: "quiet curve-words", "aria-live": "polite" })
  #smooth
  #cycle

  /** `changed` gets the curve when something was drawn. */
  constructor(studio, title, changed) {
    this.#studio = studio
    this.#changed = changed
    this.#canvas = element("canvas", {
      class: "curve",
      tabindex: "0",
      role: "application",
      "aria-label": `Curve of ${title}. Comma and full stop choose a point, arrows move it, Enter adds one, Delete takes it away.`,
      onpointerdown: event => this.#press(event),
      onpointermove: event => this.#pull(event),
      onpointerup: () => this.#release(),
      onpointercancel: () => this.#release(),
      onkeydown: key => this.#key(key),
    })
    this.#paper = new Paper(this.#canvas, studio.theme)
    this.#smooth = this.#toggle("Smooth", "smooth")
    this.#cycle = this.#toggle("Repeat", "cycle")
    const remove = iconButton("delete", "Take the point away", () => this.#remove(), { class: "round small" })
    this.root = element(
      "div",
      { class: "curve-editor" },
      this.#canvas,
      element("div", { class: "chips" }, this.#smooth, this.#cycle, remove),
      this.#words,
    )
    studio.picture.each(() => this.root.isConnected && this.#draw())
  }

  /** Shows a curve, unless another one is being drawn or on its way to the world. */
  show(curve) {
    this.#known = curve
    if (this.#pulling || this.#unsaid) return
    this.#curve = { ...curve, points: curve.points.map(point => [...point]) }
    this.#chosen = Math.min(this.#chosen, this.#curve.points.length - 1)
    this.#range = null
    this.#smooth.setAttribute("aria-pressed", String(curve.smooth))
    this.#cycle.setAttribute("aria-pressed", String(curve.cycle))
    this.#tell()
  }

  #toggle(text, field) {
    return element("button", {
      type: "button",
      class: "chip",
      text,
      onclick: () => {
        this.#curve[field] = !this.#curve[field]
        if (this.#curve.cycle) this.#curve.points.at(-1)[1] = this.#curve.points[0][1]
        this.#done()
      },
    })
  }

  /** What is seen: all points with room around them, the same as long as one pulls. */
  #seen() {
    if (this.#range) return this.#range
    const times = this.#curve.points.map(point => point[0]),
      values = this.#curve.points.map(point => point[1])
    const [low, high] = [Math.min(...values), Math.max(...values)]
    const room = 0.35 * (high - low) || Math.max(0.5, 0.5 * Math.abs(high))
    const wide = times.at(-1) - times[0]
    this.#range = [
      [times[0] - 0.08 * wide, times.at(-1) + 0.25 * wide],
      [low - room, high + room],
    ]
    return this.#range
  }

  #draw() {
    if (!this.#canvas.clientWidth) return
    const [times, values] = this.#seen(),
      paper = this.#paper,
      count = 160
    paper.begin(times, values)
    paper.axes("s")
    const at = k => times[0] + ((times[1] - times[0]) * k) / count
    paper.line(count + 1, k => [at(k), valueAt(this.#curve, at(k))], ["series-2", []])
    paper.cursor(inPeriod(this.#curve, this.#studio.world.frame.t))
    this.#curve.points.forEach(([t, value], k) => {
      paper.dot(t, value, styleOf(0), k === this.#chosen ? 7 : 5)
      if (k === this.#chosen) paper.dot(t, value, ["paper"], 3)
    })
  }

  #press(event) {
    const { points } = this.#curve
    const away = points.map(([t, value]) =>
      Math.hypot(this.#paper.x(t) - event.offsetX, this.#paper.y(value) - event.offsetY),
    )
    const nearest = away.indexOf(Math.min(...away))
    this.#chosen = away[nearest] < NEAR ? nearest : this.#add(this.#place(event))
    this.#pulling = true
    this.#canvas.setPointerCapture(event.pointerId)
    this.#tell()
  }

  #pull(event) {
    if (this.#pulling) this.#put(this.#place(event))
  }

  #release() {
    if (!this.#pulling) return
    this.#pulling = false
    this.#done()
  }

  #place({ offsetX, offsetY }) {
    const { y0, y1 } = this.#paper.range
    const [low, high] = [this.#paper.y(y0), this.#paper.y(y1)]
    return [this.#paper.valueOfX(offsetX), y0 + ((offsetY - low) / (high - low)) * (y1 - y0)]
  }

  /** Adds a point in the order of time, and returns its number. */
  #add([t, value]) {
    const { points, cycle } = this.#curve
    // a cycle ends where it begins: what is put beyond its ends belongs within
    const k = points.findIndex(point => t < point[0])
    const place = k < 0 ? points.length : k
    const index = cycle ? Math.min(Math.max(place, 1), points.length - 1) : place
    points.splice(index, 0, [t, value])
    this.#chosen = index
    this.#put([t, value])
    return index
  }

  /** Puts the chosen point elsewhere, between its neighbours in time. */
  #put([t, value]) {
    const { points, cycle } = this.#curve,
      k = this.#chosen
    const least = APART * (points.at(-1)[0] - points[0][0] || 1)
    const low = k > 0 ? points[k - 1][0] + least : -Infinity,
      high = k < points.length - 1 ? points[k + 1][0] - least : Infinity
    points[k] = [Math.min(high, Math.max(low, t)), value]
    if (cycle && k === 0) points.at(-1)[1] = value
    if (cycle && k === points.length - 1) points[0][1] = value
    this.#tell()
  }

  #remove() {
    if (this.#curve.points.length < 3) {
      this.#words.textContent = "A curve needs two points."
      return
    }
    this.#curve.points.splice(this.#chosen, 1)
    if (this.#curve.cycle) this.#curve.points.at(-1)[1] = this.#curve.points[0][1]
    this.#chosen = Math.max(0, this.#chosen - 1)
    this.#done()
  }

  #key(key) {
    const { points } = this.#curve,
      [times, values] = this.#seen()
    const [t, value] = points[this.#chosen],
      fine = key.shiftKey ? 0.2 : 1
    const [dt, dv] = [(fine * (times[1] - times[0])) / 50, (fine * (values[1] - values[0])) / 50]
    const moves = { ArrowLeft: [-dt, 0], ArrowRight: [dt, 0], ArrowUp: [0, dv], ArrowDown: [0, -dv] }
    const turn = { ",": -1, ".": 1 }[key.key]
    if (moves[key.key]) {
      this.#put([t + moves[key.key][0], value + moves[key.key][1]])
      this.#done()
    } else if (turn) {
      this.#chosen = (this.#chosen + turn + points.length) % points.length
      this.#tell()
    } else if (key.key === "Enter") {
      const next = points[this.#chosen + 1]
      const at = next ? (t + next[0]) / 2 : t + dt * 5
      this.#add([at, next ? valueAt(this.#curve, at) : value])
      this.#done()
    } else if (key.key === "Delete" || key.key === "Backspace") this.#remove()
    else return
    key.preventDefault()
    key.stopPropagation()
  }

  async #done() {
    this.#range = null
    this.#tell()
    this.#unsaid++
    await this.#changed(this.#curve)
    this.#unsaid--
    this.show(this.#known)
  }

  #tell() {
    const [t, value] = this.#curve.points[this.#chosen]
    this.#words.textContent = `Point ${this.#chosen + 1} of ${this.#curve.points.length}: ${readable(value)} at ${readable(t)} s`
  }
}
