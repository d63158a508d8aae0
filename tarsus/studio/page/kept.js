// Elements that stay: what a panel made once for a key it makes no more, so that no click, no focus
// and no typed text is lost while the world changes.

export class Kept {
  #before = new Map()
  #now = new Map()

  /** What `fill` gives; all that it asks for here is kept, and the rest forgotten. */
  round(fill) {
    this.#now = new Map()
    const filled = fill()
    this.#before = this.#now
    return filled
  }

  /** What was made for a key, or what `make` makes of it now. */
  get(key, make) {
    if (!this.#now.has(key)) this.#now.set(key, this.#before.get(key) ?? make())
    return this.#now.get(key)
  }
}
