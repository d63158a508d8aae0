// Words in the middle of the page where there is nothing else to show.

/** Show a message instead of the picture, or take it away with an empty one. */
export function showError(text) {
  let message = document.querySelector(".error")
  if (!message) {
    message = document.createElement("p")
    message.className = "error"
    message.setAttribute("role", "alert")
    document.body.append(message)
  }
  message.textContent = text
  message.hidden = !text
}
