// One line that says what to click next, with the buttons that belong to the tool in hand.
import { element, icon, refill } from "./elements.js"
import { Kept } from "./kept.js"

export class Hint {
  #studio
  #place
  #kept = new Kept()

  constructor(studio, place) {
    this.#studio = studio
    this.#place = place
    studio.on("tool", () => {
      this.#kept = new Kept()
      this.#show()
    })
    studio.on("hint", () => this.#show())
  }

  #show() {
    const { tool, isResting } = this.#studio
    document.body.classList.toggle("has-tool", !isResting)
    if (!tool || isResting) this.#place.replaceChildren()
    else refill(this.#place, this.#kept.round(() => this.#line(tool)))
  }

  #line(tool) {
    const line = this.#kept.get("line", () => element("div", { class: "hint" })),
      text = this.#kept.get("text", () => element("span", { class: "hint-text" }))
    text.textContent = tool.hint
    const cancel = { label: "Cancel", key: "Esc", act: () => this.#studio.drop() }
    refill(
      line,
      this.#kept.get("icon", () => icon(tool.kind, 20)),
      text,
      ...[...(tool.choices?.() ?? []), cancel].map(choice => this.#choice(choice)),
    )
    return line
  }

  // A tool has one choice for a key, whatever it is called at the time.
  #choice({ label, key, act, pressed }) {
    const button = this.#kept.get(`choice ${key}`, () => {
      const text = element("span")
      const made = element(
        "button",
        { type: "button", class: "choice", "data-key": key, onclick: () => made.act() },
        text,
        element("kbd", { text: key }),
      )
      made.tell = words => {
        text.textContent = words
      }
      return made
    })
    button.act = act
    button.tell(label)
    if (pressed !== undefined) button.setAttribute("aria-pressed", String(pressed))
    return button
  }
}
