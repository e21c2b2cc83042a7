// The view of single sets, by cohort, contrast and alpha: their regions, on the cortex if placed.
(function () {
  "use strict";

  const data = JSON.parse(document.getElementById("viewer-data").textContent);
  const root = document.getElementById("viewer");
  const plot = document.getElementById("viewer-plot");
  const panel = document.getElementById("viewer-panel");
  const tablist = document.getElementById("viewer-tabs");
  const slider = document.getElementById("viewer-alpha");
  const chosenCohort = document.getElementById("viewer-cohort");
  const state = document.getElementById("viewer-state");
  const list = document.querySelector("#viewer-regions tbody");
  const done = document.getElementById("viewer-done");
  const shown = { cohort: 0, contrast: 0, subgraph: pictured(data.cohorts[0].contrasts[0]) };
  let camera = place(-0.75, 1.2, 0.35);
  let ready = false;

  // --- what is shown ---

  function pictured(contrast) {
    return Math.max(0, contrast.subgraphs.findIndex((one) => one.percentile === contrast.first));
  }

  function contrasts() { return data.cohorts[shown.cohort].contrasts; }
  function subgraphs() { return contrasts()[shown.contrast].subgraphs; }
  function subgraph() { return subgraphs()[shown.subgraph]; }

  function describe(one) {
    const at = one.percentile === null ? "" : "percentile " + one.percentile + ", ";
    const size = one.nodes.length + (one.nodes.length === 1 ? " region" : " regions");
    const proof = one.optimal ? "proven optimal" : "at most " + one.bound.toPrecision(4);
    const groups = data.cohorts[shown.cohort].groups;
    const dense = one.density === null ? "" : "; in these " + data.subjects + " " + data.measure + " " + groups.map(
      (label, place) => label + " " + one.density[place]).join(", ");
    const fresh = one.new && "; in new " + data.subjects + " the difference is " + one.new;
    return at + "α = " + one.alpha.toPrecision(3) + ": " + size + one.perhaps + fresh + dense +
      "; objective " + one.objective.toPrecision(4) + " (" + proof + ")";
  }

  function updateTabs() {
    tablist.replaceChildren(...contrasts().map(function (contrast, index) {
      const tab = document.createElement("button");
      const selected = index === shown.contrast;
      tab.type = "button";
      tab.id = "viewer-tab-" + index;
      tab.textContent = contrast.label;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(selected));
      tab.setAttribute("aria-controls", "viewer-panel");
      tab.tabIndex = selected ? 0 : -1;
      tab.addEventListener("click", function () { chooseContrast(index); });
      return tab;
    }));
    panel.setAttribute("aria-labelledby", "viewer-tab-" + shown.contrast);
  }

  function updateSubgraph() {
    const one = subgraph();
    const text = describe(one);
    slider.max = String(subgraphs().length - 1);
    slider.value = String(shown.subgraph);
    slider.setAttribute("aria-valuetext", text);
    state.textContent = text;
    for (const heading of document.querySelectorAll("#viewer-regions th")) {
      heading.removeAttribute("aria-sort");
    }
    const order = one.nodes.map((_, place) => place)
      .sort((a, b) => one.degree[b] - one.degree[a]);
    list.replaceChildren(...order.map(function (place) {
      const node = one.nodes[place];
      const row = document.createElement("tr");
      const cells = [name(node), data.regions.system[node],
        one.degree[place].toFixed(2)];
      cells.forEach(function (text, column) {
        const cell = row.insertCell();
        cell.textContent = text;
        if (column === 2) { cell.className = "number"; }
      });
      return row;
    }));
    draw();
  }

  function chooseContrast(index) {
    shown.contrast = index;
    shown.subgraph = pictured(contrasts()[index]);
    updateTabs();
    updateSubgraph();
  }

  // --- drawing ---

  function place(x, y, z) {
    return { eye: { x: x, y: y, z: z }, up: { x: 0, y: 0, z: 1 }, center: { x: 0, y: 0, z: 0 } };
  }

  function decode(text, Type) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Type(bytes.buffer);
  }

  function half(mesh) {
    const places = decode(mesh.places, Int16Array), faces = decode(mesh.faces, Uint16Array);
    const trace = { type: "mesh3d", color: "#9aa3ad", opacity: 0.14, hoverinfo: "skip" };
    trace.lighting = { ambient: 0.75, diffuse: 0.6, specular: 0.05 };
    ["x", "y", "z"].forEach(function (axis, k) {
      trace[axis] = Float32Array.from({ length: places.length / 3 }, (_, i) => places[3 * i + k] / 100);
    });
    ["i", "j", "k"].forEach(function (corner, k) {
      trace[corner] = Int32Array.from({ length: faces.length / 3 }, (_, i) => faces[3 * i + k]);
    });
    return trace;
  }

  const cortex = data.surface.map(half);

  // The surface has no cerebellum: a ball stands where it lies.
  function cerebellum() {
    const trace = { type: "mesh3d", color: "#8a5a33", opacity: 0.22, hoverinfo: "skip",
      alphahull: 0, x: [], y: [], z: [] };
    for (let i = 0; i <= 8; i += 1) {
      for (let j = 0; j < 16; j += 1) {
        const up = Math.PI * (i / 8 - 0.5), around = 2 * Math.PI * j / 16;
        trace.x.push(50 * Math.cos(up) * Math.cos(around));
        trace.y.push(-64 + 27 * Math.cos(up) * Math.sin(around));
        trace.z.push(-36 + 20 * Math.sin(up));
      }
    }
    return trace;
  }

  // Words on white stay readable before the brain.
  function word(text, x, y, z, size, up) {
    return { text: text, x: x, y: y, z: z, showarrow: false, yshift: up,
      font: { size: size, color: "#1d2430" }, bgcolor: "rgba(255, 255, 255, 0.8)" };
  }

  // The largest regions, and which side is which.
  function words(one) {
    const largest = one.nodes.map((_, place) => place)
      .sort((a, b) => one.degree[b] - one.degree[a]).slice(0, 5);
    const at = (axis, place) => data.regions[axis][one.nodes[place]];
    return [
      word("L", -84, -15, 0, 16, 0), word("R", 84, -15, 0, 16, 0),
      word("A", 0, 78, 0, 16, 0), word("P", 0, -112, 0, 16, 0),
      ...largest.map((place) => word(name(one.nodes[place]), at("x", place), at("y", place),
        at("z", place), 11, 13))
    ];
  }

  function name(node) { return data.regions.name[node]; }

  function lines(one, positive) {
    const heaviest = Math.max(...one.edges.map((edge) => Math.abs(edge[2])), one.least);
    const groups = [[], [], []]; // three widths
    for (const edge of one.edges) {
      if ((edge[2] > 0) !== positive) { continue; }
      const share = (Math.abs(edge[2]) - one.least) / (heaviest - one.least + 1e-9);
      groups[Math.min(2, Math.floor(share * 3))].push(edge);
    }
    return groups.map(function (edges, level) {
      const trace = {
        type: "scatter3d", mode: "lines", hoverinfo: "skip", x: [], y: [], z: [],
        line: { color: positive ? data.colours[0] : data.colours[1], width: 2 + 2.5 * level }
      };
      for (const edge of edges) {
        for (const axis of ["x", "y", "z"]) {
          trace[axis].push(data.regions[axis][edge[0]], data.regions[axis][edge[1]], null);
        }
      }
      return trace;
    }).filter((trace) => trace.x.length);
  }

  // The darker a region, the more half samples choose it.
  function shade(share) {
    const mix = [43, 52, 66].map((dark) => Math.round(205 + share * (dark - 205)));
    return "rgb(" + mix.join(",") + ")";
  }

  function points(one) {
    const most = Math.max(...one.degree, 1e-9);
    const pick = (axis) => one.nodes.map((node) => data.regions[axis][node]);
    return {
      type: "scatter3d", mode: "markers", x: pick("x"), y: pick("y"), z: pick("z"),
      hovertext: one.nodes.map((node, place) => name(node) + (one.share === null ? "" :
        ": in " + Math.round(100 * one.share[place]) + " % of half samples")), hoverinfo: "text",
      marker: {
        size: one.degree.map((degree) => 5 + 9 * Math.sqrt(Math.max(degree, 0) / most)),
        color: one.share === null ? "#2b3442" : one.share.map(shade), line: { color: "#ffffff", width: 1 }, opacity: 1
      }
    };
  }

  function layout(one) {
    const axis = {
      showgrid: false, showline: false, zeroline: false, showticklabels: false, ticks: "",
      title: "", showspikes: false, showbackground: false
    };
    return {
      autosize: true, showlegend: false, margin: { l: 0, r: 0, t: 0, b: 0 },
      paper_bgcolor: "#ffffff",
      scene: {
        camera: camera, aspectmode: "data", dragmode: "orbit", annotations: words(one),
        xaxis: Object.assign({ range: [-88, 88] }, axis),
        yaxis: Object.assign({ range: [-110, 78] }, axis),
        zaxis: Object.assign({ range: [-62, 82] }, axis)
      }
    };
  }

  function draw() {
    if (!ready) { return; }
    const one = subgraph();
    const traces = [...cortex, cerebellum(), ...lines(one, true), ...lines(one, false), points(one)];
    Plotly.react(plot, traces, layout(one), { displayModeBar: false, responsive: true });
  }

  function look(next) {
    camera = next;
    if (ready) { Plotly.relayout(plot, { "scene.camera": camera }); }
  }

  function turn(right, up) {
    const eye = camera.eye;
    const distance = Math.hypot(eye.x, eye.y, eye.z);
    const azimuth = Math.atan2(eye.y, eye.x) + right * Math.PI / 12;
    const steep = Math.asin(Math.max(-1, Math.min(1, eye.z / distance))) + up * Math.PI / 12;
    const height = Math.max(-1.45, Math.min(1.45, steep));
    look(place(distance * Math.cos(height) * Math.cos(azimuth),
      distance * Math.cos(height) * Math.sin(azimuth), distance * Math.sin(height)));
  }

  // Of names that would cover each other the first is shown, that of the heavier region.
  function unclutter() {
    const shown = [], labels = Array.from(plot.querySelectorAll(".annotation-scene"));
    labels.sort((a, b) => a.dataset.index - b.dataset.index);
    for (const label of labels) {
      const box = label.getBoundingClientRect();
      const covers = shown.some((one) => box.left < one.right && one.left < box.right &&
        box.top < one.bottom && one.top < box.bottom);
      label.style.visibility = covers ? "hidden" : "";
      if (!covers) { shown.push(box); }
    }
  }

  function nearer(factor) {
    const eye = camera.eye, distance = Math.hypot(eye.x, eye.y, eye.z) * factor;
    if (distance < 0.4 || distance > 4) { return; }
    look(Object.assign({}, camera, {
      eye: { x: eye.x * factor, y: eye.y * factor, z: eye.z * factor }
    }));
  }

  const views = {
    left: place(-1.45, 0, 0), right: place(1.45, 0, 0), front: place(0, 1.45, 0),
    back: place(0, -1.45, 0), top: Object.assign(place(0, 0, 1.45), { up: { x: 0, y: 1, z: 0 } })
  };

  function hasWebGL() {
    try {
      const canvas = document.createElement("canvas");
      return Boolean(canvas.getContext("webgl"));
    } catch (error) {
      return false;
    }
  }

  // --- hands on keys and mouse ---

  tablist.addEventListener("keydown", function (event) {
    const last = contrasts().length - 1;
    const next = {
      ArrowRight: shown.contrast === last ? 0 : shown.contrast + 1,
      ArrowLeft: shown.contrast === 0 ? last : shown.contrast - 1,
      Home: 0,
      End: last
    }[event.key];
    if (next === undefined) { return; }
    event.preventDefault();
    chooseContrast(next);
    tablist.children[next].focus();
  });
  slider.addEventListener("input", function () {
    shown.subgraph = Number(slider.value);
    updateSubgraph();
  });
  chosenCohort.addEventListener("change", function () {
    shown.cohort = Number(chosenCohort.value);
    shown.contrast = Math.min(shown.contrast, contrasts().length - 1);
    shown.subgraph = pictured(contrasts()[shown.contrast]);
    updateTabs();
    updateSubgraph();
  });
  plot.addEventListener("keydown", function (event) {
    const factor = { "+": 0.8, "=": 0.8, "-": 1.25 }[event.key];
    if (factor) { event.preventDefault(); nearer(factor); }
    const way = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]
    }[event.key];
    if (!way) { return; }
    event.preventDefault();
    turn(way[0], way[1]);
  });
  root.querySelector(".controls").addEventListener("click", function (event) {
    const button = event.target.closest("button");
    if (!button) { return; }
    if (button.dataset.view) { look(views[button.dataset.view]); }
    if (button.dataset.nearer) { nearer(Number(button.dataset.nearer)); }
    if (button.dataset.turn) { turn(Number(button.dataset.turn), 0); }
  });

  function asText() {
    const cohort = data.cohorts[shown.cohort];
    const rows = Array.from(list.rows).map(
      (row) => Array.from(row.cells).map((cell) => cell.textContent).join("\t"));
    return [cohort.label + ", " + contrasts()[shown.contrast].label + ", " + state.textContent,
      "region\tsystem\tweighted degree", ...rows].join("\n") + "\n";
  }

  document.getElementById("viewer-copy").addEventListener("click", async function () {
    const area = document.createElement("textarea");
    area.value = asText();
    root.append(area);
    area.select();
    let copied = false;
    try { // a page from a file has no clipboard of its own in some browsers
      copied = document.execCommand("copy");
      if (!copied) { await navigator.clipboard.writeText(area.value); copied = true; }
    } catch (error) { copied = false; }
    area.remove();
    done.textContent = copied ? "Copied." : "This browser does not let the page copy.";
  });

  // --- files for other programs ---

  function fileName(ending) {
    const at = subgraph().percentile === null ? "alpha" + subgraph().alpha : "p" + subgraph().percentile;
    return [data.cohorts[shown.cohort].name, contrasts()[shown.contrast].name, at].join("-") + ending;
  }

  function download(text, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
    done.textContent = "Saved as " + name + ".";
  }

  // BrainNet Viewer: x y z colour size label, a region a line; the edges as a matrix.
  function nodeFile(one) {
    return one.nodes.map((node, place) => ["x", "y", "z"].map((axis) => data.regions[axis][node])
      .concat(1, one.degree[place], name(node).replace(/ /g, ".")).join("\t")).join("\n") + "\n";
  }

  function edgeFile(one) {
    const at = new Map(one.nodes.map((node, place) => [node, place]));
    const rows = one.nodes.map(() => one.nodes.map(() => 0));
    for (const [i, j, weight] of one.edges) {
      rows[at.get(i)][at.get(j)] = rows[at.get(j)][at.get(i)] = weight;
    }
    return rows.map((row) => row.join("\t")).join("\n") + "\n";
  }

  function graphml(one) {
    const safe = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;")
      .replace(/"/g, "&quot;");
    const axes = data.surface.length ? ["x", "y", "z"] : [];
    const keys = [["label", "node", "string"], ["system", "node", "string"],
      ...axes.concat("degree").map((key) => [key, "node", "double"]), ["weight", "edge", "double"]];
    const fill = (key, value) => '<data key="' + key + '">' + safe(value) + "</data>";
    const nodes = one.nodes.map((node, place) => '<node id="n' + node + '">' + fill("label", name(node)) +
      ["system", ...axes].map((key) => fill(key, data.regions[key][node])).join("") +
      fill("degree", one.degree[place]) + "</node>");
    const edges = one.edges.map(([i, j, weight]) => '<edge source="n' + i + '" target="n' + j + '">' +
      fill("weight", weight) + "</edge>");
    return ['<?xml version="1.0" encoding="UTF-8"?>',
      '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
      ...keys.map(([id, of, type]) => '<key id="' + id + '" for="' + of + '" attr.name="' + id +
        '" attr.type="' + type + '"/>'),
      '<graph edgedefault="undirected">', ...nodes, ...edges, "</graph>", "</graphml>"].join("\n") + "\n";
  }

  for (const [id, write, ending] of [["node", nodeFile, ".node"], ["edge", edgeFile, ".edge"],
    ["graphml", graphml, ".graphml"]]) {
    document.getElementById("viewer-" + id).addEventListener("click", function () {
      download(write(subgraph()), fileName(ending));
    });
  }

  document.getElementById("viewer-picture").addEventListener("click", async function () {
    const link = document.createElement("a");
    link.href = await Plotly.toImage(plot, { format: "png", width: 1600, height: 1200, scale: 1 });
    link.download = [data.cohorts[shown.cohort].name, contrasts()[shown.contrast].name].join("-") + ".png";
    link.click();
    done.textContent = "Saved as " + link.download + ".";
  });

  // --- the start ---

  root.querySelector(".controls").hidden = false;
  if (data.surface.length && hasWebGL()) {
    ready = true;
  } else {
    const note = document.createElement("p");
    note.textContent = "This browser has no WebGL, which the 3-D view needs. " +
      "The list of regions and the figures below show the same sets.";
    plot.append(note);
    root.querySelector(".buttons").hidden = true;
    document.getElementById("viewer-picture").hidden = true;
  }
  updateTabs();
  updateSubgraph();
  if (ready) {
    const names = new MutationObserver(unclutter); // they are drawn anew whenever the view turns
    names.observe(plot.querySelector(".infolayer"), { childList: true });
    unclutter();
    new ResizeObserver(function () { Plotly.Plots.resize(plot); }).observe(plot);
    plot.on("plotly_relayout", function () {
      const current = plot.layout.scene && plot.layout.scene.camera;
      if (current && current.eye) { camera = current; }
    });
  }
})();
