// The shapes of a run as buffers for drawing: one mesh for all that has faces, one list for all that
// is round. Every vertex knows its item: bodies first, then boundaries.
"use strict";

const KIND = { round: 0, convex: 1, half: 2, segment: 3, capsule: 4 };

class Mesh {
  constructor() {
    this.points = [];
    this.normals = [];
    this.items = [];
    this.lines = [];
    this.lineItems = [];
    this.bodyVertices = 0; // those of bodies come first
  }
  triangle(item, a, b, c, normal) {
    this.points.push(...a, ...b, ...c);
    for (let i = 0; i < 3; i++) this.normals.push(...(Array.isArray(normal[0]) ? normal[i] : normal));
    this.items.push(item, item, item);
  }
  loop(item, corners, outline = true) {
    const normal = V.unit(V.cross(V.sub(corners[1], corners[0]), V.sub(corners[2], corners[0])));
    for (let i = 2; i < corners.length; i++) this.triangle(item, corners[0], corners[i - 1], corners[i], normal);
    if (outline) corners.forEach((corner, i) => this.line(item, corner, corners[(i + 1) % corners.length]));
  }
  line(item, a, b) {
    this.lines.push(...a, ...b);
    this.lineItems.push(item, item);
  }
}

// A capsule about the z axis, as rings.
function capsule(mesh, item, place, radius, half) {
  const around = 16, rings = 6;
  const row = (i) => {
    const lower = i <= rings, j = lower ? i : i - 1;
    const polar = -Math.PI / 2 + (j * Math.PI) / (2 * rings);
    const points = [];
    for (let s = 0; s <= around; s++) {
      const a = (2 * Math.PI * s) / around;
      const normal = [Math.cos(polar) * Math.cos(a), Math.cos(polar) * Math.sin(a), Math.sin(polar)];
      points.push([V.add(V.scale(normal, radius), [0, 0, lower ? -half : half]), normal]);
    }
    return points;
  };
  for (let i = 0; i <= 2 * rings; i++) {
    const [low, high] = [row(i), row(i + 1)];
    for (let s = 0; s < around; s++) {
      const quad = [low[s], low[s + 1], high[s + 1], high[s]].map(([p, n]) => [place(p), place(n, true)]);
      for (const [a, b, c] of [[0, 1, 2], [0, 2, 3]]) {
        mesh.triangle(item, quad[a][0], quad[b][0], quad[c][0], [quad[a][1], quad[b][1], quad[c][1]]);
      }
    }
  }
}

function buildShapes(run, first, box) {
  const extent = V.norm(V.sub(box[1], box[0])) || 1, middle = V.scale(V.add(box[0], box[1]), 0.5);
  const { things } = run, flat = run.dimension === 2;
  const mesh = new Mesh(), round = { centres: [], items: [] };
  const count = things.volume.length;
  const far = 3 * extent;
  things.parts.forEach((part) => {
    const item = part.owner >= 0 ? part.owner : count - 1 - part.owner;
    const spatial = (v) => (flat ? [v[0], v[1], 0] : v);
    const quaternion = flat ? [0, 0, Math.sin(part.rotation[0] / 2), Math.cos(part.rotation[0] / 2)] : part.rotation;
    const at = spatial(part.position);
    const place = (v, direction) => (direction ? turned(quaternion, v) : V.add(at, turned(quaternion, v)));
    const vertices = (part.vertices || []).map((v) => place(spatial(v)));
    if (part.kind === KIND.round) {
      round.centres.push(...at, part.radius);
      round.items.push(item);
    } else if (part.kind === KIND.capsule) {
      capsule(mesh, item, place, part.radius, part.half_length);
    } else if (part.kind === KIND.convex) {
      part.faces.forEach((face) => mesh.loop(item, face.map((i) => vertices[i])));
    } else if (part.kind === KIND.segment) {
      mesh.line(item, vertices[0], vertices[1]);
    } else if (flat) {
      const corners = [[-far, 0, 0], [-far, -far, 0], [far, -far, 0], [far, 0, 0]].map((v) => place(v));
      mesh.loop(item, corners, false);
      mesh.line(item, corners[0], corners[3]);
    } else {
      // A square about the foot of the scene's middle. Its normal is twice as long as others: that
      // marks surfaces that are seen from outside only.
      const i = -1 - part.owner, r = 0.55 * extent;
      const back = (q) => [-q[0], -q[1], -q[2], q[3]];
      const own = turned(back(first.turn.subarray(4 * i, 4 * i + 4)), V.sub(middle, first.place.subarray(3 * i, 3 * i + 3)));
      const [x, y] = turned(back(quaternion), V.sub(own, at));
      const corners = [[x - r, y - r, 0], [x + r, y - r, 0], [x + r, y + r, 0], [x - r, y + r, 0]].map((v) => place(v));
      const normal = V.scale(place([0, 0, 1], true), 2);
      mesh.triangle(item, corners[0], corners[1], corners[2], normal);
      mesh.triangle(item, corners[0], corners[2], corners[3], normal);
    }
    if (part.owner >= 0) mesh.bodyVertices = mesh.items.length;
  });
  return { mesh, round, items: count + things.boundary_count, bodies: count };
}

// The box around all bodies and solids of a frame.
function frameBox(frame, run) {
  const d = run.dimension, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < frame.n; i++) {
    const reach = run.things.reach[i];
    for (let a = 0; a < 3; a++) {
      const x = a < d ? frame.position[i * d + a] : 0;
      if (!Number.isFinite(x)) continue;
      low[a] = Math.min(low[a], x - (a < d ? reach : 0));
      high[a] = Math.max(high[a], x + (a < d ? reach : 0));
    }
  }
  for (let i = 0; i < frame.nodes.n; i++) {
    for (let a = 0; a < 3; a++) {
      const x = a < d ? frame.nodes.position[i * d + a] : 0;
      if (!Number.isFinite(x)) continue;
      low[a] = Math.min(low[a], x);
      high[a] = Math.max(high[a], x);
    }
  }
  return low[0] <= high[0] ? [low, high] : [[-1, -1, -1], [1, 1, 1]];
}
