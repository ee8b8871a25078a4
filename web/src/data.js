// The run that is shown: what src/clearance/page has packed, out of the page or from who serves it (src/apps/view).

/** A page that is a file: <script> elements, bytes as base64 of zlib. */
const ofFile = {
  async head() { return JSON.parse(document.getElementById("run").textContent); },
  async bytes(id) {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack the run (DecompressionStream is missing)");
    const text = document.getElementById(id).textContent;
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  },
};

/** A page that `clearance view` serves. */
const ofServer = {
  async head() {
    for (;;) {
      const answer = await fetch("head");
      if (!answer.ok) throw new Error(await answer.text());
      const head = await answer.json();
      if (head) return head;
      document.getElementById("message").textContent = "Waiting for the first frame";
      await new Promise((done) => setTimeout(done, 300));
    }
  },
  async bytes(id) {
    const answer = await fetch(id);
    if (!answer.ok) throw new Error(await answer.text());
    return new Uint8Array(await answer.arrayBuffer());
  },
};

/** Numbers from bytes, one array after the other. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  take(Type, count) {
    const size = count * Type.BYTES_PER_ELEMENT;
    const numbers = new Type(this.bytes.slice(this.at, this.at + size).buffer);
    this.at += size;
    return numbers;
  }
  /** Upper bytes, then lower bytes; 65535 is no number. */
  quantised(count, low, high, out) {
    const upper = this.at, lower = this.at + count, step = (high - low) / 65534;
    for (let i = 0; i < count; ++i) {
      const number = this.bytes[upper + i] * 256 + this.bytes[lower + i];
      out[i] = number === 65535 ? NaN : low + number * step;
    }
    this.at += 2 * count;
    return out;
  }
}

/** At most this many bytes of frames stay unpacked. */
const roomForFrames = 400e6;

export class Run {
  static async open() {
    const run = new Run();
    run.isLive = document.getElementById("live-run") !== null;
    run.source = run.isLive ? ofServer : ofFile;
    run.head = await run.source.head();
    run.topologies = new Map();
    run.frames = new Map();
    await run.topology(0);
    return run;
  }

  /**
   * What is drawn: { vertices, moving: their numbers, triangles, edges, nodes, rest: arrays, bodies: [{ vertices, triangles,
   * edges: [first, number] }] }, bodies in the order of the head. Most runs have one; where elements change (head.adapts),
   * frames have the number of theirs.
   */
  async topology(number) {
    const known = this.topologies.get(number);
    if (known) return known;
    const { head } = this, reader = new Reader(await this.source.bytes(number === 0 ? "topology" : `topology${number}`));
    const topology = { number, vertices: head.vertices, moving: head.moving, bodies: head.bodies };
    let { triangles, edges } = head;
    if (head.adapts) {
      [topology.vertices, topology.moving, triangles, edges] = reader.take(Uint32Array, 4);
      topology.bodies = head.bodies.map(() => {
        const [v, numV, t, numT, e, numE] = reader.take(Uint32Array, 6);
        return { vertices: [v, numV], triangles: [t, numT], edges: [e, numE] };
      });
    }
    topology.triangles = reader.take(Uint32Array, 3 * triangles);
    topology.edges = reader.take(Uint32Array, 2 * edges);
    topology.nodes = reader.take(Uint32Array, topology.vertices);
    topology.rest = reader.take(Float32Array, 3 * topology.vertices);
    this.topologies.set(number, topology);
    while (this.topologies.size > 8) this.topologies.delete([...this.topologies.keys()].find((n) => n !== 0));
    return topology;
  }

  /** { topology, places, poses, fields: {name: numbers}, forces: {vertices, vectors} } of a frame. */
  async frame(index) {
    const known = this.frames.get(index);
    if (known) {
      this.frames.delete(index);
      this.frames.set(index, known); // the last one to go
      return known;
    }
    const topology = await this.topology(this.head.frames[index].topology || 0);
    const frame = this.read(new Reader(await this.source.bytes(`frame${index}`)), topology);
    this.frames.set(index, frame);
    const room = Math.max(3, Math.floor(roomForFrames / ((this.head.adapts ? 60 : 16) * topology.vertices + 1)));
    while (this.frames.size > room) this.frames.delete(this.frames.keys().next().value);
    return frame;
  }

