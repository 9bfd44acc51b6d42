// Two runs side by side, at one time. Each is a page of its own in a frame; this one moves both.
"use strict";

const $ = (id) => document.getElementById(id);
// What is chosen in one page is chosen in the other too.
const CHOICES = ["colour", "scale", "bodies", "boundaries", "shadows", "forces", "ways", "joints", "arrows", "bonds", "clip", "clip-at", "low", "high"];

class Pair {
  constructor(pages, documents) {
    Object.assign(this, { pages, documents, clock: 0, playing: false, last: 0 });
    this.begin = Math.min(...pages.map((page) => page.run.times[0]));
    this.clock = this.begin;
    const flat = pages.map((page) => page.camera.flat);
    if (flat[0] !== flat[1]) $("one-camera-label").hidden = !($("one-camera").checked = false);
    documents.forEach((document, i) => { document.getElementById("title").textContent += ` (${pages[i].run.name})`; });
    this.own = pages.map((page) => page.camera);
    pages.forEach((page) => {
      page.play(false);
      const fit = page.fit.bind(page);
      page.fit = () => ($("one-camera").checked ? this.fit() : fit());
    });
    $("one-camera").onchange = () => this.share();
    $("panels").onchange = () => documents.forEach((document) => document.body.classList.toggle("panel", $("panels").checked));
    $("play").onclick = () => this.play(!this.playing);
    $("time").oninput = () => this.seek(this.begin + ($("time").value / 1000) * (this.end - this.begin));
    for (const place of [document, ...documents]) place.addEventListener("keydown", (event) => this.key(event), true);
    $("speed").value = String(Math.min(...pages.map((_, i) => Number(documents[i].getElementById("speed").value))));
    this.share();
    this.play(!window.matchMedia("(prefers-reduced-motion: reduce)").matches);
    requestAnimationFrame((now) => this.tick(now));
  }
  get end() { return Math.max(...this.pages.map((page) => page.run.times.at(-1))); }
  share() {
    const { pages } = this, one = $("one-camera").checked;
    pages.forEach((page, i) => { page.camera = one ? this.own[0] : this.own[i]; });
    pages.forEach((page) => page.fit());
  }
  // Shows what moves in either run.
  fit() {
    const { pages } = this, boxes = pages.map((page) => page.framing.box), pick = (least, k) => boxes[0][k].map((x, a) => least(x, boxes[1][k][a]));
    pages[0].camera.fit([pick(Math.min, 0), pick(Math.max, 1)], Math.min(...pages.map((page) => page.aspect())));
    pages.forEach((page) => Object.assign(page, { following: true, dirty: true }));
  }
  play(on) {
    if (on && this.clock >= this.end) this.clock = this.begin;
    this.playing = on;
    $("play").textContent = on ? "Pause" : "Play";
  }
  seek(time) {
    this.clock = Math.max(this.begin, Math.min(this.end, time));
    this.show();
  }
  // The last frame of each run that is not later than the clock; one that is on its way is waited for.
  show() {
    for (const page of this.pages) {
      const { times } = page.run;
      let [low, high] = [0, times.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= this.clock * (1 + 1e-12)) low = middle;
        else high = middle - 1;
      }
      if (low !== page.wanted) page.show(low);
      if (low + 1 < times.length) page.frames.get(low + 1).catch(() => {});
    }
    $("time").value = (1000 * (this.clock - this.begin)) / (this.end - this.begin || 1);
    $("clock").textContent = `t = ${this.clock.toFixed(Math.max(3, Math.ceil(2 - Math.log10(this.end || 1))))} s`;
  }
  key(event) {
    const stride = Math.min(...this.pages.map((page) => (page.run.times.at(-1) - page.run.times[0]) / Math.max(1, page.run.times.length - 1)));
    const actions = { " ": () => this.play(!this.playing), ArrowLeft: () => this.seek(this.clock - stride), ArrowRight: () => this.seek(this.clock + stride),
      Home: () => this.seek(this.begin), End: () => this.seek(this.end) };
    if (!actions[event.key] || event.target.matches("input, select")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    actions[event.key]();
  }
  // Choices and cameras go from the page where they changed to the other one.
  agree() {
    const { pages, documents } = this;
    if ($("one-camera").checked) {
      const { target, azimuth, elevation, distance } = pages[0].camera, seen = [...target, azimuth, elevation, distance].join();
      if (seen !== this.seen) pages.forEach((page) => { page.dirty = true; });
      this.seen = seen;
      if (pages.some((page) => !page.following)) pages.forEach((page) => { page.following = false; });
    }
    if (!$("one-look").checked) return;
    const told = (i) => CHOICES.map((id) => { const e = documents[i].getElementById(id); return e.type === "checkbox" ? e.checked : e.value; });
    const now = [0, 1].map(told);
    for (const [i, other] of [[0, 1], [1, 0]]) {
      CHOICES.forEach((id, c) => {
        if (!this.told || now[i][c] === this.told[i][c] || now[i][c] === now[other][c]) return;
        const e = documents[other].getElementById(id);
        if (e.type === "checkbox") e.checked = now[i][c];
        else e.value = now[i][c];
        (e.onchange || e.oninput).call(e);
      });
    }
    this.told = [0, 1].map(told);
    const ranges = pages.map((page) => (page.ranges[page.colour] ??= {}));
    const most = Math.max(...ranges.map((range) => range.seen || 0));
    if (pages[0].colour === pages[1].colour) ranges.forEach((range, i) => {
      if (most <= (range.seen || 0)) return;
      range.seen = most;
      pages[i].again();
    });
    const force = Math.max(...pages.map((page) => page.forceTop));
    for (const page of pages) {
      const draws = page.leastForce < force;
      page.leastForce = force;
      if (draws) page.again();
    }
  }
  tick(now) {
    const waits = this.pages.some((page) => page.frame && page.frame.time !== page.run.times[page.wanted]);
    if (this.playing && !waits) {
      this.clock = Math.min(this.end, this.clock + Math.min(0.1, (now - this.last) / 1000 || 0) * Number($("speed").value));
      if (this.clock >= this.end && !this.pages.some((page) => page.run.status === "running")) this.play(false);
      this.show();
    }
    this.last = now;
    this.agree();
    requestAnimationFrame((next) => this.tick(next));
  }
}

(async () => {
  const data = JSON.parse($("data").textContent);
  if (window.matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
  const frames = [0, 1].map((i) => {
    const frame = document.createElement("iframe");
    // The pages themselves, or where the server has them.
    if (data) frame.srcdoc = data[i];
    else frame.src = `${i}/`;
    $("pair").append(frame);
    return frame;
  });
  const ready = async (frame) => {
    for (;;) {
      const page = frame.contentWindow.page;
      if (page && page.begun) break;
      await new Promise((done) => setTimeout(done, 50));
    }
    frame.contentDocument.body.classList.add("beside");
    return frame.contentWindow.page;
  };
  const pages = await Promise.all(frames.map(ready));
  document.title = `${pages[0].run.title} | ${pages[1].run.title}`;
  window.pair = new Pair(pages, frames.map((frame) => frame.contentDocument));
})();
