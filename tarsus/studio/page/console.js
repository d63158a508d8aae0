// The console: every action as a line, and lines that are typed, with history and completion.
import { commonStart, completions } from "./completion.js"
import { element } from "./elements.js"

const LONGEST = 400
const KEY = "tarsus-studio-lines"

export class Console {
  root = element("div", { class: "console" })
  #studio
  #log = element("div", { class: "log", role: "log", "aria-live": "off", tabindex: "0", "aria-label": "Lines so far" })
  #input = element("input", {
    type: "text",
    class: "prompt",
    "aria-label": "A line of the command language",
    placeholder: "add box plank -size 1 .2 .05",
    autocomplete: "off",
    spellcheck: "false",
    autocapitalize: "off",
  })
  #offers = element("div", { class: "offers", role: "status" })
  #past = JSON.parse(localStorage.getItem(KEY) ?? "[]")
  #at = 0
  #draft = ""
  #verbs = []
  #quantities = []
  #lastVerb = ""

  constructor(studio) {
    this.#studio = studio
    this.#at = this.#past.length
    const form = element(
      "form",
      {
        class: "prompt-row",
        onsubmit: event => {
          event.preventDefault()
          this.#send()
        },
      },
      element("span", { class: "sign", "aria-hidden": "true", text: "›" }),
      this.#input,
    )
    this.root.append(this.#log, this.#offers, form)
    this.#input.addEventListener("keydown", key => this.#key(key))
    this.#input.addEventListener("input", () => this.#offers.replaceChildren())
    this.#input.addEventListener("focus", () => this.#learn())
    studio.on("ran", message => this.#note(message))
    this.#log.append(
      element("p", {
        class: "quiet",
        text: "Everything you do appears here as a line. Type lines yourself; Tab completes, ↑ recalls, ? helps.",
      }),
    )
  }

  focus() {
    this.#input.focus()
  }

  async #learn() {
    const [help, { units = {} }] = await Promise.all([
      this.#studio.connection.ask("help"),
      this.#studio.connection.ask("quantities"),
    ])
    if (help.commands) this.#verbs = Object.keys(help.commands)
    this.#quantities = Object.keys(units)
  }

  async #send() {
    const line = this.#input.value.trim()
    if (!line) return
    this.#input.value = ""
    this.#offers.replaceChildren()
    if (this.#past.at(-1) !== line) this.#past.push(line)
    this.#past = this.#past.slice(-200)
    this.#at = this.#past.length
    localStorage.setItem(KEY, JSON.stringify(this.#past))
    await this.#studio.run(line, { quiet: true })
  }

  #key(key) {
    if (key.key === "ArrowUp") this.#recall(-1)
    else if (key.key === "ArrowDown") this.#recall(1)
    else if (key.key === "Tab" && !key.shiftKey && this.#input.value && this.#complete()) {
      /* done */
    } else if (key.key === "Escape") this.#input.blur()
    else return
    key.preventDefault()
    key.stopPropagation()
  }

  #recall(step) {
    const next = this.#at + step
    if (next < 0 || next > this.#past.length) return
    if (this.#at === this.#past.length) this.#draft = this.#input.value
    this.#at = next
    this.#input.value = this.#past[next] ?? this.#draft
    this.#input.setSelectionRange(this.#input.value.length, this.#input.value.length)
  }

  /** Goes on with the word at the end as far as it is certain; true if there was anything. */
  #complete() {
    const line = this.#input.value
    const found = completions(line, {
      verbs: this.#verbs,
      scene: this.#studio.world.scene,
      quantities: this.#quantities,
      scenes: this.#studio.gallery.names,
    })
    if (!found.length) return false
    const last = line.split(/\s+/).at(-1),
      start = commonStart(found)
    this.#input.value = line.slice(0, line.length - last.length) + start + (found.length === 1 ? " " : "")
    this.#offers.replaceChildren(
      ...(found.length > 1
        ? found.slice(0, 24).map(each =>
            element("button", {
              type: "button",
              text: each,
              tabindex: "-1",
              onclick: () => {
                this.#input.value = line.slice(0, line.length - last.length) + each + " "
                this.#offers.replaceChildren()
                this.#input.focus()
              },
            }),
          )
        : []),
    )
    return true
  }

  #note({ line, text, ok, elsewhere }) {
    const verb = line.trim().split(/\s+/)[0]
    // A drag is many lines: the last one stands for all.
    if (verb === "drag" && this.#lastVerb === "drag") this.#log.lastChild?.remove()
    this.#lastVerb = verb
    const near = this.#log.scrollHeight - this.#log.scrollTop - this.#log.clientHeight < 60
    this.#log.append(
      element(
        "div",
        { class: `entry ${ok ? "" : "failed"} ${line ? "" : "news"}` },
        line ? element("code", { text: line }) : null,
        elsewhere && line ? element("span", { class: "quiet", text: "another tab" }) : null,
        text ? element("pre", { text: ok ? text : `✕ ${text}` }) : null,
      ),
    )
    while (this.#log.children.length > LONGEST) this.#log.firstChild.remove()
    if (near) this.#log.scrollTop = this.#log.scrollHeight
  }
}
