"use strict";
// The plots: norms, window sizes, clips, loss scale and skipped steps, drawn by plotly.js, which
// the page carries packed and unpacks here.

(() => {
  if (!data) return;
  const { lanes, number, plural, say } = Ledger;
  // Okabe and Ito's colours, and a dash of its own for each: lanes differ without colour too.
  const LIGHT = ["#0072b2", "#b8860b", "#009e73", "#aa4a86", "#56b4e9", "#5a636e"];
  const DARK = ["#56b4e9", "#e6b13c", "#1fb58a", "#d893bd", "#9bd3f5", "#a9b4bf"];
  const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (index) => (isDark() ? DARK : LIGHT)[index % LIGHT.length];
  const title = (lane) => (lane.process ? `${lane.name} in ${lane.process}` : `${lane.name} ${lane.place}`);
  const called = (lane) => (lanes.length > 1 ? title(lane) : lane.name);
  const measured = (columns) => columns.step.length > 0;

  const line = (lane, index, columns, more = {}) => ({
    type: "scatter", mode: columns.step.length > 1 ? "lines" : "markers", name: escaped(title(lane)), x: columns.step, y: columns.mean,
    line: { color: colour(index), width: 1.8, dash: DASHES[Math.floor(index / LIGHT.length) % DASHES.length] },
    marker: { color: colour(index) }, hovertemplate: "step %{x:,}: %{y:.4g}<extra></extra>", ...more,
  });
  // plotly reads a small HTML of its own in texts, templates and TeX: nothing of the user's may
  // look like it.
  const escaped = (text) => text.replace(/[&<>"'%$]/g, (one) => `&#${one.charCodeAt(0)};`);
  const band = (columns, index) => {
    const seen = columns.step.map((step, at) => [step, columns.low[at], columns.high[at]]).filter(([, low]) => low !== null);
    if (!seen.some(([, low, high]) => high > low)) return [];
    return [{
      type: "scatter", mode: "lines", x: [...seen.map(([step]) => step), ...seen.map(([step]) => step).reverse()],
      y: [...seen.map(([, , high]) => high), ...seen.map(([, low]) => low).reverse()],
      fill: "toself", fillcolor: `${colour(index)}2e`, line: { width: 0 }, hoverinfo: "skip", showlegend: false,
    }];
  };
  const short = (value) => (value >= 1000 && value < 1e9 ? number(value) : value.toPrecision(3));
  const extremes = (columns) => {
    const highs = columns.high.map((value, at) => [value, columns.step[at]]).filter(([value]) => value !== null);
    const top = highs.reduce((most, one) => (one[0] > most[0] ? one : most), [-Infinity, 0]);
    return highs.length ? `highest ${short(top[0])} at step ${number(top[1])}` : "never finite";
  };

  // Above the step axis, on an axis of its own: a logarithmic one has no place for them.
  const unmeasurable = (columns) => {
    const bad = columns.step.filter((_, at) => columns.bad[at] > 0);
    return bad.length ? [{
      type: "scatter", mode: "markers", x: bad, y: bad.map(() => 0.04), yaxis: "y2", name: "inf or NaN",
      marker: { symbol: "x", size: 8, color: style("--fault") }, hovertemplate: "step %{x:,}: inf or NaN<extra></extra>",
    }] : [];
  };

  const norms = () => {
    const traces = [], words = [];
    lanes.forEach((lane, index) => {
      const { spent, meant } = lane.series;
      if (!measured(spent)) return;
      traces.push(...band(spent, index), line(lane, index, spent, measured(meant) ? { name: escaped(`spent, ${title(lane)}`) } : {}));
      traces.push(...unmeasurable(spent));
      if (measured(meant)) traces.push(line(lane, index, meant, {
        mode: "lines+markers", name: escaped(`should have been, ${title(lane)}`), line: { color: style("--fault"), dash: "dot", width: 1.6 },
        marker: { symbol: "diamond-open", size: 7, color: style("--fault") },
      }));
      words.push(`${called(lane)}: ${extremes(spent)}`);
    });
    return { title: "Gradient norm at each step", wide: true, log: true, traces, words: words.join("; ") };
  };
  const losses = () => {
    const told = lanes.filter((lane) => measured(lane.series.loss));
    const traces = told.flatMap(({ series: { loss } }, at) => {
      const index = lanes.indexOf(told[at]);
      return [...band(loss, index), line(told[at], index, loss), ...unmeasurable(loss)];
    });
    const value = (mean) => (mean === null ? "inf or NaN" : mean.toPrecision(3));
    const words = told.map((lane) => `${called(lane)}: ${value(lane.series.loss.mean[0])} at first, ${value(lane.series.loss.mean.at(-1))} at last`);
    return { title: "Loss", traces, log: true, words: words.join("; ") };
  };
  const sizes = () => {
    const traces = lanes.map((lane, index) => {
      const x = [], y = [];
      for (const run of lane.windows) { x.push(run.first + 1, run.first + run.count); y.push(run.most, run.most); }
      return { type: "scatter", mode: x.length > 2 || x[0] !== x[1] ? "lines" : "markers", name: escaped(title(lane)), x, y, line: { shape: "hv", color: colour(index), width: 1.8 }, hovertemplate: "step %{x:,}: %{y} deposits<extra></extra>" };
    });
    const most = lanes.map((lane) => `${called(lane)}: ${sizesOf(lane)}`).join("; ");
    // What never changes is said, not drawn.
    const plain = lanes.every((lane) => lane.windows.every((run) => run.most === lane.windows[0].most && run.fewest === run.most));
    const words = plain && new Set(lanes.map(sizesOf)).size === 1 ? sizesOf(lanes[0]) : most;
    return { title: "Deposits in each window", traces, words, plain };
  };
  const sizesOf = (lane) => {
    const fewest = Math.min(...lane.windows.map((run) => run.fewest)), most = Math.max(...lane.windows.map((run) => run.most));
    return fewest === most ? `always ${number(most)}` : `${number(fewest)} to ${number(most)}`;
  };
  const clips = () => {
    const traces = [], words = [];
    lanes.forEach((lane, index) => {
      const { unclipped, spent } = lane.series;
      if (!measured(unclipped)) return;
      traces.push(line(lane, index, unclipped, { name: escaped(`before, ${title(lane)}`), line: { color: style("--clip"), width: 1.6, dash: "dot" } }));
      if (measured(spent)) traces.push(line(lane, index, spent, { name: escaped(`spent, ${title(lane)}`) }));
      words.push(`${called(lane)}: before the clip ${extremes(unclipped)}`);
    });
    return { title: "Clipping", log: true, traces, words: words.join("; ") };
  };
  const scales = () => {
    const traces = lanes.map((lane, index) => (measured(lane.series.scale) ? line(lane, index, lane.series.scale, { line: { shape: "hv", color: colour(index), width: 1.8 } }) : null)).filter(Boolean);
    return { title: "Loss scale", log: true, traces, words: lanes.filter((lane) => measured(lane.series.scale)).map((lane) => `${called(lane)}: ${extremes(lane.series.scale)}`).join("; ") };
  };
  const skips = () => {
    const traces = [], words = [];
    lanes.forEach((lane, index) => {
      let total = 0;
      const x = [1], y = [0];
      for (const run of lane.windows) {
        const skipped = run.pairs.reduce((sum, [shape, times]) => sum + (shape.moments.some(([kind]) => kind === "skip") ? times : 0), 0);
        if (!skipped) continue;
        x.push(run.first + 1, run.first + run.count); y.push(total, total + skipped);
        total += skipped;
      }
      if (!total) return;
      x.push(lane.length); y.push(total);
      traces.push({ type: "scatter", mode: "lines", name: escaped(title(lane)), x, y, line: { color: colour(index), width: 1.8 }, hovertemplate: "until step %{x:,}: %{y} skipped<extra></extra>" });
      words.push(`${called(lane)}: ${plural(total, "step")} of ${number(lane.length)} skipped`);
    });
    return { title: "Skipped steps so far", traces, words: words.join("; ") };
  };

  // There is no step between two steps; a long run is left to plotly, which may name halves.
  const longest = lanes.reduce((most, lane) => Math.max(most, lane.length), 0);
  const STEPS = longest <= 12 ? { dtick: 1, tickformat: ",d" } : { tickformat: ",~f" };

  const layout = (figure) => {
    const axis = { gridcolor: style("--line"), zerolinecolor: style("--line"), linecolor: style("--line"), tickfont: { color: style("--muted") } };
    const paper = "paper" in document.documentElement.dataset;
    return {
      ...(paper ? { width: 660, height: 260 } : {}), margin: { l: 54, r: 12, t: 8, b: 38 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 12, color: style("--ink") }, hovermode: "x",
      legend: { orientation: "h", y: -0.2, font: { size: 11 } }, showlegend: figure.traces.filter((one) => one.showlegend !== false).length > 1,
      xaxis: { ...axis, title: { text: "step", font: { color: style("--muted") }, standoff: 6 }, ...STEPS },
      yaxis2: { overlaying: "y", range: [0, 1], visible: false, fixedrange: true },
      yaxis: figure.log && spread(figure) > 50
        ? { ...axis, type: "log", dtick: 1, tickformat: "~g" } : { ...axis, rangemode: "tozero", tickformat: "~g" },
    };
  };
  const spread = (figure) => {
    const values = figure.traces.filter((trace) => !trace.yaxis).flatMap((trace) => trace.y).filter((value) => value > 0);
    return values.length ? values.reduce((a, b) => Math.max(a, b)) / values.reduce((a, b) => Math.min(a, b)) : 1;
  };
  const config = { responsive: true, displaylogo: false, modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]] };

  const unpacked = async () => {
    const text = atob(document.getElementById("plotly").textContent), packed = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) packed[at] = text.charCodeAt(at);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  };
  const drawn = [];
  const draw = (figure) => {
    if (!figure.traces.length) return;
    if (figure.plain) {
      say("p", `${figure.title}: ${figure.words}.`, document.getElementById("figures"), "lead");
      return;
    }
    const root = say("figure", "", document.getElementById("figures"), figure.wide ? "wide" : "");
    say("h3", figure.title, root);
    say("figcaption", figure.words, root);
    const plot = say("div", "", root, "plot");
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", `${figure.title}. ${figure.words}`);
    drawn.push(plot);
    return Plotly.newPlot(plot, figure.traces, layout(figure), config);
  };
  const drawAll = () => {
    drawn.splice(0).forEach((plot) => Plotly.purge(plot));
    document.getElementById("figures").replaceChildren();
    return Promise.all([norms(), losses(), sizes(), clips(), scales(), skips()].map(draw));
  };
  unpacked().then(drawAll).then(() => {
    document.documentElement.dataset.plots = drawn.length;
    whenThemed.push(drawAll);
  }).catch(() => { document.getElementById("unplotted").hidden = false; });
})();
