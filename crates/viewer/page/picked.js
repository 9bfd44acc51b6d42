// What is told of the body, boundary or solid that was clicked, and the way that it goes.
"use strict";

class Picked {
  constructor(page) {
    Object.assign(this, { page, item: -1, trail: [] });
  }
  select(item) {
    const { page } = this, { run } = page, bodies = page.painter.shapes.bodies;
    Object.assign(this, { item, history: undefined, trail: [] });
    $("picked").replaceChildren();
    if (item < 0) $("picked").innerHTML = '<p class="hint">Click a body to see its data.</p>';
    else {
      this.table = document.createElement("table");
      const title = document.createElement("h2"), solid = this.solid();
      title.textContent = solid ? solid.name : run.things.names[item] || (item < bodies ? `body ${item}` : `boundary ${item - bodies}`);
      $("picked").append(title, this.table);
      if (item < bodies) this.follow(item);
    }
    page.again();
  }
  solid() { return this.page.run.things.solids[this.item - this.page.painter.shapes.items]; }
  // The data of what is picked in this frame.
  tell() {
    const { item, page } = this, { frame, run } = page;
    if (item < 0) return;
    const bodies = page.painter.shapes.bodies, solid = this.solid();
    const rows = solid ? this.ofSolid(solid) : item >= bodies ? this.ofBoundary(item - bodies)
      : item >= frame.n ? [["", "has not entered yet"]] : this.ofBody(item);
    this.table.replaceChildren(...rows.map((cells) => {
      const row = document.createElement("tr");
      row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      return row;
    }));
    if (solid || item >= bodies || item >= frame.n) return;
    const width = Math.max(0.25 * run.things.width[item], 0.05 * run.things.typical);
    page.painter.strokes.trail.path(this.trail.filter(([time]) => time <= frame.time).map(([, point]) => point), 0.5 * width);
  }
  vector(array, i) {
    const d = this.page.run.dimension;
    return `(${[...array.subarray(i * d, i * d + d)].map((v) => written(v)).join(", ")})`;
  }
  ofBoundary(i) {
    const { frame } = this.page;
    return [["position", `${this.vector(frame.place, i)} m`], ["present", frame.present[i] ? "yes" : "removed"]];
  }
  ofBody(item) {
    const { frame, run } = this.page, d = run.dimension, w = d === 2 ? 1 : 3;
    let [touching, sliding, largest] = [0, 0, 0];
    for (let c = 0; c < frame.k; c++) {
      if (frame.first[c] !== item && frame.second[c] !== item) continue;
      touching += frame.status[c] > 0;
      sliding += frame.status[c] === 2;
      largest = Math.max(largest, rowSize(frame.force, c, d));
    }
    const first = this.trail.length ? this.trail[0][1] : undefined;
    const moved = first ? Math.hypot(...first.slice(0, d).map((x, a) => frame.position[item * d + a] - x)) : NaN;
    return [["mass", written(run.things.mass[item], "kg").replace("kkg", "t").replace("mkg", "g")],
      ["material", run.materials[run.things.material[item]] || "–"],
      ["position", `${this.vector(frame.position, item)} m`], ["displacement", written(moved, "m")],
      ["speed", written(rowSize(frame.velocity, item, d), "m/s")], ["velocity", `${this.vector(frame.velocity, item)} m/s`],
      ["spin", written(rowSize(frame.spin, item, w), "rad/s")],
      ["contacts", `${touching}, ${sliding} sliding`], ["largest force", written(largest, "N")],
      ["mean stress", written(pressures(frame, run)[item], quantityUnit("stress", run))],
      ["birth", written(frame.birth[item], "s")]];
  }
  ofSolid(solid) {
    const { nodes, touches } = this.page.frame, d = this.page.run.dimension, index = this.item - this.page.painter.shapes.items;
    const own = (array) => array.subarray(solid.first, solid.first + solid.count);
    const largest = (array) => own(array).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const forces = [...touches.solid].map((s, c) => (s === index ? rowSize(touches.force, c, d) : 0));
    return [["mass", written(solid.mass, "kg").replace("kkg", "t").replace("mkg", "g")], ["nodes", String(solid.count)],
      ["largest speed", written(largest(nodes.speed), "m/s")], ["largest von Mises", written(largest(nodes.vonMises), "Pa")],
      ["largest shear", written(largest(nodes.shear), "Pa")], ["contacts with force", String(forces.filter((f) => f > 0).length)],
      ["largest force", written(Math.max(0, ...forces), "N")]];
  }
  // The history of a body in some two hundred frames: its speed as a curve, its way as a line.
  async follow(item) {
    const { page } = this, { run } = page, count = run.times.length, stride = Math.max(1, Math.ceil(count / 200)), d = run.dimension;
    const chart = new Chart($("picked"), "Speed", "m/s", false, (t) => page.seekTime(t));
    this.history = chart;
    const [times, values] = [[], []];
    for (let index = 0; index < count; index += stride) {
      let frame;
      try { frame = await page.frames.get(index); } catch { continue; }
      if (this.history !== chart) return;
      times.push(frame.time);
      values.push(item < frame.n ? rowSize(frame.velocity, item, d) : NaN);
      if (item < frame.n) this.trail.push([frame.time, [0, 1, 2].map((a) => (a < d ? frame.position[item * d + a] : 0))]);
      if (times.length % 10 === 0 || index + stride >= count) {
        chart.set(times, [{ name: "speed", colour: COLOURS[0], values }], page.span);
        chart.move(run.times[page.index]);
        page.again();
      }
    }
  }
}

// The distance between two points that are clicked one after the other.
class Measure {
  constructor(page) {
    Object.assign(this, { page, on: false, points: [] });
  }
  toggle() {
    this.on = !this.on;
    this.points = [];
    this.show();
  }
  add(point) {
    if (!point) return;
    if (this.points.length === 2) this.points = [];
    this.points.push(point);
    this.show();
  }
  show() {
    const { points, page } = this, d = page.run.dimension;
    $("view").classList.toggle("measuring", this.on);
    $("measured").hidden = !this.on;
    const told = (p) => `(${p.slice(0, d).map((x) => written(x)).join(", ")}) m`;
    if (points.length < 2) $("measured").textContent = points.length ? `from ${told(points[0])}: click the other point` : "Click two points.";
    else {
      const way = V.sub(points[1], points[0]);
      $("measured").textContent = `${written(V.norm(way), "m")}, by ${told(way)}`;
    }
    page.painter.strokes.measure.path(points, 0.003 * page.camera.radius);
    page.dirty = true;
  }
}