  read(reader, topology) {
    const head = this.head, { low, high } = head, { moving, vertices } = topology;
    const numStiff = head.bodies.filter((body) => body.stiff).length;
    const poses = reader.take(Float32Array, 12 * numStiff);
    const places = new Float32Array(3 * moving);
    const axis = new Float64Array(Math.max(moving, vertices));
    for (let k = 0; k < 3; ++k) {
      const numbers = head.exact ? reader.take(Float32Array, moving) : reader.quantised(moving, low[k], high[k], axis);
      for (let i = 0; i < moving; ++i) places[3 * i + k] = numbers[i];
    }
    const forces = { vertices: new Uint32Array(), vectors: new Float32Array() };
    if (head.hasForces) {
      const count = reader.take(Uint32Array, 1)[0];
      forces.vertices = reader.take(Uint32Array, count);
      forces.vectors = reader.take(Float32Array, 3 * count);
    }
    const fields = {};
    for (const field of head.fields) {
      fields[field.name] = head.exact ? reader.take(Float32Array, vertices)
        : reader.quantised(vertices, field.low, field.high, new Float32Array(vertices));
      if (this.isLive) this.widen(field, fields[field.name], topology);
    }
    return { topology, places, poses, fields, forces };
  }

  /** Of a run that goes on only the frames that have been seen have ranges. */
  widen(field, values, topology) {
    for (const [b, { vertices: [first, count] }] of topology.bodies.entries()) {
      if (this.head.bodies[b].obstacle) continue;
      for (let v = first; v < first + count; ++v) {
        if (field.low === null || values[v] < field.low) field.low = values[v];
        if (field.high === null || values[v] > field.high) field.high = values[v];
      }
    }
  }

  /** More of the run: calls `onNews` once it is in `head`, `onState` when the server comes or goes. */
  follow(onNews, onState) {
    const { head } = this;
    const seen = () => [head.generation, 0, head.frames.length, head.stats.step.length, (head.probes.step || []).length].join(".");
    const events = new EventSource(`events?seen=${seen()}`);
    events.addEventListener("anew", () => location.reload());
    events.addEventListener("news", (event) => {
      const news = JSON.parse(event.data), known = head.stats.step.length;
      head.frames.push(...news.frames);
      head.framesOfRun = head.frames.length;
      const grow = (columns, more, length) => {
        for (const [name, rows] of Object.entries(more)) {
          if (!Array.isArray(rows)) {
            grow(columns[name] = columns[name] || {}, rows, length);
            continue;
          }
          const column = columns[name] = columns[name] || [];
          while (column.length < length) column.push(null);
          column.push(...rows);
        }
      };
      grow(head.stats, news.stats, known);
      grow(head.probes, news.probes, (head.probes.step || []).length);
      head.warnings = news.warnings;
      head.status = news.status;
      onNews();
    });
    events.onopen = () => onState(true);
    events.onerror = () => onState(false);
  }

  /** pause, go or stop; what is in the way, or nothing. */
  async wish(word) {
    try {
      const answer = await fetch("wish", { method: "POST", body: word });
      return answer.ok ? "" : (await answer.text()).trim();
    } catch {
      return "the server of this page has gone";
    }
  }

  /** Where a vertex is in a frame. */
  place(frame, vertex, out) {
    const { topology } = frame;
    if (vertex < topology.moving) {
      for (let k = 0; k < 3; ++k) out[k] = frame.places[3 * vertex + k];
      return out;
    }
    const at = 12 * this.stiffNumber(topology, vertex), m = frame.poses, [x, y, z] = topology.rest.subarray(3 * vertex, 3 * vertex + 3);
    for (let k = 0; k < 3; ++k) out[k] = m[at + k] * x + m[at + 3 + k] * y + m[at + 6 + k] * z + m[at + 9 + k];
    return out;
  }
  /** Among the bodies that keep their shape. */
  stiffNumber(topology, vertex) {
    const body = this.bodyOf(topology, vertex);
    return this.head.bodies.slice(0, body).filter((b) => b.stiff).length;
  }
  bodyOf(topology, vertex) {
    return topology.bodies.findIndex(({ vertices: [first, count] }) => vertex >= first && vertex < first + count);
  }
}
