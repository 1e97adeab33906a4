"use strict";
(function () {
  function key(row, column) {
    var cell = row.cells[column], data = cell.querySelector("data");
    if (data) { return Number(data.value); }
    return cell.textContent.trim().toLowerCase();
  }
  function compare(a, b) {
    if (typeof a === typeof b) {
      return typeof a === "number" ? a - b : a.localeCompare(b, document.documentElement.lang, { numeric: true });
    }
    return typeof a === "number" ? -1 : 1;
  }
  function sort(table, heading) {
    var up = heading.getAttribute("aria-sort") !== "ascending", body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows).map(function (row) {
      return { key: key(row, heading.cellIndex), row: row };
    });
    rows.sort(function (a, b) { return up ? compare(a.key, b.key) : compare(b.key, a.key); });
    rows.forEach(function (entry) { body.appendChild(entry.row); });
    table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    if (table.tBodies[0].rows.length < 2) { return; }
    table.querySelectorAll("thead th").forEach(function (heading) {
      if (heading.querySelector("a") || !heading.textContent.trim()) { return; }
      var button = document.createElement("button");
      button.type = "button";
      while (heading.firstChild) { button.appendChild(heading.firstChild); }
      button.addEventListener("click", function () { sort(table, heading); });
      heading.appendChild(button);
    });
  });
})();
