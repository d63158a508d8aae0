// Strip charts: quantities over time, with a cursor that moves with the picture.
//
//   const chart = new StripChart(parent, {title, unit, onSeek: time => …})
//   chart.set(times, [{name, values}])     chart.draw(time)      chart.append(time, values)
//
// Lines differ by their dashes as well as by their colours, and the table of names beside the chart
// has the values at the cursor, so that nothing is told by colour alone.

import { PALETTE } from "./materials.js"

/** Colours that stand out on the grounds of both themes, from the palette. */
const COLORS = [1, 2, 3, 4, 6, 5].map(k => `rgb(${PALETTE[k].map(x => Math.round(255 * x))})`)
const DASHES = [[], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 3]]
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 8, 6, 17]

export class StripChart {
  constructor(parent, { title, unit, onSeek = () => {} }) {
    this.unit = unit
    this.root = document.createElement("figure")
    this.root.className = "chart"
    this.caption = document.createElement("figcaption")
    this.caption.textContent = unit ? `${title} [${unit}]` : title
    this.names = document.createElement("ul")
    this.canvas = document.createElement("canvas")
    this.canvas.setAttribute("role", "img")
    this.canvas.setAttribute("aria-label", `${title} over time; the values at the cursor stand beside it`)
    this.root.append(this.caption, this.names, this.canvas)
    parent.append(this.root)
    const seek = event => {
      if (event.type === "pointermove" && !event.buttons) return
      const share = (event.offsetX - LEFT) / Math.max(1, this.canvas.clientWidth - LEFT - RIGHT)
      const [first, last] = this.span()
      onSeek(first + Math.min(1, Math.max(0, share)) * (last - first))
    }
    this.canvas.addEventListener("pointerdown", seek)
    this.canvas.addEventListener("pointermove", seek)
    this.set([], [])
  }

  set(times, lines) {
    this.times = Array.from(times)
    this.lines = lines.map(({ name, values }) => ({ name, values: Array.from(values) }))
    this.names.replaceChildren(...this.lines.map((line, k) => this.entry(line, k)))
    this.range = null
  }

  /** Add a sample of each line, for charts that run; what is older than `keep` samples goes. */
  append(time, values, keep = 4000) {
    this.times.push(time)
    this.lines.forEach((line, k) => line.values.push(values[k]))
    if (this.times.length > 1.25 * keep) {
      this.times.splice(0, this.times.length - keep)
      for (const line of this.lines) line.values.splice(0, line.values.length - keep)
    }
    this.range = null
  }

  entry({ name }, k) {
    const item = document.createElement("li")
    const [color, dash] = [COLORS[k % COLORS.length], DASHES[k % DASHES.length].join(" ")]
    item.innerHTML = `<svg viewBox="0 0 22 6" aria-hidden="true"><line x1="0" x2="22" y1="3" y2="3" stroke="${color}" stroke-width="2.4" stroke-dasharray="${dash}"/></svg>`
    const value = document.createElement("output")
    item.append(` ${name} `, value)
    return item
  }

  span() {
    return [this.times[0] ?? 0, Math.max(this.times[this.times.length - 1] ?? 1, (this.times[0] ?? 0) + 1e-9)]
  }

  /** The lowest and highest value, with a little room. */
  limits() {
    if (this.range) return this.range
    let [low, high] = [Infinity, -Infinity]
    for (const { values } of this.lines) {
      for (const x of values) {
        if (x < low) low = x
        if (x > high) high = x
      }
    }
    if (!(low <= high)) [low, high] = [0, 1]
    const room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1
    this.range = [low - room, high + room]
    return this.range
  }

