// The pictures of a request are one tab stop each: arrows move between their parts, Enter opens one.
(() => {
  "use strict";
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const move = (links, link) => {
    for (const each of links) each.setAttribute("tabindex", each === link ? "0" : "-1");
  };
  for (const picture of document.querySelectorAll("[data-roving]")) {
    const links = [...picture.querySelectorAll("a")];
    if (!links.length) continue;
    move(links, links.find((link) => link.querySelector(".now")) || links[0]);
    picture.addEventListener("keydown", (event) => {
      const here = links.indexOf(event.target.closest("a"));
      const there = event.key === "Home" ? 0 : event.key === "End" ? links.length - 1 : here + (steps[event.key] || 0);
      if (here < 0 || there === here || !links[there]) return;
      event.preventDefault();
      move(links, links[there]);
      links[there].focus();
    });
  }
})();
