/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the plots of a run's page from the document in it. */
"use strict";
{
  const read = id => JSON.parse(document.getElementById(id).textContent);
  const results = read("document"), page = read("plots");
  const tip = document.getElementById("tip");
  const views = {};
  window.lightpathViews = views;
  const kept = {}; /* signals that a tool has set, by plot, for when it is drawn anew */
  const set = (id, name, value) => {
    kept[id] = Object.assign(kept[id] ?? {}, {[name]: value});
    views[id].signal(name, value).run();
  };

  /* What stands at a JSON pointer of the document. */
  const at = pointer => pointer.split("/").slice(1).reduce(
    (node, key) => node === undefined ? node : node[key.replaceAll("~1", "/").replaceAll("~0", "~")],
    results);

  /* Rows with a series become a row a bin. */
  const unroll = (rows, bin) => {
    const end = results.observed.duration_s;
    return rows.flatMap(row => at(row.series).map((value, i) => (
      {row: row.row, value, start: i * bin, end: Math.min((i + 1) * bin, end)})));
  };

  /* Slices that hold several terms become one piece a term, in a row. */
  const divide = rows => rows.flatMap(row => {
    const terms = Object.entries(row.terms_s ?? {});
    let start = row.start_s;
    return terms.length === 0 ? [row] : terms.map(([part, seconds]) => {
      const piece = Object.assign({}, row, {part, start_s: start, end_s: start + seconds});
      start += seconds;
      return piece;
    });
  });

  const sets = data => {
    const all = {};
    for (const [name, rows] of Object.entries(data))
      if (name !== "bins")
        all[name] = typeof rows === "string" ? divide(at(rows)) : rows;
    if (data.bins !== undefined)
      all.rows = unroll(all.rows, at(data.bins));
    return all;
  };

  /* From the first start to the last end. */
  const span = rows => rows.reduce(([from, to], row) => [Math.min(from, row.start_s),
                                                         Math.max(to, row.end_s)],
                                   [Infinity, -Infinity]);

  /* A canvas knows no variables of CSS. */
  const painted = node => {
    const style = getComputedStyle(document.documentElement);
    return JSON.parse(JSON.stringify(node).replace(/var\((--[a-z0-9]+)\)/g,
                                                   (_, name) => style.getPropertyValue(name).trim()));
  };

  const showTip = (handler, event, item, text) => {
    tip.hidden = text === null || text === undefined || text === "";
    if (tip.hidden)
      return;
    tip.textContent = text;
    const width = tip.offsetWidth, height = tip.offsetHeight;
    tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
    tip.style.top = Math.max(0, Math.min(event.clientY + 14, innerHeight - height - 8)) + "px";
  };

  /* --- plans of a search: dots and rows --- */

  const planRows = Array.from(document.querySelectorAll("#table-plans tbody tr"));
  const rankOf = row => Number(row.cells[0].querySelector("data").value);
  const choosePlan = (rank, scroll) => {
    for (const row of planRows) {
      row.classList.toggle("chosen", rankOf(row) === rank);
      if (scroll && rankOf(row) === rank)
        row.scrollIntoView({block: "center"});
    }
    set("plot-plans", "picked", rank);
  };

  const draw = plot => {
    const element = document.getElementById(plot.element);
    if (views[plot.element] !== undefined)
      views[plot.element].finalize();
    const spec = painted(plot.spec), data = sets(plot.data);
    for (const set of spec.data)
      if (data[set.name] !== undefined)
        set.values = data[set.name].map(row => Object.assign({}, row));
    for (const signal of spec.signals)
      if (signal.name === "whole")
        signal.value = span(data.rows);
    const view = new vega.View(vega.parse(spec, painted(page.config)), {
      renderer: spec.usermeta === undefined ? "svg" : spec.usermeta.renderer, container: element});
    view.description(plot.label).tooltip(showTip);
    view.width(element.clientWidth).signal("narrow", element.clientWidth < 500);
    for (const [name, value] of Object.entries(kept[plot.element] ?? {}))
      view.signal(name, value);
    if (plot.element === "plot-plans")
      view.addEventListener("click", (event, item) => choosePlan(item?.datum?.rank ?? null, true));
    views[plot.element] = view.run();
  };
  const drawAll = () => page.plots.forEach(draw);

  /* --- tools --- */

  const button = (box, name, label, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = name;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    box.append(made);
  };

  /* Keeps @scale of the part of time that is shown, moved by @shift of it. */
  const zoom = (id, scale, shift) => {
    const view = views[id], [from, to] = view.signal("shown");
    const [first, last] = view.signal("whole");
    const length = Math.min((to - from) * scale, last - first);
    const middle = (from + to) / 2 + shift * (to - from);
    const start = Math.max(first, Math.min(middle - length / 2, last - length));
    view.signal("shown", [start, start + length]).run();
  };

  const addTimelineTools = (box, id) => {
    button(box, "+", "Zoom in", () => zoom(id, 0.5, 0));
    button(box, "\u2212", "Zoom out", () => zoom(id, 2, 0));
    button(box, "\u2190", "Earlier", () => zoom(id, 1, -0.5));
    button(box, "\u2192", "Later", () => zoom(id, 1, 0.5));
    button(box, "all", "Show all", () => zoom(id, Infinity, 0));
  };

  const addMatrixTools = (box, id) => {
    const select = document.createElement("select");
    select.setAttribute("aria-label", "Class of traffic");
    const classes = new Set(results.observed.pairs.map(pair => pair.class));
    for (const name of ["all", ...classes]) {
      const option = document.createElement("option");
      option.textContent = name;
      select.append(option);
    }
    select.addEventListener("change", () => views[id].signal("traffic", select.value).run());
    box.append(select);
  };

  /* What colours stand for, and what time stands against: what differs between plans. */
  const addChoice = (box, name, entries, act) => {
    const label = document.createElement("label"), select = document.createElement("select");
    for (const [value, text] of entries) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      select.append(option);
    }
    select.addEventListener("change", () => act(select.value));
    label.append(name, select);
    box.append(label);
  };

  const addPlansTools = (box, id) => {
    const candidates = results.candidates;
    const differs = value => new Set(candidates.map(value)).size > 1;
    const names = [...new Set(candidates.flatMap(plan => Object.keys(plan.set)))];
    const colours = names.filter(name => differs(plan => plan.set[name]));
    if (differs(plan => plan.machine))
      colours.unshift("machine");
    const across = Object.entries(box.dataset).filter(([key]) => key !== "for");
    addChoice(box, "Colours: ", colours.map(name => [name, name]), value => set(id, "by", value));
    addChoice(box, "Against: ", across.filter(([key], i) => i === 0 || differs(plan => plan[key])),
              value => set(id, "along", value));
    kept[id] = {by: colours[0] ?? names[0] ?? "machine"};
  };

  const makers = {"plot-matrix": addMatrixTools, "plot-plans": addPlansTools};
  for (const box of document.querySelectorAll(".tools"))
    (makers[box.dataset.for] ?? addTimelineTools)(box, box.dataset.for);

  drawAll();
  const plansBox = document.getElementById("table-plans");
  if (plansBox !== null) {
    lightpathTables.filter(plansBox, "Filter: tp=8 zero>0", rows =>
      set("plot-plans", "shown", rows === null ? null : rows.map(rankOf)));
    for (const row of planRows)
      row.addEventListener("click", () => choosePlan(rankOf(row), false));
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width)
      drawAll();
    width = innerWidth;
  });
}