  /** Draw all lines and the cursor at a time, in the colours of the page. */
  draw(time) {
    const { canvas } = this
    const sharp = Math.min(devicePixelRatio || 1, 2)
    const [width, height] = [canvas.clientWidth, canvas.clientHeight]
    if (!width || !height) return
    if (canvas.width !== Math.round(width * sharp)) canvas.width = Math.round(width * sharp)
    if (canvas.height !== Math.round(height * sharp)) canvas.height = Math.round(height * sharp)
    const pen = canvas.getContext("2d")
    const style = getComputedStyle(canvas)
    pen.setTransform(sharp, 0, 0, sharp, 0, 0)
    pen.clearRect(0, 0, width, height)
    pen.font = `11px ${style.fontFamily}`
    const [first, last] = this.span()
    const [low, high] = this.limits()
    const x = t => LEFT + ((t - first) / (last - first)) * (width - LEFT - RIGHT)
    const y = value => height - BOTTOM - ((value - low) / (high - low)) * (height - TOP - BOTTOM)
    this.drawTicks(pen, style, x, y, width, height)
    this.lines.forEach((line, k) => this.drawLine(pen, line, k, x, y, width))
    if (time !== undefined) this.drawCursor(pen, style, time, x, y, height)
  }

  drawTicks(pen, style, x, y, width, height) {
    const faint = style.getPropertyValue("--line") || "#0002"
    pen.fillStyle = style.color
    pen.strokeStyle = faint
    pen.lineWidth = 1
    pen.setLineDash([])
    pen.textAlign = "right"
    pen.textBaseline = "middle"
    for (const value of ticks(...this.limits(), Math.max(2, Math.floor(height / 32)))) {
      pen.beginPath()
      pen.moveTo(LEFT, Math.round(y(value)) + 0.5)
      pen.lineTo(width - RIGHT, Math.round(y(value)) + 0.5)
      pen.stroke()
      pen.fillText(short(value), LEFT - 5, y(value))
    }
    pen.textAlign = "center"
    pen.textBaseline = "alphabetic"
    for (const time of ticks(...this.span(), Math.max(2, Math.floor(width / 90)))) {
      pen.fillText(`${short(time)} s`, Math.min(x(time), width - 16), height - 4)
    }
  }

  drawLine(pen, { values }, k, x, y, width) {
    pen.strokeStyle = COLORS[k % COLORS.length]
    pen.lineWidth = 1.8
    pen.lineJoin = "round"
    pen.setLineDash(DASHES[k % DASHES.length])
    pen.beginPath()
    // more points than pixels are not seen
    const step = Math.max(1, Math.floor(values.length / (2 * width)))
    for (let i = 0; i < values.length; i += step) pen.lineTo(x(this.times[i]), y(values[i]))
    pen.stroke()
    pen.setLineDash([])
  }

  drawCursor(pen, style, time, x, y, height) {
    const at = nearest(this.times, time)
    pen.strokeStyle = style.color
    pen.lineWidth = 1
    pen.beginPath()
    pen.moveTo(Math.round(x(time)) + 0.5, TOP)
    pen.lineTo(Math.round(x(time)) + 0.5, height - BOTTOM)
    pen.stroke()
    this.lines.forEach(({ values }, k) => {
      pen.fillStyle = COLORS[k % COLORS.length]
      pen.beginPath()
      pen.arc(x(time), y(values[at]), 3, 0, 7)
      pen.fill()
      // what is rounding beside the rest of the chart is told as nothing
      const [low, high] = this.limits()
      const text = short(Math.abs(values[at]) < 1e-7 * (high - low) ? 0 : values[at], 4)
      const output = this.names.children[k].querySelector("output")
      if (output.textContent !== text) output.textContent = text
    })
  }
}

/** Round numbers between two limits, about `count` of them. */
export function ticks(low, high, count) {
  const rough = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(k => k * power).find(each => each >= rough)
  const found = []
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(+(k * step).toPrecision(12))
  return found
}

/** A number in few signs. */
export function short(value, digits = 3) {
  if (value === undefined || !Number.isFinite(value)) return "–"
  if (value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e5)) return value.toExponential(1).replace("e+", "e").replaceAll("-", "−")
  return String(+value.toPrecision(digits)).replace("-", "−")
}

/** The index of the last time that is not after `time`. */
export function nearest(times, time) {
  let [low, high] = [0, times.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (times[middle] <= time + 1e-9) low = middle
    else high = middle - 1
  }
  return Math.max(0, low)
}
