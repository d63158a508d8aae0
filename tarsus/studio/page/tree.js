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
    const freedoms = scene.clusters.reduce((sum, cluster) => sum + (cluster.nv ?? 0), 0)
    refill(this.root,
      element("p", { class: "summary" }, element("strong", { text: String(freedoms) }), element("span", { text: freedoms === 1 ? "degree of freedom" : "degrees of freedom" })),
      ...this.#notes(scene), ...this.#clusters(scene), ...this.#loops(scene), ...this.#parts(scene))
    this.#mark()
  }

  #notes(scene) {
    return scene.notes.map(note => {
      const name = [...scene.joints, ...scene.parts].find(item => mentions(note, item.name))?.name
      const text = element("span", { text: note })
      return name
        ? element("button", { type: "button", class: "notice", "data-key": `note ${note}`, onclick: () => this.#studio.select(name) }, icon("warning", 18), text)
        : element("p", { class: "notice" }, icon("warning", 18), text)
    })
  }

  #clusters(scene) {
    const bad = troubled(scene)
    const list = scene.clusters.map(cluster => element("li", {},
      element("div", { class: "cluster" }, element("span", { class: "cluster-name", text: cluster.name }),
        element("span", { class: "badge", text: `${cluster.nv} ${cluster.nv === 1 ? "freedom" : "freedoms"}` })),
      element("ul", {},
        ...cluster.bodies.map(name => element("li", {}, this.#row(name, "box", bad))),
        ...cluster.joints.filter(name => !cluster.bodies.includes(name)).map(name => element("li", {}, this.#row(name, this.#kind(name), bad))))))
    return [element("h3", { text: "Clusters" }), element("ul", { class: "clusters" }, ...list)]
  }

  #loops(scene) {
    if (!scene.loops.length) return []
    const rows = scene.loops.map(loop => {
      const short = loop.rank < loop.rows
      return element("li", { class: "loop" }, this.#row(loop.name, this.#kind(loop.name), troubled(scene)),
        element("p", { class: short || loop.reason ? "rank short" : "rank", text: `rank ${loop.rank} of ${loop.rows} rows${loop.reason ? ` — ${loop.reason}` : short ? " — the rest repeat others" : ""}` }))
    })
    return [element("h3", { text: "Loops" }), element("ul", { class: "clusters" }, ...rows)]
  }

  #parts(scene) {
    if (!scene.parts.length) return []
    return [element("h3", { text: "Forces and holds" }),
      element("ul", { class: "clusters" }, ...scene.parts.map(part => element("li", {}, this.#row(part.name, part.kind, troubled(scene)))))]
  }

  #kind(name) {
    return this.#studio.world.scene.joints.find(joint => joint.name === name)?.kind ?? "dot"
  }

  #row(name, drawing, bad) {
    return element("button", { type: "button", class: "row", "data-name": name, "data-key": `row ${name}`, onclick: () => this.#studio.select(name) },
      icon(drawing, 16), element("span", { text: name }), bad.has(name) ? element("span", { class: "trouble", title: "see the notes" }, icon("warning", 15), "trouble") : null)
  }

  #mark() {
    for (const row of this.root.querySelectorAll(".row")) row.setAttribute("aria-current", String(row.dataset.name === this.#studio.selected))
  }
}
