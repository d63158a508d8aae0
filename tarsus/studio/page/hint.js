// One line that says what to click next, with the buttons that belong to the tool in hand.
import { element, icon, refill } from "./elements.js"

export class Hint {
  #studio
  #place

  constructor(studio, place) {
    this.#studio = studio
    this.#place = place
    studio.on("tool", () => this.#show())
    studio.on("hint", () => this.#show())
  }

  #show() {
    const { tool, isResting } = this.#studio
    document.body.classList.toggle("has-tool", !isResting)
    if (!tool || isResting) {
      this.#place.replaceChildren()
      return
    }
    const choices = (tool.choices?.() ?? []).map(choice =>
      element(
        "button",
        {
          type: "button",
          class: "choice",
          "data-key": choice.label,
          "aria-pressed": choice.pressed === undefined ? null : String(choice.pressed),
          onclick: choice.act,
        },
        element("span", { text: choice.label }),
        choice.key ? element("kbd", { text: choice.key }) : null,
      ),
    )
    const cancel = element(
      "button",
      { type: "button", class: "choice", "data-key": "cancel", onclick: () => this.#studio.drop() },
      element("span", { text: "Cancel" }),
      element("kbd", { text: "Esc" }),
    )
    refill(
      this.#place,
      element(
        "div",
        { class: "hint" },
        icon(tool.kind, 20),
        element("span", { class: "hint-text", text: tool.hint }),
        ...choices,
        cancel,
      ),
    )
  }
}
