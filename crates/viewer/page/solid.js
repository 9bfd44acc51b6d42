// Deformable solids: triangles and edges between nodes that move. Items are counted on after bodies and
// boundaries.
"use strict";

// Triangles and edges of all solids as numbers of nodes, and the item of each node.
function buildSolids(run, firstItem) {
  const triangles = [], edges = [], items = [];
  run.things.solids.forEach((solid, index) => {
    const seen = new Set();
    for (const face of solid.faces) {
      for (let i = 2; i < face.length; i++) triangles.push(...[0, i - 1, i].map((corner) => solid.first + face[corner]));
      face.forEach((node, i) => {
        const pair = [node, face[(i + 1) % face.length]].sort((a, b) => a - b);
        // An edge belongs to two faces: drawn twice it would be darker.
        const name = pair.join();
        if (seen.has(name)) return;
        seen.add(name);
        edges.push(solid.first + pair[0], solid.first + pair[1]);
      });
    }
    for (let i = 0; i < solid.count; i++) items.push(firstItem + index);
  });
  return { triangles: new Uint32Array(triangles), edges: new Uint32Array(edges), items: new Uint32Array(items) };
}

const SOLID_SHADER = [`${COMMON}
layout(location = 0) in vec3 place;
layout(location = 1) in float level;
layout(location = 2) in uint item;
uniform bool edge;
flat out uint which; out float value; out vec3 world;
void main() {
  which = item; value = level; world = place;
  gl_Position = projection * view * vec4(place, 1.0);
  if (edge) gl_Position.z -= 1e-4 * gl_Position.w;
}`, `${PAINT}
flat in uint which; in float value; in vec3 world;
uniform bool edge;
uniform int chosen;
void main() {
  if (beyond(world) > 0.0) discard;
#ifdef CUT
  gl_FragDepth = gl_FragCoord.z;
#endif
  if (edge) {
    // A solid that is picked keeps its colours: its edges say so.
    colour = int(which) == chosen ? vec4(1.0, 0.55, 0.0, 1.0) : vec4(ink, 0.4 * opacity);
    return;
  }
  vec3 n = flat2 ? vec3(0.0, 0.0, 1.0) : normalize(cross(dFdx(world), dFdy(world)));
  if (dot(n, toEye) < 0.0) n = -n;
#ifdef CUT
  if (!gl_FrontFacing && !flat2 && beyond(eye) > 0.0) {
    float ahead = beyond(eye);
    gl_FragDepth = depthOf(mix(eye, world, ahead / (ahead - beyond(world))));
    // Values are known at the surface only.
    colour = section(which, boundary, gl_FragDepth);
    return;
  }
#endif
  colour = shade(which, vec2(value, 0.0), world, n);
}`];
SHADERS.solid = SOLID_SHADER;
SHADERS.solidCut = cutting(SOLID_SHADER);

// Draws all solids of a frame in two calls.
class SolidPainter {
  constructor(painter, run, firstItem) {
    const { gl } = painter, { triangles, edges, items } = buildSolids(run, firstItem);
    Object.assign(this, { painter, gl, size: triangles.length, edgeSize: edges.length, chosen: -1 });
    this.dimension = run.dimension;
    this.places = painter.buffer(new Float32Array(3), gl.DYNAMIC_DRAW);
    this.levels = painter.buffer(new Float32Array(1), gl.DYNAMIC_DRAW);
    const attributes = [[0, this.places, 3], [1, this.levels, 1], [2, painter.buffer(items), 1, true]];
    const indexed = (numbers) => {
      const array = painter.vertices(attributes);
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      gl.bindVertexArray(null);
      return array;
    };
    [this.faces, this.lines] = [indexed(triangles), indexed(edges)];
  }
  // Takes in places of nodes and values from 0 to 1.
  show(nodes, levels, chosen) {
    const { gl, dimension: d } = this, places = new Float32Array(3 * nodes.n);
    for (let i = 0; i < nodes.n; i++) for (let a = 0; a < d; a++) places[3 * i + a] = nodes.position[d * i + a];
    for (const [buffer, data] of [[this.places, places], [this.levels, levels]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    }
    this.chosen = chosen;
  }
  draw(look, pick) {
    const { gl, painter } = this, kind = look.clip[3] < 1e29 && !painter.flat ? "solidCut" : "solid", { names } = painter.programs[kind];
    painter.use(kind, look, pick);
    gl.uniform1i(names.chosen, this.chosen);
    gl.uniform1i(names.edge, 0);
    gl.bindVertexArray(this.faces);
    gl.drawElements(gl.TRIANGLES, this.size, gl.UNSIGNED_INT, 0);
    if (pick) return;
    gl.uniform1i(names.edge, 1);
    gl.bindVertexArray(this.lines);
    gl.drawElements(gl.LINES, this.edgeSize, gl.UNSIGNED_INT, 0);
  }
}
