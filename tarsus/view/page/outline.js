// Outlines of what is selected or under the pointer.
//
// Marked bodies are drawn as flat marks beside the picture; where a mark ends, the outline is. It is
// as wide everywhere, closed at sharp edges, and seen through what stands before it.

import { Program } from "./programs.js"
import { MASK, OUTLINE } from "./shaders.js"

export class Outline {
  constructor(gl) {
    this.gl = gl
    this.marks = new Program(gl, MASK)
    this.edges = new Program(gl, OUTLINE)
    this.texture = null
    this.frame = gl.createFramebuffer()
    this.size = [0, 0]
    this.empty = gl.createVertexArray()
  }

  fit(width, height) {
    if (this.size[0] === width && this.size[1] === height) return
    const { gl } = this
    if (this.texture) gl.deleteTexture(this.texture)
    this.texture = gl.createTexture()
    this.size = [width, height]
    gl.bindTexture(gl.TEXTURE_2D, this.texture)
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, width, height)
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE)
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame)
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0)
    gl.bindFramebuffer(gl.FRAMEBUFFER, null)
  }

  /** Draw around `groups` of {batches, mark: [selected, hovered]}, on the picture that is there. */
  draw(groups, camera, [width, height], sharpness, { selected, hovered }) {
    if (!groups.length) return
    const { gl } = this
    this.fit(width, height)
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame)
    gl.viewport(0, 0, width, height)
    gl.clearColor(0, 0, 0, 0)
    gl.clear(gl.COLOR_BUFFER_BIT)
    gl.disable(gl.DEPTH_TEST)
    this.marks.use({ camera })
    gl.enable(gl.BLEND)
    gl.blendFunc(gl.ONE, gl.ONE)
    for (const { batches, mark } of groups) {
      this.marks.set("mark", [...mark, 0, 0])
      for (const batch of batches) batch.draw()
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null)
    gl.activeTexture(gl.TEXTURE0)
    gl.bindTexture(gl.TEXTURE_2D, this.texture)
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
    const pixel = [1 / width, 1 / height]
    this.edges.use({ mask: { unit: 0 }, pixel, selected, hovered, width: 2.2 * sharpness })
    gl.bindVertexArray(this.empty)
    gl.drawArrays(gl.TRIANGLES, 0, 3)
    gl.disable(gl.BLEND)
    gl.enable(gl.DEPTH_TEST)
  }
}
