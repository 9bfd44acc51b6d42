// The page: a scene is written on the left, and runs on the right.
"use strict";

const $ = (id) => document.getElementById(id);

// A text as a part of a link: deflated, in the letters of base64url.
async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
async function unpacked(letters) {
  const text = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

// `key=value` pairs with semicolons between them.
const changesOf = (text) => text.split(";").map((part) => part.trim()).filter(Boolean);

// Numbers with three digits, and none of them for nothing.
const short = (x) => (x === 0 ? "0" : Math.abs(x) >= 0.01 && Math.abs(x) < 1e4 ? String(Number(x.toPrecision(3))) : x.toExponential(1));

class Playground {
  constructor() {
    Object.assign(this, { number: 0, name: "scene.toml", files: {}, asked: new Map(), run: null });
    this.runner = new Worker("worker.js");
    this.runner.onmessage = ({ data }) => this.heard(data);
    // Its own worker looks at what is written, while the other one computes.
    this.reader = new Worker("worker.js");
    this.reader.onmessage = ({ data }) => this.answered(data);
    this.editor = new Editor($("editor"), (text) => this.inquire("suggest", { text }), () => this.edited());
    this.ready = new Promise((done) => { this.isReady = done; });
    this.runner.postMessage({ kind: "load", from: "drystone_playground.wasm" });
    this.buttons();
  }
  ask(message) { this.runner.postMessage(message); }
  // What is run or checked.
  get source() {
    return { name: this.name, text: this.editor.text, files: this.files, changes: changesOf($("changes").value) };
  }
  inquire(kind, what) {
    const id = (this.lastId = (this.lastId || 0) + 1);
    this.reader.postMessage({ kind, id, ...what });
    return new Promise((done) => this.asked.set(id, done));
  }
  answered({ kind, id, answer, error }) {
    if (kind === "failed" && id === undefined) return;
    const done = this.asked.get(id);
    this.asked.delete(id);
    if (done) done(answer ?? { failed: error });
  }
  edited() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), 300);
  }
  async check() {
    const { text } = this.editor, found = await this.inquire("check", { source: this.source });
    // It may have been changed meanwhile.
    if (text === this.editor.text) this.tell(found);
  }
  // Shows what is wrong with the scene.
  tell(found) {
    if (found.failed) found = { problems: [{ severity: "error", line: 0, column: 1, message: found.failed, text: found.failed }], errors: 1, warnings: 0, summary: "1 error" };
    const own = found.problems.filter((p) => p.file === undefined || p.file.startsWith(this.name));
    this.editor.show(own);
    const rows = found.problems.map((problem) => {
      const row = document.createElement("pre");
      Object.assign(row, { className: problem.severity, textContent: problem.text.trimEnd() });
      row.onclick = () => { if (own.includes(problem) && problem.line) this.editor.go(problem.line, problem.column); };
      return row;
    });
    const line = Object.assign(document.createElement("p"), { textContent: found.problems.length ? found.summary : "No problems. Ctrl+Enter runs it from its beginning, Ctrl+Space tells what can stand here." });
    $("problems").replaceChildren(...rows, line);
  }
  async start() {
    await this.ready;
    this.number += 1;
    this.run = null;
    this.ask({ kind: "open", source: this.source, number: this.number });
  }
  heard(data) {
    if (data.number !== undefined && data.number !== this.number) return;
    this[`on_${data.kind}`](data);
  }
  on_ready({ code }) {
    // Compiled once.
    this.reader.postMessage({ kind: "load", from: code });
    this.isReady();
  }
  on_opened({ opened }) {
    this.tell(opened.failed && !opened.run ? { failed: opened.failed } : opened);
    $("prolong").hidden = true;
    if (!opened.run) {
      this.figures({ message: "The scene cannot be run: see what is wrong with it." });
      return;
    }
    Object.assign(this, { run: opened.run, live: null, early: [], summary: null });
  }
  on_frame({ block, row }) {
    if (!this.run) return;
    if (this.live) {
      this.live.take(block, row);
      return;
    }
    this.early.push([block, row]);
    if (this.early.length > 1) return;
    // With the first frame the page can be opened.
    const view = $("view"), { number } = this;
    view.onload = async () => {
      if (number !== this.number) return;
      const { live } = view.contentWindow;
      this.live = live;
      live.ahead = $("ahead").checked;
      this.early.splice(0).forEach(([b, r]) => live.take(b, r));
      live.started();
      await live.begin();
      // A short run may be over by now.
      if (this.summary && number === this.number) live.update(this.summary.status.split("\n")[0]);
    };
    view.contentWindow.location.replace("view.html");
  }
  on_summary({ summary, steps, spent }) {
    if (this.live) this.live.update(summary.status.split("\n")[0]);
    this.summary = summary;
    $("prolong").hidden = summary.goes_on || summary.status !== "finished";
    this.figures({ summary, steps, spent });
  }
  on_failed({ error }) {
    if (this.live) this.live.update(`failed: ${error}`);
    this.figures({ message: error, kind: "failed" });
  }
  figures({ message, kind, summary, steps, spent }) {
    const row = $("figures"), add = (text, name = "", title = "") => row.append(Object.assign(document.createElement("span"), { innerHTML: text, className: name, title }));
    row.replaceChildren();
    if (message) return add(escaped(message), kind);
    const { energy, reasons } = summary, doubtful = reasons.length > 0;
    add(`<b>${doubtful ? "doubtful" : "trusted"}</b>`, doubtful ? "doubtful" : "trusted", reasons.join("\n"));
    add(`t = <b>${short(summary.time)} s</b>`);
    add(`${summary.bodies} bodies, ${summary.contacts.max} contacts at most`);
    add(`residual <b>${short(summary.residual.max)}</b>`, "", "The largest of all steps");
    add(`ledger closes to <b>${short(energy.closure_max)}</b>`, "", "What the energy ledger cannot explain, over the largest energy seen");
    if (spent > 0) add(`<b>${short(summary.time_step * steps / (spent / 1000))}</b> × real time`, "", `${short(spent / steps)} ms a step`);
    add(`hash <b>${summary.state_hash}</b>`, "", "Of the state, as the program tells it: the same scene gives the same bits here and there");
    if (summary.status !== "running") add(escaped(summary.status.split("\n")[0]), summary.status === "finished" ? "" : "failed");
    if (doubtful) add(escaped(reasons[0]), "doubtful", reasons.join("\n"));
  }
  // A scene of the gallery.
  async choose(name) {
    const scene = this.gallery.find((one) => one.name === name);
    const texts = await Promise.all(scene.files.map(async (file) => [file, await (await fetch(`scenes/${file}`)).text()]));
    const text = await (await fetch(`scenes/${name}.toml`)).text();
    Object.assign(this, { name: `${name}.toml`, files: Object.fromEntries(texts) });
    $("gallery").value = name;
    this.editor.text = text;
    await this.start();
  }
  // What the link says, else the first scene.
  async begin() {
    this.gallery = await (await fetch("scenes/index.json")).json();
    $("gallery").append(new Option("own", "", false, false), ...this.gallery.map(({ name, title }) => Object.assign(new Option(name, name), { title })));
    await this.follow(location.hash);
    window.addEventListener("hashchange", () => this.follow(location.hash));
  }
  async follow(hash) {
    const said = new URLSearchParams(hash.slice(1));
    $("changes").value = said.get("set") || "";
    const name = said.get("gallery") || "wall";
    if (!said.has("scene")) return this.choose(this.gallery.some((one) => one.name === name) ? name : this.gallery[0].name);
    try {
      const { name, text, files } = JSON.parse(await unpacked(said.get("scene")));
      Object.assign(this, { name, files });
      $("gallery").value = "";
      this.editor.text = text;
    } catch {
      this.figures({ message: "This link holds no scene that can be read.", kind: "failed" });
      return;
    }
    await this.start();
  }
  // The address of this page with the scene in it: by name, where it is one of the gallery as it is.
  async link() {
    const said = new URLSearchParams(), { text } = this.editor, name = $("gallery").value;
    const known = name && (await (await fetch(`scenes/${name}.toml`)).text()) === text;
    if (known) said.set("gallery", name);
    else said.set("scene", await packed(JSON.stringify({ name: this.name, text, files: this.files })));
    if ($("changes").value.trim()) said.set("set", $("changes").value.trim());
    return `${location.href.split("#")[0]}#${said}`;
  }
  async share() {
    const link = await this.link();
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      $("share").textContent = "Copied";
    } catch {
      $("share").textContent = "In the address";
    }
    setTimeout(() => { $("share").textContent = "Share"; }, 2000);
  }
  save() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.editor.text], { type: "application/toml" }));
    link.download = this.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  // Scene files, and others that they name.
  async load(list) {
    const files = [...list], scene = files.find((file) => file.name.endsWith(".toml")) || files[0];
    if (!scene) return;
    const others = files.filter((file) => file !== scene);
    this.name = scene.name;
    this.files = Object.fromEntries(await Promise.all(others.map(async (file) => [file.name, await file.text()])));
    $("gallery").value = "";
    this.editor.text = await scene.text();
    await this.start();
  }
  buttons() {
    $("run").onclick = () => this.start();
    $("gallery").onchange = () => { if ($("gallery").value) { history.replaceState(null, "", location.pathname); $("changes").value = ""; this.choose($("gallery").value); } };
    $("changes").onchange = () => this.start();
    $("ahead").onchange = () => { if (this.live) this.live.ahead = $("ahead").checked; };
    $("prolong").onclick = () => {
      const { run, summary } = this;
      run.end = summary.time + run.end;
      $("prolong").hidden = true;
      this.live.update("running");
      this.ask({ kind: "prolong", end: run.end, number: this.number });
      this.live.page.play(true);
    };
    $("open").onclick = () => $("file").click();
    $("file").onchange = () => this.load($("file").files);
    $("save").onclick = () => this.save();
    $("share").onclick = () => this.share();
    window.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      const act = { Enter: () => this.start(), s: () => this.save(), o: () => $("open").click() }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => { event.preventDefault(); this.load(event.dataTransfer.files); });
    const divider = $("divider");
    divider.onpointerdown = (event) => { divider.setPointerCapture(event.pointerId); document.body.classList.add("dragging"); };
    divider.onpointermove = (event) => { if (document.body.classList.contains("dragging")) $("writing").style.width = `${Math.max(200, event.clientX)}px`; };
    divider.onpointerup = () => document.body.classList.remove("dragging");
  }
}

window.playground = new Playground();
window.playground.begin().catch((error) => window.playground.figures({ message: error.message, kind: "failed" }));
