"use strict";
// The ledger: each optimizer's windows, drawn at any zoom from runs of equal windows.
// Nothing of the user's is ever parsed as markup: texts go through textContent and setAttribute.

const Ledger = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const HEIGHT = 118, SKY = 16, GROUND = 74, GLYPHS = 90, RULER = 114;
  const OPENED = 20; // windows that the ledger opens with, of a longer run
  const DETAIL = 11; // pixels a moment from which on a window's moments are drawn
  const WORDS = {
    deposit: "backward deposits", clear: "cleared", "part-clear": "cleared in part", clip: "clipped",
    unscale: "unscaled", write: "written by hand", spend: "step spends", skip: "step skipped",
    idle: "step without effect", end: "the run ends",
  };
  const number = (value) => Math.round(value).toLocaleString("en");
  const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
  const make = (tag, attributes = {}, parent = null) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (parent) parent.append(element);
    return element;
  };
  const say = (tag, text, parent, kind = "") => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (kind) element.className = kind;
    if (parent) parent.append(element);
    return element;
  };

  // -- what a window does to an account: how much lies in it, and how much of that was spent

  const OTHER = { moments: [], faults: [], clears: true, deposits: 0 };
  const shapeOf = ([moments, faults]) => ({
    moments, faults,
    clears: !moments.length || moments.some(([kind]) => kind === "clear"),
    deposits: moments.reduce((sum, [kind, , times]) => sum + (kind === "deposit" ? times : 0), 0),
  });
  const walk = (shape, start) => {
    const at = { level: start.level, stale: start.stale, peak: start.level, path: [] };
    for (const [kind, , times] of shape.moments) {
      if (kind === "deposit") at.level += times;
      if (kind === "clear") at.level = at.stale = 0;
      if (kind === "spend" || kind === "skip") at.stale = at.level;
      at.peak = Math.max(at.peak, at.level);
      at.path.push({ level: at.level, stale: at.stale });
    }
    return at;
  };
  const startOf = (run, place) => {
    if (!place) return run.start;
    if (run.shape.clears) return walk(run.shape, run.start);
    const level = run.start.level + place * run.shape.deposits;
    return { level, stale: level };
  };
  const peakOf = (run, place) =>
    run.shape ? walk(run.shape, startOf(run, place)).peak : run.most + (run.clears ? 0 : run.start.level);
  const endOf = (run) => {
    if (run.shape) return walk(run.shape, startOf(run, run.count - 1));
    const level = run.clears ? 0 : run.start.level + run.deposits;
    return { level, stale: level };
  };

  const prepare = (lane) => {
    const shapes = lane.shapes.map(shapeOf);
    let start = { level: 0, stale: 0 };
    lane.windows = lane.runs.map(([first, count, shape, fewest, most, deposits]) => {
      const pairs = Array.isArray(shape) ? shape : [[shape, count]];
      const run = { first: first - 1, count, fewest, most, deposits, start };
      run.pairs = pairs.map(([index, times]) => [shapes[index] || OTHER, times]);
      run.shape = run.pairs.length === 1 ? run.pairs[0][0] : null;
      run.clears = run.pairs.some(([one]) => one.clears);
      start = endOf(run);
      return run;
    });
    const last = lane.windows[lane.windows.length - 1];
    lane.length = last.first + last.count;
    return lane;
  };

  const lanes = data ? data.lanes.map(prepare) : [];
  const length = Math.max(0, ...lanes.map((lane) => lane.length));
  const shown = new Set(data ? data.rules.map((rule) => rule.name) : []);
  const codes = new Map(data ? data.rules.map((rule) => [rule.name, rule.code]) : []);
  const view = { from: 0, to: length };
  const chosen = { lane: null, at: null };

  const faultsOf = (shape) => shape.faults.filter((rule) => shown.has(rule));
  const faultyIn = (run) =>
    run.pairs.reduce((sum, [shape, times]) => sum + (faultsOf(shape).length ? times : 0), 0);
  const runAt = (lane, at) => {
    let low = 0, high = lane.windows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lane.windows[middle].first <= at) low = middle; else high = middle - 1;
    }
    return lane.windows[low];
  };

  // -- in words

  const momentWords = (lane, [kind, place, times]) => {
    const where = lane.places[place] ? `  ${lane.places[place]}` : "";
    return `${WORDS[kind]}${times > 1 ? ` ${times} times` : ""}${where}`;
  };
  const shapeWords = (shape) =>
    shape.moments.map(([kind, , times]) => (times > 1 ? `${times} × ${kind}` : kind)).join(", ") || "various";
  const faultWords = (shape) => faultsOf(shape).map((rule) => `✕ ${rule} (${codes.get(rule)})`);
  const describe = (lane, at) => {
    const run = runAt(lane, at);
    if (!run.shape) {
      const kinds = run.pairs.map(([shape, times]) =>
        [`${number(times)} × ${shapeWords(shape)}`, ...faultWords(shape)].join("  "));
      return [`${lane.name}, steps ${number(run.first + 1)} to ${number(run.first + run.count)}, of several kinds:`, ...kinds];
    }
    const lying = peakOf(run, at - run.first);
    return [
      `${lane.name}, step ${number(at + 1)}`,
      ...run.shape.moments.map((moment) => momentWords(lane, moment)),
      `${plural(lying, "deposit")} in the account`,
      ...faultWords(run.shape),
    ];
  };

  // -- pictures

  const GLYPH = {
    deposit: (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`,
    clear: (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`,
    "part-clear": (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`,
    clip: (x, y) => `M${x} ${y - 5}l5 5l-5 5l-5 -5z`,
    unscale: (x, y) => `M${x - 5} ${y - 4}h10l-5 8z`,
    write: (x, y) => `M${x - 5} ${y + 4}h10l-5 -8z`,
    spend: (x, y) => `M${x - 4} ${y - 4}h8v8h-8z`,
    idle: (x, y) => `M${x - 4} ${y - 4}h8v8h-8z`,
    skip: (x, y) => `M${x - 4} ${y - 4}l8 8M${x - 4} ${y + 4}l8 -8`,
    end: (x, y) => `M${x} ${y - 6}v12`,
  };
  const box = (x, y, width, height) =>
    `M${x.toFixed(1)} ${y.toFixed(1)}h${Math.max(width, 0.8).toFixed(1)}v${height.toFixed(1)}h${-Math.max(width, 0.8).toFixed(1)}z`;
  const flag = (x) => `M${(x - 5).toFixed(1)} 3h10l-5 9z`;

  class Picture {
    constructor() { this.paths = {}; this.texts = []; }
    add(kind, path) { (this.paths[kind] ||= []).push(path); }
    put(svg) {
      svg.replaceChildren();
      make("rect", { class: "ground", x: 0, y: SKY, width: svg.clientWidth, height: GROUND - SKY }, svg);
      const order = ["tint", "parts", "stale", "fresh", "wrong", "top", "flag", "ruler", ...Object.keys(GLYPH).map((kind) => `g-${kind}`), "chosen"];
      for (const kind of order)
        if (this.paths[kind]) make("path", { class: kind, d: this.paths[kind].join("") }, svg);
      for (const [x, y, text, anchor] of this.texts)
        make("text", { x, y, "text-anchor": anchor }, svg).textContent = text;
    }
  }

  const binsOf = (lane, width, { from, to } = view) => {
    const count = Math.min(Math.ceil(to - from), Math.max(40, Math.floor(width / 3)));
    const size = (to - from) / count;
    return Array.from({ length: count }, (_, index) => {
      const begin = Math.floor(from + index * size);
      const end = Math.min(lane.length, Math.max(begin + 1, Math.floor(from + (index + 1) * size)));
      const bin = { x: ((index * size) / (to - from)) * width, width: width / count, peak: 0, faulty: 0, skipped: 0, begin, end };
      for (let at = begin; at < end; ) {
        const run = runAt(lane, at), stop = Math.min(end, run.first + run.count);
        bin.peak = Math.max(bin.peak, peakOf(run, at - run.first), peakOf(run, stop - 1 - run.first));
        const faulty = faultyIn(run);
        bin.faulty += faulty === run.count ? stop - at : Math.ceil((faulty * (stop - at)) / run.count);
        if (run.pairs.some(([shape]) => shape.moments.some(([kind]) => kind === "skip"))) bin.skipped += 1;
        at = stop;
      }
      return bin;
    });
  };

  const drawFar = (lane, picture, width) => {
    const bins = binsOf(lane, width);
    const highest = Math.max(2, ...bins.map((bin) => bin.peak));
    const y = (level) => GROUND - (level / highest) * (GROUND - SKY);
    let block = null;
    bins.forEach((bin) => {
      if (bin.begin >= bin.end) return;
      picture.add(bin.faulty ? "wrong" : "fresh", box(bin.x, y(bin.peak), bin.width + 0.4, GROUND - y(bin.peak)));
      if (bin.faulty && block === null) block = bin.x;
      if (!bin.faulty && block !== null) { picture.add("flag", flag(Math.max(6, (block + bin.x) / 2))); block = null; }
      if (bin.faulty) picture.add("tint", box(bin.x, SKY, bin.width + 0.4, GROUND - SKY));
      if (bin.skipped) picture.add("g-skip", GLYPH.skip(bin.x + bin.width / 2, GLYPHS));
    });
    const end = Math.min(width, ((lane.length - view.from) / (view.to - view.from)) * width);
    if (block !== null) picture.add("flag", flag(Math.max(6, (block + end) / 2)));
    return { highest, faulty: bins.reduce((sum, bin) => sum + bin.faulty, 0) };
  };

  const drawNear = (lane, picture, width) => {
    const first = Math.max(0, Math.floor(view.from)), last = Math.min(lane.length, Math.ceil(view.to));
    const size = width / (view.to - view.from);
    const windows = [];
    for (let at = first; at < last; at += 1) {
      const run = runAt(lane, at);
      const start = run.shape ? startOf(run, at - run.first) : run.start;
      const shape = run.shape || run.pairs.reduce((most, pair) => (pair[1] > most[1] ? pair : most))[0];
      windows.push({ at, x: (at - view.from) * size, start, shape, mixed: !run.shape, path: walk(shape, start) });
    }
    const highest = Math.max(2, ...windows.map((one) => one.path.peak));
    const y = (level) => GROUND - (level / highest) * (GROUND - SKY);
    let faulty = 0;
    for (const { x, start, shape, path } of windows) {
      const wrong = faultsOf(shape).length > 0, count = shape.moments.length;
      const step = size / (count + 0.4);
      let from = x, now = start;
      const area = (to) => {
        if (now.stale) picture.add(wrong ? "wrong" : "stale", box(from, y(now.stale), to - from, GROUND - y(now.stale)));
        if (now.level > now.stale) picture.add("fresh", box(from, y(now.level), to - from, y(now.stale) - y(now.level)));
      };
      shape.moments.forEach(([kind, , times], index) => {
        const to = x + (index + 0.7) * step;
        area(to);
        from = to; now = path.path[index];
        picture.add(`g-${kind}`, GLYPH[kind](Number(to.toFixed(1)), GLYPHS));
        if (times > 1 && step > 26) picture.texts.push([to + 7, GLYPHS - 4, `×${times}`, "start"]);
      });
      area(x + size);
      picture.add("parts", `M${x.toFixed(1)} ${SKY}V${GLYPHS + 8}`);
      if (wrong) {
        faulty += 1;
        picture.add("tint", box(x, SKY, size, GROUND - SKY));
        picture.add("flag", flag(x + size / 2));
      }
    }
    return { highest, faulty };
  };

  const drawRuler = (picture, width) => {
    const span = view.to - view.from, rough = (span * 90) / width;
    const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
    const tick = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) || 1);
    for (let step = Math.ceil((view.from + 1) / tick) * tick; step <= view.to; step += tick) {
      const x = ((step - 0.5 - view.from) / span) * width;
      if (x > 8 && x < width - 8) picture.texts.push([x.toFixed(1), RULER, number(step), "middle"]);
    }
  };

  const draw = (lane) => {
    const svg = lane.svg, width = svg.clientWidth || 900, picture = new Picture();
    const moments = Math.max(2, ...lane.shapes.map(([happened]) => happened.length));
    const near = width / (view.to - view.from) >= DETAIL * Math.min(moments, 8);
    const drawn = (near ? drawNear : drawFar)(lane, picture, width);
    drawRuler(picture, width);
    if (chosen.lane === lane) {
      const size = width / (view.to - view.from);
      picture.add("chosen", box((chosen.at - view.from) * size, SKY - 2, Math.max(size, 3), GLYPHS + 10 - SKY));
    }
    picture.put(svg);
    svg.dataset.detail = near ? "windows" : "columns";
    svg.dataset.faulty = drawn.faulty;
    lane.note.textContent = `up to ${plural(drawn.highest === 2 ? Math.min(2, lane.windows.reduce((most, run) => Math.max(most, peakOf(run, 0)), 0)) : drawn.highest, "deposit")} in the account`;
  };

  // The whole run in one strip, with a frame around what the lanes show.
  const overview = document.getElementById("overview");
  const drawOverview = () => {
    overview.hidden = length <= OPENED;
    if (overview.hidden) return;
    const width = overview.clientWidth || 900, calm = [], faulty = [];
    const lanesBins = lanes.map((lane) => binsOf(lane, width, { from: 0, to: length }));
    lanesBins[0].forEach((bin, index) => {
      const wrong = lanesBins.some((bins) => bins[index].faulty);
      (wrong ? faulty : calm).push(box(bin.x, wrong ? 6 : 13, bin.width + 0.4, wrong ? 22 : 8));
    });
    overview.replaceChildren();
    make("path", { class: "calm", d: calm.join("") }, overview);
    make("path", { class: "faulty", d: faulty.join("") }, overview);
    const size = Math.max(4, ((view.to - view.from) / length) * width);
    const x = Math.min(width - size, (view.from / length) * width);
    make("rect", { class: "frame", x: x.toFixed(1), y: 2, width: size.toFixed(1), height: 30, rx: 3 }, overview);
    overview.setAttribute("aria-valuemax", length);
    overview.setAttribute("aria-valuenow", Math.floor(view.from) + 1);
    overview.setAttribute("aria-valuetext", `steps ${number(Math.floor(view.from) + 1)} to ${number(Math.ceil(view.to))} of ${number(length)}`);
  };

  const drawAll = () => {
    lanes.forEach(draw);
    drawOverview();
    const root = document.getElementById("lanes");
    root.dataset.from = Math.floor(view.from) + 1;
    root.dataset.to = Math.ceil(view.to);
    document.getElementById("from").value = Math.floor(view.from) + 1;
    document.getElementById("to").value = Math.ceil(view.to);
  };

  // -- moving

  // A live page is loaded anew while somebody looks: where he was, he stays.
  const live = root.dataset.live !== undefined;
  let opened = false;
  const keepView = () => { if (live) sessionStorage.setItem("zerograd.view", JSON.stringify([view.from, view.to])); };
  const keptView = () => (live ? JSON.parse(sessionStorage.getItem("zerograd.view")) : null);
  const show = (from, to) => {
    const span = Math.min(length, Math.max(1, to - from));
    view.from = Math.max(0, Math.min(length - span, from));
    view.to = view.from + span;
    if (opened) keepView();
    drawAll();
  };
  const zoom = (factor, centre = (view.from + view.to) / 2) => {
    const span = Math.max(1, (view.to - view.from) * factor);
    const share = (centre - view.from) / (view.to - view.from);
    show(centre - share * span, centre + (1 - share) * span);
  };
  const faultRuns = () =>
    lanes.flatMap((lane) => lane.windows.filter(faultyIn).map((run) => ({ lane, at: run.first })))
      .sort((one, two) => one.at - two.at);
  const toFault = (direction) => {
    const every = faultRuns();
    if (!every.length) return;
    const here = chosen.at === null ? (direction > 0 ? -1 : length) : chosen.at;
    const beyond = direction > 0 ? every.find((one) => one.at > here) : every.findLast((one) => one.at < here);
    choose(beyond || (direction > 0 ? every[0] : every[every.length - 1]));
    show(chosen.at - 8, chosen.at + 12);
  };
  const choose = ({ lane, at }) => {
    chosen.lane = lane;
    chosen.at = Math.max(0, Math.min(lane.length - 1, at));
    document.getElementById("said").textContent = describe(lane, chosen.at).join("; ");
  };
  const MOVES = {
    whole: () => show(0, length), in: () => zoom(0.5), out: () => zoom(2),
    next: () => toFault(1), previous: () => toFault(-1),
  };

  const onKey = (lane) => (event) => {
    const at = chosen.lane === lane ? chosen.at : Math.floor((view.from + view.to) / 2);
    const keys = {
      ArrowLeft: () => choose({ lane, at: at - 1 }), ArrowRight: () => choose({ lane, at: at + 1 }),
      "+": MOVES.in, "=": MOVES.in, "-": MOVES.out, Home: MOVES.whole, n: MOVES.next, p: MOVES.previous,
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
    if (chosen.at !== null && event.key.startsWith("Arrow") && (chosen.at < view.from || chosen.at >= view.to))
      show(chosen.at - (view.to - view.from) / 2, chosen.at + (view.to - view.from) / 2);
    else drawAll();
  };

  const listenToOverview = () => {
    let held = null;
    const under = (event) => {
      const place = overview.getBoundingClientRect();
      return ((event.clientX - place.left) / place.width) * length;
    };
    overview.addEventListener("pointerdown", (event) => {
      const span = view.to - view.from, at = under(event);
      // Beside the frame it jumps there; in it, it is taken where it was touched.
      if (at < view.from || at > view.to) show(at - span / 2, at + span / 2);
      held = at - view.from;
      overview.setPointerCapture(event.pointerId);
      overview.classList.add("dragged");
    });
    overview.addEventListener("pointermove", (event) => {
      if (held === null) return;
      const from = under(event) - held;
      show(from, from + view.to - view.from);
    });
    for (const end of ["pointerup", "pointercancel"])
      overview.addEventListener(end, () => { held = null; overview.classList.remove("dragged"); });
    overview.addEventListener("keydown", (event) => {
      const span = view.to - view.from;
      const by = { ArrowLeft: -span / 2, ArrowRight: span / 2, Home: -length, End: length }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      show(view.from + by, view.to + by);
    });
  };

  const tip = document.getElementById("tip");
  const onMove = (lane) => (event) => {
    const place = lane.svg.getBoundingClientRect();
    const at = Math.floor(view.from + ((event.clientX - place.left) / place.width) * (view.to - view.from));
    if (lane.grip) {
      const moved = ((event.clientX - lane.grip.x) / place.width) * (view.to - view.from);
      show(lane.grip.from - moved, lane.grip.to - moved);
      return;
    }
    tip.hidden = at < 0 || at >= lane.length;
    if (tip.hidden) return;
    tip.textContent = describe(lane, at).join("\n");
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)}px`;
  };
  const listen = (lane) => {
    const { svg } = lane;
    svg.addEventListener("mousemove", onMove(lane));
    svg.addEventListener("mouseleave", () => { tip.hidden = true; });
    svg.addEventListener("keydown", onKey(lane));
    svg.addEventListener("pointerdown", (event) => {
      lane.grip = { x: event.clientX, from: view.from, to: view.to };
      svg.setPointerCapture(event.pointerId);
      svg.classList.add("dragged");
      tip.hidden = true;
    });
    // A finger that begins to scroll the page ends with pointercancel.
    for (const end of ["pointerup", "pointercancel"])
      svg.addEventListener(end, () => { lane.grip = null; svg.classList.remove("dragged"); });
    const under = (event) => {
      const place = svg.getBoundingClientRect();
      return view.from + ((event.clientX - place.left) / place.width) * (view.to - view.from);
    };
    svg.addEventListener("dblclick", (event) => zoom(0.33, under(event)));
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, under(event));
    }, { passive: false });
  };

  // -- putting it on the page

  const addLane = (lane) => {
    const root = say("div", "", document.getElementById("lanes"), "lane");
    const title = say("h3", "", root);
    say("span", lane.process ? `${lane.name} in ${lane.process}` : lane.name, title);
    say("small", lane.place, title, "place");
    say("small", plural(lane.steps, "step"), title);
    lane.note = say("small", "", title);
    lane.verdict = say("span", "", title);
    lane.svg = make("svg", { height: HEIGHT, tabindex: 0, role: "group", "aria-label": `Windows of ${lane.name}, built at ${lane.place}`, "aria-describedby": "said" }, root);
    listen(lane);
  };
  const judge = (lane) => {
    const faulty = lane.windows.reduce((sum, run) => sum + faultyIn(run), 0);
    lane.verdict.className = faulty ? "faulty" : "calm";
    lane.verdict.textContent = faulty ? `✕ ${plural(faulty, "faulty window")}` : "✓ in order";
  };
  const addFilters = () => {
    const root = document.getElementById("filters");
    for (const { name, code } of data.rules) {
      const label = say("label", "", root), input = document.createElement("input");
      input.type = "checkbox"; input.checked = true; input.dataset.rule = name;
      input.addEventListener("change", () => {
        if (input.checked) shown.add(name); else shown.delete(name);
        lanes.forEach(judge);
        drawAll();
      });
      label.append(input);
      say("span", `${name} ${code}`, label);
    }
  };
  const addLegend = () => {
    const root = document.getElementById("legend");
    const used = new Set(lanes.flatMap((lane) => lane.shapes.flatMap(([moments]) => moments.map(([kind]) => kind))));
    const entry = (path, kind, words) => {
      const span = say("span", "", root), svg = make("svg", { width: 16, height: 16, "aria-hidden": "true" }, span);
      make("path", { d: path, class: kind }, svg);
      say("span", words, span);
    };
    Object.keys(WORDS).filter((kind) => used.has(kind)).forEach((kind) => entry(GLYPH[kind](8, 8), `g-${kind}`, WORDS[kind]));
    if (data.rules.length) {
      root.lastChild.insertAdjacentElement("afterend", say("span", "", root));
      const svg = make("svg", { width: 16, height: 16, "aria-hidden": "true", class: "lane-flag" }, root.lastChild);
      make("path", { d: "M3 3h10l-5 9z", style: "fill: var(--fault)" }, svg);
      say("span", "a fault", root.lastChild);
    }
  };
  const addTable = () => {
    const root = document.getElementById("table");
    for (const lane of lanes) {
      const table = say("table", "", root);
      say("caption", `${lane.name} ${lane.place}`, table);
      const head = say("tr", "", say("thead", "", table));
      ["steps", "windows", "what happened", "faults"].forEach((title) => { say("th", title, head).scope = "col"; });
      const body = say("tbody", "", table);
      for (const run of lane.windows.slice(0, 200)) {
        const row = say("tr", "", body);
        say("td", run.count > 1 ? `${number(run.first + 1)} to ${number(run.first + run.count)}` : number(run.first + 1), row);
        say("td", number(run.count), row);
        say("td", run.pairs.map(([shape]) => shapeWords(shape)).join(" | "), row);
        say("td", [...new Set(run.pairs.flatMap(([shape]) => shape.faults))].join(", "), row, "bad");
      }
      if (lane.windows.length > 200) say("p", `and ${number(lane.windows.length - 200)} more`, root);
    }
  };

  const begin = () => {
    lanes.forEach(addLane);
    addFilters();
    addLegend();
    addTable();
    lanes.forEach(judge);
    document.querySelectorAll("[data-zoom]").forEach((button) => {
      button.disabled = button.classList.contains("to-fault") && !data.rules.length;
      button.addEventListener("click", () => MOVES[button.dataset.zoom]());
    });
    for (const id of ["from", "to"]) {
      document.getElementById(id).max = length;
      document.getElementById(id).addEventListener("change", () => {
        const from = Number(document.getElementById("from").value) - 1, to = Number(document.getElementById("to").value);
        const span = view.to - view.from;
        if (to > from) show(from, to);
        else if (id === "from") show(from, from + span);
        else show(to - span, to);
      });
    }
    listenToOverview();
    if (length > OPENED) {
      const [first] = faultRuns();
      const from = first ? first.at - 8 : length - OPENED;
      show(...(keptView() ?? [from, from + OPENED]));
    } else drawAll();
    opened = true;
    addEventListener("resize", drawAll);
    addEventListener("beforeprint", drawAll);
  };
  if (data) begin();
  return { lanes, number, plural, say };
})();
