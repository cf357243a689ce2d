// What opens over the page: Find, Keys, and the formulas behind figures.
(() => {
  "use strict";
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-opens]");
    const dialog = opener && document.getElementById(opener.dataset.opens);
    if (dialog) {
      event.preventDefault();
      dialog.showModal();
    }
    if (event.target.closest("[data-closes]")) {
      const open = event.target.closest("dialog[open]");
      if (open) { event.preventDefault(); open.close(); }
    }
    if (event.target instanceof HTMLDialogElement) event.target.close();
    for (const formula of document.querySelectorAll("details.fx[open]")) {
      if (!formula.contains(event.target)) formula.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const formula of document.querySelectorAll("details.fx[open]")) {
      formula.open = false;
      if (formula.contains(document.activeElement)) formula.querySelector("summary").focus();
    }
  });
  // A URL names only what was asked for.
  document.addEventListener("formdata", (event) => {
    if (event.target.method !== "get") return;
    for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
  });
  // A choice in a form that says so is applied at once; its button serves where no script runs.
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-submits]");
    if (form && event.target.matches("select")) form.requestSubmit();
  });
})();
