// The sun's shadow: depths seen from the sun, on a map that is fitted to the machine.

import { Program } from "./programs.js"
import { SHADOW } from "./shaders.js"
import { add, cross, dot, looking, multiply, orthographic, scale, subtract, unit } from "./vectors.js"

const SIZE = 2048

export class ShadowMap {
  constructor(gl) {
    this.gl = gl
    this.program = new Program(gl, SHADOW)
    this.texture = gl.createTexture()
    this.matrix = new Float32Array(16)
    gl.bindTexture(gl.TEXTURE_2D, this.texture)
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SIZE, SIZE)
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
      [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE],
      [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL],
    ]) gl.texParameteri(gl.TEXTURE_2D, name, value)
    this.frame = gl.createFramebuffer()
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame)
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.texture, 0)
    gl.drawBuffers([gl.NONE])
    gl.bindFramebuffer(gl.FRAMEBUFFER, null)
  }

  /** Draw what casts shadows, of a machine within {middle, radius}. */
  draw(batches, sun, { middle, radius }) {
    const { gl } = this
    this.matrix = this.fitted(sun, middle, radius)
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame)
    gl.viewport(0, 0, SIZE, SIZE)
    gl.clear(gl.DEPTH_BUFFER_BIT)
    gl.enable(gl.POLYGON_OFFSET_FILL)
    gl.polygonOffset(1.5, 2)
    this.program.use({ camera: this.matrix })
    for (const batch of batches) if (batch.cast) batch.draw()
    gl.disable(gl.POLYGON_OFFSET_FILL)
    gl.bindFramebuffer(gl.FRAMEBUFFER, null)
  }

  /** The sun's camera; it moves by whole pixels of the map, or the edges of shadows would crawl. */
  fitted(sun, middle, radius) {
    const right = unit(cross([0, 0, 1], sun))
    const up = cross(sun, right)
    const step = (2 * radius) / SIZE
    const off = [right, up].map(way => dot(way, middle) % step)
    const still = subtract(subtract(middle, scale(right, off[0])), scale(up, off[1]))
    const eye = add(still, scale(sun, 3 * radius))
    return multiply(orthographic(2 * radius, 2 * radius, 0.1 * radius, 8 * radius), looking(eye, right, up, sun))
  }
}
