/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the plots of the page, and sorts its tables. */
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

  for (const plot of page.plots) {
    /* Vega marks what it is given: each plot gets its own. */
    for (const set of plot.spec.data)
      if (page.data[set.name] !== undefined)
        set.values = page.data[set.name].map(value => Object.assign({}, value));
    const view = new vega.View(vega.parse(plot.spec, page.config),
                               {renderer: "svg", container: document.getElementById(plot.element)});
    view.tooltip(showTip).run();
  }

  const key = cell => cell === undefined ? "" :
    cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b
                                                   : String(a).localeCompare(String(b), "en", {numeric: true});
  const sort = (table, head, column) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children)
      other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = Array.from(table.tBodies[0].rows);
    rows.sort((a, b) => (down ? -1 : 1) * compare(key(a.cells[column]), key(b.cells[column])));
    table.tBodies[0].append(...rows);
  };
  for (const table of document.querySelectorAll("table.sortable"))
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(table, head, column));
      head.replaceChildren(button);
    });
}
