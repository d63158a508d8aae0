// The parts of a machine: surfaces on bodies, with the batches that draw them.
//
// Surfaces of the same shape share a batch. What is translucent is in batches of its own, a surface
// each, because it is drawn from far to near.

import { colorOf, lookOf } from "./materials.js"
import { keyOf, meshOf } from "./meshes.js"
import { STILL } from "./vectors.js"

const WORLD = -1

export class MachineParts {
  constructor(renderer) {
    this.renderer = renderer
    this.shared = new Map()
    this.single = new Map()
    this.marks = { selected: new Set(), hovered: new Set() }
    this.markBatches = new Map()
    this.parts = []
    this.shells = []
    this.meshes = new Map()
    this.poses = new Float32Array(0)
  }

  set({ bodies = [], world = [], shells = [] }) {
    this.clear()
    world.forEach(surface => this.add(this.parts, surface, WORLD, 0))
    bodies.forEach((body, k) => body.surfaces.forEach(surface => this.add(this.parts, surface, k, k)))
    this.setShells(shells)
    this.poses = new Float32Array(12 * bodies.length)
    for (let k = 0; k < bodies.length; k++) this.poses.set(STILL, 12 * k)
    this.known = null
  }

  /** Add a surface of a body; surfaces of the same shape share a mesh. */
  add(into, surface, body, number) {
    let mesh = meshOf(surface.vertices, surface.triangles)
    if (!mesh.triangles) return
    const key = keyOf(mesh)
    mesh = this.meshes.get(key) ?? this.meshes.set(key, mesh).get(key)
    const color = surface.color ?? colorOf(number)
    const look = lookOf(color, surface.material)
    into.push({ body, key, mesh, color, look, opacity: surface.opacity ?? 1, own: color, tag: surface.tag, surface })
  }

  /** Replace the shells; those of the same object as before keep their mesh, and take its color and tag. */
  setShells(shells) {
    const before = new Map(this.shells.map(shell => [shell.surface, shell]))
    this.shells = []
    for (const surface of shells) {
      const kept = before.get(surface)
      before.delete(surface)
      if (kept) this.shells.push(Object.assign(kept, { color: surface.color, tag: surface.tag }))
      else this.add(this.shells, surface, surface.body, 0)
    }
    for (const gone of before.values()) {
      this.single.get(gone)?.delete()
      this.single.delete(gone)
      this.meshes.delete(gone.key)
    }
  }

  setPoses(poses) {
    if (poses.length !== this.poses.length) {
      throw new Error(`poses have ${poses.length} numbers, must have 12 for each of ${this.poses.length / 12} bodies`)
    }
    this.poses = poses instanceof Float32Array ? poses : Float32Array.from(poses)
    this.known = null
  }

  setGround(mesh) {
    this.groundMesh = mesh
  }

  poseOf(body) {
    return body < 0 ? STILL : this.poses.subarray(12 * body, 12 * body + 12)
  }

  change(body, { color, opacity }) {
    for (const part of this.parts) {
      if (part.body !== body) continue
      if (color !== undefined) part.color = color ?? part.own
      if (opacity !== undefined) part.opacity = opacity
    }
  }

  /** Change the look of shells with a tag. */
  dress(tag, { color, opacity }) {
    for (const shell of this.shells) {
      if (shell.tag === tag) Object.assign(shell, { color: color ?? shell.color, opacity: opacity ?? shell.opacity })
    }
  }

  /** What a ray may hit. */
  targets() {
    const all = this.parts.map(part => ({ body: part.body, mesh: part.mesh, pose: this.poseOf(part.body) }))
    if (this.groundMesh) all.push({ body: WORLD, mesh: this.groundMesh, pose: STILL })
    return all
  }

  /** Shells that a ray may hit, with their tags in place of bodies. */
  shellTargets() {
    return this.shells.map(shell => ({ body: shell.tag, mesh: shell.mesh, pose: this.poseOf(shell.body) }))
  }

