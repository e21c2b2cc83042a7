// Tables that sort when a heading is pressed; frames that say that they scroll.
(function () {
  "use strict";

  function value(row, column) {
    return row.cells[column].textContent.trim();
  }

  function asNumber(text) {
    const match = /^[-−+]?[\d.]+(e-?\d+)?/.exec(text.replace(/,/g, "").replace(/^<\s/, ""));
    return match ? parseFloat(match[0].replace("−", "-")) : NaN;
  }

  function sort(table, heading) {
    const column = heading.cellIndex;
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const numeric = heading.classList.contains("number");
    const first = numeric ? "descending" : "ascending";
    const other = numeric ? "ascending" : "descending";
    const order = heading.getAttribute("aria-sort") === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    const words = new Intl.Collator("en", { numeric: true });
    rows.sort(function (a, b) {
      const x = value(a, column), y = value(b, column);
      if (x === "" || y === "") { return (x === "") - (y === ""); } // empty cells last
      return sign * (numeric ? asNumber(x) - asNumber(y) : words.compare(x, y));
    });
    for (const cell of heading.parentNode.cells) { cell.removeAttribute("aria-sort"); }
    heading.setAttribute("aria-sort", order);
    body.append(...rows);
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const button of table.tHead.querySelectorAll("button")) {
      button.addEventListener("click", function () { sort(table, button.closest("th")); });
    }
  }

  // The text for a methods section, as it is shown.
  const take = document.getElementById("methods-take");
  if (take) {
    const copy = document.createElement("button");
    copy.type = "button";
    copy.id = "methods-copy";
    copy.textContent = "Copy the text";
    take.prepend(copy);
    copy.addEventListener("click", async function () {
      const area = document.createElement("textarea");
      area.value = document.getElementById("methods-text").innerText;
      take.append(area);
      area.select();
      let copied = false;
      try { // a page from a file has no clipboard of its own in some browsers
        copied = document.execCommand("copy");
        if (!copied) { await navigator.clipboard.writeText(area.value); copied = true; }
      } catch (error) { copied = false; }
      area.remove();
      document.getElementById("methods-done").textContent =
        copied ? "Copied." : "This browser does not let the page copy.";
    });
  }

  function wide(frame) { return frame.scrollWidth > frame.clientWidth + 1; }

  // Each frame whose content is wider than it says that it scrolls.
  function mark() {
    for (const frame of document.querySelectorAll(".scroll")) {
      frame.classList.remove("more", "hint");
      frame.classList.toggle("more", wide(frame)); // which may be enough for it to fit
      frame.classList.toggle("hint", wide(frame));
    }
  }
  window.addEventListener("resize", mark);
  for (const details of document.querySelectorAll("details")) {
    details.addEventListener("toggle", mark);
  }
  mark();
})();
