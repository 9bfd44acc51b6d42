// The page: what is shown, and what the user asks for.
"use strict";

const $ = (id) => document.getElementById(id);
const CHARTS = [
  ["Energy", "J", false, "ledger", ["kinetic", "potential", "elastic", "external_work", "boundary_work", "friction_loss", "impact_loss"]],
  ["Residual and error", "", true, "steps", ["residual", "residual_scale_free", "error"]],
  ["Iterations", "", false, "steps", ["iterations"]],
  ["Contacts", "", false, "steps", ["contacts"]],
];

class Page {
  constructor(source, run) {
    Object.assign(this, { source, run, index: 0, playing: false, selected: -1, tops: {}, forceTop: 0, wanted: 0 });
    this.frames = new Frames(source, run);
    this.painter = new Painter($("view"));
    this.camera = new Camera(run.dimension === 2);
  }
  async begin() {
    const first = await this.frames.get(0), { run } = this;
    const box = frameBox(first, run);
    // What will enter, and where bodies end, belongs to the view too.
    const last = run.times.length > 1 ? frameBox(await this.frames.get(run.times.length - 1), run) : box;
    const extent0 = V.norm(V.sub(box[1], box[0]));
    const union = [0, 1].map((k) => box[k].map((v, a) => {
      const limit = [v - extent0, v + extent0][k];
      return k ? Math.max(v, Math.min(limit, last[1][a])) : Math.min(v, Math.max(limit, last[0][a]));
    }));
    this.box = run.view || union;
    this.painter.load(run, buildShapes(run, first, this.box));
    this.camera.fit(...this.box);
    $("title").textContent = document.title = run.title;
    this.charts = CHARTS.map(([title, unit, log]) => new Chart($("charts"), title, unit, log, (t) => this.seekTime(t)));
    this.listen();
    this.update(run);
    const [bodies, solids] = [run.things.volume.length > 0, run.things.solids.length > 0];
    const unfit = [...(bodies ? [] : ["birth", "stress", "contacts"]), ...(solids ? [] : ["von_mises", "shear"])];
    unfit.forEach((key) => $("colour").querySelector(`[value="${key}"]`).remove());
    if (!bodies && solids) $("colour").value = "von_mises";
    if (run.dimension === 2) $("clip").querySelector('[value="z"]').remove();
    else $("forces").checked = false;
    // A run of milliseconds is slowed down until it can be seen.
    const speeds = [...$("speed").options].map((option) => Number(option.value)).filter((speed) => speed <= 1);
    const slow = speeds.filter((speed) => (run.end - run.times[0]) / speed >= 2).at(-1) || speeds[0];
    $("speed").value = String(slow);
    // A run that goes on is followed; one that has ended is played.
    const running = run.status === "running" || run.status === "paused";
    await this.show(running ? run.times.length - 1 : 0);
    if (!running && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
    if (this.source.live) this.poll();
    requestAnimationFrame((now) => this.tick(now));
  }
  // Takes in what the run has become.
  update(run) {
    Object.assign(this.run, { times: run.times, curves: run.curves, status: run.status, control: run.control });
    $("time").max = run.times.length - 1;
    const running = run.status === "running" || run.status === "paused";
    $("state").textContent = running ? `${run.status}, t = ${written(run.times.at(-1))} s of ${written(run.end)} s` : run.status.split("\n")[0];
    $("follow-label").hidden = !running;
    $("control").hidden = !run.control || !running;
    $("control").textContent = run.status === "paused" ? "Resume run" : "Pause run";
    const span = [run.times[0], Math.max(run.times.at(-1), ...run.curves.ledger.time.slice(-1)) || 1];
    this.span = span;
    CHARTS.forEach(([, , , table, columns], i) => {
      const data = run.curves[table];
      const size = (c) => data[c].reduce((m, v) => Math.max(m, Math.abs(v) || 0), 0);
      const all = columns.filter((c) => data[c]);
      const shift = (c) => (c === "potential" ? data[c].map((v) => v - data[c][0]) : data[c]);
      const largest = Math.max(...all.map((c) => (c === "potential" ? Math.max(...shift(c).map(Math.abs)) : size(c))), 0);
      const kept = all.filter((c, j) => j < 2 || size(c) > 1e-4 * largest);
      const series = kept.map((c) => ({ name: c.replaceAll("_", " ").replace("potential", "potential, since start").replace("residual scale free", "scale-free"), colour: COLOURS[all.indexOf(c) % COLOURS.length], values: shift(c) }));
      this.charts[i].set(data.time, series, span);
    });
  }
  async poll() {
    for (;;) {
      await new Promise((done) => setTimeout(done, 1000));
      if (this.run.status !== "running" && this.run.status !== "paused") return;
      try {
        const atEnd = this.index >= this.run.times.length - 1;
        this.update(await this.source.state());
        if ($("follow").checked && atEnd && !this.playing) this.show(this.run.times.length - 1);
      } catch {
        $("state").textContent = "the program that served this page has ended";
        return;
      }
    }
  }
  look() {
    const dark = document.documentElement.classList.contains("dark");
    const axis = "xyz".indexOf($("clip").value || "-");
    const clip = [0, 0, 0, 1e30];
    if (axis >= 0) {
      clip[axis] = 1;
      clip[3] = this.box[0][axis] + ($("clip-at").value / 1000) * (this.box[1][axis] - this.box[0][axis]);
    }
    return {
      camera: this.camera, clip, opacity: { solid: 1, ghost: 0.13, hidden: 0 }[$("bodies").value],
      back: dark ? [0.082, 0.094, 0.106] : [0.969, 0.969, 0.961], boundary: dark ? [0.42, 0.45, 0.48] : [0.7, 0.72, 0.74],
      ink: dark ? [0.03, 0.04, 0.05] : [0.15, 0.17, 0.19], force: dark ? [1, 0.42, 0.5] : [0.77, 0.12, 0.23],
    };
  }
  async show(index) {
    index = Math.max(0, Math.min(this.run.times.length - 1, Math.round(index)));
    this.index = this.wanted = index;
    $("time").value = index;
    const time = this.run.times[index];
    // As many digits as tell frames apart.
    const digits = Math.max(3, Math.ceil(2 - Math.log10(this.run.end || 1)));
    $("clock").textContent = `t = ${time.toFixed(digits)} s  (${index + 1} of ${this.run.times.length})`;
    this.charts.forEach((chart) => chart.move(time));
    if (this.history) this.history.move(time);
    try {
      const frame = await this.frames.get(index);
      // A later wish may have come meanwhile.
      if (this.wanted === index) this.paint(frame);
      $("message").hidden = true;
    } catch (error) {
      $("message").hidden = false;
      $("message").textContent = `Frame ${index + 1} cannot be shown: ${error.message}`;
    }
  }
  paint(frame) {
    this.frame = frame;
    const key = $("colour").value, [, , ofBodies, ofNodes] = QUANTITIES[key], signed = SIGNED.has(key);
    const values = ofBodies(frame, this.run), levels = ofNodes ? ofNodes(frame) : new Float32Array(frame.nodes.n);
    const sizes = scratchOf(values.length + levels.length);
    for (let i = 0; i < values.length; i++) sizes[i] = Math.abs(values[i]);
    for (let i = 0; i < levels.length; i++) sizes[values.length + i] = Math.abs(levels[i]);
    this.tops[key] = Math.max(this.tops[key] || 0, quantile(sizes, 0.99));
    const forces = $("forces").checked;
    if (forces) this.forceTop = Math.max(0.9 * this.forceTop, largestForce(frame, this.run));
    const lines = forces && this.forceTop > 0
      ? this.painter.forceLines(frame, this.forceTop, 0.13 * this.run.things.typical) : new Float32Array(0);
    const top = this.tops[key];
    this.painter.show(frame, values, top, this.selected, lines);
    const level = (value) => (signed ? 0.5 + (0.5 * value) / (top || 1) : value / (top || 1));
    if (this.painter.solids) this.painter.solids.show(frame.nodes, Float32Array.from(levels, level), this.selected, signed);
    this.legend();
    this.tell();
    this.dirty = true;
  }
  again() { if (this.frame) this.paint(this.frame); }
  tick(now) {
    if (this.playing) {
      const speed = Number($("speed").value), passed = Math.min(0.1, (now - this.last) / 1000 || 0);
      this.clock += passed * speed;
      const times = this.run.times;
      if (this.clock >= times.at(-1)) {
        if (this.run.status === "running") this.clock = times.at(-1);
        else { this.play(false); }
        if (this.index !== times.length - 1) this.show(times.length - 1);
      } else {
        let index = this.index;
        while (index + 1 < times.length && times[index + 1] <= this.clock) index++;
        // The next frame waits until this one is there, so that slow machines skip none.
        if (index !== this.index && this.frame && !this.frames.asked.size) this.show(index);
      }
      if (this.index + 1 < times.length) this.frames.get(this.index + 1).catch(() => {});
    }
    this.last = now;
    if (this.dirty || this.sized()) {
      this.dirty = false;
      this.painter.draw(this.look());
    }
    requestAnimationFrame((next) => this.tick(next));
  }
  sized() {
    const size = `${$("view").clientWidth} ${$("view").clientHeight}`;
    const changed = size !== this.size;
    this.size = size;
    return changed;
  }
  play(on) {
    this.playing = on;
    if (on && this.index >= this.run.times.length - 1) this.show(0);
    this.clock = this.run.times[this.index];
    $("play").textContent = on ? "Pause" : "Play";
  }
  seekTime(time) {
    const times = this.run.times;
    let best = 0;
    times.forEach((t, i) => { if (Math.abs(t - time) < Math.abs(times[best] - time)) best = i; });
    this.clock = times[best];
    this.show(best);
  }
  legend() {
    const canvas = $("legend"), pen = canvas.getContext("2d"), key = $("colour").value;
    const [name] = QUANTITIES[key], unit = quantityUnit(key, this.run);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    canvas.hidden = key === "plain";
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--ink");
    pen.font = "13px system-ui, sans-serif";
    pen.fillStyle = ink;
    if (key !== "plain") {
      pen.fillText(name, 0, 13);
      const signed = SIGNED.has(key), palette = signed ? this.run.signed : this.run.palette;
      palette.forEach((c, i, all) => { pen.fillStyle = c; pen.fillRect((i * 200) / all.length, 19, 200 / all.length + 1, 12); });
      pen.fillStyle = ink;
      pen.fillText(signed ? written(-this.tops[key], unit) : "0", 0, 46);
      pen.textAlign = "right";
      pen.fillText(written(this.tops[key], unit), 200, 46);
      pen.textAlign = "left";
    }
  }
  select(item) {
    this.selected = item;
    this.history = undefined;
    $("picked").replaceChildren();
    if (item < 0) $("picked").innerHTML = '<p class="hint">Click a body to see its data.</p>';
    else {
      this.table = document.createElement("table");
      const title = document.createElement("h2");
      const bodies = this.painter.shapes.bodies, names = this.run.things.names;
      const solid = this.run.things.solids[item - this.painter.shapes.items];
      title.textContent = solid ? solid.name : names[item] || (item < bodies ? `body ${item}` : `boundary ${item - bodies}`);
      $("picked").append(title, this.table);
      if (item < bodies) this.follow(item);
    }
    this.again();
  }
  // The data of the picked body or boundary in this frame.
  tell() {
    const item = this.selected, { frame, run } = this;
    if (item < 0) return;
    const d = run.dimension, bodies = this.painter.shapes.bodies, rows = [];
    const vector = (array, i) => `(${[...array.subarray(i * d, i * d + d)].map((v) => written(v)).join(", ")})`;
    const solid = run.things.solids[item - this.painter.shapes.items];
    if (solid) rows.push(...this.tellSolid(solid, item - this.painter.shapes.items));
    else if (item >= bodies) {
      const i = item - bodies;
      rows.push(["position", `${vector(frame.place, i)} m`], ["present", frame.present[i] ? "yes" : "removed"]);
    } else if (item >= frame.n) {
      rows.push(["", "has not entered yet"]);
    } else {
      let [touching, sliding, largest] = [0, 0, 0];
      for (let c = 0; c < frame.k; c++) {
        if (frame.first[c] !== item && frame.second[c] !== item) continue;
        touching += frame.status[c] > 0;
        sliding += frame.status[c] === 2;
        largest = Math.max(largest, Math.hypot(...frame.force.subarray(c * d, c * d + d)));
      }
      const speed = Math.hypot(...frame.velocity.subarray(item * d, item * d + d));
      const w = d === 2 ? 1 : 3;
      rows.push(["mass", written(run.things.mass[item], "kg").replace("kkg", "t").replace("mkg", "g")],
        ["position", `${vector(frame.position, item)} m`],
        ["speed", written(speed, "m/s")], ["velocity", `${vector(frame.velocity, item)} m/s`],
        ["spin", written(Math.hypot(...frame.spin.subarray(item * w, item * w + w)), "rad/s")],
        ["contacts", `${touching}, ${sliding} sliding`], ["largest force", written(largest, "N")],
        ["mean stress", written(pressures(frame, run)[item], quantityUnit("stress", run))],
        ["birth", written(frame.birth[item], "s")]);
    }
    this.table.replaceChildren(...rows.map((cells) => {
      const row = document.createElement("tr");
      row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      return row;
    }));
  }
  tellSolid(solid, index) {
    const { nodes, touches } = this.frame, d = this.run.dimension;
    const own = (array) => array.subarray(solid.first, solid.first + solid.count);
    const largest = (array) => own(array).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const forces = [...touches.solid].map((s, c) => (s === index ? Math.hypot(...touches.force.subarray(c * d, c * d + d)) : 0));
    return [["mass", written(solid.mass, "kg").replace("kkg", "t").replace("mkg", "g")], ["nodes", String(solid.count)],
      ["largest speed", written(largest(nodes.speed), "m/s")], ["largest von Mises", written(largest(nodes.vonMises), "Pa")],
      ["largest shear", written(largest(nodes.shear), "Pa")], ["contacts with force", String(forces.filter((f) => f > 0).length)],
      ["largest force", written(Math.max(0, ...forces), "N")]];
  }
  // The history of a body: its speed in some two hundred frames.
  async follow(item) {
    const count = this.run.times.length, stride = Math.max(1, Math.ceil(count / 200)), d = this.run.dimension;
    const chart = new Chart($("picked"), "Speed", "m/s", false, (t) => this.seekTime(t));
    this.history = chart;
    const [times, values] = [[], []];
    for (let index = 0; index < count; index += stride) {
      let frame;
      try { frame = await this.frames.get(index); } catch { continue; }
      if (this.history !== chart) return;
      times.push(frame.time);
      values.push(item < frame.n ? Math.hypot(...frame.velocity.subarray(item * d, item * d + d)) : NaN);
      if (times.length % 10 === 0 || index + stride >= count) {
        chart.set(times, [{ name: "speed", colour: COLOURS[0], values }], this.span);
        chart.move(this.run.times[this.index]);
      }
    }
  }
  picture() {
    this.painter.draw(this.look());
    const view = $("view"), paper = document.createElement("canvas"), pen = paper.getContext("2d");
    [paper.width, paper.height] = [view.width, view.height];
    pen.drawImage(view, 0, 0);
    pen.drawImage($("legend"), 14, view.height - 62);
    pen.font = "16px system-ui, sans-serif";
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--ink");
    pen.fillText(`${this.run.title}, t = ${this.run.times[this.index].toFixed(3)} s`, 14, 26);
    paper.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${this.run.title.replace(/[^\p{L}\p{N}]+/gu, "-")}-${String(this.index).padStart(6, "0")}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
  listen() {
    const redraw = () => { this.dirty = true; };
    $("play").onclick = () => this.play(!this.playing);
    $("time").oninput = () => { this.clock = this.run.times[$("time").value]; this.show(Number($("time").value)); };
    for (const id of ["colour", "forces"]) $(id).onchange = () => this.again();
    for (const id of ["bodies", "clip"]) $(id).onchange = redraw;
    $("clip-at").oninput = redraw;
    $("picture").onclick = () => this.picture();
    $("help").onclick = () => $("keys").showModal();
    $("theme").onclick = () => {
      document.documentElement.classList.toggle("dark");
      this.charts.forEach((chart) => chart.draw());
      if (this.history) this.history.draw();
      this.again();
    };
    $("control").onclick = async () => {
      await this.source.control(this.run.status === "paused" ? "resume" : "pause");
      this.update(await this.source.state());
    };
    window.addEventListener("resize", () => { this.charts.forEach((chart) => chart.draw()); redraw(); });
    this.pointer();
    window.addEventListener("keydown", (event) => this.key(event));
  }
  pointer() {
    const view = $("view");
    let from, moved;
    view.addEventListener("pointerdown", (event) => { view.setPointerCapture(event.pointerId); from = [event.clientX, event.clientY]; moved = 0; });
    view.addEventListener("pointermove", (event) => {
      if (!event.buttons || !from) return;
      const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
      from = [event.clientX, event.clientY];
      moved += Math.abs(dx) + Math.abs(dy);
      if (this.camera.flat || event.shiftKey || event.buttons !== 1) this.camera.pan(dx, dy, view.clientWidth, view.clientHeight);
      else this.camera.orbit(dx, dy);
      this.dirty = true;
    });
    view.addEventListener("pointerup", (event) => {
      if (moved < 4 && event.button === 0 && this.frame) {
        const box = view.getBoundingClientRect(), scale = view.width / box.width;
        this.select(this.painter.pick(this.look(), Math.floor((event.clientX - box.left) * scale), Math.floor((event.clientY - box.top) * scale)));
      }
      from = undefined;
    });
    view.addEventListener("contextmenu", (event) => event.preventDefault());
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.camera.zoom(Math.exp(0.0012 * event.deltaY));
      this.dirty = true;
    }, { passive: false });
  }
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    // A slider moves by itself.
    if (event.target.matches("select") || (event.target.matches("input[type=range]") && event.key.startsWith("Arrow"))) return;
    const next = (id) => { const s = $(id); s.selectedIndex = (s.selectedIndex + 1) % s.options.length; s.onchange(); };
    const stride = event.shiftKey ? 10 : 1;
    const actions = {
      " ": () => this.play(!this.playing), ArrowLeft: () => this.show(this.index - stride), ArrowRight: () => this.show(this.index + stride),
      Home: () => this.show(0), End: () => this.show(this.run.times.length - 1),
      f: () => { this.camera.fit(...this.box); this.dirty = true; }, c: () => next("colour"), b: () => next("bodies"),
      k: () => { $("forces").checked = !$("forces").checked; this.again(); }, x: () => next("clip"),
      t: () => $("theme").click(), p: () => this.picture(), "?": () => $("keys").showModal(), Escape: () => this.select(-1),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

(async () => {
  if (window.matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
  try {
    const data = JSON.parse($("data").textContent);
    const source = data ? embedded(data) : served();
    const run = await source.run();
    window.page = new Page(source, run);
    await window.page.begin();
  } catch (error) {
    $("message").hidden = false;
    $("message").textContent = error.message;
  }
})();
