// What holds bodies together: bonds, with their cracks, and joints.
"use strict";

// Where something that is carried by a body, a boundary or the ground is in a frame, in three numbers; and a direction there.
class Carrier {
  constructor(frame, run, owner) {
    const d = run.dimension, i = owner === null ? -1 : owner < 0 ? -1 - owner : owner;
    const [place, turn] = owner === null ? [[0, 0, 0]] : owner < 0 ? [frame.place, frame.turn] : [frame.position, frame.rotation];
    this.there = owner === null || (owner < 0 ? frame.present[i] > 0 : i < frame.n);
    this.flat = d === 2;
    this.at = owner === null ? [0, 0, 0] : [0, 1, 2].map((a) => (a < d ? place[i * d + a] : 0));
    this.turn = owner === null ? [0, 0, 0, 1] : this.quaternion(d === 2 ? [turn[i]] : turn.subarray(4 * i, 4 * i + 4));
  }
  quaternion(r) { return this.flat ? [0, 0, Math.sin(r[0] / 2), Math.cos(r[0] / 2)] : [...r]; }
  spatial(v) { return this.flat ? [v[0], v[1], 0] : v; }
  point(v) { return V.add(this.at, turned(this.turn, this.spatial(v))); }
  direction(rotation, v) { return turned(this.turn, turned(this.quaternion(rotation), v)); }
}

class Marks {
  constructor(page) {
    Object.assign(this, { page, strokes: page.painter.strokes });
  }
  show(frame) {
    const lines = { bonds: [], damaged: [], cracks: [], joints: [] };
    this.bonds(frame, lines, $("bonds").value);
    if ($("joints").checked) this.joints(frame, lines);
    for (const [name, list] of Object.entries(lines)) {
      const numbers = this.strokes[name].room(list.length);
      list.forEach((line, i) => numbers.set(line, 7 * i));
      this.strokes[name].put(list.length);
    }
  }
  // In the plane lines along the faces; in space crosses in the plane of the faces.
  bonds({ bonds }, lines, which) {
    const { run } = this.page, d = run.dimension, width = 0.03 * run.things.typical;
    const least = { all: -1, damaged: 0, broken: 0.999999, none: 2 }[which];
    for (let i = 0; i < bonds.n; i++) {
      const damage = bonds.damage[i];
      if (!(damage > least)) continue;
      const list = damage >= 1 ? lines.cracks : damage > 0 ? lines.damaged : lines.bonds, half = damage > 0 ? width : 0.5 * width;
      const place = [0, 1, 2].map((a) => (a < d ? bonds.place[i * d + a] : 0)), normal = [0, 1, 2].map((a) => (a < d ? bonds.normal[i * d + a] : 0));
      if (d === 2) {
        const along = V.scale([-normal[1], normal[0], 0], 0.5 * bonds.area[i]);
        list.push([...V.sub(place, along), ...V.add(place, along), half]);
        continue;
      }
      const [e, f] = directionsIn(normal).map((v) => V.scale(v, 0.5 * Math.sqrt(bonds.area[i])));
      for (const v of [V.add(e, f), V.sub(e, f)]) list.push([...V.sub(place, v), ...V.add(place, v), 0.5 * half]);
    }
  }
  joints(frame, lines) {
    const { run } = this.page, flat = run.dimension === 2;
    run.things.joints.forEach((joint, index) => {
      const [first, second] = joint.sides.map((side) => new Carrier(frame, run, side.owner));
      if (!first.there || !second.there) return;
      const broken = frame.broken[index] > 0, list = broken ? lines.cracks : lines.joints;
      const ends = [first.point(joint.sides[0].position), second.point(joint.sides[1].position)];
      // The axis of the second side, as the mechanics has it; in the plane of a slider the last axis is y.
      const turns = [0, 1, 2].map((a) => second.direction(joint.sides[1].rotation, [0, 1, 2].map((b) => (a === b ? 1 : 0))));
      const axes = flat ? { axis: turns[1], across: [turns[0], turns[1]] } : { axis: turns[2], across: [turns[0], turns[1]] };
      const pulleys = joint.pulleys.map((p) => first.spatial(p));
      const sketch = new Sketch(list, flat, 0.5 * run.things.typical, 0.02 * run.things.typical);
      (sketch[broken ? "weld" : joint.kind] || sketch.line).call(sketch, ends, axes, pulleys);
    });
  }
}

