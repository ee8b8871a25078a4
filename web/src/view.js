// The bodies in 3D: a mesh each, whose vertices or pose follow the frame.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { bodyColor, obstacleColor, paint } from "./colors.js";

export class View {
  constructor(canvas, run) {
    this.run = run;
    this.canvas = canvas;
    const head = run.head;
    this.isPlane = head.dimension === 2;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.localClippingEnabled = true;
    this.scene = new THREE.Scene();
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x9aa3b0, 1.9));
    this.sun = new THREE.DirectionalLight(0xffffff, 1.9);
    this.scene.add(this.sun);
    this.low = new THREE.Vector3(...head.viewLow);
    this.high = new THREE.Vector3(...head.viewHigh);
    this.size = Math.max(this.low.distanceTo(this.high), 1e-12);
    this.camera = this.isPlane ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(35, 1, 1e-3 * this.size, 1e3 * this.size);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableRotate = !this.isPlane;
    if (this.isPlane) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
    this.controls.addEventListener("change", () => this.draw());
    this.plane = new THREE.Plane(new THREE.Vector3(-1, 0, 0), 0);
    this.field = "";
    this.range = [0, 1];
    this.bodies = [];
    this.makeBodies();
    this.makeHalfSpaces();
    this.makeArrows();
    this.fit();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  makeBodies() {
    const { run } = this, { head } = run;
    this.topology = run.topologies.get(0);
    let order = 0, stiff = 0;
    const byNumber = [...head.bodies].filter((b) => !b.obstacle).sort((a, b) => a.number - b.number);
    for (const [number, body] of head.bodies.entries()) {
      order = byNumber.indexOf(body);
      const color = new THREE.Color(body.obstacle ? obstacleColor : bodyColor(order));
      const group = new THREE.Group();
      const entry = { body, number, group, color, pose: body.stiff ? stiff++ : -1, surface: null, lines: null };
      this.setArrays(entry);
      const geometry = () => new THREE.BufferGeometry().setAttribute("position", entry.places).setAttribute("color", entry.colors);
      if (body.triangles[1] > 0) {
        const material = this.isPlane
          ? new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, vertexColors: true })
          : new THREE.MeshLambertMaterial({ side: THREE.DoubleSide, vertexColors: true, flatShading: true,
              transparent: body.obstacle, opacity: body.obstacle ? 0.55 : 1, depthWrite: !body.obstacle });
        material.polygonOffset = true;
        material.polygonOffsetFactor = material.polygonOffsetUnits = 1;
        entry.surface = new THREE.Mesh(geometry().setIndex(this.indices(entry, "triangles", 3)), material);
        entry.surface.userData = entry;
        group.add(entry.surface);
      }
      if (body.edges[1] > 0) {
        entry.lines = new THREE.LineSegments(geometry().setIndex(this.indices(entry, "edges", 2)),
          new THREE.LineBasicMaterial(this.isPlane && entry.surface ? { color: color.clone().multiplyScalar(0.45) } : { vertexColors: true }));
        group.add(entry.lines);
        const points = entry.lines.geometry.index.array;
        if (points.some((v, i) => i % 2 === 0 && v === points[i + 1])) {
          group.add(new THREE.Points(geometry(), new THREE.PointsMaterial({ vertexColors: true, size: 4, sizeAttenuation: false })));
        }
      }
      for (const object of group.children) object.frustumCulled = false;
      group.matrixAutoUpdate = false;
      this.scene.add(group);
      this.bodies.push(entry);
    }
  }

  /** Places and colours of as many vertices as the body has in the topology. */
  setArrays(entry) {
    const [first, count] = this.topology.bodies[entry.number].vertices;
    entry.places = new THREE.BufferAttribute(this.topology.rest.slice(3 * first, 3 * (first + count)), 3);
    entry.colors = new THREE.BufferAttribute(new Float32Array(3 * count), 3);
    entry.places.setUsage(THREE.DynamicDrawUsage);
    entry.colors.setUsage(THREE.DynamicDrawUsage);
    entry.isPainted = undefined;
  }
  /** Of its triangles or edges, by its own vertices. */
  indices(entry, what, width) {
    const body = this.topology.bodies[entry.number], [first, count] = body[what];
    return new THREE.BufferAttribute(this.topology[what].subarray(width * first, width * (first + count)).map((v) => v - body.vertices[0]), 1);
  }

  /** Other elements: bodies that change their shape are drawn with them. */
  setTopology(topology) {
    if (topology === this.topology) return;
    this.topology = topology;
    for (const entry of this.bodies) {
      if (entry.pose >= 0) continue;
      this.setArrays(entry);
      for (const object of entry.group.children) {
        if (object === entry.mesh) continue; // it has the surface's
        const { geometry } = object;
        geometry.dispose();
        geometry.setAttribute("position", entry.places).setAttribute("color", entry.colors);
        if (object === entry.surface) geometry.setIndex(this.indices(entry, "triangles", 3));
        if (object === entry.lines) geometry.setIndex(this.indices(entry, "edges", 2));
      }
    }
  }

  makeHalfSpaces() {
    const planes = (this.run.head.scene && this.run.head.scene.half_spaces) || [];
    const origin = new THREE.Vector3(...this.run.head.origin);
    for (const plane of planes) {
      const normal = new THREE.Vector3(...[0, 1, 2].map((k) => (plane.normal || [0, 1, 0])[k] || 0)).normalize();
      const point = new THREE.Vector3(...[0, 1, 2].map((k) => (plane.point || [0, 0, 0])[k] || 0)).sub(origin);
      const center = normal.clone().multiplyScalar(point.dot(normal)); // of what is nearest to the middle
      if (this.isPlane) {
        const along = new THREE.Vector3(-normal.y, normal.x, 0).multiplyScalar(20 * this.size);
        const geometry = new THREE.BufferGeometry().setFromPoints([center.clone().sub(along), center.clone().add(along)]);
        this.scene.add(new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: 0x8a9098 })));
        continue;
      }
      const grid = new THREE.GridHelper(8 * this.size, 40, 0x8a9098, 0xb4bbc6);
      grid.material.transparent = true;
      grid.material.opacity = 0.45;
      grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
      grid.position.copy(center);
      this.scene.add(grid);
    }
  }

  makeArrows() {
    this.arrows = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xd6322b, depthTest: false }));
    this.arrows.frustumCulled = false;
    this.arrows.visible = false;
    this.arrows.renderOrder = 2;
    this.scene.add(this.arrows);
    this.marker = new THREE.Points(new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(3), 3)),
      new THREE.PointsMaterial({ color: 0xd6322b, size: 9, sizeAttenuation: false, depthTest: false }));
    this.marker.frustumCulled = false;
    this.marker.visible = false;
    this.marker.renderOrder = 3;
    this.scene.add(this.marker);
  }

  /** The whole of the bodies, from where gravity is downwards. */
  fit(low = this.low, high = this.high) {
    const gravity = new THREE.Vector3(...((this.run.head.scene && this.run.head.scene.gravity) || [0, -1, 0]).concat(0).slice(0, 3));
    const up = this.isPlane || gravity.length() === 0 ? new THREE.Vector3(0, 1, 0) : gravity.clone().normalize().negate();
    const center = low.clone().add(high).multiplyScalar(0.5), radius = Math.max(0.5 * low.distanceTo(high), 1e-9 * this.size);
    this.camera.up.copy(up);
    this.controls.target.copy(center);
    if (this.isPlane) {
      this.camera.position.copy(center).add(new THREE.Vector3(0, 0, 10 * this.size));
      this.camera.near = 0;
      this.camera.far = 20 * this.size;
      this.camera.zoom = 1;
      this.radius = radius;
    } else {
      const side = new THREE.Vector3(1, 0, 0).addScaledVector(up, -up.x);
      if (side.length() < 0.1) side.set(0, 0, 1);
      side.normalize();
      const front = side.clone().cross(up);
      const direction = front.multiplyScalar(0.82).addScaledVector(side, 0.45).addScaledVector(up, 0.36).normalize();
      this.camera.position.copy(center).addScaledVector(direction, (1.12 * radius) / Math.sin((0.5 * 35 * Math.PI) / 180));
      this.camera.near = 2e-3 * radius;
      this.camera.far = 500 * this.size;
    }
    this.resize();
    this.controls.update();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    const aspect = width / height;
    if (this.isPlane) {
      const half = 1.1 * (this.radius || 0.5 * this.size) * Math.max(1, 1 / aspect);
      Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    } else {
      this.camera.aspect = aspect;
    }
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** `values` of all vertices, or nothing: bodies have colours. */
  show(frame, values, range) {
    this.frame = frame;
    this.setTopology(frame.topology);
    for (const entry of this.bodies) {
      const [first, count] = frame.topology.bodies[entry.number].vertices;
      if (entry.pose >= 0) {
        const m = frame.poses.subarray(12 * entry.pose, 12 * entry.pose + 12);
        entry.group.matrix.set(m[0], m[3], m[6], m[9], m[1], m[4], m[7], m[10], m[2], m[5], m[8], m[11], 0, 0, 0, 1);
        entry.group.matrixWorldNeedsUpdate = true;
      } else {
        entry.places.array.set(frame.places.subarray(3 * first, 3 * (first + count)));
        entry.places.needsUpdate = true;
        if (entry.surface) entry.surface.geometry.boundingSphere = null;
      }
      if (values && !entry.body.obstacle) {
        paint(values.subarray(first, first + count), range[0], range[1], entry.colors.array);
        entry.colors.needsUpdate = true;
        entry.isPainted = true;
      } else if (entry.isPainted !== false) {
        for (let i = 0; i < count; ++i) entry.color.toArray(entry.colors.array, 3 * i);
        entry.colors.needsUpdate = true;
        entry.isPainted = false;
      }
    }
    if (this.arrows.visible) this.setArrows();
    if (this.picked !== undefined) this.mark(this.picked);
    this.draw();
  }

  showArrows(isShown) {
    this.arrows.visible = isShown;
    if (isShown && this.frame) this.setArrows();
    this.draw();
  }

  /** The largest force of a frame is a seventh of the scene long. */
  setArrows() {
    const { vertices, vectors } = this.frame.forces;
    let largest = 0;
    for (let i = 0; i < vertices.length; ++i) largest = Math.max(largest, Math.hypot(...vectors.subarray(3 * i, 3 * i + 3)));
    const scale = largest > 0 ? this.size / 7 / largest : 0, ends = new Float32Array(18 * vertices.length);
    const from = [0, 0, 0], side = new THREE.Vector3(), to = new THREE.Vector3(), way = new THREE.Vector3();
    for (let i = 0; i < vertices.length; ++i) {
      this.run.place(this.frame, vertices[i], from);
      way.set(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]).multiplyScalar(scale);
      to.set(...from).add(way);
      side.set(way.y, -way.x, 0);
      if (side.lengthSq() < 0.01 * way.lengthSq()) side.set(0, way.z, -way.y);
      side.setLength(0.12 * way.length());
      const neck = to.clone().addScaledVector(way, -0.25);
      ends.set([...from, ...to, ...to, ...neck.clone().add(side), ...to, ...neck.sub(side)], 18 * i);
    }
    this.arrows.geometry.dispose();
    this.arrows.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(ends, 3));
  }

  /** `axis`: 0 to 2, or nothing; what lies beyond the part of the scene is not drawn. */
  cut(axis, part) {
    const planes = axis === "" ? [] : [this.plane];
    if (axis !== "") {
      const k = Number(axis), at = this.low.getComponent(k) + part * (this.high.getComponent(k) - this.low.getComponent(k));
      this.plane.normal.set(0, 0, 0).setComponent(k, -1);
      this.plane.constant = at;
    }
    for (const entry of this.bodies) {
      for (const object of entry.group.children) object.material.clippingPlanes = planes;
    }
    this.isCut = planes.length > 0;
    this.draw();
  }

  showMesh(isShown) {
    for (const entry of this.bodies) {
      if (!entry.surface) continue;
      if (isShown && !entry.mesh) {
        entry.mesh = new THREE.Mesh(entry.surface.geometry, new THREE.MeshBasicMaterial({ color: 0x10161d, wireframe: true, transparent: true, opacity: 0.25 }));
        entry.mesh.frustumCulled = false;
        entry.mesh.raycast = () => {};
        entry.mesh.material.clippingPlanes = entry.surface.material.clippingPlanes;
        entry.group.add(entry.mesh);
      }
      if (entry.mesh) entry.mesh.visible = isShown;
    }
    this.draw();
  }

  /** The vertex of the drawn bodies under a place of the canvas, from -1 to 1; nothing beside them. */
  pick(x, y) {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    this.scene.updateMatrixWorld();
    const hits = [];
    for (const obstacle of [false, true]) { // what is behind a transparent obstacle is meant
      for (const entry of this.bodies) {
        if (!entry.surface || entry.body.obstacle !== obstacle || !entry.group.visible) continue;
        for (const hit of ray.intersectObject(entry.surface, false)) {
          if (!this.isCut || this.plane.distanceToPoint(hit.point) >= 0) hits.push({ entry, hit });
        }
      }
      if (hits.length > 0) break;
    }
    if (hits.length === 0) return undefined;
    const { entry, hit } = hits.reduce((a, b) => (b.hit.distance < a.hit.distance ? b : a));
    const corners = [hit.face.a, hit.face.b, hit.face.c], at = new THREE.Vector3();
    const away = (v) => at.fromBufferAttribute(entry.places, v).applyMatrix4(entry.group.matrix).distanceTo(hit.point);
    return this.topology.bodies[entry.number].vertices[0] + corners.reduce((a, b) => (away(b) < away(a) ? b : a));
  }

  mark(vertex) {
    this.picked = vertex;
    this.marker.visible = vertex !== undefined;
    if (vertex === undefined) return this.draw();
    this.run.place(this.frame, vertex, this.marker.geometry.attributes.position.array);
    this.marker.geometry.attributes.position.needsUpdate = true;
    this.draw();
  }

  draw() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.sun.position.copy(this.camera.position).sub(this.controls.target).add(this.camera.up.clone().multiplyScalar(this.size));
      this.renderer.render(this.scene, this.camera);
      this.numDrawn = (this.numDrawn || 0) + 1;
    });
  }
}
