// Help: what the pointer and the keys do.
import { makeDialog } from "./dialog.js"
import { element } from "./elements.js"

const KEYS = [
  ["Space", "play or pause"],
  [", and .", "a little back, a step on"],
  ["[ and ]", "slower, faster"],
  ["Home", "back to the start"],
  ["F", "look at all of it"],
  ["Arrows, + and −", "turn the view, zoom (on the picture)"],
  ["Delete", "take away what is selected"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
  ["Ctrl+A", "select all bodies"],
  ["Ctrl+D, Ctrl+G", "duplicate, group"],
  ["Ctrl+S", "save"],
  ["B, I, T, C", "build, inspect, structure, charts"],
  ["G", "gallery"],
  ["/ or :", "into the console"],
  ["Esc", "put the tool away"],
  ["?", "this help"],
]
const POINTER = [
  ["Click a body", "selects it; Shift + click adds it, or takes it out"],
  ["Shift + drag", "selects all bodies in a box"],
  ["Drag a body", "pulls it through a spring; its force is shown"],
  ["Drag a loose body at rest", "puts it elsewhere, with all that is selected"],
  ["Alt + drag, at rest", "leads it by inverse kinematics"],
  ["Drag beside it", "turns the view"],
  ["Right drag", "moves the view"],
  ["Wheel or pinch", "nearer, farther"],
  ["Two fingers", "move the view"],
  ["A long press on a body", "adds it to what is selected"],
  ["Double click", "looks there"],
]

let dialog = null

export function showHelp() {
  dialog ??= makeDialog(
    "Help",
    "help",
    element("h3", { text: "Pointer" }),
    table(POINTER),
    element("h3", { text: "Keys" }),
    table(KEYS),
  )
  if (!dialog.open) dialog.showModal()
}

function table(rows) {
  return element(
    "dl",
    {},
    ...rows.flatMap(([key, what]) => [element("dt", {}, element("kbd", { text: key })), element("dd", { text: what })]),
  )
}
