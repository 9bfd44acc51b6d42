// What the user does: buttons, mouse, keys.
"use strict";

class Controls {
  constructor(page) {
    this.page = page;
    const redraw = () => { page.dirty = true; };
    $("play").onclick = () => page.play(!page.playing);
    $("time").oninput = () => { page.clock = page.run.times[$("time").value]; page.show(Number($("time").value)); };
    for (const id of ["colour", "scale", "forces", "arrows", "ways", "joints", "bonds"]) $(id).onchange = () => page.again();
    for (const id of ["low", "high"]) $(id).onchange = () => page.setRange(id, $(id).value);
    $("clip").onchange = () => page.cut();
    $("clip-flip").onclick = () => { page.clipSide *= -1; redraw(); };
    for (const id of ["bodies", "boundaries", "shadows"]) $(id).onchange = redraw;
    $("clip-at").oninput = redraw;
    $("frame-all").onclick = () => page.fit();
    $("measure").onclick = () => page.measure.toggle();
    $("picture").onclick = () => page.picture();
    $("film").onclick = () => page.film();
    $("help").onclick = () => $("keys").showModal();
    $("theme").onclick = () => {
      document.documentElement.classList.toggle("dark");
      page.charts.forEach((chart) => chart.draw());
      if (page.picked.history) page.picked.history.draw();
      page.again();
    };
    $("control").onclick = async () => {
      await page.source.control(page.run.status === "paused" ? "resume" : "pause");
      page.update(await page.source.state());
    };
    window.addEventListener("resize", () => { page.charts.forEach((chart) => chart.draw()); if (page.following) page.fit(); redraw(); });
    this.pointer($("view"));
    window.addEventListener("keydown", (event) => this.key(event));
  }
  pointer(view) {
    const { page } = this;
    let from, moved;
    view.addEventListener("pointerdown", (event) => { view.setPointerCapture(event.pointerId); from = [event.clientX, event.clientY]; moved = 0; });
    view.addEventListener("pointermove", (event) => {
      if (!event.buttons || !from) return;
      const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
      from = [event.clientX, event.clientY];
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved < 4) return;
      // Who moves the camera has it.
      page.following = false;
      if (page.camera.flat || event.shiftKey || event.buttons !== 1) page.camera.pan(dx, dy, view.clientWidth, view.clientHeight);
      else page.camera.orbit(dx, dy);
      page.dirty = true;
    });
    view.addEventListener("pointerup", (event) => {
      if (moved < 4 && event.button === 0 && page.frame) {
        const box = view.getBoundingClientRect(), scale = view.width / box.width;
        const place = [event.clientX - box.left, event.clientY - box.top].map((x) => Math.floor(x * scale));
        const { item, point } = page.painter.pick(page.look(), ...place);
        if (page.measure.on) page.measure.add(point);
        else page.picked.select(item);
      }
      from = undefined;
    });
    view.addEventListener("contextmenu", (event) => event.preventDefault());
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      page.following = false;
      page.camera.zoom(Math.exp(0.0012 * event.deltaY));
      page.dirty = true;
    }, { passive: false });
  }
  key(event) {
    const { page } = this;
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    // A slider moves by itself, and a number is typed.
    if (event.target.matches("select, input[type=number]") || (event.target.matches("input[type=range]") && event.key.startsWith("Arrow"))) return;
    const next = (id) => { const s = $(id); s.selectedIndex = (s.selectedIndex + 1) % s.options.length; s.onchange(); };
    const flip = (id) => { $(id).checked = !$(id).checked; $(id).onchange(); };
    const along = (axis) => { if (!page.camera.flat) { page.camera.lookAlong(axis); page.fit(); } };
    const stride = event.shiftKey ? 10 : 1;
    const actions = {
      " ": () => page.play(!page.playing), ArrowLeft: () => page.show(page.index - stride), ArrowRight: () => page.show(page.index + stride),
      Home: () => page.show(0), End: () => page.show(page.run.times.length - 1),
      f: () => page.fit(), 1: () => along("x"), 2: () => along("y"), 3: () => along("z"), 4: () => along(""),
      c: () => next("colour"), b: () => next("bodies"), k: () => flip("forces"), v: () => next("arrows"), w: () => flip("ways"), j: () => flip("joints"),
      n: () => next("bonds"), o: () => next("boundaries"), s: () => flip("shadows"), x: () => next("clip"),
      m: () => page.measure.toggle(), t: () => $("theme").click(), p: () => page.picture(), "?": () => $("keys").showModal(),
      Escape: () => page.picked.select(-1),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
