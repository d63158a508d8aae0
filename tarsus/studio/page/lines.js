// Words of the command language: numbers and names as the server reads them.
import { tidy } from "./elements.js"

/** Numbers as words, with digits enough to put a point where it was shown. */
export const words = numbers => [...numbers].map(number => tidy(number, 6)).join(" ")

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
  const w = 1 + x, size = Math.hypot(w, y, z)
  return [w / size, 0, -z / size, y / size]
}
