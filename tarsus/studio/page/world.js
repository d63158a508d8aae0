// What the page knows of the world: the last scene, the last frame, and where things are.
import { Signals } from "./signals.js"

const STILL = Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)

/** The numbers of base64 text, as the array type that is asked for. */
function numbersOf(text, Kind) {
  if (typeof text !== "string") return new Kind(text ?? [])
  return new Kind(Uint8Array.from(atob(text), character => character.charCodeAt(0)).buffer)
}

const decoded = surface => ({
  ...surface,
  vertices: numbersOf(surface.vertices, Float32Array),
  triangles: numbersOf(surface.triangles, Uint32Array),
})

const NONE = []

/** A body with its surfaces, whose colour is one of its fields. */
function dressed(body, surfaces) {
  const color = surfaces[0]?.color
  return { ...body, surfaces, fields: color ? { ...body.fields, color: { value: color, color: true } } : body.fields }
}

const EMPTY = {
  revision: -1,
  name: "",
  size: 1,
  bodies: [],
  joints: [],
  parts: [],
  ground: null,
  settings: {},
  sliders: [],
  charts: [],
  groups: {},
  clusters: [],
  loops: [],
  notes: [],
  undo: "",
  redo: "",
  guide: null,
}

/** Emits `scene` when what is there changed, `frame` when something moved. */
export class World extends Signals {
  scene = EMPTY
  frame = {
    ...{ t: 0, end: 0, playing: false, working: "", rate: 0 },
    ...{ arrows: [], lines: [], values: {}, poses: new Float32Array() },
  }
  #connection
  #index = new Map()
  #shapes = { number: -1, size: 1, bodies: {}, ground: null }

  constructor(connection) {
    super()
    this.#connection = connection
    connection.on("shapes", message => this.#takeShapes(message))
    connection.on("scene", message => this.#takeScene(message))
    connection.on("frame", frame => this.#takeFrame(frame))
  }

  /** Waits until a revision of the scene is known, or until the connection breaks. */
  reached(revision) {
    if (!(revision > this.scene.revision)) return Promise.resolve()
    return new Promise(resolve => {
      const stops = [
        this.on("scene", scene => scene.revision >= revision && done()),
        this.#connection.on("closed", () => done()),
      ]
      const done = () => {
        for (const stop of stops) stop()
        resolve()
      }
    })
  }

  get isEmpty() {
    return this.scene.revision >= 0 && this.scene.bodies.length === 0
  }

  // Shapes come before the scene that refers to them, and only when they have changed.
  #takeShapes(message) {
    const bodies = Object.fromEntries(Object.entries(message.bodies).map(([name, list]) => [name, list.map(decoded)]))
    this.#shapes = { ...message, bodies, ground: message.ground && decoded(message.ground) }
  }

  #takeScene(message) {
    this.scene = {
      ...EMPTY,
      ...message,
      size: this.#shapes.size,
      bodies: message.bodies.map(body => dressed(body, this.#shapes.bodies[body.name] ?? NONE)),
      ground: message.ground && this.#shapes.ground && { ...this.#shapes.ground, ...message.ground },
      charts: message.charts.map(chart => chart.name),
      units: new Map(message.charts.map(chart => [chart.name, chart.unit])),
    }
    this.#index = new Map(this.scene.bodies.map((body, k) => [body.name, k]))
    this.emit("scene", this.scene)
  }

  // Frames of an older scene have other bodies in other places: they are not shown.
  #takeFrame(frame) {
    if (frame.revision !== this.scene.revision) return
    this.frame = frame
    this.emit("frame", frame)
  }

  bodyIndex(name) {
    return this.#index.get(name) ?? -1
  }

  /** The three rows of the pose of a body; of anything else, the world's. */
  pose(name) {
    const k = this.bodyIndex(name)
    return k < 0 || this.frame.poses.length < 12 * (k + 1) ? STILL : this.frame.poses.subarray(12 * k, 12 * k + 12)
  }

  /** A point of a body's frame in the world. */
  toWorld(name, [x, y, z]) {
    const p = this.pose(name)
    return [0, 4, 8].map(r => p[r] * x + p[r + 1] * y + p[r + 2] * z + p[r + 3])
  }

  /** A point of the world in a body's frame. */
  toBody(name, point) {
    const p = this.pose(name)
    return this.turnToBody(name, [point[0] - p[3], point[1] - p[7], point[2] - p[11]])
  }

  /** A direction of the world in a body's frame. */
  turnToBody(name, [x, y, z]) {
    const p = this.pose(name)
    return [0, 1, 2].map(c => p[c] * x + p[c + 4] * y + p[c + 8] * z)
  }

  /** Whatever has this name, with what it is; nothing if there is no such thing. */
  find(name) {
    for (const [what, list] of [
      ["body", this.scene.bodies],
      ["joint", this.scene.joints],
      ["part", this.scene.parts],
    ]) {
      const item = list.find(each => each.name === name)
      if (item) return { what, item }
    }
    return null
  }

  /** Where a joint is in the world. */
  jointPoint({ a, pose_a: pose }) {
    return this.toWorld(a, [pose[3], pose[7], pose[11]])
  }

  /** The joints and parts that hold or push a body. */
  attachedTo(body) {
    const touches = end => (typeof end === "string" ? end : end?.body) === body
    return [...this.scene.joints, ...this.scene.parts].filter(item => touches(item.a) || touches(item.b))
  }

  /** A name that is not taken yet: rod1, rod2, … */
  freshName(kind) {
    for (let k = 1; ; k++) if (!this.find(kind + k)) return kind + k
  }
}
