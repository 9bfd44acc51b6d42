// Curves over time with a cursor: energies, residual, iterations, contacts, and what a body did.
"use strict";

// Tables have this number or a larger one where something has no bound.
const UNBOUND = 1e300;

const COLOURS = ["#3b76b8", "#d1772c", "#3f9a57", "#b2475c", "#7d5fb0", "#8a6d4f", "#c75fa8", "#5f6b76", "#a89a2c", "#2fa3ab"];

class Chart {
  constructor(parent, title, unit, logarithmic, seek) {
    this.figure = document.createElement("figure");
    this.caption = document.createElement("figcaption");
    this.canvas = document.createElement("canvas");
    this.figure.append(this.caption, this.canvas);
    parent.append(this.figure);
    Object.assign(this, { title, unit, logarithmic, times: [], series: [], cursor: 0 });
    const at = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - 46) / (box.width - 52);
      seek(this.span[0] + Math.max(0, Math.min(1, share)) * (this.span[1] - this.span[0]));
    };
    this.canvas.addEventListener("pointerdown", (event) => { this.canvas.setPointerCapture(event.pointerId); at(event); });
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons) at(event); });
  }
  set(times, series, span) {
    Object.assign(this, { times, series, span });
    this.caption.replaceChildren(document.createTextNode(this.unit ? `${this.title} (${this.unit})` : this.title));
    if (series.length > 1) {
      series.forEach(({ name, colour }) => {
        const key = document.createElement("small");
        key.textContent = name;
        key.style.color = colour;
        this.caption.append(key);
      });
    }
    this.draw();
  }
  move(time) {
    this.cursor = time;
    this.draw();
  }
  range() {
    let low = Infinity, high = -Infinity;
    for (const { values } of this.series) {
      for (const value of values) {
        if (!Number.isFinite(value) || value >= UNBOUND || (this.logarithmic && value <= 0)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (low > high) return this.logarithmic ? [1e-16, 1] : [0, 1];
    // What is far above 1 is as bad as 1, and would press the rest together.
    if (this.logarithmic) return [10 ** Math.floor(Math.log10(Math.max(low, 1e-16))), Math.min(100, 10 ** Math.ceil(Math.log10(high * 1.0001)))];
    low = Math.min(low, 0);
    high = Math.max(high, 0);
    const room = 0.06 * (high - low) || 1;
    return [low < 0 ? low - room : 0, high + room];
  }
  draw() {
    const scale = window.devicePixelRatio || 1, { canvas } = this;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (!w || !this.span) return;
    canvas.width = w * scale;
    canvas.height = h * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement), colour = (name) => style.getPropertyValue(name).trim();
    const [left, right, top, bottom] = [46, w - 6, 6, h - 16];
    const [low, high] = this.range();
    const up = this.logarithmic ? Math.log10 : (v) => v;
    const x = (t) => left + ((right - left) * (t - this.span[0])) / (this.span[1] - this.span[0] || 1);
    const y = (v) => bottom - ((bottom - top) * (up(Math.max(low, Math.min(high, v))) - up(low))) / (up(high) - up(low) || 1);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = colour("--soft");
    pen.strokeStyle = colour("--line");
    const marks = this.logarithmic ? [...new Set([low, 10 ** Math.round((up(low) + up(high)) / 2), high])] : ticks(low, high, 3);
    pen.textAlign = "right";
    for (const mark of marks) {
      pen.fillText(this.logarithmic ? `1e${Math.round(up(mark))}` : written(mark, this.unit && " ").trim(), left - 5, y(mark) + 4);
      pen.beginPath();
      pen.moveTo(left, y(mark));
      pen.lineTo(right, y(mark));
      pen.stroke();
    }
    pen.textAlign = "center";
    for (const mark of ticks(...this.span, 4)) pen.fillText(`${written(mark)} s`, Math.min(x(mark), right - 12), h - 3);
    pen.save();
    pen.beginPath();
    pen.rect(left, top - 2, right - left, bottom - top + 4);
    pen.clip();
    for (const { values, colour: line } of this.series) this.curve(pen, values, line, x, y, right - left);
    pen.restore();
    pen.strokeStyle = colour("--ink");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x(this.cursor), top - 2);
    pen.lineTo(x(this.cursor), bottom);
    pen.stroke();
  }
  // One line; of many samples in a pixel the lowest and the highest are drawn.
  curve(pen, values, colour, x, y, width) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.4;
    pen.beginPath();
    const bunch = Math.max(1, Math.floor(values.length / (2 * width)));
    let begun = false;
    for (let i = 0; i < values.length; i += bunch) {
      let [low, high] = [Infinity, -Infinity];
      for (let j = i; j < Math.min(values.length, i + bunch); j++) {
        if (!Number.isFinite(values[j]) || (this.logarithmic && values[j] <= 0)) continue;
        low = Math.min(low, values[j]);
        high = Math.max(high, values[j]);
      }
      if (low > high) { begun = false; continue; }
      if (begun) pen.lineTo(x(this.times[i]), y(low));
      else pen.moveTo(x(this.times[i]), y(low));
      if (high > low) pen.lineTo(x(this.times[i]), y(high));
      begun = true;
    }
    pen.stroke();
  }
}

function ticks(low, high, count) {
  const rough = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) || 10);
  const marks = [];
  for (let mark = Math.ceil(low / step) * step; mark <= high + 1e-9 * step; mark += step) marks.push(Math.abs(mark) < 1e-9 * step ? 0 : mark);
  return marks;
}
