// The page: what is chosen, which frame is shown, and the plots beside it.
import uPlot from "uplot";
import { bodyColor, css, obstacleColor } from "./colors.js";
import { Run } from "./data.js";
import { View } from "./view.js";

const $ = (id) => document.getElementById(id);
const number = (x) => (x === null || x === undefined || Number.isNaN(x) ? "none"
  : x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(3) : String(Number(x.toPrecision(5))));
const units = { displacement: "m", velocity: "m/s", von_mises: "Pa", stress_von_mises: "Pa", principal_stress: "Pa", energy_density: "J/m³",
  contact_pressure: "Pa", normal_force: "N", friction_force: "N" };
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
/** The first elements of a list's entries are marks in these colours: a style within HTML is against the page's policy. */
const paintMarks = (element, colors) => element.querySelectorAll("i").forEach((mark, i) => {
  mark.style.background = `#${colors[i].toString(16).padStart(6, "0")}`;
});
const niceName = (name) => name.replaceAll("_", " ");

class Page {
  constructor(run) {
    this.run = run;
    this.head = run.head;
    // Numbers of a scene with `units` are in these; the texts here have the names of SI.
    const names = this.head.units;
    this.named = (text) => (names && text ? text.replace(/[A-Za-z]+/g, (word) => names[word] ?? word) : text);
    this.index = 0;
    this.times = this.head.frames.map((frame) => frame.time);
    this.view = new View($("view"), run);
    this.displacementRange = undefined;
    this.describe();
    this.listBodies();
    this.listWarnings();
    this.choices();
    this.plots();
    this.controls();
    this.keys();
    if (run.isLive) this.live();
  }

  /** A run that goes on: its frames come, and it can be paused and stopped. */
  live() {
    this.isFollowing = true;
    $("live").hidden = false;
    this.isServed = true;
    const tell = (text) => {
      const { status } = this.head, isRunning = ["running", "paused", "stopping"].includes(status);
      $("status").textContent = text || (this.isServed ? status : `${status} when last seen: the server of this page has gone`);
      $("status").dataset.status = this.isServed ? status : "gone";
      $("pause-run").hidden = $("stop-run").hidden = !isRunning || !this.isServed;
      $("pause-run").textContent = status === "paused" ? "Go on" : "Pause the run";
    };
    const wish = async (word) => {
      const problem = await this.run.wish(word);
      if (problem) tell(problem);
    };
    $("pause-run").onclick = () => wish(this.head.status === "paused" ? "go" : "pause");
    $("stop-run").onclick = () => wish("stop");
    this.run.follow(() => {
      this.times = this.head.frames.map((frame) => frame.time);
      $("time").max = this.times.length - 1;
      this.describe();
      this.listWarnings();
      this.listPlots();
      this.tellPlot();
      tell();
      if (this.isFollowing && !this.isPlaying) this.seek(this.times.length - 1);
    }, (isServed) => {
      this.isServed = isServed;
      tell();
    });
    tell();
  }

  describe() {
    const { head } = this, title = head.title || "Run";
    document.title = `${title} – Clearance`;
    $("title").textContent = title;
    const steps = head.stats.step.length, failed = head.stats.status.filter((s) => s !== "converged").length;
    $("facts").textContent = `${head.bodies.length} bodies · ` +
      `${head.triangles.toLocaleString("en")} triangles${head.adapts ? " at the start" : ""} · ` +
      `${steps} steps${failed > 0 ? `, ${failed} not converged` : ""}`;
    $("scene").textContent = head.scene ? JSON.stringify(head.scene, null, 1) : "The folder had no scene.json.";
    const left = head.framesOfRun - head.frames.length;
    if (this.run.isLive) {
      $("about").textContent = `${head.frames.length} frames so far, as they are in the result folder, in single precision. Clearance ${head.version}.`;
      return;
    }
    $("about").textContent = `${head.frames.length} of ${head.framesOfRun} frames` + (left > 0 ? `, evenly left out for the size of the file. ` : ". ") +
      (head.exact ? "Numbers are in single precision. "
        : `Numbers of frames have 16 bits: places of deformable bodies are off by up to ${number(head.positionError)} m, fields by 1/131068 of their range. `) +
      `Bodies that keep their shape are poses in single precision. Plots have all numbers as they are. Made by Clearance ${head.version}.`;
  }

