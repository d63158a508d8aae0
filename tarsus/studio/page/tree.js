// The structure: clusters of bodies with their freedoms, loops with their ranks, notes on trouble.
import { element, icon, refill } from "./elements.js"
import { Kept } from "./kept.js"
import { mentions, troubled } from "./overlay.js"

export class Tree {
  root = element("div", { class: "tree" })
  #studio
  #kept = new Kept()

  constructor(studio) {
    this.#studio = studio
    studio.world.on("scene", () => this.#fill())
    studio.on("refused", () => this.#fill())
    studio.on("selected", () => this.#mark())
  }

  focus() {
    this.root.querySelector("button")?.focus()
  }

  #fill() {
    refill(this.root, ...this.#kept.round(() => this.#rows(this.#studio.world.scene)))
    this.#mark()
  }

  #rows(scene) {
    if (!scene.bodies.length)
      return [this.#text("empty", "empty", "Bodies, joints and loops appear here as you build.")]
    return [
      this.#summary(scene),
      ...this.#notes(scene),
      ...this.#section("Groups", Object.entries(scene.groups), group => this.#group(...group)),
      ...this.#section("Clusters", scene.clusters, cluster => this.#cluster(cluster)),
      ...this.#section("Loops", scene.loops, loop => this.#loop(loop)),
      ...this.#section("Left out", scene.joints.filter(joint => joint.amiss), joint => this.#leftOut(joint)),
      ...this.#section("Forces and holds", scene.parts, part =>
        this.#item(`part ${part.name}`, this.#row(part.name, part.kind)),
      ),
    ]
  }

  /** A text that is kept by its key and changes in its place. */
  #text(key, className, text) {
    const made = this.#kept.get(`text ${key}`, () => element("p"))
    made.className = className
    if (made.textContent !== text) made.textContent = text
    return made
  }

  #summary({ clusters }) {
    const freedoms = clusters.reduce((sum, cluster) => sum + cluster.nv, 0)
    return this.#kept.get(`summary ${freedoms}`, () =>
      element(
        "p",
        { class: "summary" },
        element("strong", { text: String(freedoms) }),
        element("span", { text: freedoms === 1 ? "degree of freedom" : "degrees of freedom" }),
      ),
    )
  }

  #notes(scene) {
    const refused = this.#studio.refusals.list.map(({ text }) => `refused: ${text}`)
    return [...refused, ...scene.notes].map(note => {
      const name = [...scene.joints, ...scene.parts].find(item => mentions(note, item.name))?.name
      return this.#kept.get(`note ${note} ${name}`, () => {
        const content = [icon("warning", 18), element("span", { text: note })]
        if (!name) return element("p", { class: "notice" }, ...content)
        const onclick = () => this.#studio.select(name)
        return element("button", { type: "button", class: "notice", "data-key": `note ${note}`, onclick }, ...content)
      })
    })
  }

  #section(title, items, row) {
    if (!items.length) return []
    const list = this.#kept.get(`list ${title}`, () => element("ul", { class: "clusters" }))
    refill(list, ...items.map(row))
    return [this.#kept.get(`title ${title}`, () => element("h3", { text: title })), list]
  }

  #item(key, ...content) {
    const item = this.#kept.get(`item ${key}`, () => element("li"))
    refill(item, ...content)
    return item
  }

  #group(name, bodies) {
    const row = this.#kept.get(`group ${name} ${bodies.length}`, () =>
      element(
        "div",
        { class: "single" },
        this.#button(name, "group"),
        element("span", { class: "badge", text: `${bodies.length} bodies` }),
      ),
    )
    return this.#item(`group ${name}`, row)
  }

  /** A body on its own joint is one row, with its joint if that has a name of its own; several are a list. */
  #cluster({ name, bodies, joints, nv, kind }) {
    const drawn = joints.filter(joint => !bodies.includes(joint) && this.#drawing(joint) !== "dot")
    const rows = names => names.map(each => this.#item(`in ${name} ${each}`, this.#row(each, this.#drawing(each))))
    const head = this.#kept.get(`head ${name}`, () => element("div"))
    const list = this.#kept.get(`own ${name}`, () => element("ul"))
    const isSingle = bodies.length === 1 && kind !== "world"
    head.className = isSingle ? "single" : "cluster"
    const title = kind === "world" ? "part of the world" : `${bodies.length} bodies, ${kind}`
    refill(
      head,
      isSingle ? this.#row(bodies[0], this.#drawing(bodies[0])) : this.#label(`cluster ${name}`, "", title),
      this.#label(`freedoms ${name}`, "badge", `${nv} ${nv === 1 ? "freedom" : "freedoms"}`),
    )
    refill(list, ...rows(isSingle ? drawn : [...bodies, ...drawn]))
    return this.#item(`cluster ${name}`, head, list.children.length ? list : null)
  }

  #label(key, className, text) {
    const made = this.#kept.get(`label ${key}`, () => element("span", { class: className }))
    if (made.textContent !== text) made.textContent = text
    return made
  }

  #loop({ name, rows, rank, reason }) {
    const more = reason ? ` — a constraint: ${reason}` : rank < rows ? `, ${rows - rank} repeat others` : ""
    return this.#item(
      `loop ${name}`,
      this.#row(name, this.#drawing(name)),
      this.#text(`rank ${name}`, rank ? "rank" : "rank short", `rank ${rank} of ${rows} rows${more}`),
    )
  }

  #leftOut({ name, kind, amiss }) {
    return this.#item(`left out ${name}`, this.#row(name, kind), this.#text(`amiss ${name}`, "rank short", amiss))
  }

  #drawing(name) {
    const found = this.#studio.world.find(name)
    return found?.what === "body" ? (found.item.solid ?? "box") : (found?.item.kind ?? "dot")
  }

  #row(name, drawing) {
    const row = this.#kept.get(`row ${name} ${drawing}`, () => this.#button(name, drawing))
    const isBad = troubled(this.#studio.world.scene).has(name)
    row.querySelector(".trouble").hidden = !isBad
    row.title = isBad ? `${name}: see the notes above` : name
    return row
  }

  #button(name, drawing) {
    return element(
      "button",
      {
        type: "button",
        class: "row",
        "data-name": name,
        "data-key": `row ${name}`,
        onclick: event => (event.shiftKey ? this.#studio.toggle(name) : this.#studio.select(name)),
      },
      icon(drawing, 16),
      element("span", { text: name }),
      element("span", { class: "trouble", hidden: true }, icon("warning", 15), "trouble"),
    )
  }

  #mark() {
    const { selection, world } = this.#studio
    const isSelected = name =>
      selection.includes(name) ||
      (selection.length > 0 && (world.scene.groups[name]?.every(body => selection.includes(body)) ?? false))
    for (const row of this.root.querySelectorAll(".row"))
      row.setAttribute("aria-current", String(isSelected(row.dataset.name)))
  }
}
