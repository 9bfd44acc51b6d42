// What stands under the picture, so that nothing lies over the scene: scale of colours, of forces, of lengths, and the axes.
"use strict";

const MATERIAL_COLOURS = ["#c9b79c", "#6f8fb5", "#9db17c", "#c98b6b", "#9c86ad", "#7fb0ac", "#d0a9b4", "#8c8c8c"];

class Strip {
  constructor(canvas) {
    this.canvas = canvas;
  }
  draw(page) {
    const { canvas } = this, scale = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (!w) return;
    if (canvas.width !== Math.round(w * scale)) [canvas.width, canvas.height] = [Math.round(w * scale), Math.round(h * scale)];
    const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = colour("--back");
    pen.fillRect(0, 0, w, h);
    pen.font = "12px system-ui, sans-serif";
    [pen.fillStyle, pen.strokeStyle, pen.lineWidth] = [colour("--ink"), colour("--ink"), 1];
    this.ink = colour("--ink");
    let at = 14;
    at = this.colours(pen, page, at);
    if (page.forceTop > 0 && page.drawsForces()) at = this.forces(pen, page, at, colour("--force"));
    this.axes(pen, page, w - 40);
    this.lengths(pen, page, w - 90, w - 100 - at);
  }
  colours(pen, page, x) {
    const key = page.colour, [name] = QUANTITIES[key], { run } = page;
    if (key === "plain") return x;
    if (KINDS.has(key)) return this.kinds(pen, name, namesOf(key, run), x);
    const [low, high] = page.range(key), unit = quantityUnit(key, run), wide = 210;
    const palette = SIGNED.has(key) ? run.signed : run.palette;
    const [factor, prefix] = unit ? prefixOf(Math.max(Math.abs(low), Math.abs(high))) : [1, ""];
    pen.textAlign = "left";
    pen.fillText(unit ? `${name} (${prefix}${unit})` : name, x, 13);
    const kind = page.scale, steps = kind === "steps" ? STEPS + 1 : wide;
    for (let i = 0; i < steps; i++) {
      const level = steps === 1 ? 0 : i / (steps - 1), p = palette[Math.round(level * (palette.length - 1))];
      pen.fillStyle = p;
      pen.fillRect(x + (i * wide) / steps, 19, wide / steps + 0.5, 11);
    }
    pen.fillStyle = this.ink;
    pen.strokeRect(x + 0.5, 19.5, wide, 11);
    const marks = this.marks(kind, low, high);
    marks.forEach(([value, share]) => {
      const place = x + share * wide;
      pen.beginPath();
      pen.moveTo(place, 30);
      pen.lineTo(place, 34);
      pen.stroke();
      pen.textAlign = share < 0.04 ? "left" : share > 0.96 ? "right" : "center";
      pen.fillText(written(Number((value / factor).toPrecision(3))), place, 46);
    });
    return x + wide + 30;
  }
  marks(kind, low, high) {
    if (kind === "steps") return [0, 1, 2, 3].map((i) => [high * STEP ** i, (STEPS - i) / (STEPS + 1)]);
    const level = SCALES[kind](low, high);
    if (kind === "logarithmic") {
      const bottom = low > 0 ? low : high * 1e-4, marks = [];
      for (let p = Math.ceil(Math.log10(bottom) - 1e-9); 10 ** p <= high * (1 + 1e-9); p++) marks.push(10 ** p);
      const some = marks.length ? marks : [bottom, high];
      return some.map((value) => [value, level(value)]);
    }
    return ticks(low, high, 4).map((value) => [value, level(value)]);
  }
  kinds(pen, title, names, x) {
    pen.textAlign = "left";
    pen.fillText(title, x, 13);
    names.slice(0, 6).forEach((name, i) => {
      pen.fillStyle = MATERIAL_COLOURS[i % MATERIAL_COLOURS.length];
      pen.fillRect(x, 19, 14, 11);
      pen.fillStyle = this.ink;
      pen.fillText(name, x + 18, 29);
      x += 30 + pen.measureText(name).width;
    });
    return x + 10;
  }
  forces(pen, page, x, colour) {
    const force = roundLength(0.25 * page.forceTop), { camera } = page;
    const width = 2 * page.widest() * Math.min(1, force / page.forceTop) * this.pixels(page, camera);
    pen.fillStyle = colour;
    pen.fillRect(x, 25 - width / 2, 42, Math.max(1, Math.min(26, width)));
    pen.fillStyle = this.ink;
    pen.textAlign = "left";
    pen.fillText(written(force, "N"), x + 48, 29);
    return x + 120;
  }
  // Pixels of the screen for a metre at what the camera looks at.
  pixels(page, camera) {
    const view = $("view");
    return view.clientHeight / (2 * camera.half(view.clientWidth / view.clientHeight));
  }
  lengths(pen, page, right, room) {
    const per = this.pixels(page, page.camera);
    if (!(per > 0) || room < 60) return;
    let length = roundLength(60 / per);
    if (length * per > room) length = roundLength(30 / per);
    const wide = length * per, left = right - wide;
    pen.beginPath();
    for (const [a, b] of [[[left, 30], [right, 30]], [[left, 26], [left, 34]], [[right, 26], [right, 34]]]) {
      pen.moveTo(...a);
      pen.lineTo(...b);
    }
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.textAlign = "center";
    pen.fillText(written(length, "m"), (left + right) / 2, 46);
    if (page.grid && page.run.dimension === 3) pen.fillText(`grid ${written(page.grid, "m")}`, (left + right) / 2, 14);
  }
  axes(pen, page, x) {
    const { right, up, back } = page.camera.axes(), y = 33, long = 15;
    const ends = ["x", "y", "z"].slice(0, page.run.dimension).map((name, a) => [name, right[a], up[a], back[a]]);
    ends.sort((a, b) => a[3] - b[3]).forEach(([name, dx, dy]) => {
      const size = Math.hypot(dx, dy);
      if (size < 0.05) return;
      pen.lineWidth = 1.3;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + long * dx, y - long * dy);
      pen.stroke();
      pen.textAlign = "center";
      pen.fillText(name, x + (long + 8 / size) * dx, y - (long + 8 / size) * dy + 4);
    });
  }
}
