/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts tables by their headings, and leaves out rows that a filter does not name. */
"use strict";
const lightpathTables = {};
{
  const number = cell => {
    const value = cell.dataset.v ?? cell.querySelector("data")?.value ?? cell.textContent.trim();
    return value === "" || Number.isNaN(Number(value)) ? null : Number(value);
  };
  const compare = (a, b) => {
    const x = number(a), y = number(b);
    return x !== null && y !== null ? x - y :
      a.textContent.localeCompare(b.textContent, "en", {numeric: true});
  };
  const sort = (table, head, column) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children)
      other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = Array.from(table.tBodies[0].rows);
    rows.sort((a, b) => (down ? -1 : 1) * compare(a.cells[column], b.cells[column]));
    table.tBodies[0].append(...rows);
  };
  const tables = document.querySelectorAll("table.sortable, .sortable table");
  for (const table of tables)
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(table, head, column));
      head.replaceChildren(button);
    });

  /* Whether the row has what @word says: "tp=8", "zero>0", or a text that any cell has. */
  const holds = (row, names, word) => {
    const [, name, sign, wanted] = word.match(/^([^=<>]+)(<=|>=|=|<|>)(.*)$/) ?? [];
    const column = names.indexOf(name);
    if (column < 0)
      return row.textContent.toLowerCase().includes(word);
    const cell = row.cells[column], own = number(cell), limit = Number(wanted);
    if (sign === "=")
      return own !== null && wanted !== "" ? own === limit || cell.textContent === wanted
                                           : cell.textContent.toLowerCase().startsWith(wanted);
    return own !== null && wanted !== "" &&
      {"<": own < limit, ">": own > limit, "<=": own <= limit, ">=": own >= limit}[sign];
  };

  /* Adds a filter above the table in @box; @tell gets the rows that are left, or null for all. */
  lightpathTables.filter = (box, label, tell) => {
    const table = box.querySelector("table"), rows = Array.from(table.tBodies[0].rows);
    const names = Array.from(table.tHead.rows[0].cells, head => head.textContent.toLowerCase());
    const tools = document.createElement("div"), input = document.createElement("input");
    const count = document.createElement("span");
    tools.className = "tools";
    count.className = "quiet";
    count.setAttribute("role", "status");
    input.type = "search";
    input.placeholder = label;
    input.setAttribute("aria-label", label);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(word => word !== "");
      const left = rows.filter(row => words.every(word => holds(row, names, word)));
      for (const row of rows)
        row.hidden = true;
      for (const row of left)
        row.hidden = false;
      count.textContent = words.length === 0 ? "" : `${left.length} of ${rows.length}`;
      tell(words.length === 0 ? null : left);
    });
    tools.append(input, count);
    box.prepend(tools);
  };
}