  listBodies() {
    const inOrder = [...this.head.bodies].sort((a, b) => a.number - b.number);
    let order = 0;
    for (const body of inOrder) {
      const hex = body.obstacle ? obstacleColor : bodyColor(order++);
      const item = document.createElement("li");
      item.innerHTML = `<i></i><span>${escape(body.name)}</span>` +
        `<small>${body.obstacle ? "obstacle" : this.run.isLive ? "" : body.stiff ? "keeps its shape" : "deforms"}</small>`;
      paintMarks(item, [hex]);
      item.tabIndex = 0;
      item.setAttribute("role", "button");
      item.title = "hide or show";
      const entry = this.view.bodies.find((e) => e.body === body);
      const toggle = () => {
        entry.group.visible = !entry.group.visible;
        item.style.opacity = entry.group.visible ? 1 : 0.4;
        this.view.draw();
      };
      item.onclick = toggle;
      item.onkeydown = (event) => { if (event.key === "Enter") toggle(); };
      $("bodies").append(item);
      if (order > 300) break; // nobody reads more
    }
  }

  listWarnings() {
    const list = $("warnings"), { stats, warnings } = this.head;
    list.replaceChildren();
    for (const warning of warnings) {
      const item = document.createElement("li");
      item.textContent = typeof warning === "string" ? warning : `${warning.name || ""}: ${warning.message || ""}`;
      list.append(item);
    }
    const failed = stats.step.filter((_, i) => stats.status[i] !== "converged");
    if (failed.length > 0) {
      const item = document.createElement("li");
      item.textContent = `${failed.length} of ${stats.step.length} steps did not converge: `;
      for (const step of failed.slice(0, 60)) {
        const i = stats.step.indexOf(step), button = document.createElement("button");
        button.textContent = `${step} ${niceName(stats.status[i])}`;
        button.onclick = () => this.seek(this.frameAt(stats.time[i]));
        item.append(button);
      }
      if (failed.length > 60) item.append(`and ${failed.length - 60} more`);
      list.append(item);
    }
    $("warnings-area").hidden = list.children.length === 0;
  }

