// Shadows in space: what a lamp sees, as a picture of depths. The lamp stands over the viewer's left shoulder, so that
// shadows fall backwards to the right.
"use strict";

const SHADOW_SIZE = 2048;
// More bodies than this are drawn without shadows unless they are asked for: every body is then drawn twice.
const SHADOWS_UP_TO = 20000;

class Lamp {
  constructor(painter) {
    const { gl } = (this.painter = painter);
    this.map = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE]]) gl.texParameteri(gl.TEXTURE_2D, name, value);
    this.target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.map, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    // In its place while the picture of depths is made.
    this.none = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.none);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, 1, 1);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    this.on = false;
  }
  // Where light comes from, seen from the scene.
  direction(camera) {
    if (camera.flat) return [0, 0, 1];
    const { right, back } = camera.axes(), level = V.unit([back[0], back[1], 1e-9]);
    return V.unit(V.add(V.scale(right, -0.5), V.add([0, 0, 1.15], V.scale(level, 0.45))));
  }
  // Takes the picture of depths of what is in a box.
  expose(look, [low, high]) {
    const { painter } = this, { gl } = painter, kept = painter.matrices;
    const back = this.direction(look.camera), right = V.unit(V.cross([0, 0, 1], back)), up = V.cross(back, right);
    const middle = V.scale(V.add(low, high), 0.5), reach = 0.5 * V.norm(V.sub(high, low)) || 1;
    const view = new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -V.dot(right, middle), -V.dot(up, middle), -V.dot(back, middle), 1]);
    // Deeper than wide, so that what is above the box throws its shadow too.
    const projection = new Float32Array([1 / reach, 0, 0, 0, 0, 1 / reach, 0, 0, 0, 0, -0.25 / reach, 0, 0, 0, 0, 1]);
    this.matrix = multiply(projection, view);
    this.texel = (2 * reach) / SHADOW_SIZE;
    painter.matrices = { view, projection, eye: V.add(middle, V.scale(back, 4 * reach)), parallel: true };
    this.on = false;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    painter.bodies({ ...look, opacity: 1 }, "items");
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    painter.matrices = kept;
    this.on = true;
  }
  // Tells a program where shadows are.
  bind(names, look) {
    const { gl } = this.painter;
    gl.uniform3fv(names.lamp, this.direction(look.camera));
    gl.uniform1i(names.shadowed, this.on ? 1 : 0);
    gl.uniform1i(names.shadow, 2);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.on ? this.map : this.none);
    gl.activeTexture(gl.TEXTURE0);
    if (!this.on) return;
    gl.uniformMatrix4fv(names.sun, false, this.matrix);
    gl.uniform1f(names.texel, this.texel);
  }
}
