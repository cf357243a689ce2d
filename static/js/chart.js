// Draws every `.plot` of a page from the figure named by data-figure (a block of JSON in the page),
// dressed in the page's tokens. A trace says what it stands for in `meta.role`; colours come from there.
(() => {
  "use strict";
  const probes = {};
  const colour = (role) => {
    if (!probes[role]) {
      probes[role] = document.createElement("span");
      probes[role].className = `probe probe-${role}`;
      document.body.append(probes[role]);
    }
    return getComputedStyle(probes[role]).color;
  };
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const axis = (given) => ({
    gridcolor: colour("line"), linecolor: colour("line-strong"), zeroline: false, fixedrange: false,
    tickfont: { size: 11, color: colour("ink-3") }, ...given,
  });
  const dressTrace = (trace) => {
    const role = trace.meta?.role || "ink";
    if (trace.type === "bar") {
      trace.marker = { ...trace.marker, color: colour(role), line: { width: 0 } };
      if (trace.marker.pattern?.shape) {
        trace.marker.pattern = { size: 6, solidity: 0.35, ...trace.marker.pattern, fillmode: "replace", bgcolor: colour(role), fgcolor: colour("pattern") };
      }
    } else {
      trace.line = { width: 1.75, ...trace.line, color: colour(role) };
      trace.marker = { size: 5, ...trace.marker, color: colour(role) };
      if (trace.marker.line) trace.marker.line = { ...trace.marker.line, color: colour(role) };
    }
    if (trace.stackgroup) {
      trace.fillcolor = colour(role);
      if (trace.fillpattern) trace.fillpattern = { size: 6, solidity: 0.35, ...trace.fillpattern, fillmode: "replace", bgcolor: colour(role), fgcolor: colour("pattern") };
    }
    if (trace.textfont) trace.textfont = { size: 12, ...trace.textfont, color: colour(trace.meta?.text || role) };
    return trace;
  };
  const dressMark = (mark) => {
    const role = mark.name || "ink-3";
    if (mark.line) mark.line = { ...mark.line, color: colour(role) };
    if (mark.label) mark.label = { ...mark.label, font: { size: 11, color: colour(role) } };
    if ("text" in mark) mark.font = { size: 11, ...mark.font, color: colour(role) };
    return mark;
  };
  const dress = (figure, width) => {
    const layout = figure.layout || {};
    for (const key of Object.keys(layout)) if (/^[xy]axis/.test(key)) layout[key] = axis(layout[key]);
    if (layout.xaxis?.nticks && width < 520) layout.xaxis.nticks = Math.min(4, layout.xaxis.nticks);
    layout.shapes = (layout.shapes || []).map(dressMark);
    layout.annotations = (layout.annotations || []).map(dressMark);
    const family = getComputedStyle(document.body).fontFamily;
    return {
      data: figure.data.map(dressTrace),
      layout: {
        paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, dragmode: "zoom",
        hovermode: "x unified", margin: { l: 44, r: 8, t: 14, b: 28 }, bargap: 0.5, ...layout, autosize: true,
        font: { family, size: 12, color: colour("ink-2") },
        hoverlabel: { bgcolor: colour("surface"), bordercolor: colour("line-strong"), font: { family, size: 12, color: colour("ink") } },
      },
    };
  };
  // A point opens its own address, or the element's data-links with the point's x at the end.
  const open = (event) => {
    const point = event.points?.[0];
    const place = point?.customdata;
    const base = event.event?.target?.closest?.(".plot")?.dataset.links;
    const url = Array.isArray(place) ? place[0] : place || (base && point ? base + point.x : "");
    if (typeof url === "string" && url.startsWith("/") && !url.startsWith("//")) location.assign(url);
  };
  // A figure may replace what the server drew, except where fingers scroll: there the drawing and its links serve better.
  const staysDrawn = () => matchMedia("(max-width: 47.99rem), (hover: none)").matches;
  const replace = (element) => {
    const drawn = element.dataset.replaces && document.getElementById(element.dataset.replaces);
    if (!drawn) return;
    drawn.setAttribute("hidden", "");
    element.hidden = false;
    document.querySelectorAll(`[data-with=${element.dataset.figure}]`).forEach((hint) => { hint.hidden = false; });
    document.querySelectorAll(`[data-without=${element.dataset.figure}]`).forEach((hint) => { hint.hidden = true; });
  };
  const draw = (element) => {
    const source = document.getElementById(element.dataset.figure);
    if (!source || !window.Plotly || (element.dataset.replaces && staysDrawn())) return;
    replace(element);
    const figure = dress(copy(JSON.parse(source.textContent)), element.clientWidth);
    const first = !element.classList.contains("js-plotly-plot");
    Plotly.react(element, figure.data, figure.layout, { displayModeBar: false, responsive: true, doubleClick: "reset", showTips: false });
    if (first && element.hasAttribute("data-links")) { element.classList.add("opens"); element.on("plotly_click", open); }
  };
  const all = (root = document) => root.querySelectorAll(".plot[data-figure]").forEach(draw);
  document.addEventListener("DOMContentLoaded", () => all());
  document.documentElement.addEventListener("themechange", () => all());
  document.addEventListener("htmx:afterSwap", (event) => all(event.detail.target));
})();
