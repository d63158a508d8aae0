// The renderer: a picture of batches and lines under one sun, in a few passes over WebGL2.
//
//   shadows → sky → ground → opaque batches → lines → translucent batches → outlines → overlays
//
// It knows nothing of machines: scene.js says what is where. Colours are mapped to the screen in
// each shader, so that the samples of the canvas itself smooth all edges.

import { Batch, LineBatch } from "./batches.js"
import { Outline } from "./outline.js"
import { Program } from "./programs.js"
import { BODY, LINE, SKY } from "./shaders.js"
import { DEPTH, ShadowMap } from "./shadows.js"
import { dot, scale } from "./vectors.js"

export class Renderer {
  constructor(canvas) {
    this.canvas = canvas
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" })
    if (!gl) throw new Error("this page needs WebGL 2, which this browser does not offer")
    this.gl = gl
    this.bodies = new Program(gl, BODY)
    this.lines = new Program(gl, LINE)
    this.sky = new Program(gl, SKY)
    this.shadows = new ShadowMap(gl, 2048, true)
    this.heights = new ShadowMap(gl, 512, false)
    this.outline = new Outline(gl)
    this.empty = gl.createVertexArray()
    gl.enable(gl.DEPTH_TEST)
    gl.depthFunc(gl.LEQUAL)
  }

  /** A mesh of meshes.js that can be drawn at many places. */
  batch(mesh, options) {
    return new Batch(this.gl, mesh, options)
  }

  lineBatch() {
    return new LineBatch(this.gl)
  }

  /** Fit the canvas to its place on the page, with a share of the screen's own pixels. */
  fit(share = 1) {
    const { canvas } = this
    this.sharpness = share * Math.min(devicePixelRatio || 1, 2)
    this.place = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio].join()
    const width = Math.max(1, Math.round(canvas.clientWidth * this.sharpness))
    const height = Math.max(1, Math.round(canvas.clientHeight * this.sharpness))
    // to set a size clears the canvas, even if it is the same
    if (canvas.width !== width) canvas.width = width
    if (canvas.height !== height) canvas.height = height
  }

  /** Whether the canvas has another place on the page than when it was fitted. */
  isUnfit() {
    return this.place !== [this.canvas.clientWidth, this.canvas.clientHeight, devicePixelRatio].join()
  }

  /**
   * Draw a picture of {view, theme, bounds, opaque, translucent, overlay, ground, lines, marked, fog}.
   *
   * `view` is camera.js's {matrix, eye, right, up, ahead}; `bounds` {middle, radius} has all that
   * casts shadows; `marked` are groups of outline.js.
   */
  draw({ view, theme, bounds, opaque, translucent, overlay, ground, lines, marked, fog }) {
    const { gl, canvas } = this
    for (const batch of [...opaque, ...translucent, ...overlay]) batch.upload()
    gl.disable(gl.BLEND)
    gl.enable(gl.DEPTH_TEST)
    const wide = { middle: bounds.middle, radius: 1.3 * bounds.radius }
    this.shadows.draw(opaque, theme.sun, bounds)
    this.heights.draw(opaque, [0, 0, 1], wide)
    const light = this.light(view, theme, wide, fog)
    gl.viewport(0, 0, canvas.width, canvas.height)
    for (const [unit, map] of [this.heights, this.shadows].entries()) {
      gl.activeTexture(gl.TEXTURE1 - unit)
      gl.bindTexture(gl.TEXTURE_2D, map.texture)
    }
    gl.clear(gl.DEPTH_BUFFER_BIT)
    this.drawSky(view, light)
    ground.draw(view, light, theme)
    this.bodies.use({ ...light, camera: view.matrix })
    opaque.forEach((batch, k) => {
      this.bodies.set("order", 1e-6 * (k % 32))
      batch.draw()
    })
    this.drawTranslucent(translucent, lines, view, light)
    this.outline.draw(marked, view.matrix, [canvas.width, canvas.height], this.sharpness, theme)
    this.drawOver(overlay, view, light)
  }

  /** What all shaders know of the light. */
  light(view, theme, wide, fog) {
    return {
      eye: view.eye,
      sun: theme.sun,
      sunLight: theme.sunLight,
      skyLight: theme.skyLight,
      bounceLight: theme.bounceLight,
      horizon: theme.horizon,
      zenith: theme.zenith,
      exposure: theme.exposure,
      fog,
      sunMatrix: this.shadows.matrix,
      shadows: { unit: 0 },
      softness: 0.006,
      overMatrix: this.heights.matrix,
      heights: { unit: 1 },
      // depths of the map in units of the machine's radius; looks go a ninth of it to each side
      overDepth: 1.3 * DEPTH,
      reach: 0.055,
    }
  }

  /** Handles are seen through what stands before them, not through each other. */
  drawOver(batches, view, light) {
    if (!batches.length) return
    const { gl } = this
    gl.clear(gl.DEPTH_BUFFER_BIT)
    gl.activeTexture(gl.TEXTURE0)
    gl.bindTexture(gl.TEXTURE_2D, this.shadows.texture)
    this.bodies.use({ ...light, camera: view.matrix, order: 0 })
    for (const batch of batches) batch.draw()
  }

  drawSky(view, light) {
    const { gl } = this
    gl.depthMask(false)
    this.sky.use({ ...light, right: view.right, up: view.up, ahead: view.ahead })
    gl.bindVertexArray(this.empty)
    gl.drawArrays(gl.TRIANGLES, 0, 3)
    gl.depthMask(true)
  }

  /** Lines first, they hide what is behind them; then what is translucent, the farthest first. */
  drawTranslucent(batches, lines, view, light) {
    const { gl, canvas } = this
    gl.enable(gl.BLEND)
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
    this.lines.use({ ...light, camera: view.matrix, view: [canvas.width / 2, canvas.height / 2] })
    for (const each of lines) each.draw()
    gl.depthMask(false)
    this.bodies.use({ ...light, camera: view.matrix })
    const depth = batch => dot(view.ahead, [3, 7, 11].map(i => batch.instances[i]))
    for (const batch of [...batches].sort((a, b) => depth(b) - depth(a))) batch.draw()
    gl.depthMask(true)
    gl.disable(gl.BLEND)
  }
}

/** The way from the eye through a place of the canvas, in CSS pixels: {from, way}. */
export function rayThrough(canvas, view, x, y) {
  const [across, down] = [(2 * x) / canvas.clientWidth - 1, 1 - (2 * y) / canvas.clientHeight]
  const way = view.ahead.map((each, i) => each + across * view.right[i] + down * view.up[i])
  return { from: view.eye, way: scale(way, 1 / Math.hypot(...way)) }
}
