// What a scene invites to: things to try, things to measure, a question whose answer unfolds.
import { element, icon, refill } from "./elements.js"

export class Guide {
  root = element("div", { class: "guide" })
  #studio
  #shownTitle = null

  constructor(studio) {
    this.#studio = studio
    studio.world.on("scene", scene => this.#fill(scene.guide))
  }

  focus() {
    this.root.querySelector("summary, button")?.focus()
  }

  #fill(guide) {
    if ((guide?.title ?? "") === this.#shownTitle) return
    this.#shownTitle = guide?.title ?? ""
    if (!guide) {
      refill(
        this.root,
        element("p", {
          class: "empty",
          text: "Scenes of the gallery come with things to try and a question to answer.",
        }),
        element(
          "button",
          { type: "button", class: "plain", onclick: () => this.#studio.gallery.open() },
          icon("gallery", 16),
          element("span", { text: "Open the gallery" }),
        ),
      )
      return
    }
    refill(
      this.root,
      element("h2", { text: guide.title }),
      element("p", { text: guide.text }),
      ...section("Try", "pointer", guide.to_try),
      ...section("Measure", "chart", guide.to_measure),
      guide.question
        ? element(
            "details",
            { class: "question" },
            element("summary", {}, element("span", { text: guide.question })),
            element("p", { text: guide.answer || "The charts know." }),
          )
        : null,
    )
    setTimeout(() => this.#studio.layout?.show("guide", false), 0)
  }
}

function section(title, drawing, items = []) {
  if (!items.length) return []
  return [
    element("h3", {}, icon(drawing, 16), element("span", { text: title })),
    element("ul", {}, ...items.map(text => element("li", { text }))),
  ]
}
