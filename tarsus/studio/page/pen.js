// A pen that draws upon the picture, at points of the world.
import { readable } from "./elements.js"
import { snapPoints } from "./snap.js"

export class Pen {
  #studio
  #c
  #accent
  #ink
  #paper

  constructor(studio, context) {
    this.#studio = studio
    this.#c = context
    ;[this.#accent, this.#ink, this.#paper] = ["accent", "ink", "paper"].map(name => studio.theme.color(name))
  }

  #at(point) {
    return this.#studio.picture.project(point)
  }

  #line(from, to, width, color, dash = []) {
    const [a, b] = [this.#at(from), this.#at(to)],
      c = this.#c
    if (!a || !b) return
    c.beginPath()
    c.moveTo(...a)
    c.lineTo(...b)
    c.lineWidth = width
    c.strokeStyle = color
    c.lineCap = "round"
    c.setLineDash(dash)
    c.stroke()
    c.setLineDash([])
  }

  /** The attachment points of a body, small. */
  snaps(body) {
    for (const { at } of snapPoints(body)) {
      const seen = this.#at(this.#studio.world.toWorld(body.name, at))
      if (seen) this.#disc(seen, 3.5, this.#paper, this.#accent, 1.5)
    }
  }

  /** A small point. */
  dot(point) {
    const seen = this.#at(point)
    if (seen) this.#disc(seen, 4.5, this.#paper, this.#accent, 2)
  }

  /** A point that is meant, with its number and what it is. */
  mark(point, number, text = "") {
    const seen = this.#at(point)
    if (!seen) return
    this.#disc(seen, 8, this.#accent, this.#paper, 2)
    if (number) this.#text(seen[0], seen[1] + 0.5, number, this.#paper, "600 11px system-ui, sans-serif", "center")
    if (text) this.label(seen[0] + 16, seen[1] - 16, text)
  }

  /** A handle to lead a frame by: four arrows in a ring. */
  handle(point) {
    const seen = this.#at(point)
    if (!seen) return
    this.#disc(seen, 13, this.#paper + "d0", this.#accent, 2)
    const c = this.#c
    c.strokeStyle = this.#accent
    c.lineWidth = 1.8
    c.lineCap = "round"
    c.beginPath()
    for (const [x, y] of [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ]) {
      const tip = [seen[0] + 9 * x, seen[1] + 9 * y]
      c.moveTo(...seen)
      c.lineTo(...tip)
      for (const side of [-3, 3]) {
        c.moveTo(...tip)
        c.lineTo(tip[0] - 3 * x + side * y, tip[1] - 3 * y + side * x)
      }
    }
    c.stroke()
  }

