// Paper for charts: a sharp canvas, axes with round numbers, lines told apart by colour and dashes.
import { readable } from "./elements.js"

/** Line styles in the order in which quantities get them: a colour of the style sheet, and dashes. */
const STYLES = [
  ["series-1", []],
  ["series-2", [7, 4]],
  ["series-3", [2, 3]],
  ["series-4", [9, 3, 2, 3]],
  ["series-5", [4, 2]],
  ["series-6", [12, 4]],
  ["series-1", [2, 6]],
  ["series-2", [1, 2]],
]
export const styleOf = k => STYLES[k % STYLES.length]

/** Round numbers between two, about `count` of them. */
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count),
    power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find(s => s * power >= rough) ?? 10)
  const list = []
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(k * step)
  return list
}

/** A range a little wider than the values, never empty. */
export function roomy(low, high) {
  if (!Number.isFinite(low)) return [-1, 1]
  const size = Math.max(high - low, 1e-9, 1e-3 * Math.max(Math.abs(low), Math.abs(high)))
  return [low - 0.08 * size, high + 0.08 * size]
}

export class Paper {
  constructor(canvas, theme) {
    this.canvas = canvas
    this.theme = theme
    this.c = canvas.getContext("2d")
    this.box = { left: 46, right: 10, top: 8, bottom: 20 }
  }

  /** Clears the sheet and says which values its edges are. */
  begin([x0, x1], [y0, y1]) {
    const { canvas, c } = this,
      sharp = devicePixelRatio || 1
    const [width, height] = [canvas.clientWidth, canvas.clientHeight]
    if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
      canvas.width = Math.round(width * sharp)
      canvas.height = Math.round(height * sharp)
    }
    c.setTransform(sharp, 0, 0, sharp, 0, 0)
    c.clearRect(0, 0, width, height)
    const { left, right, top, bottom } = this.box
    this.x = value => left + ((value - x0) / (x1 - x0)) * (width - left - right)
    this.y = value => height - bottom - ((value - y0) / (y1 - y0)) * (height - top - bottom)
    this.valueOfX = pixel => x0 + ((pixel - left) / (width - left - right)) * (x1 - x0)
    this.range = { x0, x1, y0, y1, width, height }
  }

  axes(xUnit) {
    const { c, box } = this,
      { x0, x1, y0, y1, width, height } = this.range
    c.font = "11px system-ui, sans-serif"
    c.lineWidth = 1
    c.setLineDash([])
    const [line, text] = [this.theme.color("grid"), this.theme.color("ink-soft")]
    for (const value of ticks(y0, y1, (height - box.top - box.bottom) / 28)) {
      this.#stroke(box.left, this.y(value), width - box.right, this.y(value), line)
      this.text(box.left - 6, this.y(value), readable(Math.abs(value) < 1e-12 * (y1 - y0) ? 0 : value), text, "right")
    }
    for (const value of ticks(x0, x1, (width - box.left - box.right) / 60)) {
      this.#stroke(this.x(value), box.top, this.x(value), height - box.bottom, line)
      this.text(this.x(value), height - 8, readable(value), text, "center")
    }
    this.text(width - 4, height - 8, xUnit, text, "right")
  }

  #stroke(ax, ay, bx, by, color) {
    const { c } = this
    c.beginPath()
    c.moveTo(ax, ay)
    c.lineTo(bx, by)
    c.strokeStyle = color
    c.stroke()
  }

  text(x, y, text, color, align = "left") {
    const { c } = this
    c.fillStyle = color
    c.textAlign = align
    c.textBaseline = "middle"
    c.fillText(text, x, y)
  }

  /** A line through points that a function gives by number. */
  line(count, point, style, width = 1.8) {
    const { c, box } = this,
      { width: w, height: h } = this.range
    c.save()
    c.beginPath()
    c.rect(box.left, box.top - 2, w - box.left - box.right + 2, h - box.top - box.bottom + 4)
    c.clip()
    c.beginPath()
    for (let k = 0; k < count; k++) {
      const [x, y] = point(k)
      if (k) c.lineTo(this.x(x), this.y(y))
      else c.moveTo(this.x(x), this.y(y))
    }
    c.strokeStyle = this.theme.color(style[0])
    c.setLineDash(style[1])
    c.lineWidth = width
    c.lineJoin = "round"
    c.stroke()
    c.restore()
  }

  dot(x, y, style, radius = 3.5) {
    const { c } = this
    c.beginPath()
    c.arc(this.x(x), this.y(y), radius, 0, 2 * Math.PI)
    c.fillStyle = this.theme.color(style[0])
    c.fill()
  }

  /** An upright line at a value of x: the moment under the pointer. */
  cursor(x) {
    const { box } = this,
      { height } = this.range
    this.c.lineWidth = 1
    this.c.setLineDash([])
    this.#stroke(this.x(x), box.top, this.x(x), height - box.bottom, this.theme.color("ink-soft"))
  }
}
