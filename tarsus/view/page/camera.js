// The camera: turns about a target, by mouse, touch and keys, and eases to where it shall be.
//
//   drag                 turn          arrows           turn
//   right drag, shift    move          shift + arrows   move
//   wheel, pinch         nearer        + and −          nearer, farther
//   double click         look there    F                frame the machine

import { add, clamp, cross, dot, looking, mix, multiply, perspective, project, scale } from "./vectors.js"

/** Cotangent of half the angle of view. */
const FOCAL = 2.5
/** Time in which the way to the goal becomes e times shorter [s]. */
const EASE = 0.09
/** So much larger than the machine is what is framed. */
const MARGIN = 1.3

export class Camera {
  constructor(canvas) {
    this.canvas = canvas
    this.now = { azimuth: -0.95, elevation: 0.21, distance: 3, target: [0, 0, 0.5] }
    this.goal = { ...this.now }
    this.home = { azimuth: this.now.azimuth, elevation: this.now.elevation }
    /** Pixels of the canvas that panels cover: the machine is framed in what is left. */
    this.inset = { left: 0, right: 0, top: 0, bottom: 0 }
    /** Whether a press on the canvas is the camera's; pages that drag bodies say no. */
    this.allows = () => true
    /** What the page does on F and on a double click at a place. */
    this.onFrame = () => {}
    this.onFocus = () => {}
    this.pointers = new Map()
    this.stopped = new AbortController()
    this.listen()
  }

  // --- where it is ----------------------------------------------------------------------------

  /** Go on towards the goal; return whether it moved. */
  step(seconds) {
    const share = 1 - Math.exp(-Math.min(seconds, 0.1) / EASE)
    const [now, goal] = [this.now, this.goal]
    const away =
      Math.abs(goal.azimuth - now.azimuth) + Math.abs(goal.elevation - now.elevation) +
      Math.abs(Math.log(goal.distance / now.distance)) +
      Math.hypot(...goal.target.map((x, i) => x - now.target[i])) / now.distance
    if (away < 1e-4) return false
    now.azimuth += share * (goal.azimuth - now.azimuth)
    now.elevation += share * (goal.elevation - now.elevation)
    now.distance *= (goal.distance / now.distance) ** share
    now.target = mix(now.target, goal.target, share)
    return true
  }

  /** Be at the goal at once. */
  jump() {
    this.now = { ...this.goal, target: [...this.goal.target] }
  }

  /** Look at the box from `low` to `high` from where one is, or `turn` to the first direction. */
  frame({ low, high }, { turn = false } = {}) {
    if (turn) Object.assign(this.goal, this.home)
    const { right, up, back } = this.axes(this.goal)
    const [across, down] = this.free()
    const middle = low.map((x, i) => (x + high[i]) / 2)
    let distance = 1e-3
    for (let corner = 0; corner < 8; corner++) {
      const away = middle.map((x, i) => ((corner >> i) & 1 ? high[i] : low[i]) - x)
      const wide = (Math.abs(dot(right, away)) * FOCAL) / (across * this.aspect())
      const tall = (Math.abs(dot(up, away)) * FOCAL) / down
      distance = Math.max(distance, dot(back, away) + MARGIN * Math.max(wide, tall))
    }
    this.goal.target = middle
    this.goal.distance = distance
  }

  aspect() {
    return Math.max(1, this.canvas.clientWidth) / Math.max(1, this.canvas.clientHeight)
  }

  /** Shares of width and height that no panel covers. */
  free() {
    const { left, right, top, bottom } = this.inset
    const [width, height] = [Math.max(1, this.canvas.clientWidth), Math.max(1, this.canvas.clientHeight)]
    return [clamp(1 - (left + right) / width, 0.2, 1), clamp(1 - (top + bottom) / height, 0.2, 1)]
  }

  /** CSS pixels that something as large as its distance has on the screen. */
  pixels() {
    return (FOCAL / 2) * Math.max(1, this.canvas.clientHeight)
  }

