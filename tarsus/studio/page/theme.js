// Light or dark: as the system has it until someone chooses, then as chosen.
const KEY = "tarsus-studio-theme"

export class Theme {
  #system = matchMedia("(prefers-color-scheme: dark)")
  #studio

  constructor(studio) {
    this.#studio = studio
    this.#system.addEventListener("change", () => this.#apply())
    this.#apply()
  }

  get isDark() {
    const chosen = localStorage.getItem(KEY)
    return chosen ? chosen === "dark" : this.#system.matches
  }

  toggle() {
    const next = this.isDark ? "light" : "dark"
    // What the system says anyway need not be remembered.
    if ((next === "dark") === this.#system.matches) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
    this.#apply()
  }

  /** The value of a colour of the style sheet, as canvases need it. */
  color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
  }

  #apply() {
    document.documentElement.dataset.theme = this.isDark ? "dark" : "light"
    this.#studio.scene.setTheme?.(this.isDark ? "dark" : "light")
    this.#studio.emit("theme", this.isDark)
  }
}
