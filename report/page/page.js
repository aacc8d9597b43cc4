/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the plots of the page. */
"use strict";
{
  const page = JSON.parse(document.getElementById("page-data").textContent);
  const tip = document.getElementById("tip");

  const showTip = (handler, event, item, row) => {
    const about = page.data.rows[row];
    tip.hidden = about === undefined;
    if (tip.hidden)
      return;
    tip.textContent = about.about;
    const width = tip.offsetWidth, height = tip.offsetHeight;
    tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
    tip.style.top = Math.max(0, Math.min(event.clientY + 14, innerHeight - height - 8)) + "px";
  };

  /* Specifications are for a page of a laptop's width. On a phone plots take the width that there
   * is, with legends below them and little room for names. */
  const NARROW = 640;
  const narrowed = (spec, width) => {
    if (innerWidth >= NARROW)
      return spec;
    spec.autosize = {type: "fit-x", contains: "padding"};
    spec.width = width;
    for (const axis of spec.axes || [])
      if (axis.orient === "left" && axis.labelLimit !== undefined)
        axis.labelLimit = 110;
    for (const axis of spec.axes || [])
      if (axis.orient === "bottom" && axis.tickCount !== undefined)
        axis.tickCount = 4;
    for (const legend of spec.legends || [])
      Object.assign(legend, {orient: "bottom", direction: "vertical", columns: 1, offset: 10,
                             labelLimit: width - 130});
    return spec;
  };

  const views = [];
  const draw = () => {
    for (const view of views.splice(0))
      view.finalize();
    for (const plot of page.plots) {
      const element = document.getElementById(plot.element);
      /* Vega marks what it is given: each plot gets its own. */
      const spec = narrowed(structuredClone(plot.spec), element.clientWidth);
      for (const set of spec.data)
        if (page.data[set.name] !== undefined)
          set.values = page.data[set.name].map(value => Object.assign({}, value));
      const view = new vega.View(vega.parse(spec, page.config), {renderer: "svg", container: element});
      views.push(view.description(element.closest("figure").textContent.trim()).tooltip(showTip).run());
    }
  };
  draw();
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width)
      draw();
    width = innerWidth;
  });
}
