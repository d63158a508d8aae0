// Keys that work everywhere but where one types.
import { showHelp } from "./help.js"
import { duplicateSelected, groupSelected, removeSelected } from "./selection.js"

export class Keyboard {
  #studio

  constructor(studio) {
    this.#studio = studio
    document.addEventListener("keydown", key => this.#key(key))
  }

  #key(key) {
    if (key.defaultPrevented || document.querySelector("dialog[open]")) return
    const typing = key.target.matches?.("input:not([type=range]):not([type=checkbox]), textarea, select")
    // a slider keeps the keys that move it
    if (key.target.matches?.("input[type=range]") && /^(Arrow|Home|End|Page)/.test(key.key)) return
    const control = key.ctrlKey || key.metaKey
    if (typing && !(control && key.key.toLowerCase() === "s")) return
    const act = control ? this.#withControl(key) : this.#plain(key)
    if (!act) return
    key.preventDefault()
    act()
  }

  #withControl(key) {
    const studio = this.#studio
    const name = key.key.toLowerCase()
    if (name === "z") return () => studio.run(key.shiftKey ? "redo" : "undo")
    if (name === "y") return () => studio.run("redo")
    if (name === "s") return () => studio.emit("save")
    if (name === "a") return () => studio.selectAll(studio.world.scene.bodies.map(body => body.name))
    if (name === "d" && studio.selected) return () => duplicateSelected(studio)
    if (name === "g" && studio.selected) return () => groupSelected(studio)
    return null
  }

  #plain(key) {
    const studio = this.#studio
    const onButton = key.target.matches?.("button, a, summary, [role=tab]")
    if (key.key === "Escape") return () => (studio.isResting ? studio.select("") : studio.drop())
    // A button that has the focus keeps Space and Enter for itself.
    if (onButton && (key.key === " " || key.key === "Enter")) return null
    if (studio.tool?.key?.(key.key)) return () => {}
    if ((key.key === "Delete" || key.key === "Backspace") && studio.selected)
      return () => removeSelected(studio)
    const panels = { b: "palette", i: "inspector", t: "tree", c: "charts", "/": "console", ":": "console" }
    if (panels[key.key]) return () => studio.layout.show(panels[key.key])
    return (
      {
        " ": () => studio.timeline.toggle(),
        ",": () => studio.timeline.nudge(-1),
        ".": () => studio.timeline.nudge(1),
        "[": () => studio.timeline.faster(-1),
        "]": () => studio.timeline.faster(1),
        Home: () => studio.run("restart"),
        f: () => studio.gaze.frame(),
        F: () => studio.gaze.frame(),
        g: () => studio.gallery.open(),
        "?": () => showHelp(),
      }[key.key] ?? null
    )
  }
}
