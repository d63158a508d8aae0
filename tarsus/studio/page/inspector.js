// What is selected, number by number; the world itself if nothing is.
import { element, icon, iconButton, readable, refill } from "./elements.js"
import { formOf, makeField, titleOf } from "./field.js"
import { Kept } from "./kept.js"
import { quaternion, word, words } from "./lines.js"
import { duplicateSelected, mirrorSelected, removeSelected } from "./selection.js"
import { severalRows } from "./several_inspector.js"
import { worldRows } from "./world_inspector.js"

const RENEW = 200

export class Inspector {
  root = element("div", { class: "inspector" })
  #studio
  #kept = new Kept()
  #live = null
  #renewed = 0

  constructor(studio) {
    this.#studio = studio
    studio.on("selected", () => this.#fill())
    studio.world.on("scene", () => this.#fill())
    studio.picture.each(now => this.#renew(now))
  }

  focus() {
    this.root.querySelector("input, button")?.focus()
  }

  #renew(now) {
    if (!this.#live || now - this.#renewed < RENEW || !this.root.offsetParent) return
    this.#renewed = now
    this.#live()
  }

  #fill() {
    this.#live = null
    refill(this.root, ...this.#kept.round(() => this.#rows()))
  }

  #rows() {
    const { selection, world } = this.#studio
    const found = world.find(this.#studio.selected)
    const fields = (name, each) => this.#fields(name, each)
    if (selection.length > 1) return severalRows(this.#studio, this.#kept, fields)
    return found ? this.#ofItem(found) : worldRows(this.#studio, this.#kept, fields)
  }

  #ofItem({ what, item }) {
    const loop = this.#studio.world.scene.loops.find(each => each.name === item.name)
    const amiss = item.amiss || loop?.reason
    return [
      this.#head(what, item),
      this.#kept.get(`actions ${what} ${item.name}`, () => this.#actions(what, item)),
      amiss && this.#kept.get(`notice ${amiss}`, () => notice(amiss)),
      what === "body" ? null : this.#ends(item),
      ...(what === "part" ? [this.#field(item.name, "on", { value: item.on })] : []),
      ...(what === "body" ? this.#place(item.name) : []),
      ...this.#fields(item.name, item.fields),
      what === "body" ? this.#attached(item.name) : null,
    ]
  }

  #head(what, item) {
    const head = this.#kept.get(`head ${what} ${item.kind} ${item.name}`, () => makeHead(this.#studio, what, item))
    head.tell(aboutOf(what, item))
    return head
  }

  #actions(what, { name }) {
    const studio = this.#studio
    const bodyOnly =
      what === "body"
        ? [
            iconButton("duplicate", "Duplicate (Ctrl+D)", () => duplicateSelected(studio)),
            iconButton("mirror", "Mirror across the xz plane", () => mirrorSelected(studio)),
            iconButton("pin", "Pin: hold it where it is", () => studio.run(`pin ${word(name)} ${words([0, 0, 0])}`)),
          ]
        : []
    return element(
      "div",
      { class: "actions" },
      ...bodyOnly,
      iconButton("chart", "Show its numbers in the chart", () => studio.emit("chartOf", name)),
      iconButton("delete", "Delete (Del)", () => removeSelected(studio)),
    )
  }

  /** Where a body is now: numbers of the last frame, renewed while nobody types. */
  #place(name) {
    const contents = () => {
      const pose = this.#studio.world.pose(name)
      return [
        { value: [pose[3], pose[7], pose[11]].map(round), unit: "m" },
        { value: quaternion(pose).map(round) },
      ]
    }
    const rows = contents().map((content, k) => this.#field(name, "tE"[k], content))
    this.#live = () => contents().forEach((content, k) => rows[k].update(content))
    return rows
  }

  #fields(name, fields = {}) {
    return Object.entries(fields).map(([field, content]) => this.#field(name, field, content))
  }

  /** A field of something, or of several things whose names are words. */
  #field(name, field, content) {
    const names = [name].flat().map(word).join(" ")
    const row = this.#kept.get(`field ${names} ${field} ${formOf(content)}`, () =>
      makeField(field, content, typed => this.#studio.run(`set ${names} -${field} ${typed}`, { quiet: true })),
    )
    row.update(content)
    return row
  }

  #ends({ name, a, b }) {
    const bodies = [a, b].map(end => (typeof end === "string" ? end : end?.body))
    return this.#kept.get(`ends ${name} ${bodies}`, () =>
      element(
        "div",
        { class: "ends" },
        ...bodies
          .map((body, k) => body !== undefined && this.#row(["From", "To"][k], body === "world" ? "" : body))
          .filter(Boolean),
      ),
    )
  }

  #attached(body) {
    const list = this.#studio.world.attachedTo(body).map(({ kind, name }) => [titleOf(kind), name])
    return this.#kept.get(`attached ${body} ${JSON.stringify(list)}`, () =>
      list.length
        ? element(
            "div",
            { class: "attached" },
            element("h3", { text: "Attached" }),
            ...list.map(([title, name]) => this.#row(title, name)),
          )
        : element("p", { class: "quiet", text: "Nothing is attached. Choose a joint and click two points." }),
    )
  }

  /** A row that names something that can be selected; the world if it has no name. */
  #row(title, name) {
    const link = element("button", {
      type: "button",
      class: "link",
      text: name,
      "data-key": `link ${name}`,
      onclick: () => this.#studio.select(name),
    })
    return element(
      "div",
      { class: "end" },
      element("span", { text: title }),
      name ? link : element("span", { class: "quiet", text: "the world" }),
    )
  }
}

function makeHead(studio, what, item) {
  const message = element("p", { class: "field-message", role: "alert" })
  const about = element("p", { class: "about" })
  const name = element("input", {
    type: "text",
    class: "name",
    value: item.name,
    "aria-label": "Name",
    "data-key": "name",
    spellcheck: "false",
    autocomplete: "off",
    onchange: async () => {
      const wanted = name.value.trim()
      const answer = await studio.run(`rename ${word(item.name)} ${word(wanted)}`, { quiet: true })
      if (answer.ok) studio.select(wanted)
      name.setAttribute("aria-invalid", String(!answer.ok))
      message.textContent = answer.ok ? "" : answer.text
    },
  })
  const drawing = what === "body" ? (item.solid ?? "box") : item.kind
  const head = element("div", { class: "head" }, icon(drawing, 26), element("div", {}, name, about, message))
  head.tell = text => {
    about.textContent = text
  }
  return head
}

function aboutOf(what, item) {
  if (what === "body") return `${item.solid ?? "body"} · ${readable(item.mass)} kg`
  if (what === "joint") return `${item.kind} joint${item.loop ? " · closes a loop" : ""}`
  return `${item.kind} · ${item.role}`
}

const notice = text => element("p", { class: "notice" }, icon("warning", 18), element("span", { text }))
const round = number => Number(number.toFixed(4))
