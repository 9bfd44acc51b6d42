// Vectors, quaternions (x, y, z, w), 4×4 matrices in columns, and the camera.
"use strict";

const V = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  scale: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  norm: (a) => Math.hypot(a[0], a[1], a[2]),
  unit: (a) => V.scale(a, 1 / (V.norm(a) || 1)),
};

function turned(q, v) {
  const u = [q[0], q[1], q[2]];
  const t = V.scale(V.cross(u, v), 2);
  return V.add(V.add(v, V.scale(t, q[3])), V.cross(u, t));
}

function multiply(a, b) {
  const m = new Float32Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + r] * b[c * 4 + k];
      m[c * 4 + r] = sum;
    }
  }
  return m;
}

// Looks at a target from a distance; in the plane from straight above, without perspective.
class Camera {
  constructor(flat) {
    Object.assign(this, { flat, target: [0, 0, 0], distance: 1, azimuth: -1.08, elevation: 0.38, angle: 0.55 });
  }
  // Shows a box whole, as near as the picture's shape lets it, and no nearer than that.
  fit([low, high], aspect) {
    this.target = V.scale(V.add(low, high), 0.5);
    const size = V.sub(high, low);
    if (this.flat) this.size = [size[0], size[1]];
    this.radius = 0.5 * V.norm(size) || 1;
    this.distance = this.flat ? 1 : this.away(size, aspect);
  }
  // The least distance from which all corners of a box around the target are seen.
  away(size, aspect) {
    const { right, up, back } = this.axes(), t = Math.tan(0.5 * this.angle) / 1.06;
    let most = 0;
    for (let i = 0; i < 8; i++) {
      const corner = size.map((s, a) => (i >> a & 1 ? 0.5 : -0.5) * s), near = V.dot(corner, back);
      most = Math.max(most, near + Math.abs(V.dot(corner, right)) / (t * aspect), near + Math.abs(V.dot(corner, up)) / t);
    }
    return most || 1;
  }
  axes() {
    if (this.flat) return { right: [1, 0, 0], up: [0, 1, 0], back: [0, 0, 1] };
    const [ca, sa] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    return { right: [-sa, ca, 0], up: [-se * ca, -se * sa, ce], back: [ce * ca, ce * sa, se] };
  }
  // Half the height of what is seen at the target.
  half(aspect) {
    if (!this.flat) return this.distance * Math.tan(0.5 * this.angle);
    return 0.53 * this.distance * Math.max(this.size[1], this.size[0] / aspect);
  }
  matrices(aspect) {
    const { right, up, back } = this.axes();
    const away = this.flat ? 4 * this.radius + 1 : this.distance;
    const eye = V.add(this.target, V.scale(back, away));
    const view = new Float32Array([
      right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -V.dot(right, eye), -V.dot(up, eye), -V.dot(back, eye), 1,
    ]);
    const projection = new Float32Array(16);
    if (this.flat) {
      const h = this.half(aspect), far = 8 * this.radius + 2;
      projection.set([1 / (h * aspect), 0, 0, 0, 0, 1 / h, 0, 0, 0, 0, -2 / far, 0, 0, 0, -1, 1]);
    } else {
      const near = Math.max(0.01 * away, away - 3 * this.radius), far = away + 6 * this.radius;
      const f = 1 / Math.tan(0.5 * this.angle);
      projection.set([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, -(far + near) / (far - near), -1,
        0, 0, (-2 * far * near) / (far - near), 0]);
    }
    return { view, projection, eye };
  }
  // The point of space at a place of the picture, each coordinate from -1 to 1, the last its depth.
  unproject(x, y, depth, { projection, eye }) {
    const { right, up, back } = this.axes();
    const away = this.flat ? 0 : projection[14] / (depth + projection[10]);
    const across = this.flat ? [x / projection[0], y / projection[5]] : [(x * away) / projection[0], (y * away) / projection[5]];
    const point = V.add(V.add(eye, V.scale(right, across[0])), V.add(V.scale(up, across[1]), V.scale(back, -away)));
    return this.flat ? [point[0], point[1], 0] : point;
  }
  // Looks along an axis, or from aside and above.
  lookAlong(axis) {
    const views = { x: [0, 0], y: [-Math.PI / 2, 0], z: [-Math.PI / 2, 1.55] };
    [this.azimuth, this.elevation] = views[axis] || [-1.08, 0.38];
  }
  orbit(dx, dy) {
    this.azimuth -= 0.008 * dx;
    this.elevation = Math.max(-1.55, Math.min(1.55, this.elevation + 0.008 * dy));
  }
  pan(dx, dy, width, height) {
    const { right, up } = this.axes();
    const step = (2 * this.half(width / height)) / height;
    this.target = V.add(this.target, V.add(V.scale(right, -dx * step), V.scale(up, dy * step)));
  }
  zoom(factor) {
    this.distance *= factor;
  }
}

// A periodic cell: its vectors, one after the other, and which directions have no end.
class Cell {
  constructor(vectors, periodic) {
    this.vectors = [0, 3, 6].map((k) => [...vectors.subarray(k, k + 3)]);
    this.periodic = [...periodic].map((is) => is > 0.5);
    const [a, b, c] = this.vectors, volume = V.dot(a, V.cross(b, c));
    // Rows of the inverse: fractions of a place along the vectors.
    this.rows = [V.cross(b, c), V.cross(c, a), V.cross(a, b)].map((row) => V.scale(row, 1 / volume));
  }
  place(fractions) { return fractions.reduce((sum, f, i) => V.add(sum, V.scale(this.vectors[i], f)), [0, 0, 0]); }
  // What is added to a place for its image that is nearest to another.
  shift(place, other) {
    const apart = V.sub(place, other);
    return this.place(this.rows.map((row, i) => (this.periodic[i] ? -Math.round(V.dot(row, apart)) : 0)));
  }
  // From the cell to each one beside it.
  neighbours() {
    const steps = this.periodic.map((is) => (is ? [-1, 0, 1] : [0])), all = [];
    for (const x of steps[0]) for (const y of steps[1]) for (const z of steps[2]) if (x || y || z) all.push(this.place([x, y, z]));
    return all;
  }
  // Ends of its edges; in the plane those of its outline.
  edges(d) {
    const corner = (bits) => this.place([0, 1, 2].map((i) => (i < d ? (bits >> i) & 1 : 0))), all = [];
    for (let bits = 0; bits < 1 << d; bits++) {
      for (let i = 0; i < d; i++) if (!((bits >> i) & 1)) all.push([corner(bits), corner(bits | (1 << i))]);
    }
    return all;
  }
}
