// Keys for what links and buttons on the page do too. Nothing here is reachable by key only.
(() => {
  "use strict";
  let prefix = "";
  const places = { o: "Overview", c: "Conversations", k: "Cache", l: "Tools", r: "Sources" };
  const follow = (element) => element && element.click();
  const go = (name) => follow([...document.querySelectorAll(".nav a")].find((link) => link.textContent === places[name]));
  const rows = () => [...document.querySelectorAll("[data-rows] tbody tr")].map((row) => row.querySelector("a.main")).filter(Boolean);
  const step = (by) => {
    const links = rows();
    if (!links.length) return;
    const here = links.findIndex((link) => link.closest("tr").contains(document.activeElement));
    links[Math.min(links.length - 1, Math.max(0, here < 0 ? 0 : here + by))].focus();
  };
  const formula = () => {
    const near = document.activeElement?.closest("tr, section, .figures > div")?.querySelector("details.fx");
    const found = near || document.querySelector("details.fx");
    if (found) { found.open = !found.open; found.querySelector("summary").focus(); }
  };
  const find = () => {
    const field = document.querySelector("main input[type=search]");
    if (field) { field.focus(); field.select(); } else follow(document.querySelector("[data-opens=find]"));
  };
  const actions = {
    "/": find,
    "?": () => follow(document.querySelector("[data-opens=keys]")),
    "[": () => follow(document.querySelector("[rel=prev]")),
    "]": () => follow(document.querySelector("[rel=next]")),
    b: () => follow(document.querySelector("[data-key=b]")),
    r: () => follow(document.querySelector("[data-key=r]")),
    j: () => step(1),
    k: () => step(-1),
    x: formula,
    t: () => follow(document.querySelector("button.theme")),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.("input, select, textarea, [contenteditable]") || document.querySelector("dialog:modal")) return;
    if (prefix === "g" && places[event.key]) { prefix = ""; event.preventDefault(); go(event.key); return; }
    prefix = event.key === "g" ? "g" : "";
    const action = actions[event.key];
    if (action) { event.preventDefault(); action(); }
  });
})();