  /** The axes of the camera: right, up, and back towards the eye. */
  axes({ azimuth: a, elevation: e } = this.now) {
    const back = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)]
    const right = [-Math.sin(a), Math.cos(a), 0]
    return { right, up: cross(back, right), back }
  }

  /** What the renderer needs: {matrix, eye, right, up, ahead, target, distance}. */
  view() {
    const { right, up, back } = this.axes()
    const { target, distance } = this.now
    const eye = add(target, scale(back, distance))
    const lens = perspective(FOCAL, this.aspect(), distance / 200, distance * 2000)
    // the middle of the free part of the canvas, from −1 to 1
    const { left, right: covered, top, bottom } = this.inset
    const middle = [(left - covered) / this.canvas.clientWidth, (bottom - top) / this.canvas.clientHeight]
    lens[8] = -middle[0]
    lens[9] = -middle[1]
    const [wide, high] = [scale(right, this.aspect() / FOCAL), scale(up, 1 / FOCAL)]
    const ahead = add(scale(back, -1), add(scale(wide, -middle[0]), scale(high, -middle[1])))
    return { matrix: multiply(lens, looking(eye, right, up, back)), eye, right: wide, up: high, ahead, target, distance }
  }

  /** Where a point of the world is on the canvas, in CSS pixels, or null if it is behind. */
  place(point, matrix = this.view().matrix) {
    const [x, y, , w] = project(matrix, point)
    if (w <= 0) return null
    return [((x / w + 1) / 2) * this.canvas.clientWidth, ((1 - y / w) / 2) * this.canvas.clientHeight]
  }

  // --- what people do --------------------------------------------------------------------------

  turn(across, up) {
    this.goal.azimuth -= across
    this.goal.elevation = clamp(this.goal.elevation + up, -0.45, 1.55)
  }

  /** Move by pixels: what is at the target stays under the finger. */
  pan(x, y) {
    const { right, up } = this.axes()
    const metres = this.now.distance / this.pixels()
    this.goal.target = add(this.goal.target, add(scale(right, -x * metres), scale(up, y * metres)))
  }

  zoom(factor) {
    this.goal.distance = clamp(this.goal.distance * factor, 1e-3, 1e5)
  }

  /** Do what a key says; return whether it said anything. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }
    const way = ways[event.key]
    if (way && event.shiftKey) this.pan(-30 * way[0], 30 * way[1])
    else if (way) this.turn(-0.12 * way[0], 0.08 * way[1])
    else if (event.key === "+" || event.key === "=") this.zoom(0.85)
    else if (event.key === "-" || event.key === "_") this.zoom(1 / 0.85)
    else if (event.key === "f" || event.key === "F") this.onFrame()
    else return false
    return true
  }

  listen() {
    const { canvas } = this
    const on = (name, act, options = {}) => canvas.addEventListener(name, act, { signal: this.stopped.signal, ...options })
    canvas.style.touchAction = "none"
    on("pointerdown", event => {
      if (!this.allows(event)) return
      canvas.setPointerCapture(event.pointerId)
      this.pointers.set(event.pointerId, [event.clientX, event.clientY])
    })
    on("pointermove", event => this.moved(event))
    for (const name of ["pointerup", "pointercancel"]) on(name, event => this.pointers.delete(event.pointerId))
    on("contextmenu", event => event.preventDefault())
    on("dblclick", event => this.onFocus(event.offsetX, event.offsetY))
    on("keydown", event => { if (this.key(event)) event.preventDefault() })
    on("wheel", event => {
      const lines = event.deltaMode === 1 ? 30 : 1
      this.zoom(Math.exp(clamp(event.deltaY * lines, -300, 300) * 0.0012))
      event.preventDefault()
    }, { passive: false })
  }

  moved(event) {
    const before = this.pointers.get(event.pointerId)
    if (!before) return
    const after = [event.clientX, event.clientY]
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at)
    this.pointers.set(event.pointerId, after)
    const [x, y] = [after[0] - before[0], after[1] - before[1]]
    if (others.length) {
      const apart = at => Math.hypot(at[0] - others[0][0], at[1] - others[0][1])
      this.zoom(clamp(apart(before) / Math.max(apart(after), 1), 0.5, 2))
      this.pan(x / 2, y / 2)
    } else if (event.shiftKey || event.buttons & 6) {
      this.pan(x, y)
    } else {
      this.turn(x * 0.006, y * 0.006)
    }
  }

  close() {
    this.stopped.abort()
  }
}
