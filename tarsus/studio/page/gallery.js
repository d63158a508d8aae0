// The gallery: guided scenes as cards, each with a drawing and what it invites to.
import { makeDialog } from "./dialog.js"
import { element } from "./elements.js"
import { sketch } from "./sketches.js"
import { word } from "./lines.js"

export class Gallery {
  scenes = []
  #studio
  #dialog = null

  constructor(studio) {
    this.#studio = studio
    studio.connection.on("gallery", ({ scenes }) => {
      this.scenes = scenes ?? []
      studio.emit("gallery", this.scenes)
    })
    studio.connection.on("open", () => studio.connection.ask("gallery"))
  }

  get names() {
    return this.scenes.map(scene => scene.name)
  }

  open() {
    this.#dialog?.remove()
    this.#dialog = makeDialog(
      "Gallery",
      "gallery",
      element("p", { class: "lead", text: "Machines that are there at once. Touch them, change them, ask them." }),
      element("div", { class: "cards" }, ...this.scenes.map(scene => this.card(scene))),
      this.scenes.length ? null : element("p", { class: "empty", text: "The gallery is empty." }),
    )
    this.#dialog.querySelector(".card")?.setAttribute("autofocus", "")
    this.#dialog.showModal()
  }

  card({ name, title, invite }) {
    return element(
      "button",
      { type: "button", class: "card", "data-scene": name, onclick: () => this.#choose(name) },
      sketch(name),
      element("strong", { text: title }),
      element("span", { text: invite ?? "" }),
    )
  }

  async #choose(name) {
    this.#dialog?.close()
    const answer = await this.#studio.run(`open ${word(name)}`)
    if (answer.ok) await this.#studio.run("play")
  }
}