  /** The gap between two bodies, with what is told of it; a cross if they are in each other. */
  gap(from, to, text, wrong) {
    this.#line(from, to, 5, this.#paper)
    this.#line(from, to, 2.5, wrong ? this.#studio.theme.color("wrong") : this.#ink, wrong ? [] : [3, 4])
    const [a, b] = [this.#at(from), this.#at(to)]
    if (!a || !b) return
    for (const end of [a, b]) this.#disc(end, 3.5, this.#paper, this.#ink, 2)
    const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
    if (wrong) this.#text(...middle, "✕", this.#studio.theme.color("wrong"), "700 17px system-ui, sans-serif", "center")
    this.label(middle[0] + 14, middle[1] - 18, text)
  }

  thread(from, to) {
    this.#line(from, to, 4, this.#paper)
    this.#line(from, to, 2, this.#accent, [6, 5])
  }

  /** A part that is being drawn. */
  bar(from, to) {
    this.#line(from, to, 10, this.#accent + "66")
    this.#line(from, to, 2, this.#accent)
  }

  /** Lines of the work plane about a point. */
  grid(plane, about) {
    if (!about) return
    const d = plane.spacing,
      n = 6,
      [u, v] = [0, 1, 2].filter(i => i !== plane.axis)
    const middle = about.map((x, i) => (i === plane.axis ? plane.through[i] : Math.round(x / d) * d))
    for (let k = -n; k <= n; k++) {
      for (const [a, b] of [
        [u, v],
        [v, u],
      ]) {
        const from = [...middle],
          to = [...middle]
        from[a] += k * d
        to[a] += k * d
        from[b] -= n * d
        to[b] += n * d
        this.#line(from, to, 1, this.#ink + (Math.abs(k) === n ? "10" : "26"))
      }
    }
  }

  /** A coil from the body to the hand, with its force. */
  spring(from, to, force) {
    const [a, b] = [this.#at(from), this.#at(to)],
      c = this.#c
    if (!a || !b) return
    const [x, y] = [b[0] - a[0], b[1] - a[1]],
      length = Math.hypot(x, y) || 1
    const turns = 12,
      wide = Math.min(7, 3 + length / 40)
    c.beginPath()
    c.moveTo(...a)
    for (let k = 1; k < 2 * turns; k++) {
      const share = 0.08 + (0.84 * k) / (2 * turns),
        side = k % 2 ? wide : -wide
      c.lineTo(a[0] + share * x - (side * y) / length, a[1] + share * y + (side * x) / length)
    }
    c.lineTo(...b)
    for (const [width, color] of [
      [5, this.#paper],
      [2.5, this.#accent],
    ]) {
      c.lineWidth = width
      c.strokeStyle = color
      c.lineJoin = "round"
      c.stroke()
    }
    this.#disc(a, 5, this.#accent, this.#paper, 2)
    this.#disc(b, 7, this.#paper, this.#accent, 2.5)
    if (force !== null) this.label(b[0] + 14, b[1] - 14, `${readable(force)} N`)
  }

  /** A box on the picture, from corner to corner [pixels]. */
  box([x, y], [right, bottom]) {
    const c = this.#c
    c.beginPath()
    c.rect(x, y, right - x, bottom - y)
    c.fillStyle = this.#accent + "1f"
    c.fill()
    c.lineWidth = 1.5
    c.strokeStyle = this.#accent
    c.setLineDash([6, 4])
    c.stroke()
    c.setLineDash([])
  }

  /** A triangle with an exclamation mark: trouble is here. */
  badge([x, y]) {
    const c = this.#c
    c.beginPath()
    c.moveTo(x, y - 11)
    c.lineTo(x + 11, y + 8)
    c.lineTo(x - 11, y + 8)
    c.closePath()
    c.fillStyle = this.#studio.theme.color("warning")
    c.strokeStyle = this.#paper
    c.lineWidth = 2
    c.lineJoin = "round"
    c.stroke()
    c.fill()
    this.#text(x, y + 2, "!", "#1c1400", "700 12px system-ui, sans-serif", "center")
  }

  /** The name of what is at a point, with an edge of paper around its letters. */
  name(point, text) {
    const seen = this.#at(point)
    if (!seen) return
    const c = this.#c
    c.font = "600 12px system-ui, sans-serif"
    c.textAlign = "center"
    c.textBaseline = "middle"
    c.lineWidth = 4
    c.lineJoin = "round"
    c.strokeStyle = this.#paper
    c.strokeText(text, ...seen)
    c.fillStyle = this.#ink
    c.fillText(text, ...seen)
  }

  label(x, y, text) {
    const c = this.#c
    c.font = "500 13px system-ui, sans-serif"
    const width = c.measureText(text).width + 16
    // no panel stands upon it, as far as there is room
    const { left, right } = this.#studio.scene.camera.inset
    x = Math.max(left + 4, Math.min(x, this.#studio.picture.canvas.clientWidth - right - width - 4))
    c.beginPath()
    c.roundRect(x, y - 13, width, 26, 7)
    c.fillStyle = this.#ink
    c.fill()
    this.#text(x + 8, y + 0.5, text, this.#paper, c.font, "left")
  }

  #disc([x, y], radius, fill, stroke, width) {
    const c = this.#c
    c.beginPath()
    c.arc(x, y, radius, 0, 2 * Math.PI)
    c.fillStyle = fill
    c.fill()
    c.lineWidth = width
    c.strokeStyle = stroke
    c.stroke()
  }

  #text(x, y, text, color, font, align) {
    const c = this.#c
    c.font = font
    c.fillStyle = color
    c.textAlign = align
    c.textBaseline = "middle"
    c.fillText(text, x, y)
  }
}
