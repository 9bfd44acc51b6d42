// In the viewer's page: a run that is computed beside it, by the page around it.
"use strict";

// Frames are kept up to so many bytes; beyond, every second one is let go.
const ROOM = 400 * 1024 * 1024;

class Live {
  constructor(run, number, ask) {
    Object.assign(this, { run, number, ask, frames: [], bytes: 0, stretch: 1, held: null, ahead: false });
    this.there = new Promise((done) => { this.started = done; });
    run.curves.ledger.time = [];
    run.curves.steps.time = [];
  }
  // What the viewer's page asks for.
  source() {
    return {
      live: false,
      run: async () => { await this.there; return this.run; },
      state: async () => this.run,
      frame: async (index) => this.frames[index],
      control: async () => {},
    };
  }
  get page() { return window.page; }
  get running() { return this.run.status === "running"; }

  take(block, row) {
    const { run } = this, add = (table, values) => {
      table.time.push(row.time);
      for (const [name, value] of Object.entries(values)) (table[name] ??= []).push(value);
    };
    add(run.curves.ledger, row.ledger);
    if (Object.keys(row.steps).length) add(run.curves.steps, row.steps);
    this.frames.push(block);
    this.bytes += block.byteLength;
    run.times.push(row.time);
    if (this.bytes > ROOM) this.thin();
    if (this.page && this.page.controls) document.getElementById("time").max = run.times.length - 1;
  }
  thin() {
    const last = this.frames.length - 1, keep = (_, i) => i % 2 === 0 || i === last;
    this.frames = this.frames.filter(keep);
    this.run.times.splice(0, Infinity, ...this.run.times.filter(keep));
    this.bytes = this.frames.reduce((sum, frame) => sum + frame.byteLength, 0);
    this.stretch *= 2;
    const { page } = this;
    if (!page) return;
    page.frames.kept.clear();
    page.frames.used = 0;
    page.index = Math.min(page.index >> 1, this.frames.length - 1);
  }
  // Plays, once the page has drawn the first frame.
  async begin() {
    while (!this.page || !this.page.controls || !this.page.frame) await new Promise((done) => requestAnimationFrame(done));
    this.page.play(true);
    this.drag(document.getElementById("stage"));
    requestAnimationFrame(() => this.tick());
  }
  tick() {
    const { page, run } = this, speed = Number(document.getElementById("speed").value);
    const interval = Math.max(run.time_step, speed / 60) * this.stretch;
    // Computed is what will be seen next; and all of it, where the page around asks for that.
    if (this.running) this.ask({ kind: "want", time: page.playing ? page.clock + 3 * interval : 0, interval: this.ahead ? Math.min(run.frame_interval, 0.01 * run.end) : interval, ahead: this.ahead });
    this.thread();
    requestAnimationFrame(() => this.tick());
  }
  // How the run goes: a few times a second.
  update(status) {
    this.run.status = status;
    if (this.page && this.page.controls) this.page.update(this.run);
  }

  // A body that is dragged while the run goes on follows the pointer.
  drag(stage) {
    const view = document.getElementById("view");
    const place = (event) => {
      const box = view.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    };
    stage.addEventListener("pointerdown", (event) => {
      const { page } = this;
      const live = this.running && page.playing && page.index >= this.run.times.length - 12;
      if (event.target !== view || event.button || event.shiftKey || !live || page.measure.on) return;
      const [x, y] = place(event), { item, point } = page.painter.pick(page.look(), Math.floor(x * view.width), Math.floor(y * view.height));
      if (item < 0 || item >= page.frame.n) return;
      // What follows is no business of the camera.
      event.stopPropagation();
      view.setPointerCapture(event.pointerId);
      this.held = { body: item, own: this.own(item, point), point, target: point, depth: this.depth(point), moved: 0 };
      this.ask({ kind: "grasp", body: item, point });
    }, true);
    stage.addEventListener("pointermove", (event) => {
      if (!this.held) return;
      event.stopPropagation();
      const { page, held } = this, [x, y] = place(event);
      held.moved += Math.abs(event.movementX) + Math.abs(event.movementY);
      held.target = page.camera.unproject(2 * x - 1, 1 - 2 * y, held.depth, page.painter.matrices);
      this.ask({ kind: "pull", point: held.target });
    }, true);
    const drop = (event) => {
      if (!this.held) return;
      event.stopPropagation();
      const { page, held } = this;
      this.held = null;
      this.ask({ kind: "release" });
      page.painter.strokes.measure.path([], 0);
      page.dirty = true;
      if (held.moved < 4) page.picked.select(held.body);
    };
    stage.addEventListener("pointerup", drop, true);
    stage.addEventListener("pointercancel", drop, true);
  }
  // The depth at which a point is drawn, from -1 to 1.
  depth(point) {
    const { view, projection } = this.page.painter.matrices, both = multiply(projection, view);
    const row = (r) => both[r] * point[0] + both[4 + r] * point[1] + both[8 + r] * point[2] + both[12 + r];
    return row(2) / row(3);
  }
  // Place and turn of a body in the frame that is seen.
  pose(body) {
    const { frame, run } = this.page, d = run.dimension;
    const at = [0, 1, 2].map((a) => (a < d ? frame.position[body * d + a] : 0));
    const half = d === 2 ? frame.rotation[body] / 2 : 0;
    return { at, turn: d === 2 ? [0, 0, Math.sin(half), Math.cos(half)] : [...frame.rotation.subarray(4 * body, 4 * body + 4)] };
  }
  own(body, point) {
    const { at, turn } = this.pose(body);
    return turned([-turn[0], -turn[1], -turn[2], turn[3]], V.sub(point, at));
  }
  // The thread from the body to the pointer.
  thread() {
    const { page, held } = this;
    if (!held || !page.frame) return;
    const { at, turn } = this.pose(held.body);
    page.painter.strokes.measure.path([V.add(at, turned(turn, held.own)), held.target], 0.003 * page.camera.radius);
    page.dirty = true;
  }
}

// The page around gives the run; alone, there is nothing to show.
const { run: begun, number } = parent.playground;
const live = new Live(begun, number, (message) => parent.playground.ask({ ...message, number }));
window.source = live.source();
window.live = live;
