// Where panels are: around the picture on a wide window, in a sheet with tabs on a narrow one.
import { element, icon, iconButton } from "./elements.js"

const NARROW = matchMedia("(max-width: 820px)")

const SIDES = [
  ["inspector", "Inspect", "inspect"],
  ["tree", "Structure", "tree"],
  ["sliders", "Sliders", "slider"],
  ["guide", "Guide", "guide"],
]
const SHEET = [
  ["palette", "Build", "box"],
  ["inspector", "Inspect", "inspect"],
  ["charts", "Charts", "chart"],
  ["tree", "Structure", "tree"],
  ["sliders", "Sliders", "slider"],
  ["guide", "Guide", "guide"],
  ["console", "Console", "console"],
]

export class Layout {
  #studio
  #panels
  #tabs
  #sheetTabs
  #sheetTitle = element("h2")
  #drawers = {}

  /** `panels` are objects with a `root`; a panel may `shown()` when it comes into sight. */
  constructor(studio, panels) {
    this.#studio = studio
    this.#panels = panels
    this.#tabs = new Tabs(SIDES, "side", name => this.#shown(name))
    this.#sheetTabs = new Tabs(SHEET, "bottom", name => this.#openSheet(name))
    NARROW.addEventListener("change", () => this.#arrange())
    studio.on("selected", name => name && this.show("inspector", false))
    this.#arrange()
  }

  get isNarrow() {
    return NARROW.matches
  }

  /** Brings a panel into sight, and the focus into it if asked. */
  show(name, focus = true) {
    if (this.isNarrow) {
      // A sheet that is down stays down: who touches the machine wants to see it.
      if (focus || !document.body.classList.contains("sheet-down")) this.#sheetTabs.choose(name)
    } else if (SIDES.some(([each]) => each === name)) this.#tabs.choose(name)
    else this.#drawers[name]?.classList.remove("folded")
    this.#panels[name].shown?.()
    if (focus) this.#panels[name].focus?.()
  }

  /** Pixels of the window that panels cover at its edges. */
  covers() {
    const box = id => document.getElementById(id).getBoundingClientRect()
    if (this.isNarrow) return { top: box("top").bottom, bottom: innerHeight - box("transport").top }
    return {
      left: box("left").right,
      right: innerWidth - box("east").left,
      top: box("top").bottom,
      bottom: innerHeight - box("transport").top,
    }
  }

  #shown(name) {
    this.#panels[name].shown?.()
  }

  #foldSheet() {
    document.body.classList.add("sheet-down")
    this.#studio.gaze.fit()
  }

  #openSheet(name) {
    document.body.classList.remove("sheet-down")
    this.#sheetTitle.textContent = SHEET.find(([each]) => each === name)[1]
    this.#studio.gaze.fit()
    this.#panels[name].shown?.()
  }

  #arrange() {
    const [left, right, lower, instruments, sheet] = ["left", "right", "lower", "instruments", "sheet"].map(id =>
      document.getElementById(id),
    )
    document.body.classList.toggle("narrow", this.isNarrow)
    document.body.classList.toggle("sheet-down", this.isNarrow)
    for (const side of [left, right, lower, instruments, sheet]) side.replaceChildren()
    if (this.isNarrow) {
      const fold = iconButton("fold", "Put the panels away", () => this.#foldSheet(), { class: "round small" })
      const head = element("div", { class: "sheet-head" }, this.#sheetTitle, fold)
      sheet.append(
        this.#sheetTabs.bar,
        element("div", { class: "sheet-body" }, head, ...this.#sheetTabs.fill(this.#panels)),
      )
      this.#sheetTabs.choose("palette", false)
      return
    }
    left.append(element("div", { class: "panel" }, this.#panels.palette.root))
    right.append(element("div", { class: "panel tabbed" }, this.#tabs.bar, ...this.#tabs.fill(this.#panels)))
    this.#drawers.console = drawer("Console", "console", this.#panels.console)
    this.#drawers.charts = drawer("Charts", "chart", this.#panels.charts)
    lower.append(this.#drawers.console)
    instruments.append(this.#drawers.charts)
    this.#tabs.choose("inspector", false)
  }
}

/** A panel with a heading that folds it. */
function drawer(title, drawing, panel) {
  const toggle = element(
    "button",
    {
      type: "button",
      class: "heading",
      "aria-expanded": "true",
      onclick: () => toggle.setAttribute("aria-expanded", String(!made.classList.toggle("folded"))),
    },
    icon(drawing, 18),
    element("span", { text: title }),
    icon("fold", 16),
  )
  const made = element("div", { class: "panel drawer" }, toggle, panel.root)
  return made
}

/** Tabs as the ARIA practices have them: one stop of the Tab key, arrows go between. */
class Tabs {
  #buttons = new Map()
  #pages = new Map()
  #chosen

  constructor(list, kind, chosen) {
    this.#chosen = chosen
    this.bar = element("div", { class: `tabs ${kind}`, role: "tablist" })
    for (const [name, title, drawing] of list) {
      const button = element(
        "button",
        {
          type: "button",
          role: "tab",
          id: `${kind}-tab-${name}`,
          "aria-controls": `${kind}-page-${name}`,
          "data-tab": name,
          tabindex: "-1",
          onclick: () => this.choose(name),
          onkeydown: key => this.#move(key, name),
        },
        icon(drawing, 18),
        element("span", { text: title }),
      )
      this.#buttons.set(name, button)
      this.#pages.set(
        name,
        element("div", {
          role: "tabpanel",
          id: `${kind}-page-${name}`,
          "aria-labelledby": `${kind}-tab-${name}`,
          class: "page",
        }),
      )
    }
    this.bar.append(...this.#buttons.values())
  }

  fill(panels) {
    for (const [name, page] of this.#pages) page.replaceChildren(panels[name].root)
    return this.#pages.values()
  }

  choose(name, tell = true) {
    for (const [each, button] of this.#buttons) {
      button.setAttribute("aria-selected", String(each === name))
      button.tabIndex = each === name ? 0 : -1
      this.#pages.get(each).hidden = each !== name
    }
    if (tell) this.#chosen(name)
  }

  #move(key, name) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key.key]
    if (!step) return
    const names = [...this.#buttons.keys()]
    const next = names[(names.indexOf(name) + step + names.length) % names.length]
    this.choose(next)
    this.#buttons.get(next).focus()
    key.preventDefault()
  }
}
