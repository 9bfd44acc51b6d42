// A place to write scenes: a text field, and under it the same text in colours with what is wrong in it.
"use strict";

const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

// The pieces of a line of TOML: comments, texts, headers, keys, numbers and words.
const PIECES = /(?<note>#.*$)|(?<text>"(?:[^"\\]|\\.)*"?|'[^']*'?)|(?<table>^\s*\[\[?[^\]#]*\]?\]?)|(?<key>[A-Za-z_][\w-]*(?=[\w.\s-]*=))|(?<number>[+-]?\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b|\b(?:true|false|inf|nan)\b)/g;

// The pieces of a line as [from, to, kind]; `within` is the mark of a text that goes over several lines.
function pieces(line, within) {
  const found = [];
  let at = 0;
  if (within) {
    const end = line.indexOf(within);
    if (end < 0) return [[[0, line.length, "text"]], within];
    found.push([0, end + 3, "text"]);
    at = end + 3;
  }
  for (;;) {
    const mark = /"""|'''/.exec(line.slice(at));
    const stop = mark && !line.slice(at, at + mark.index).includes("#") ? at + mark.index : line.length;
    for (const match of line.slice(at, stop).matchAll(PIECES)) {
      const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
      found.push([at + match.index, at + match.index + match[0].length, kind]);
    }
    if (stop === line.length) return [found, null];
    const end = line.indexOf(mark[0], stop + 3);
    found.push([stop, end < 0 ? line.length : end + 3, "text"]);
    if (end < 0) return [found, mark[0]];
    at = end + 3;
  }
}

class Editor {
  // `suggest` gives what could stand at the end of a text.
  constructor(place, suggest, changed) {
    Object.assign(this, { place, suggest, changed, problems: [], words: [] });
    this.numbers = place.appendChild(Object.assign(document.createElement("div"), { className: "numbers" }));
    this.paper = place.appendChild(document.createElement("pre"));
    this.field = place.appendChild(Object.assign(document.createElement("textarea"), { spellcheck: false, autocapitalize: "off", autocomplete: "off" }));
    this.field.setAttribute("aria-label", "The text of the scene");
    this.list = place.appendChild(Object.assign(document.createElement("ul"), { className: "words", hidden: true }));
    this.field.addEventListener("input", () => { this.problems = []; this.draw(); this.changed(); this.offer(false); });
    this.field.addEventListener("scroll", () => this.scrolled());
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.field.addEventListener("pointerdown", () => this.close());
    this.list.addEventListener("pointerdown", (event) => {
      const row = event.target.closest("li");
      event.preventDefault();
      if (row) { this.chosen = [...this.list.children].indexOf(row); this.accept(); }
    });
  }
  get text() { return this.field.value; }
  set text(text) {
    this.field.value = text;
    this.problems = [];
    this.close();
    this.draw();
    this.field.scrollTop = 0;
    this.scrolled();
  }
  show(problems) { this.problems = problems; this.draw(); }
  draw() {
    const lines = this.text.split("\n"), wrong = new Map();
    for (const problem of this.problems) wrong.set(problem.line, [...(wrong.get(problem.line) || []), problem]);
    let within = null;
    const drawn = lines.map((line, i) => {
      const [found, next] = pieces(line, within);
      within = next;
      return this.line(line, found, wrong.get(i + 1) || []);
    });
    this.paper.innerHTML = drawn.join("\n") + "\n\n";
    this.numbers.innerHTML = lines.map((_, i) => {
      const here = wrong.get(i + 1);
      return here ? `<div class="${here.some((p) => p.severity === "error") ? "error" : "warning"}">${i + 1}</div>` : `<div>${i + 1}</div>`;
    }).join("") + "<br><br>";
    this.scrolled();
  }
  line(line, found, wrong) {
    // Columns are characters, and places are units of UTF-16.
    const unit = (column) => [...line].slice(0, column - 1).join("").length;
    const marks = wrong.map((p) => [unit(p.column), unit(p.column + Math.max(1, p.length)), p.severity]);
    const cuts = [...new Set([0, line.length, ...found.flatMap(([a, b]) => [a, b]), ...marks.flatMap(([a, b]) => [a, b])])].filter((x) => x <= line.length).sort((a, b) => a - b);
    let html = "";
    for (let i = 0; i + 1 < cuts.length; i++) {
      const [a, b] = [cuts[i], cuts[i + 1]], piece = found.find(([from, to]) => from <= a && b <= to), mark = marks.find(([from, to]) => from <= a && b <= to);
      let part = escaped(line.slice(a, b));
      if (piece) part = `<span class="${piece[2]}">${part}</span>`;
      if (mark) part = `<mark class="${mark[2]}">${part}</mark>`;
      html += part;
    }
    for (const p of wrong.slice(0, 2)) html += `<span class="lens ${p.severity}">${escaped(p.message)}${p.suggestion ? `: ${escaped(p.suggestion)}` : ""}</span>`;
    return html;
  }
  scrolled() {
    this.paper.scrollTop = this.numbers.scrollTop = this.field.scrollTop;
    this.paper.scrollLeft = this.field.scrollLeft;
  }
  // Puts the caret at a line and a column, both from 1, and shows it.
  go(line, column) {
    const lines = this.text.split("\n").slice(0, line), last = lines.pop() || "";
    const at = lines.reduce((sum, l) => sum + l.length + 1, 0) + [...last].slice(0, column - 1).join("").length;
    this.field.focus();
    this.field.setSelectionRange(at, at);
    this.field.scrollTop = Math.max(0, (line - 6) * 19);
    this.scrolled();
  }
  // Writes in place of some letters before the caret, so that it can be undone.
  write(text, instead = 0) {
    const { field } = this, at = field.selectionStart;
    field.focus();
    field.setSelectionRange(at - instead, field.selectionEnd);
    if (!document.execCommand("insertText", false, text)) field.setRangeText(text, at - instead, field.selectionEnd, "end");
  }
  key(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.offer(true);
    } else if (!this.list.hidden && ["ArrowDown", "ArrowUp", "Enter", "Tab", "Escape"].includes(event.key)) {
      event.preventDefault();
      if (event.key === "Escape") this.close();
      else if (event.key.startsWith("Arrow")) this.choose(this.chosen + (event.key === "ArrowDown" ? 1 : -1));
      else this.accept();
    } else if (event.key === "Tab" && !event.shiftKey && !event.ctrlKey) {
      event.preventDefault();
      this.write("  ");
    } else if (["ArrowLeft", "ArrowRight", "Home", "End", "Escape"].includes(event.key)) this.close();
  }
  // Shows what could stand at the caret; unasked only where a word is begun.
  async offer(asked) {
    const { field } = this, at = field.selectionStart, before = this.text.slice(0, at);
    if (at !== field.selectionEnd || (!asked && !/[\w"[{]$/.test(before))) return this.close();
    const words = await this.suggest(before);
    if (field.selectionStart !== at || !Array.isArray(words)) return;
    if (!words.length || (!asked && words[0].instead === 0 && words.length > 40)) return this.close();
    this.words = words;
    this.list.replaceChildren(...words.map(({ word, about }) => {
      const row = document.createElement("li");
      row.append(word, Object.assign(document.createElement("small"), { textContent: about }));
      row.title = about;
      return row;
    }));
    const line = before.split("\n"), width = this.letter();
    this.list.hidden = false;
    const left = 46 + 10 + (line.at(-1).length - words[0].instead) * width - field.scrollLeft, top = line.length * 19 + 8 - field.scrollTop;
    this.list.style.left = `${Math.max(50, Math.min(left, this.place.clientWidth - 260))}px`;
    const above = top + this.list.offsetHeight > this.place.clientHeight;
    this.list.style.top = `${above ? Math.max(0, top - 21 - this.list.offsetHeight) : top}px`;
    this.choose(0);
  }
  // The width of a letter.
  letter() {
    const pen = (Editor.pen ??= document.createElement("canvas").getContext("2d"));
    pen.font = getComputedStyle(this.field).font;
    return pen.measureText("0".repeat(100)).width / 100;
  }
  choose(index) {
    const rows = [...this.list.children];
    this.chosen = (index + rows.length) % rows.length;
    rows.forEach((row, i) => row.classList.toggle("chosen", i === this.chosen));
    rows[this.chosen].scrollIntoView({ block: "nearest" });
  }
  accept() {
    const { word, instead } = this.words[this.chosen];
    this.close();
    this.write(word, instead);
    this.close();
  }
  close() { this.list.hidden = true; }
}
