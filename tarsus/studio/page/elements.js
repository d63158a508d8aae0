// Elements are made node by node: no text from files or people ever becomes markup.
import { ICONS } from "./icons.js"

const SVG = "http://www.w3.org/2000/svg"

/** An element; attributes with `on…` listen, `text` is its text, children are nodes or strings. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (name === "text") made.textContent = value
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value)
    else if (name in made && typeof value !== "string") made[name] = value
    else made.setAttribute(name, value === true ? "" : value)
  }
  made.append(...children.filter(child => child !== null && child !== undefined && child !== false))
  return made
}

/** A drawing of 24 by 24 from the table of icons, for eyes only. */
export function icon(name, size = 20) {
  const svg = document.createElementNS(SVG, "svg")
  const settings = { viewBox: "0 0 24 24", width: size, height: size, class: "icon", "aria-hidden": "true" }
  for (const [key, value] of Object.entries(settings)) svg.setAttribute(key, value)
  for (const stroke of ICONS[name] ?? ICONS.dot) {
    const path = document.createElementNS(SVG, "path")
    path.setAttribute("d", stroke.replace(/^!/, ""))
    if (stroke.startsWith("!")) path.setAttribute("class", "filled")
    svg.append(path)
  }
  return svg
}

/** A button with an icon and a name that is read aloud and shown when the pointer rests. */
export function iconButton(name, label, onclick, more = {}) {
  return element(
    "button",
    { type: "button", class: "round", "aria-label": label, title: label, onclick, ...more },
    icon(name),
  )
}

/** Gives an element these children. Those that it has stay where they are, and the focus if it can. */
export function refill(parent, ...children) {
  const wanted = children.filter(Boolean),
    stays = new Set(wanted)
  const focused = parent.contains(document.activeElement) ? document.activeElement : null
  for (const child of [...parent.childNodes]) if (!stays.has(child)) child.remove()
  wanted.forEach((child, k) => {
    if (parent.childNodes[k] !== child) parent.insertBefore(child, parent.childNodes[k] ?? null)
  })
  if (!focused || parent.contains(document.activeElement)) return
  const key = focused.dataset.key
  const again = parent.contains(focused) ? focused : key && parent.querySelector(`[data-key="${CSS.escape(key)}"]`)
  if (again) again.focus({ preventScroll: true })
}

/** A number as people write it: at most `digits` that count, no trailing zeros. */
export function tidy(number, digits = 4) {
  if (!Number.isFinite(number)) return String(number)
  if (Math.abs(number) < 1e-12) return "0"
  return String(Number(number.toPrecision(digits)))
}

/** A number for reading: short, with a true minus, powers of ten only where they help. */
export function readable(number, digits = 3) {
  if (!Number.isFinite(number)) return "–"
  const size = Math.abs(number)
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return number.toExponential(1).replace("-", "−").replace("e-", "e−")
  return tidy(number, digits).replace("-", "−")
}
