// The scene: what pages show. Metres, z up; a body is a number, −1 is the world.
//
//   const scene = new Scene(canvas)              throws an Error in words if there is no WebGL 2
//   scene.setMachine({bodies, world, shells, ground, size})
//       bodies   [{name, surfaces: [{vertices, triangles, color, material, opacity}]}]
//                vertices and triangles are flat or nested arrays, typed arrays, or base64 of float32
//                and uint32; color [r, g, b] from 0 to 1 or null (the palette's); material one of
//                materials.js, or left out; opacity below 1 is translucent
//       world    [surface, …] that stand still;  size [m] about how large the machine is
//       shells   [{body, tag, …surface}] drawn over the machine, not framed
//       ground   {height, normal}, {vertices, triangles}, or null
//   scene.setPoses(poses)          Float32Array, 12 per body: rows of [R | p]
//   scene.setLines([{points, color, width, dash}])           width and dash in pixels
//   scene.setArrows([{from, vector, kind, state, label}])    arrows.js has the kinds and states
//   scene.setIcons([{kind, body, placement, size, color} | {kind, from, to, size, rest}])  icons3d.js
//       a point is [x, y, z] in the world or {body, point}, then it moves with the body
//   scene.select(body | [bodies] | null)   scene.hover(body | null)    outlines
//   scene.setOpacity(body, opacity)   scene.setColor(body, color | null)
//   scene.setLook(tag, {color, opacity})   scene.setShells(shells)   objects given before keep their meshes
//   scene.pick(x, y)        CSS pixels on the canvas → {body, point, local, normal, distance} or null;
//                           the ground is body −1
//   scene.pickShell(x, y)   → a tag or null        scene.pickArrow(x, y) → an arrow or null; it is drawn thicker
//   scene.ray(x, y)         → {from, way}     scene.place(point) → [x, y] on the canvas or null
//   scene.frame({turn, jump})  look at the whole machine; scene.camera is camera.js's: .goal .inset
//                           .allows(event) .follow is scene.follow = true
//   scene.setTheme("light" | "dark" | "auto")   scene.theme.name tells which it is
//   scene.render(now)       draws if something changed, returns whether it did; now [ms]
//   scene.start(before)     calls before(now) and render(now) at each frame of the screen
//   scene.close()
//   scene.bounds  {low, high, middle, radius}    scene.poses    scene.machine    scene.dirty = true draws again

import { Arrows } from "./arrows.js"
import { Camera } from "./camera.js"
import { GroundPlot } from "./ground.js"
import { Icons } from "./icons3d.js"
import { MachineParts } from "./machine_parts.js"
import { Pace } from "./pace.js"
import { pick } from "./picking.js"
import { Renderer, rayThrough } from "./renderer.js"
import { onPreferredTheme, preferredTheme, THEMES } from "./themes.js"
import { applyPose, composePoses, STILL } from "./vectors.js"

export class Scene {
  constructor(canvas) {
    this.canvas = canvas
    this.renderer = new Renderer(canvas)
    this.camera = new Camera(canvas)
    this.ground = new GroundPlot(this.renderer.gl)
    this.parts = new MachineParts(this.renderer)
    this.arrows = new Arrows(this.renderer)
    this.icons = new Icons(this.renderer)
    this.lines = this.renderer.lineBatch()
    this.ownLines = []
    /** What is drawn over everything: objects with batches and fill(view, pixels). */
    this.overlays = []
    this.follow = false
    this.dirty = true
    this.pace = new Pace()
    this.before = 0
    this.camera.onFrame = () => this.frame()
    this.camera.onFocus = (x, y) => this.focus(x, y)
    this.setTheme("auto")
    this.setMachine({ bodies: [], ground: { height: 0 }, size: 1 })
    if (canvas.tabIndex < 0) canvas.tabIndex = 0
  }

  // --- what is shown ----------------------------------------------------------------------------

  setMachine(machine) {
    this.machine = machine
    this.parts.set(machine)
    this.poses = this.parts.poses
    this.size = machine.size || 2 * this.parts.bounds().radius || 1
    this.groundChanged = true
    this.followed = null
    this.dirty = true
  }

  setPoses(poses) {
    this.parts.setPoses(poses)
    this.poses = this.parts.poses
    if (this.groundChanged) this.layGround()
    this.dirty = true
  }

  /** A machine without a ground has its floor below where it is first seen. */
  layGround() {
    const { low } = this.parts.box()
    const floor = Number.isFinite(low[2]) ? low[2] - 0.15 * this.size : 0
    this.ground.set(this.machine.ground ?? null, this.size, floor)
    this.parts.setGround(this.ground.mesh)
    this.groundChanged = false
  }

  setLines(lines) {
    this.ownLines = lines
    this.dirty = true
  }

  setArrows(arrows) {
    this.arrows.set(arrows)
    this.hoveredArrow = null
    this.dirty = true
  }

  setIcons(icons) {
    this.icons.set(icons)
    this.dirty = true
  }

  select(bodies) {
    this.parts.mark("selected", bodies)
    this.dirty = true
  }

