// Shadows: depths seen from the sun, and from straight above, on maps that are fitted to the machine.
//
// The sun's map says where its light arrives. The one from above says what stands closely over a
// place and takes light of the sky away: it makes machines stand on the ground instead of floating.

import { Program } from "./programs.js"
import { SHADOW } from "./shaders.js"
import { add, cross, dot, looking, multiply, orthographic, scale, subtract, unit } from "./vectors.js"

const [NEAR, FAR] = [0.1, 8]
/** Depth of a map, in radii of what it is fitted to. */
export const DEPTH = FAR - NEAR

export class ShadowMap {
  /** A map of `size` pixels a side, whose looks are `compared` with depths or read as they are. */
  constructor(gl, size, compared) {
    this.gl = gl
    this.size = size
    this.program = new Program(gl, SHADOW)
    this.texture = gl.createTexture()
    this.matrix = new Float32Array(16)
    gl.bindTexture(gl.TEXTURE_2D, this.texture)
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size)
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, compared ? gl.LINEAR : gl.NEAREST],
      [gl.TEXTURE_MAG_FILTER, compared ? gl.LINEAR : gl.NEAREST],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_COMPARE_MODE, compared ? gl.COMPARE_REF_TO_TEXTURE : gl.NONE],
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
    gl.viewport(0, 0, this.size, this.size)
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
    const right = sun[2] > 0.999 ? [1, 0, 0] : unit(cross([0, 0, 1], sun))
    const up = cross(sun, right)
    const step = (2 * radius) / this.size
    const off = [right, up].map(way => dot(way, middle) % step)
    const still = subtract(subtract(middle, scale(right, off[0])), scale(up, off[1]))
    const eye = add(still, scale(sun, 3 * radius))
    return multiply(orthographic(2 * radius, 2 * radius, NEAR * radius, FAR * radius), looking(eye, right, up, sun))
  }
}
