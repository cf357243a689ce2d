// The pictures of a request are one tab stop each: arrows move between their parts, Enter opens one.
(() => {
  "use strict";
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const move = (links, link) => {
    for (const each of links) each.setAttribute("tabindex", each === link ? "0" : "-1");
  };
  const linksOf = (picture) => [...picture.querySelectorAll("a")];
  const rove = () => {
    for (const picture of document.querySelectorAll("[data-roving]")) {
      const links = linksOf(picture);
      if (links.length) move(links, links.find((link) => link.querySelector(".now")) || links[0]);
    }
  };
  document.addEventListener("keydown", (event) => {
    const picture = event.target.closest?.("[data-roving]");
    if (!picture) return;
    const links = linksOf(picture);
    const here = links.indexOf(event.target.closest("a"));
    const there = event.key === "Home" ? 0 : event.key === "End" ? links.length - 1 : here + (steps[event.key] || 0);
    if (here < 0 || there === here || !links[there]) return;
    event.preventDefault();
    move(links, links[there]);
    links[there].focus();
  });
  document.addEventListener("htmx:afterSwap", rove);
  rove();
})();
// Steps through the requests of a run: slider, strip, links and their keys all move the slider, whose form is sent
// once it rests; what comes back takes the place of the page's main part. Without a script they are links and a form.
(() => {
  "use strict";
  const REST = 80;
  let wanted = null;
  let timer = 0;
  const slider = () => document.getElementById("step");
  const show = (range) => {
    document.getElementById("step-number").textContent = Number(range.value).toLocaleString("en");
  };
  const place = () => {
    const range = slider();
    if (range && wanted !== null) { range.value = wanted; show(range); wanted = Number(range.value); }
    return range;
  };
  const send = () => {
    const range = place();
    wanted = null;
    if (range && range.value !== range.defaultValue) range.form.requestSubmit();
  };
  const to = (ordinal) => {
    wanted = ordinal;
    place();
    clearTimeout(timer);
    timer = setTimeout(send, REST);
  };
  const told = document.createElement("div");
  told.className = "sr";
  told.setAttribute("role", "status");
  document.body.append(told);
  document.addEventListener("input", (event) => { if (event.target.id === "step") show(event.target); });
  document.addEventListener("change", (event) => { if (event.target.id === "step") to(Number(event.target.value)); });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-step], [data-step-to]");
    if (!link || !slider() || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    to(Number(link.dataset.stepTo || Number(slider().value) + Number(link.dataset.step)));
  });
  document.addEventListener("htmx:afterSwap", () => {
    place();
    told.textContent = document.querySelector("h1")?.textContent || "";
  });
  const open = (event) => { if (event.target.id === "stepper") location.assign(event.detail.pathInfo.finalRequestPath); };
  document.addEventListener("htmx:responseError", open);
  document.addEventListener("htmx:sendError", open);
})();
