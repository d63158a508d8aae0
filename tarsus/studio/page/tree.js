// The structure: clusters of bodies with their freedoms, loops with their ranks, notes on trouble.
import { element, icon, refill } from "./elements.js"
import { mentions, troubled } from "./overlay.js"

export class Tree {
  root = element("div", { class: "tree" })
  #studio

  constructor(studio) {
    this.#studio = studio
    studio.world.on("scene", () => this.#fill())
    studio.on("selected", () => this.#mark())
  }

  focus() {
    this.root.querySelector("button")?.focus()
  }

  #fill() {
    const { scene } = this.#studio.world
    if (!scene.bodies.length) {
      refill(this.root, element("p", { class: "empty", text: "Bodies, joints and loops appear here as you build." }))
      return
    }
    const freedoms = scene.clusters.reduce((sum, cluster) => sum + cluster.nv, 0)
    refill(
      this.root,
      element(
        "p",
        { class: "summary" },
        element("strong", { text: String(freedoms) }),
        element("span", { text: freedoms === 1 ? "degree of freedom" : "degrees of freedom" }),
      ),
      ...this.#notes(scene),
      ...this.#clusters(scene),
      ...this.#loops(scene),
      ...this.#parts(scene),
    )
    this.#mark()
  }

  #notes(scene) {
    return scene.notes.map(note => {
      const name = [...scene.joints, ...scene.parts].find(item => mentions(note, item.name))?.name
      const text = element("span", { text: note })
      return name
        ? element(
            "button",
            { type: "button", class: "notice", "data-key": `note ${note}`, onclick: () => this.#studio.select(name) },
            icon("warning", 18),
            text,
          )
        : element("p", { class: "notice" }, icon("warning", 18), text)
    })
  }

  #clusters(scene) {
    const bad = troubled(scene)
    const list = scene.clusters.map(cluster =>
      element("li", {}, ...(cluster.bodies.length > 1 ? this.#group(cluster, bad) : this.#single(cluster, bad))),
    )
    return [element("h3", { text: "Clusters" }), element("ul", { class: "clusters" }, ...list)]
  }

  /** A body on its own joint: one row, and its joint if that has a name of its own. */
  #single({ bodies: [body], joints, nv }, bad) {
    const own = joints.filter(name => name !== body && this.#kind(name) !== "dot")
    return [
      element("div", { class: "single" }, this.#row(body, "box", bad), freedomBadge(nv)),
      own.length
        ? element("ul", {}, ...own.map(name => element("li", {}, this.#row(name, this.#kind(name), bad))))
        : null,
    ]
  }

  #group({ bodies, joints, nv, kind }, bad) {
    return [
      element(
        "div",
        { class: "cluster" },
        element("span", { text: `${bodies.length} bodies, ${kind}` }),
        freedomBadge(nv),
      ),
      element(
        "ul",
        {},
        ...bodies.map(name => element("li", {}, this.#row(name, "box", bad))),
        ...joints
          .filter(name => !bodies.includes(name))
          .map(name => element("li", {}, this.#row(name, this.#kind(name), bad))),
      ),
    ]
  }

  #loops(scene) {
    if (!scene.loops.length) return []
    const rows = scene.loops.map(loop => {
      const more = loop.reason
        ? ` — a constraint: ${loop.reason}`
        : loop.rank < loop.rows
          ? `, ${loop.rows - loop.rank} repeat others`
          : ""
      return element(
        "li",
        { class: "loop" },
        this.#row(loop.name, this.#kind(loop.name), troubled(scene)),
        element("p", {
          class: loop.rank ? "rank" : "rank short",
          text: `rank ${loop.rank} of ${loop.rows} rows${more}`,
        }),
      )
    })
    return [element("h3", { text: "Loops" }), element("ul", { class: "clusters" }, ...rows)]
  }

  #parts(scene) {
    if (!scene.parts.length) return []
    return [
      element("h3", { text: "Forces and holds" }),
      element(
        "ul",
        { class: "clusters" },
        ...scene.parts.map(part => element("li", {}, this.#row(part.name, part.kind, troubled(scene)))),
      ),
    ]
  }

  #kind(name) {
    return this.#studio.world.scene.joints.find(joint => joint.name === name)?.kind ?? "dot"
  }

  #row(name, drawing, bad) {
    return element(
      "button",
      {
        type: "button",
        class: "row",
        "data-name": name,
        "data-key": `row ${name}`,
        onclick: () => this.#studio.select(name),
      },
      icon(drawing, 16),
      element("span", { text: name }),
      bad.has(name)
        ? element("span", { class: "trouble", title: "see the notes" }, icon("warning", 15), "trouble")
        : null,
    )
  }

  #mark() {
    for (const row of this.root.querySelectorAll(".row"))
      row.setAttribute("aria-current", String(row.dataset.name === this.#studio.selected))
  }
}

const freedomBadge = nv => element("span", { class: "badge", text: `${nv} ${nv === 1 ? "freedom" : "freedoms"}` })