// Signs of joints, as in drawings of mechanisms: lines of a width, of a size.
class Sketch {
  constructor(list, flat, size, half) {
    Object.assign(this, { list, flat, size, half });
  }
  way(...points) {
    for (let i = 1; i < points.length; i++) this.list.push([...points[i - 1], ...points[i], this.half]);
  }
  ring(middle, [e, f], radius) {
    const count = 14, points = [];
    for (let i = 0; i <= count; i++) {
      const a = (2 * Math.PI * i) / count;
      points.push(V.add(middle, V.add(V.scale(e, radius * Math.cos(a)), V.scale(f, radius * Math.sin(a)))));
    }
    this.way(...points);
  }
  both(middle, direction, reach) { this.way(V.sub(middle, V.scale(direction, reach)), V.add(middle, V.scale(direction, reach))); }
  line(ends) { this.way(...ends); }
  rod(ends) { this.way(...ends); }
  rope(ends) { this.way(...ends); }
  pulley([a, b], _, [p, q]) { this.way(a, p, q, b); }
  hinge([, at], { axis, across }) {
    this.ring(at, across, 0.5 * this.size);
    if (this.flat) this.ring(at, across, 0.12 * this.size);
    else this.both(at, axis, this.size);
  }
  ball([, at], { axis, across: [e, f] }) {
    for (const pair of [[e, f], [f, axis], [axis, e]]) this.ring(at, pair, 0.5 * this.size);
  }
  slider([from, at], { axis, across }) {
    this.both(at, axis, 1.6 * this.size);
    for (const side of across) if (side !== axis) this.both(from, side, 0.5 * this.size);
  }
  cylindrical(ends, axes) {
    this.slider(ends, axes);
    this.ring(ends[1], axes.across, 0.5 * this.size);
  }
  screw(ends, axes) { this.cylindrical(ends, axes); }
  universal(ends, axes) {
    this.both(ends[1], axes.across[0], this.size);
    this.hinge(ends, axes);
  }
  planar([, at], { across: [e, f] }) {
    const corner = (a, b) => V.add(at, V.add(V.scale(e, a * this.size), V.scale(f, b * this.size)));
    this.way(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1));
  }
  weld([, at], { across: [e, f] }) {
    for (const side of [V.add(e, f), V.sub(e, f)]) this.both(at, V.unit(side), 0.5 * this.size);
  }
  spring([a, b]) {
    const along = V.sub(b, a), points = [a], turns = 8;
    const aside = V.scale(this.flat ? V.unit([-along[1], along[0], 0]) : directionsIn(V.unit(along))[0], 0.3 * this.size);
    for (let i = 0; i < 2 * turns; i++) points.push(V.add(V.add(a, V.scale(along, (i + 1) / (2 * turns + 1))), V.scale(aside, i % 2 ? -1 : 1)));
    this.way(...points, b);
  }
}

// The ways that bodies have gone, as lines. They lie in the order of time, so that a frame only says how many are seen.
class Ways {
  constructor(page) {
    Object.assign(this, { page, stroke: page.painter.strokes.ways });
    this.forget();
  }
  forget() { Object.assign(this, { next: 0, lines: 0, ends: [], last: null, busy: false }); }
  show(frame) {
    const on = $("ways").checked;
    if (on && this.next < this.page.run.times.length && !this.busy) this.load();
    this.stroke.count = on ? this.ends.reduce((count, [time, lines]) => (time <= frame.time ? lines : count), 0) : 0;
  }
  // Of some hundred and fifty frames and four hundred bodies.
  async load() {
    const { page, stroke } = this, { run } = page, d = run.dimension;
    this.busy = true;
    const [frames, bodies] = [Math.max(1, Math.ceil(run.times.length / 150)), Math.max(1, Math.ceil(run.things.volume.length / 400))];
    for (; this.next < run.times.length && $("ways").checked; this.next += frames) {
      let frame;
      try { frame = await page.frames.get(this.next); } catch { continue; }
      const old = this.last, numbers = grown(stroke, this.lines + frame.n);
      for (let i = 0; old && i < old.n; i += bodies) {
        for (let a = 0; a < 3; a++) {
          numbers[7 * this.lines + a] = a < d ? old.position[i * d + a] : 0;
          numbers[7 * this.lines + 3 + a] = a < d ? frame.position[i * d + a] : 0;
        }
        numbers[7 * this.lines + 6] = 0.03 * run.things.typical;
        this.lines++;
      }
      this.ends.push([frame.time, this.lines]);
      this.last = { n: frame.n, position: frame.position };
    }
    this.busy = false;
    stroke.put(this.lines);
    page.again();
  }
}

// Room for more lines, with those that are there.
function grown(stroke, lines) {
  const old = stroke.numbers, numbers = stroke.room(lines);
  if (numbers !== old) numbers.set(old);
  return numbers;
}
