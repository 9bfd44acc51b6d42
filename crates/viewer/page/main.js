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
    Object.assign(this, { source, run, index: 0, playing: false, ranges: {}, forceTop: 0, leastForce: 0, arrowTop: {}, wanted: 0, following: true, clipSide: 1 });
    this.frames = new Frames(source, run);
    this.painter = new Painter($("view"));
    this.strip = new Strip($("strip"));
    this.camera = new Camera(run.dimension === 2);
    this.framing = new Framing(run);
    this.picked = new Picked(this);
    this.measure = new Measure(this);
  }
  async begin() {
    const first = await this.frames.get(0), { run } = this;
    // Where bodies will be belongs to the scene too, but not to what is seen at first.
    const last = run.times.length > 1 ? await this.frames.get(run.times.length - 1) : first;
    this.framing.follow(first);
    this.build(first, joined(this.framing.of(first), this.framing.of(last)));
    this.fit();
    $("title").textContent = document.title = run.title;
    this.charts = CHARTS.map(([title, unit, log]) => new Chart($("charts"), title, unit, log, (t) => this.seekTime(t)));
    this.controls = new Controls(this);
    this.update(run);
    const [bodies, solids] = [run.things.volume.length > 0, run.things.solids.length > 0];
    const unfit = [...(bodies ? [] : OF_BODIES), ...(solids ? [] : OF_SOLIDS)];
    this.marks = new Marks(this);
    this.ways = new Ways(this);
    for (const key of Object.keys(ARROWS)) $("arrows").add(new Option(key));
    if (!Object.values(run.things.names).length) unfit.push("group");
    for (const key of Object.keys(QUANTITIES)) if (!unfit.includes(key) && !(run.dimension === 2 && OF_SPACE.includes(key))) $("colour").add(new Option(QUANTITIES[key][0] || "none", key));
    $("colour").value = !bodies && solids ? "von_mises" : "speed";
    for (const id of ["arrows", "ways"]) $(id).parentElement.hidden = !bodies;
    $("bonds").parentElement.hidden = !first.bonds.n && !last.bonds.n;
    $("joints").parentElement.hidden = !run.things.joints.length;
    const flat = run.dimension === 2;
    if (flat) $("clip").querySelector('[value="z"]').remove();
    else [$("forces").checked, $("bonds").value] = [false, "damaged"];
    $("shadows").checked = !flat && run.things.volume.length <= SHADOWS_UP_TO;
    $("shadows").parentElement.hidden = flat;
    if (flat) $("boundaries").querySelector('[value="1"]').remove();
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
  // Shapes, and how far boundaries without an end are drawn.
  build(frame, box) {
    const size = V.norm(V.sub(box[1], box[0])), room = 0.05 * size;
    this.drawn = box.map((corner, k) => corner.map((x) => x + (k ? room : -room)));
    this.grid = roundLength(0.06 * size);
    this.painter.load(this.run, buildShapes(this.run, frame, this.drawn, this.grid));
  }
  aspect() { return $("view").clientWidth / Math.max(1, $("view").clientHeight); }
  // Shows all that moves, and goes on to do so.
  fit() {
    this.following = true;
    this.camera.fit(this.framing.box, this.aspect());
    this.dirty = true;
  }
  // Follows what moves as long as nobody has moved the camera.
  reframe(frame) {
    if (!this.following || !this.framing.follow(frame)) return;
    const { box } = this.framing, size = (b) => V.norm(V.sub(b[1], b[0])), all = joined(box, this.drawn);
    if (size(all) > 1.15 * size(this.drawn)) this.build(frame, all);
    this.fit();
  }
  get colour() { return $("colour").value; }
  get scale() { return SIGNED.has(this.colour) || KINDS.has(this.colour) ? "linear" : $("scale").value; }
  // The ends of the scale of colours: as the user has set them, else from what was seen so far.
  range(key) {
    const { low, high, seen = 0 } = this.ranges[key] || {};
    return [low ?? (SIGNED.has(key) ? -(high ?? seen) : 0), high ?? seen];
  }
  setRange(end, text) {
    const range = (this.ranges[this.colour] ??= {}), value = Number(text);
    range[end] = text.trim() === "" || !Number.isFinite(value) ? undefined : value;
    this.again();
  }
  drawsForces() { return $("forces").checked; }
  // Half the width of the line of the largest force.
  widest() { return 0.13 * this.run.things.typical; }
  look() {
    const dark = document.documentElement.classList.contains("dark");
    const axis = "xyz".indexOf($("clip").value || "-");
    const clip = [0, 0, 0, 1e30];
    if (axis >= 0) {
      const place = this.framing.box[0][axis] + ($("clip-at").value / 1000) * (this.framing.box[1][axis] - this.framing.box[0][axis]);
      [clip[axis], clip[3]] = [this.clipSide, this.clipSide * place];
    }
    return {
      camera: this.camera, clip, scene: this.framing.box, boundaries: Number($("boundaries").value), shadows: $("shadows").checked, opacity: { solid: 1, ghost: 0.13, hidden: 0 }[$("bodies").value],
      back: dark ? [0.082, 0.094, 0.106] : [0.969, 0.969, 0.961], boundary: dark ? [0.36, 0.39, 0.42] : this.camera.flat ? [0.85, 0.86, 0.87] : [0.69, 0.71, 0.74],
      ink: dark ? [0.62, 0.66, 0.7] : [0.15, 0.17, 0.19], forces: dark ? [1, 0.42, 0.5] : [0.77, 0.12, 0.23],
      arrows: dark ? [0.95, 0.75, 0.3] : [0.1, 0.1, 0.12], ways: dark ? [0.5, 0.62, 0.75] : [0.45, 0.52, 0.6], bonds: [0.18, 0.49, 0.31],
      damaged: [0.9, 0.53, 0.1], cracks: dark ? [1, 0.3, 0.35] : [0.77, 0.07, 0.15], joints: dark ? [0.95, 0.6, 0.95] : [0.78, 0.13, 0.7], trail: [0.95, 0.55, 0.1], measure: dark ? [1, 1, 1] : [0, 0, 0],
    };
  }
  // What is on the viewer's side is cut away.
  cut() {
    const axis = "xyz".indexOf($("clip").value || "-");
    if (axis >= 0) this.clipSide = this.camera.axes().back[axis] < -1e-9 ? -1 : 1;
    this.dirty = true;
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
    if (this.picked.history) this.picked.history.move(time);
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
    if (this.colour === "displacement" || $("arrows").value === "displacement") this.findStarts();
    this.reframe(frame);
    const { colour: key, painter, run } = this, [, , ofBodies, ofNodes] = QUANTITIES[key], signed = SIGNED.has(key);
    const values = ofBodies(frame, run, this), nodes = ofNodes ? ofNodes(frame) : new Float32Array(frame.nodes.n);
    const all = scratchOf(values.length + nodes.length);
    for (let i = 0; i < values.length; i++) all[i] = Math.abs(values[i]);
    for (let i = 0; i < nodes.length; i++) all[values.length + i] = Math.abs(nodes[i]);
    const range = (this.ranges[key] ??= {});
    range.seen = Math.max(range.seen || leastRange(key, run), quantile(all, 0.99));
    const level = KINDS.has(key) ? (value) => ((value % MATERIAL_COLOURS.length) + 0.5) / MATERIAL_COLOURS.length : SCALES[this.scale](...this.range(key));
    this.lines(frame);
    painter.map = KINDS.has(key) ? painter.maps.kinds : signed ? painter.maps.signed : painter.maps.usual;
    painter.show(frame, values.map(level), this.picked.item);
    if (painter.solids) painter.solids.show(frame.nodes, Float32Array.from(nodes, level), this.picked.item);
    this.picked.tell();
    this.fields();
    this.dirty = true;
  }
  // Where each body was first seen, in some two hundred frames.
  async findStarts() {
    if (this.starts) return;
    const { times, things: { volume }, dimension } = this.run, stride = Math.max(1, Math.ceil(times.length / 200));
    const starts = (this.starts = new Float32Array(volume.length * dimension).fill(NaN));
    let known = 0;
    for (let index = 0; index < times.length && known < starts.length; index += stride) {
      let frame;
      try { frame = await this.frames.get(index); } catch { continue; }
      for (; known < frame.n * dimension; known++) starts[known] = frame.position[known];
    }
    this.again();
  }
  // Lines over the scene.
  lines(frame) {
    const { painter, run } = this, { strokes } = painter, arrows = ARROWS[$("arrows").value];
    if (this.drawsForces()) this.forceTop = Math.max(0.9 * this.forceTop, largestForce(frame, run), this.leastForce);
    if (this.drawsForces() && this.forceTop > 0) painter.forceLines(frame, this.forceTop, this.widest());
    else strokes.forces.put(0);
    if (arrows) {
      const vectors = arrows(frame, run, this), key = $("arrows").value, top = quantile(sizes(frame, vectors, run.dimension), 0.99);
      this.arrowTop[key] = Math.max(0.9 * (this.arrowTop[key] || 0), top);
      painter.arrowLines(frame, vectors, this.arrowTop[key], 2.5 * run.things.typical);
    } else strokes.arrows.put(0);
    this.marks.show(frame);
    this.ways.show(frame);
    if (this.picked.item < 0) strokes.trail.put(0);
  }
  // The fields of the scale of colours say what it is.
  fields() {
    const { colour: key } = this, [low, high] = this.range(key), own = this.ranges[key];
    const kinds = KINDS.has(key) || key === "plain";
    for (const [id, value] of [["low", low], ["high", high]]) {
      $(id).disabled = kinds;
      $(id).placeholder = kinds ? "" : String(Number(value.toPrecision(3)));
      if (document.activeElement !== $(id)) $(id).value = own[id] ?? "";
    }
    $("scale").disabled = kinds || SIGNED.has(key);
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
      this.strip.draw(this);
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
  // The picture with what stands under it, and title and time.
  sheet() {
    this.painter.draw(this.look());
    this.strip.draw(this);
    const view = $("view"), strip = $("strip"), paper = (this.paper ??= document.createElement("canvas")), pen = paper.getContext("2d");
    const scale = view.width / view.clientWidth, head = Math.round(34 * scale);
    const [w, h] = [view.width, head + view.height + strip.height];
    // Films want even numbers.
    if (paper.width !== w + (w & 1) || paper.height !== h + (h & 1)) [paper.width, paper.height] = [w + (w & 1), h + (h & 1)];
    const style = getComputedStyle(document.documentElement);
    pen.fillStyle = style.getPropertyValue("--back");
    pen.fillRect(0, 0, paper.width, paper.height);
    pen.drawImage(view, 0, head);
    pen.drawImage(strip, 0, head + view.height);
    pen.font = `${Math.round(16 * scale)}px system-ui, sans-serif`;
    pen.fillStyle = style.getPropertyValue("--ink");
    pen.textAlign = "left";
    pen.fillText(this.run.title, 14 * scale, 23 * scale);
    pen.textAlign = "right";
    pen.fillText(`t = ${this.run.times[this.index].toFixed(3)} s`, w - 14 * scale, 23 * scale);
    return paper;
  }
  save(blob, ending) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${this.run.title.replace(/[^\p{L}\p{N}]+/gu, "-")}${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  picture() {
    this.sheet().toBlob((blob) => this.save(blob, `-${String(this.index).padStart(6, "0")}.png`));
  }
  // All frames from this one on as a film, at the speed that is set; again ends it.
  async film() {
    if (this.filming) { this.filming = false; return; }
    const kind = ["video/mp4;codecs=avc1", "video/webm;codecs=vp9", "video/webm"].find((k) => window.MediaRecorder && MediaRecorder.isTypeSupported(k));
    if (!kind) { $("state").textContent = "this browser cannot make films"; return; }
    this.play(false);
    this.filming = true;
    $("film").textContent = "Stop film";
    const paper = this.sheet(), stream = paper.captureStream(0), [track] = stream.getVideoTracks(), parts = [];
    const recorder = new MediaRecorder(stream, { mimeType: kind, videoBitsPerSecond: 12e6 });
    recorder.ondataavailable = (event) => parts.push(event.data);
    const ended = new Promise((done) => { recorder.onstop = done; });
    recorder.start();
    const { times } = this.run, speed = Number($("speed").value);
    for (let index = this.index; this.filming && index < times.length; index++) {
      const begun = performance.now();
      await this.show(index);
      this.sheet();
      track.requestFrame();
      const lasts = index + 1 < times.length ? ((times[index + 1] - times[index]) / speed) * 1000 : 500;
      await new Promise((done) => setTimeout(done, Math.max(0, Math.min(lasts, 500) - (performance.now() - begun))));
    }
    recorder.stop();
    await ended;
    this.filming = false;
    $("film").textContent = "Film";
    this.save(new Blob(parts, { type: kind }), kind.includes("mp4") ? ".mp4" : ".webm");
  }
}

(async () => {
  if (window.matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
  try {
    const data = JSON.parse($("data").textContent);
    // A page that computes the run itself has a source of its own.
    const source = window.source || (data ? embedded(data) : served());
    const run = await source.run();
    window.page = new Page(source, run);
    await window.page.begin();
    window.page.begun = true;
  } catch (error) {
    $("message").hidden = false;
    $("message").textContent = error.message;
  }
})();
