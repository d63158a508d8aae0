// What is selected, number by number; the world itself if nothing is.
import { element, icon, iconButton, readable, refill } from "./elements.js"
import { makeField, titleOf } from "./field.js"
import { quaternion, word, words } from "./lines.js"
import { worldRows } from "./world_inspector.js"

const RENEW = 200

export class Inspector {
  root = element("div", { class: "inspector" })
  #studio
  #stale = true
  #live = null
  #renewed = 0

  constructor(studio) {
    this.#studio = studio
    studio.on("selected", () => this.#fill())
    studio.world.on("scene", () => this.#sceneChanged())
    studio.picture.each(now => this.#renew(now))
    this.root.addEventListener("focusout", () => setTimeout(() => this.#stale && this.#sceneChanged(), 0))
  }

  focus() {
    this.root.querySelector("input, button")?.focus()
  }

  // What is being typed is not taken away by an edit that comes from elsewhere.
  #sceneChanged() {
    const typing =
      this.root.contains(document.activeElement) &&
      document.activeElement.matches("input[type=text]") &&
      this.root.querySelector(".wrong")
    this.#stale = Boolean(typing)
    if (!typing) this.#fill()
  }

  #renew(now) {
    if (!this.#live || now - this.#renewed < RENEW || !this.root.offsetParent) return
    this.#renewed = now
    this.#live()
  }

  #fill() {
    this.#live = null
    const found = this.#studio.world.find(this.#studio.selected)
    refill(
      this.root,
      ...(found ? this.#ofItem(found) : worldRows(this.#studio, (name, fields) => this.#fields(name, fields))),
    )
  }

  #ofItem({ what, item }) {
    const { world } = this.#studio
    const kind = what === "body" ? "body" : item.kind
    const rows = [this.#head(what, item, kind), this.#actions(what, item)]
    const loop = world.scene.loops.find(each => each.name === item.name)
    if (loop?.reason)
      rows.push(element("p", { class: "notice" }, icon("warning", 18), element("span", { text: loop.reason })))
    if (what !== "body") rows.push(this.#ends(item))
    if (what === "part" && item.on !== undefined) rows.push(this.#field(item.name, "on", { value: item.on }))
    if (what === "body") rows.push(...this.#place(item.name))
    rows.push(...this.#fields(item.name, item.fields))
    if (what === "body") rows.push(this.#attached(item.name))
    return rows
  }

  #head(what, item, kind) {
    const name = element("input", {
      type: "text",
      class: "name",
      value: item.name,
      "aria-label": "Name",
      "data-key": "name",
      spellcheck: "false",
      autocomplete: "off",
      onchange: async () => {
        const answer = await this.#studio.run(`rename ${word(item.name)} ${word(name.value.trim())}`, { quiet: true })
        if (answer.ok) this.#studio.select(name.value.trim())
        name.setAttribute("aria-invalid", String(!answer.ok))
        message.textContent = answer.ok ? "" : answer.text
      },
    })
    const message = element("p", { class: "field-message", role: "alert" })
    const about =
      what === "body"
        ? `body · ${readable(item.mass)} kg`
        : what === "joint"
          ? `${kind} joint${item.loop ? " · closes a loop" : ""}`
          : `${kind} · ${item.role}`
    return element(
      "div",
      { class: "head" },
      icon(ICON_OF(what, item), 26),
      element("div", {}, name, element("p", { class: "about", text: about }), message),
    )
  }

  #actions(what, { name }) {
    const { studio, run } = { studio: this.#studio, run: line => this.#studio.run(line) }
    const copy = () => {
      const fresh = studio.world.freshName(name.replace(/\d+$/, ""))
      run(`duplicate ${word(name)} ${word(fresh)}`).then(answer => answer.ok && studio.select(fresh))
    }
    const mirror = () => {
      const fresh = studio.world.freshName(name.replace(/\d+$/, ""))
      run(`mirror ${word(name)} ${word(fresh)} -plane y`).then(answer => answer.ok && studio.select(fresh))
    }
    const bodyOnly =
      what === "body"
        ? [
            iconButton("duplicate", "Duplicate (Ctrl+D)", copy),
            iconButton("mirror", "Mirror across the xz plane", mirror),
            iconButton("pin", "Pin: hold it where it is", () => run(`pin ${word(name)} ${words([0, 0, 0])}`)),
          ]
        : []
    return element(
      "div",
      { class: "actions" },
      ...bodyOnly,
      iconButton("chart", "Show its numbers in the chart", () => studio.emit("chartOf", name)),
      iconButton("delete", "Delete (Del)", () => run(`delete ${word(name)}`)),
    )
  }

  /** Where a body is now: numbers of the last frame, renewed while nobody types. */
  #place(name) {
    const { world } = this.#studio
    const rows = element("div", { class: "live" })
    const fill = () => {
      if (rows.contains(document.activeElement) || rows.querySelector(".wrong")) return
      const pose = world.pose(name)
      refill(
        rows,
        this.#field(name, "t", { value: [pose[3], pose[7], pose[11]].map(round), unit: "m" }),
        this.#field(name, "E", { value: quaternion(pose).map(round) }),
      )
    }
    fill()
    this.#live = fill
    return [rows]
  }

  #fields(name, fields = {}) {
    return Object.entries(fields).map(([field, content]) => this.#field(name, field, content))
  }

  #field(name, field, content) {
    if (content.fixed) return fixedRow(field, content)
    return makeField(field, content, typed => this.#studio.run(`set ${word(name)} -${field} ${typed}`, { quiet: true }))
  }

  #ends({ a, b }) {
    const line = (label, end) => {
      const body = typeof end === "string" ? end : end?.body
      return element(
        "div",
        { class: "end" },
        element("span", { text: label }),
        body && body !== "world" ? this.#link(body) : element("span", { class: "quiet", text: "the world" }),
      )
    }
    return element("div", { class: "ends" }, line("From", a), b ? line("To", b) : null)
  }

  #attached(body) {
    const list = this.#studio.world.attachedTo(body)
    if (!list.length)
      return element("p", { class: "quiet", text: "Nothing is attached. Choose a joint and click two points." })
    return element(
      "div",
      { class: "attached" },
      element("h3", { text: "Attached" }),
      ...list.map(item =>
        element("div", { class: "end" }, element("span", { text: titleOf(item.kind) }), this.#link(item.name)),
      ),
    )
  }

  #link(name) {
    return element("button", {
      type: "button",
      class: "link",
      text: name,
      "data-key": `link ${name}`,
      onclick: () => this.#studio.select(name),
    })
  }
}

const ICON_OF = (what, item) => (what === "body" ? "box" : item.kind)
const round = number => Number(number.toFixed(4))

function fixedRow(field, { value, unit = "" }) {
  const text = Array.isArray(value)
    ? value.map(each => readable(each)).join("  ")
    : typeof value === "number"
      ? readable(value)
      : String(value)
  return element(
    "div",
    { class: "field" },
    element("span", { class: "label", text: titleOf(field) }),
    element("span", { class: "fixed", text: `${text} ${unit}` }),
  )
}