  choices() {
    const fields = ["body", "displacement", ...this.head.fields.map((field) => field.name)];
    $("field").innerHTML = fields.map((name) => `<option value="${escape(name)}">${escape(niceName(name))}</option>`).join("");
    // What the scene asks for is what somebody wants to see.
    const asked = this.head.scene?.output?.fields || [];
    $("field").value = asked.find((name) => fields.includes(name)) || "body";
    $("field").onchange = () => this.show();
    $("axis").onchange = $("cut").oninput = () => {
      $("cut").hidden = $("axis").value === "";
      this.view.cut($("axis").value, Number($("cut").value));
    };
    $("arrows-label").hidden = !this.head.hasForces;
    $("arrows").onchange = () => this.view.showArrows($("arrows").checked);
    $("mesh").onchange = () => this.view.showMesh($("mesh").checked);
    $("legend").onclick = () => {
      this.isOfFrame = !this.isOfFrame;
      this.show();
    };
    $("home").onclick = () => this.view.fit();
    $("panel-toggle").onclick = () => {
      $("panel").hidden = !$("panel").hidden;
      $("panel-toggle").setAttribute("aria-pressed", String(!$("panel").hidden));
      this.resizePlot();
    };
    const context = $("bar").getContext("2d");
    css.forEach((color, i) => {
      context.fillStyle = color;
      context.fillRect(i, 0, 1, 10);
    });
    let pressed;
    $("view").addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY]; });
    $("view").addEventListener("pointerup", (event) => {
      if (!pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
      const box = $("view").getBoundingClientRect();
      this.pick((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
    });
  }

  pick(x, y) {
    this.picked = this.view.pick(x, y);
    this.view.mark(this.picked);
    this.tell();
  }

  tell() {
    $("picked").hidden = this.picked === undefined;
    if (this.picked === undefined) return;
    const v = this.picked, { run, head, frame } = this, at = run.place(frame, v, [0, 0, 0]), { topology } = frame;
    const body = head.bodies[run.bodyOf(topology, v)];
    const rows = [["body", escape(body.name)], ["node", topology.nodes[v]],
      ["place", at.map((c, k) => number(c + head.origin[k])).join(", ") + ` ${this.named("m")}`],
      ["displacement", number(Math.hypot(...at.map((c, k) => c - topology.rest[3 * v + k]))) + ` ${this.named("m")}`]];
    for (const field of head.fields) {
      rows.push([niceName(field.name), `${number(frame.fields[field.name][v])} ${this.named(units[field.name]) || ""}`]);
    }
    const force = frame.forces.vertices.indexOf(v);
    if (force >= 0) rows.push(["contact force", [...frame.forces.vectors.subarray(3 * force, 3 * force + 3)].map(number).join(", ") + ` ${this.named("N")}`]);
    $("picked").innerHTML = `<table>${rows.map(([a, b]) => `<tr><td>${a}</td><td>${b}</td></tr>`).join("")}</table>`;
  }

  plots() {
    this.listPlots();
    $("plot").onchange = () => this.plot();
    new ResizeObserver(() => this.resizePlot()).observe($("panel"));
  }

  listPlots() {
    const { stats, probes } = this.head, chosen = $("plot").value;
    this.series = new Map();
    const energies = Object.entries(stats.energy).filter(([, values]) => values.some((x) => x !== 0 && x !== null));
    if (energies.length > 0) this.series.set(`energies [${this.named("J")}]`, { x: stats.time, lines: energies });
    const add = (name, values) => { if (values.some((x) => x !== null && x !== 0)) this.series.set(name, { x: stats.time, lines: [[name, values]] }); };
    add("iterations", stats.iterations);
    add(`smallest gap [${this.named("m")}]`, stats.gap);
    add("contacts", stats.contacts);
    add("seconds a step", stats.seconds);
    for (const name of ["elements", "splits", "collapses"]) add(name, stats[name] || []);
    const ofTime = Object.keys(probes).find((name) => name.startsWith("time [")), x = probes[ofTime];
    for (const [name, values] of Object.entries(probes)) {
      if (x && name !== "step" && name !== ofTime) this.series.set(name, { x, lines: [[name, values]] });
    }
    const names = [...this.series.keys()].map((name) => `<option>${escape(name)}</option>`).join("");
    $("plot-choice").hidden = this.series.size === 0;
    if (names !== this.namesOfPlots) {
      this.namesOfPlots = names;
      $("plot").innerHTML = names;
      if (this.series.has(chosen)) $("plot").value = chosen;
      if (this.series.size > 0) this.plot();
    } else if (this.chart) {
      const { x, lines: all } = this.series.get($("plot").value);
      if (all.length + 1 === this.chart.series.length) this.chart.setData([x, ...all.map(([, values]) => values)]);
      else this.plot();
    }
  }

  plot() {
    const { x, lines } = this.series.get($("plot").value);
    if (this.chart) this.chart.destroy();
    const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--soft"), grid = style.getPropertyValue("--line");
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "11px system-ui" };
    this.chart = new uPlot({
      width: Math.max($("panel").clientWidth - 28, 100), height: 190, padding: [8, 8, 0, 0], scales: { x: { time: false } },
      legend: { show: false }, cursor: { y: false, drag: { x: false, y: false } },
      axes: [{ ...axis, size: 26 }, { ...axis, size: 56, values: (_, all) => all.map((v) => (v === 0 ? "0" : Math.abs(v) >= 1e4 || Math.abs(v) < 1e-2 ? v.toExponential(0) : String(Number(v.toPrecision(3))))) }],
      series: [{}, ...lines.map(([name], i) => ({ label: name, stroke: `#${bodyColor(i).toString(16).padStart(6, "0")}`, width: 1.4, points: { show: false } }))],
      hooks: {
        draw: [(chart) => {
          const left = chart.valToPos(this.times[this.index], "x", true), { top, height } = chart.bbox;
          chart.ctx.save();
          chart.ctx.strokeStyle = "#d6322b";
          chart.ctx.lineWidth = 1.5;
          chart.ctx.beginPath();
          chart.ctx.moveTo(left, top);
          chart.ctx.lineTo(left, top + height);
          chart.ctx.stroke();
          chart.ctx.restore();
        }],
      },
    }, [x, ...lines.map(([, values]) => values)], $("plot-area"));
    this.chart.over.addEventListener("click", (event) => this.seek(this.frameAt(this.chart.posToVal(event.offsetX, "x"))));
    this.tellPlot();
  }
  resizePlot() {
    if (this.chart && $("panel").clientWidth > 0) this.chart.setSize({ width: Math.max($("panel").clientWidth - 28, 100), height: 190 });
  }
  tellPlot() {
    if (!this.chart) return;
    const { x, lines } = this.series.get($("plot").value), time = this.times[this.index];
    let at = x.findIndex((t) => t >= time - 1e-12);
    if (at < 0) at = x.length - 1;
    $("plot-value").innerHTML = lines.map(([name, values]) => `<span><i></i>${escape(niceName(name))} ${number(values[at])}</span>`).join("");
    paintMarks($("plot-value"), lines.map((_, i) => bodyColor(i)));
    this.chart.redraw(false);
  }

  controls() {
    const last = this.head.frames.length - 1;
    $("time").max = last;
    $("time").oninput = () => { this.pause(); this.seek(Number($("time").value)); };
    $("play").onclick = () => (this.isPlaying ? this.pause() : this.play());
    const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
    $("speed").innerHTML = speeds.map((s) => `<option value="${s}">${s}×</option>`).join("");
    // The whole run within 4 to 40 seconds.
    const duration = this.times[last] - this.times[0];
    const fitting = speeds.filter((s) => duration / s >= 4 && duration / s <= 40);
    $("speed").value = fitting.includes(1) || duration === 0 ? 1 : fitting.length > 0 ? fitting[fitting.length - 1] : duration < 4 ? 0.05 : 4;
  }

  keys() {
    addEventListener("keydown", (event) => {
      if (event.target.matches("select, input:not([type=range]), summary") || event.ctrlKey || event.metaKey || event.altKey) return;
      const last = this.head.frames.length - 1, jump = event.shiftKey ? 10 : 1;
      const action = {
        " ": () => (this.isPlaying ? this.pause() : this.play()), ArrowRight: () => this.seek(this.index + jump),
        ArrowLeft: () => this.seek(this.index - jump), Home: () => this.seek(0), End: () => this.seek(last),
        0: () => this.view.fit(), p: () => $("panel-toggle").click(), Escape: () => { this.picked = undefined; this.view.mark(undefined); this.tell(); },
      }[event.key];
      if (!action || (event.key === " " && event.target.matches("button, li"))) return;
      event.preventDefault();
      if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") this.pause();
      action();
    });
  }

  play() {
    if (this.head.frames.length < 2) return;
    if (this.index === this.head.frames.length - 1) this.index = 0;
    this.isPlaying = true;
    $("play").innerHTML = "&#10074;&#10074;";
    $("play").setAttribute("aria-label", "pause");
    let time = this.times[this.index], before = performance.now();
    const next = async (now) => {
      const last = this.times.length - 1;
      if (!this.isPlaying) return;
      time += ((now - before) / 1000) * Number($("speed").value);
      before = now;
      let at = this.index;
      while (at < last && this.times[at + 1] <= time) ++at;
      if (at !== this.index) await this.seek(at);
      if (at === last) return this.pause();
      requestAnimationFrame(next);
    };
    requestAnimationFrame((now) => { before = now; next(now); });
  }
  pause() {
    this.isPlaying = false;
    $("play").innerHTML = "&#9654;";
    $("play").setAttribute("aria-label", "play");
  }

  frameAt(time) {
    let best = 0;
    this.times.forEach((t, i) => { if (Math.abs(t - time) < Math.abs(this.times[best] - time)) best = i; });
    return best;
  }

  /** Frames come as they are asked for; the last wish counts. */
  async seek(index) {
    this.index = Math.min(Math.max(index, 0), this.head.frames.length - 1);
    this.isFollowing = this.index === this.head.frames.length - 1;
    const wanted = this.index;
    let frame;
    try {
      frame = await this.run.frame(wanted);
    } catch (error) {
      if (!this.run.isLive) throw error;
      $("now").textContent = `frame ${wanted} cannot be had: ${error.message}`;
      return;
    }
    if (wanted !== this.index) return;
    this.keepPicked(this.frame, frame);
    this.frame = frame;
    this.show();
    $("time").value = wanted;
    const { time, step } = this.head.frames[wanted];
    $("now").textContent = `step ${step} · ${number(time)} ${this.named("s")}`;
    this.tell();
    this.tellPlot();
  }

  /** A vertex that is picked stays so in bodies whose elements have not changed. */
  keepPicked(before, frame) {
    if (this.picked === undefined || !before || before.topology === frame.topology) return;
    const b = this.run.bodyOf(before.topology, this.picked), of = (topology) => topology.bodies[b].vertices;
    const [first, count] = of(before.topology), [newFirst, newCount] = of(frame.topology);
    this.picked = count === newCount ? this.picked - first + newFirst : undefined;
    this.view.picked = this.picked;
    this.view.marker.visible = this.picked !== undefined;
  }

  valuesOf(name) {
    if (name === "body") return undefined;
    if (name !== "displacement") return this.frame.fields[name];
    const { run, frame } = this, { head } = run, { topology } = frame, { rest } = topology;
    const values = new Float32Array(topology.vertices), at = [0, 0, 0];
    for (const [b, body] of head.bodies.entries()) {
      const [first, count] = topology.bodies[b].vertices;
      const m = body.stiff ? frame.poses.subarray(12 * this.view.bodies.find((e) => e.body === body).pose) : undefined;
      for (let v = first; v < first + count; ++v) {
        const x = rest[3 * v], y = rest[3 * v + 1], z = rest[3 * v + 2];
        for (let k = 0; k < 3; ++k) at[k] = m ? m[k] * x + m[3 + k] * y + m[6 + k] * z + m[9 + k] : frame.places[3 * v + k];
        values[v] = Math.hypot(at[0] - x, at[1] - y, at[2] - z);
      }
    }
    return values;
  }

  /** The vertices of all bodies that are no obstacles. */
  moving() {
    return this.frame.topology.bodies.filter((_, b) => !this.head.bodies[b].obstacle).map((body) => body.vertices);
  }

  rangeOf(name, values) {
    if (this.isOfFrame) {
      let low = 0, high = 0;
      for (const [first, count] of this.moving()) {
        for (let v = first; v < first + count; ++v) {
          if (values[v] < low) low = values[v];
          if (values[v] > high) high = values[v];
        }
      }
      return [low, high > low ? high : low + 1];
    }
    if (name !== "displacement") {
      const { low, high } = this.head.fields.find((field) => field.name === name);
      const least = Math.min(low, 0); // of null, too
      return [least, high > least ? high : least + 1];
    }
    // The largest one so far: frames are not all known.
    let largest = 0;
    for (const [first, count] of this.moving()) {
      for (let v = first; v < first + count; ++v) largest = Math.max(largest, values[v]);
    }
    this.displacementRange = Math.max(this.displacementRange || 0, largest);
    return [0, this.displacementRange || 1];
  }

  show() {
    const name = $("field").value, values = this.valuesOf(name), range = values ? this.rangeOf(name, values) : [0, 1];
    $("legend").hidden = !values;
    if (values) {
      $("low").textContent = number(range[0]);
      $("high").textContent = number(range[1]);
      $("name").textContent = niceName(name) + (units[name] ? ` [${this.named(units[name])}]` : "") + (this.isOfFrame ? ", this frame" : ", whole run");
    }
    this.view.show(this.frame, values, range);
  }
}

async function start() {
  try {
    const run = await Run.open();
    // Displacements count from where the first frame has its vertices, to its own accuracy.
    const first = await run.frame(0);
    first.topology.rest.set(first.places);
    const page = new Page(run);
    await page.seek(run.head.frames.length - 1);
    $("message").textContent = "";
    window.clearance = page; // for scripts and tests
  } catch (error) {
    $("message").textContent = `The run cannot be shown: ${error.message}`;
    throw error;
  }
}
start();
