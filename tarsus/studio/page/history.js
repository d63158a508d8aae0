// The last values of each quantity: a ring that never grows, so a page may stay open for days.
const CAPACITY = 7200

export class History {
  #series = new Map()
  #last = -Infinity

  /** Adds the values of a moment; a time before the last one takes back what came after it. */
  add(t, values) {
    if (t < this.#last) this.forgetFrom(t)
    if (t === this.#last) return
    this.#last = t
    for (const [name, value] of Object.entries(values)) this.#of(name).push(t, value)
  }

  /** Takes over what the server remembers. */
  fill({ t, values }) {
    for (const [name, list] of Object.entries(values)) {
      const series = new Series()
      list.forEach((value, k) => value !== null && series.push(t[k], value))
      this.#series.set(name, series)
    }
    if (t.length) this.#last = Math.max(this.#last, t.at(-1))
  }

  forgetFrom(t) {
    for (const series of this.#series.values()) series.cut(t)
    this.#last = t - 1e-12
  }

  clear() {
    this.#series.clear()
    this.#last = -Infinity
  }

  /** The series of a quantity; an empty one if nothing is known of it. */
  get(name) {
    return this.#series.get(name) ?? EMPTY
  }

  #of(name) {
    if (!this.#series.has(name)) this.#series.set(name, new Series())
    return this.#series.get(name)
  }
}

class Series {
  #t = new Float64Array(CAPACITY)
  #v = new Float64Array(CAPACITY)
  #start = 0
  length = 0

  push(t, v) {
    const at = (this.#start + this.length) % CAPACITY
    this.#t[at] = t
    this.#v[at] = v
    if (this.length < CAPACITY) this.length++
    else this.#start = (this.#start + 1) % CAPACITY
  }

  cut(t) {
    while (this.length && this.time(this.length - 1) >= t) this.length--
  }

  time(k) {
    return this.#t[(this.#start + k) % CAPACITY]
  }

  value(k) {
    return this.#v[(this.#start + k) % CAPACITY]
  }

  /** The number of the first value at or after a time. */
  from(t) {
    let low = 0,
      high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.time(middle) < t) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The value nearest to a time. */
  at(t) {
    if (!this.length) return NaN
    const k = Math.min(this.from(t), this.length - 1)
    return k > 0 && t - this.time(k - 1) < this.time(k) - t ? this.value(k - 1) : this.value(k)
  }
}

const EMPTY = new Series()
