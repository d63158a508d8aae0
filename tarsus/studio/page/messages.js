// Short messages that come and go, for eyes and for ears; what went wrong stays longer.
import { element, icon } from "./elements.js"

const STAY = { plain: 3000, good: 3000, wrong: 8000 }

export class Messages {
  #place

  constructor(studio, place) {
    this.#place = place
    studio.on("said", ({ text, tone }) => this.#show(text, tone))
    let lost = null
    studio.connection.on("closed", () => {
      lost ??= this.#show("The studio does not answer. Trying again …", "wrong", Infinity)
    })
    studio.connection.on("open", () => {
      lost?.remove()
      lost = null
    })
  }

  #show(text, tone, stay = STAY[tone]) {
    const close = element(
      "button",
      { type: "button", class: "round small", "aria-label": "Close this message", onclick: () => made.remove() },
      icon("close", 14),
    )
    const mark = { wrong: "warning", good: "dot", plain: "dot" }[tone]
    const made = element("div", { class: `message ${tone}` }, icon(mark, 18), element("span", { text }), close)
    while (this.#place.children.length > 2) this.#place.firstChild.remove()
    this.#place.append(made)
    if (stay !== Infinity) setTimeout(() => made.remove(), stay)
    return made
  }
}
