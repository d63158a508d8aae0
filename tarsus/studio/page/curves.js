// Curves in expressions, as the server has them (tarsus/studio/bindings.py): read, written, and followed.
import { tidy } from "./elements.js"

const CURVE = /\b(linear|smooth)(_cycle)?\(\s*t\s*((?:,\s*[-+]?[\d.]+(?:e[-+]?\d+)?\s*)+)\)/gi

/** All curves of t in an expression: {from, to, smooth, cycle, points: [[t, value], …]}. */
export function curvesIn(text) {
  return [...text.matchAll(CURVE)].map(match => {
    const numbers = match[3].split(",").slice(1).map(Number)
    const points = Array.from({ length: Math.floor(numbers.length / 2) }, (_, k) => numbers.slice(2 * k, 2 * k + 2))
    const { index } = match
    return { from: index, to: index + match[0].length, smooth: match[1] === "smooth", cycle: Boolean(match[2]), points }
  })
}

/** A curve as a piece of an expression. */
export function curveText({ smooth, cycle, points }) {
  const numbers = points.flatMap(([t, value]) => [tidy(t, 6), tidy(value, 6)])
  return `${smooth ? "smooth" : "linear"}${cycle ? "_cycle" : ""}(t, ${numbers.join(", ")})`
}

/** The expression with its k-th curve changed. */
export function withCurve(text, k, curve) {
  const { from, to } = curvesIn(text)[k]
  return text.slice(0, from) + curveText(curve) + text.slice(to)
}

/** The value of a curve at a time. */
export function valueAt(curve, t) {
  const { points, smooth, cycle } = curve
  const [first, last] = [points[0], points.at(-1)]
  if (cycle) t = inPeriod(curve, t)
  if (t <= first[0]) return first[1]
  if (t >= last[0]) return last[1]
  const k = points.findIndex((point, i) => i > 0 && t < point[0]) - 1
  const [[a, x], [b, y]] = [points[k], points[k + 1]]
  const [step, rise, u] = [b - a, y - x, (t - a) / (b - a)]
  if (!smooth) return x + u * rise
  const [p, q] = [step * slopeAt(curve, k), step * slopeAt(curve, k + 1)]
  return x + u * (p + u * (3 * rise - 2 * p - q + u * (p + q - 2 * rise)))
}

/** A time of the first period of a cycle; of other curves the time itself. */
export function inPeriod({ points, cycle }, t) {
  const [begin, period] = [points[0][0], points.at(-1)[0] - points[0][0]]
  return cycle ? begin + ((((t - begin) % period) + period) % period) : t
}

/** The slope at a point: a weighted harmonic mean of those beside it, level at ends and turns. */
function slopeAt({ points, cycle }, k) {
  const last = points.length - 1
  const isEnd = k === 0 || k === last
  if (isEnd && !cycle) return 0
  const piece = i => [points[i + 1][0] - points[i][0], (points[i + 1][1] - points[i][1]) / (points[i + 1][0] - points[i][0])]
  const [[before, slope], [after, next]] = [piece(isEnd ? last - 1 : k - 1), piece(isEnd ? 0 : k)]
  if (!(slope * next > 0)) return 0
  const [one, two] = [2 * after + before, after + 2 * before]
  return (one + two) / (one / slope + two / next)
}
