// The theme: follows the system, or light, or dark. Runs before the first paint.
(() => {
  "use strict";
  const order = ["system", "light", "dark"];
  const words = { system: "follows the system", light: "light", dark: "dark" };
  const root = document.documentElement;
  const stored = () => {
    try { return localStorage.getItem("theme") || "system"; } catch { return "system"; }
  };
  const apply = (theme) => {
    if (theme === "system") delete root.dataset.theme; else root.dataset.theme = theme;
    const button = document.querySelector("button.theme");
    if (button) {
      button.hidden = false;
      button.setAttribute("aria-label", `Theme: ${words[theme]}`);
      button.title = `Theme: ${words[theme]}`;
    }
    root.dispatchEvent(new CustomEvent("themechange"));
  };
  const next = () => {
    const theme = order[(order.indexOf(stored()) + 1) % order.length];
    try { localStorage.setItem("theme", theme); } catch { /* the choice lasts for this page */ }
    apply(theme);
  };
  apply(order.includes(stored()) ? stored() : "system");
  document.addEventListener("DOMContentLoaded", () => {
    apply(order.includes(stored()) ? stored() : "system");
    document.querySelector("button.theme")?.addEventListener("click", next);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => root.dispatchEvent(new CustomEvent("themechange")));
})();
