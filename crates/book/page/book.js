// Search: headings and the words below them, those with the words in a heading first.
"use strict";

const field = document.getElementById("search"), found = document.getElementById("found"), contents = document.getElementById("contents");

function search(text) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const weigh = ([chapter, title, , words]) => {
    const [head, body] = [`${chapter} ${title}`.toLowerCase(), words.toLowerCase()];
    if (!wanted.every((word) => head.includes(word) || body.includes(word))) return 0;
    return wanted.reduce((sum, word) => sum + (head.includes(word) ? 10 : 0) + Math.min(5, body.split(word).length - 1), 1);
  };
  return WORDS.map((entry) => [weigh(entry), entry]).filter(([weight]) => weight > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
}

function piece(words, wanted) {
  const at = Math.max(0, words.toLowerCase().indexOf(wanted));
  const from = Math.max(0, at - 40), small = document.createElement("small"), mark = document.createElement("mark");
  mark.textContent = words.slice(at, at + wanted.length);
  small.append(`${from ? "…" : ""}${words.slice(from, at)}`, mark, `${words.slice(at + wanted.length, at + 90)}…`);
  return small;
}

field.addEventListener("input", () => {
  const text = field.value.trim(), hits = text.length > 1 ? search(text) : [];
  found.hidden = text.length < 2;
  contents.hidden = !found.hidden;
  found.replaceChildren(...hits.map(([, [chapter, title, link, words]]) => {
    const row = document.createElement("li"), name = document.createElement("a");
    name.href = link;
    name.textContent = chapter === title ? chapter : `${chapter}: ${title}`;
    row.append(name, piece(words, text.toLowerCase().split(/\s+/)[0]));
    return row;
  }));
  if (!found.hidden && !hits.length) found.append(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target === field) return;
  event.preventDefault();
  field.focus();
});