  // --- batches ------------------------------------------------------------------------------------

  get opaque() {
    return [...this.shared.values()]
  }

  get translucent() {
    return [...this.single.values()]
  }

  /** Put all parts where they are now. */
  fill() {
    for (const batch of [...this.shared.values(), ...this.single.values()]) batch.clear()
    for (const part of [...this.parts, ...this.shells]) {
      const clear = part.opacity < 1
      const [batches, key] = clear ? [this.single, part] : [this.shared, part.key]
      if (!batches.has(key)) batches.set(key, this.renderer.batch(part.mesh, { cast: !clear }))
      batches.get(key).add(this.poseOf(part.body), [...part.color.slice(0, 3), part.opacity], part.look)
    }
  }

  /** Mark bodies as "selected" or "hovered"; return whether that is news. */
  mark(kind, bodies) {
    const wanted = new Set([bodies ?? []].flat())
    const before = this.marks[kind]
    this.marks[kind] = wanted
    return wanted.size !== before.size || [...wanted].some(body => !before.has(body))
  }

  /** Groups of what outline.js draws around. */
  marked() {
    const wanted = this.parts.filter(({ body }) => this.marks.selected.has(body) || this.marks.hovered.has(body))
    for (const [part, batch] of this.markBatches) {
      if (wanted.includes(part)) continue
      batch.delete()
      this.markBatches.delete(part)
    }
    return wanted.map(part => {
      if (!this.markBatches.has(part)) this.markBatches.set(part, this.renderer.batch(part.mesh))
      const batch = this.markBatches.get(part)
      batch.clear()
      batch.add(this.poseOf(part.body), [1, 1, 1, 1], part.look)
      batch.upload()
      return { batches: [batch], mark: ["selected", "hovered"].map(kind => (this.marks[kind].has(part.body) ? 1 : 0)) }
    })
  }

  // --- how large it is ------------------------------------------------------------------------------

  /** The box around all parts that move, or around all if none does: {low, high}. */
  box() {
    if (this.known) return this.known
    const moving = this.parts.filter(part => part.body >= 0)
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]]
    for (const { mesh, body } of moving.length ? moving : this.parts) {
      const pose = this.poseOf(body)
      for (let i = 0; i < 3; i++) {
        // the box of a turned box: middle ± |R| half sides
        let [middle, half] = [pose[4 * i + 3], 0]
        for (let j = 0; j < 3; j++) {
          middle += (pose[4 * i + j] * (mesh.low[j] + mesh.high[j])) / 2
          half += (Math.abs(pose[4 * i + j]) * (mesh.high[j] - mesh.low[j])) / 2
        }
        low[i] = Math.min(low[i], middle - half)
        high[i] = Math.max(high[i], middle + half)
      }
    }
    this.known = { low, high }
    return this.known
  }

  bounds() {
    const { low, high } = this.box()
    // an empty scene has room for a first part
    if (!Number.isFinite(low[0])) return { low: [-0.5, -0.5, 0], high: [0.5, 0.5, 0.8], middle: [0, 0, 0.4], radius: 0.8 }
    const middle = low.map((x, i) => (x + high[i]) / 2)
    return { low, high, middle, radius: Math.max(1e-3, Math.hypot(...high.map((x, i) => x - low[i])) / 2) }
  }

  /** Bounds whose radius changes by steps: shadows must not shimmer as a machine moves. */
  shadowBounds() {
    const { middle, radius } = this.bounds()
    return { middle, radius: 1.15 ** Math.ceil(Math.log(1.1 * radius) / Math.log(1.15)) }
  }

  clear() {
    for (const batches of [this.shared, this.single, this.markBatches]) {
      for (const batch of batches.values()) batch.delete()
      batches.clear()
    }
    for (const kind of Object.keys(this.marks)) this.marks[kind] = new Set()
    this.parts = []
    this.shells = []
    this.meshes.clear()
    this.groundMesh = null
    this.known = null
  }
}