  hover(body) {
    if (this.parts.mark("hovered", body)) this.dirty = true
  }

  setOpacity(body, opacity) {
    this.parts.change(body, { opacity })
    this.dirty = true
  }

  setColor(body, color) {
    this.parts.change(body, { color })
    this.dirty = true
  }

  setLook(tag, look) {
    this.parts.dress(tag, look)
    this.dirty = true
  }

  setShells(shells) {
    this.parts.setShells(shells)
    this.dirty = true
  }

  setTheme(name) {
    this.stopListening?.()
    this.stopListening = name === "auto" ? onPreferredTheme(() => this.setTheme("auto")) : null
    const found = THEMES[name === "auto" ? preferredTheme() : name]
    if (!found) throw new Error(`the theme is ${name}, must be one of ${Object.keys(THEMES).join(", ")}, auto`)
    this.theme = found
    this.dirty = true
    this.onTheme?.(found)
  }

  // --- where things are -------------------------------------------------------------------------

  get bounds() {
    return this.parts.bounds()
  }

  /** A point of the world from [x, y, z] or {body, point}. */
  pointOf(given) {
    if (Array.isArray(given) || ArrayBuffer.isView(given)) return given
    return applyPose(this.parts.poseOf(given.body), given.point)
  }

  iconPose({ body = -1, placement = STILL }) {
    return composePoses(this.parts.poseOf(body), placement)
  }

  ray(x, y) {
    return rayThrough(this.canvas, this.camera.view(), x, y)
  }

  pick(x, y) {
    const ray = this.ray(x, y)
    const hit = pick(ray, this.parts.targets())
    const plane = this.ground.hit(ray)
    return plane && !(hit && hit.distance < plane.distance) ? plane : hit
  }

  pickShell(x, y) {
    return pick(this.ray(x, y), this.parts.shellTargets())?.body ?? null
  }

  pickArrow(x, y) {
    const found = this.arrows.hovered(this.camera, this.camera.view().matrix, p => this.pointOf(p), x, y)
    if (found !== this.hoveredArrow) this.dirty = true
    this.hoveredArrow = found
    return found
  }

  place(point) {
    return this.camera.place(this.pointOf(point))
  }

  frame({ turn = false, jump = false } = {}) {
    this.camera.frame(this.bounds, { turn })
    if (jump) this.camera.jump()
    this.dirty = true
  }

  focus(x, y) {
    const hit = this.pick(x, y)
    if (hit) this.camera.goal.target = [...hit.point]
  }

  // --- pictures ---------------------------------------------------------------------------------

  start(before = () => {}) {
    const again = now => {
      if (this.closed) return
      before(now)
      this.render(now)
      requestAnimationFrame(again)
    }
    requestAnimationFrame(again)
  }

  render(now = performance.now()) {
    const seconds = Math.max(0, (now - this.before) / 1000)
    this.before = now
    if (this.groundChanged) this.layGround()
    this.goAlong()
    const moved = this.camera.step(seconds)
    if (this.renderer.isUnfit() || moved) this.dirty = true
    const rests = !this.dirty && this.pace.rests(now)
    if (!(this.dirty || rests) || this.renderer.gl.isContextLost()) return false
    this.renderer.fit(rests ? 1 : this.pace.drawn(now))
    this.dirty = false
    this.draw()
    return true
  }

  /** Pixels that something as large as its distance has on the screen. */
  get pixels() {
    return this.camera.pixels()
  }

  /** Follow the machine: the camera goes as far as it does, from wherever one looks. */
  goAlong() {
    const { middle } = this.bounds
    const before = this.followed
    this.followed = middle
    if (!this.follow || !before) return
    this.camera.goal.target = this.camera.goal.target.map((x, i) => x + middle[i] - before[i])
  }

  draw() {
    const view = this.camera.view()
    const place = point => this.pointOf(point)
    this.parts.fill()
    this.arrows.fill(view, this.pixels, place, this.hoveredArrow)
    for (const overlay of this.overlays) overlay.fill(view, this.pixels)
    const strings = this.icons.fill(place, icon => this.iconPose(icon))
    const own = this.ownLines.map(line => ({ ...line, points: line.points.map(place) }))
    const sharp = this.renderer.sharpness
    const scaled = [...strings, ...own].map(l => ({ ...l, width: (l.width ?? 2) * sharp, dash: (l.dash ?? 0) * sharp }))
    this.lines.write(scaled)
    this.renderer.draw({
      view,
      theme: this.theme,
      bounds: this.parts.shadowBounds(),
      fog: 9 * this.size + 2.2 * view.distance,
      ground: this.ground,
      opaque: [...this.parts.opaque, ...this.icons.opaque, ...this.arrows.opaque],
      translucent: [...this.parts.translucent, ...this.arrows.translucent],
      lines: [this.lines],
      marked: this.parts.marked(),
      overlay: this.overlays.flatMap(overlay => overlay.batches),
    })
  }

  close() {
    this.closed = true
    this.stopListening?.()
    this.camera.close()
    this.parts.clear()
  }
}
