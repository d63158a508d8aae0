// Words of the command language: numbers and names as the server reads them.
import { tidy } from "./elements.js"

/** Numbers as words, with digits enough to put a point where it was shown. */
export const words = numbers => [...numbers].map(number => tidy(Math.abs(number) < 1e-6 ? 0 : number, 6)).join(" ")

/** A name as one word. */
export const word = name => (name === "" || /[\s;'#]/.test(name) ? `"${name}"` : name)

/** An attachment as the value of `-a` or `-b`: a body and a point in its frame. */
export const end = ({ body, local }) => `${word(body)} ${words(local)}`

/** A point of the world as an attachment of the world. */
export const worldEnd = point => ({ body: "world", local: point, point, what: "world" })

/** The quaternion w x y z that turns the x axis into a direction. */
export function fromX(direction) {
  const length = Math.hypot(...direction) || 1
  const [x, y, z] = direction.map(part => part / length)
  if (x < -0.999999) return [0, 0, 0, 1]
  const w = 1 + x,
    size = Math.hypot(w, y, z)
  return [w / size, 0, -z / size, y / size]
}

/** The quaternion w x y z of three rows of a pose. */
export function quaternion(p) {
  const w = Math.sqrt(Math.max(0, 1 + p[0] + p[5] + p[10])) / 2
  const x = Math.sqrt(Math.max(0, 1 + p[0] - p[5] - p[10])) / 2
  const y = Math.sqrt(Math.max(0, 1 - p[0] + p[5] - p[10])) / 2
  const z = Math.sqrt(Math.max(0, 1 - p[0] - p[5] + p[10])) / 2
  const sign = (size, difference) => (difference < 0 ? -size : size)
  // half a turn leaves only products to tell signs by
  if (w > 1e-3) return [w, sign(x, p[9] - p[6]), sign(y, p[2] - p[8]), sign(z, p[4] - p[1])]
  return x > 1e-3 ? [0, x, sign(y, p[1] + p[4]), sign(z, p[2] + p[8])] : [0, 0, y, sign(z, p[6] + p[9])]
}
