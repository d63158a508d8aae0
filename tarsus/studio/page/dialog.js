// A window above the page: the browser's own dialog keeps the focus in it, Escape closes it.
import { element, iconButton } from "./elements.js"

/** A dialog with a title and content; `show()` and `close()` are the browser's. */
export function makeDialog(title, className, ...content) {
  const close = iconButton("close", "Close", () => made.close())
  const made = element(
    "dialog",
    { class: className, "aria-label": title },
    element("div", { class: "dialog-head" }, element("h2", { text: title }), close),
    ...content,
  )
  made.addEventListener("click", event => {
    if (event.target === made) made.close()
  })
  document.body.append(made)
  return made
}

/** Asks for one line of text; the promise is the text, or nothing. */
export function askText(title, { label, value = "", action, hint = "" }) {
  return new Promise(resolve => {
    const input = element("input", { type: "text", id: "asked", value, autocomplete: "off", spellcheck: "false" })
    const form = element(
      "form",
      {
        onsubmit: event => {
          event.preventDefault()
          answered = input.value.trim()
          dialog.close()
        },
      },
      element("label", { for: "asked", text: label }),
      input,
      hint ? element("p", { class: "quiet", text: hint }) : null,
      element(
        "div",
        { class: "dialog-actions" },
        element("button", { type: "submit", class: "primary", text: action }),
      ),
    )
    let answered = ""
    const dialog = makeDialog(title, "ask", form)
    dialog.addEventListener("close", () => {
      dialog.remove()
      resolve(answered)
    })
    dialog.showModal()
    input.select()
  })
}

const LISTED = 12

/** A list of words, the first of them if there are many. */
function listOf(items, count) {
  const shown = items.slice(0, LISTED).map(item => element("li", {}, element("code", { text: item })))
  if (count > shown.length) shown.push(element("li", { class: "quiet", text: `and ${count - shown.length} more` }))
  return element("ul", { class: "asked" }, ...shown)
}

/**
 * Asks whether to go on; the promise is true or false, or undefined if the dialog was closed.
 *
 * `items` are listed below the text, `count` is how many there are; `signal` closes the dialog.
 */
export function askYes(title, text, action, { items = [], count = items.length, decline = "Keep it", signal } = {}) {
  return new Promise(resolve => {
    let yes
    const dialog = makeDialog(
      title,
      "ask",
      element("p", { text }),
      items.length ? listOf(items, count) : null,
      element(
        "div",
        { class: "dialog-actions" },
        element("button", {
          type: "button",
          class: "plain",
          text: decline,
          onclick: () => {
            yes = false
            dialog.close()
          },
        }),
        element("button", {
          type: "button",
          class: "primary",
          text: action,
          onclick: () => {
            yes = true
            dialog.close()
          },
        }),
      ),
    )
    dialog.addEventListener("close", () => {
      dialog.remove()
      resolve(yes)
    })
    signal?.addEventListener("abort", () => dialog.close())
    dialog.showModal()
  })
}
