// Sliders for joints, in a panel that can be closed.

import { short } from "./charts.js"

/** Add sliders of {name, low, high, value}; return a function that sets all values. */
export function addSliders(joints, moved, resized) {
  if (!joints.length) return () => {}
  const panel = document.createElement("details")
  panel.className = "sliders"
  // on a phone the picture comes first
  panel.open = innerWidth > 700
  const title = document.createElement("summary")
  title.textContent = `${joints.length} joint${joints.length > 1 ? "s" : ""}`
  panel.append(title)
  const rows = joints.map((joint, k) => {
    const row = document.createElement("label")
    const name = document.createElement("span")
    const slider = document.createElement("input")
    const value = document.createElement("output")
    name.textContent = joint.name
    name.title = joint.name
    Object.assign(slider, { type: "range", min: joint.low, max: joint.high, step: "any" })
    slider.value = joint.value
    value.textContent = short(joint.value)
    slider.oninput = () => {
      value.textContent = short(Number(slider.value))
      moved(k, Number(slider.value))
    }
    // arrow keys move by a hundredth of the range: with any step browsers would choose their own
    slider.onkeydown = event => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key]
      if (!way) return
      slider.value = Number(slider.value) + (way * (joint.high - joint.low)) / 100
      slider.oninput()
      event.preventDefault()
    }
    row.append(name, slider, value)
    panel.append(row)
    return { slider, value }
  })
  panel.ontoggle = resized
  document.body.append(panel)
  return values =>
    values.forEach((each, k) => {
      const { slider, value } = rows[k]
      if (document.activeElement !== slider) slider.value = each
      value.textContent = short(each)
    })
}
