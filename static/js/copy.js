// A link with data-copies puts what it leads to on the clipboard; where that cannot be done it is followed.
(() => {
  "use strict";
  const say = (link, words) => {
    const usual = link.dataset.words ||= link.textContent;
    link.textContent = words;
    link.setAttribute("aria-live", "polite");
    setTimeout(() => { link.textContent = usual; }, 2500);
  };
  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[data-copies]");
    if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const answer = await fetch(link.href, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(answer.statusText);
      await navigator.clipboard.writeText(await answer.text());
      say(link, "Copied");
    } catch {
      location.assign(link.href);
    }
  });
})();
