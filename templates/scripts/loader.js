"use strict";

/* Figures are complete as SVG. This script puts a live form over one of them when a person asks for it; whatever fails,
   the SVG stays. Nothing is fetched: BokehJS and the plots travel in the page, compressed, as text that does not run.
   Besides, it opens folded sections, all of them or the one a link or a search leads into. */
(() => {
  const INTENT = 150; // milliseconds a pointer must stay, so that crossing a figure does not start it
  const root = document.documentElement;
  const live = new Map(); // key → {host, views, plot}, plot being bokeh's document
  const waiting = new Map(); // key → promise of a figure that is on its way

  const figures = () => [...document.querySelectorAll("figure.plot")];
  const figureOf = key => figures().find(figure => figure.id === key);
  const buttonOf = figure => figure.querySelector("button.live");

  // Five letters are four bytes.
  const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";
  const VALUES = new Map([...LETTERS].map((letter, value) => [letter, value]));
  const bytesOf = text => {
    const bytes = new DataView(new ArrayBuffer(4 * Math.ceil(text.length / 5)));
    for (let at = 0; at < text.length; at += 5) {
      let value = 0;
      for (let next = at; next < at + 5; next++) value = 85 * value + (VALUES.get(text[next]) ?? 84);
      bytes.setUint32((at / 5) * 4, value);
    }
    return bytes.buffer.slice(0, Math.floor((text.length * 4) / 5));
  };

  const inflate = async id => {
    const bytes = bytesOf(document.getElementById(id).textContent.trim());
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };

  const unfold = part => {
    for (let fold = part.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };

  const run = async id => {
    const script = document.createElement("script");
    script.textContent = await inflate(id); // the page's policy lets it run because it knows its hash
    document.head.append(script);
  };

  let loaded = null;
  const load = () => (loaded ??= (async () => {
    const [plots] = await Promise.all([inflate("plots"), run("bokehjs")]);
    const found = new Map(Object.entries(JSON.parse(plots)));
    if (!window.Bokeh) throw new Error("BokehJS did not start");
    window.Bokeh.set_log_level("off"); // what fails is reported below, as a warning
    return found;
  })());

  /* Colors: tags of a model say which of its properties is which CSS variable. A scale cannot be one variable, so it
     carries its colors for both themes. */
  const variable = name => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  const isDark = () => variable("dark-only") === "inline";

  const color = (name, dark) => {
    if (dark) return isDark() ? dark : name;
    return Array.isArray(name) ? name.map(variable) : variable(name);
  };

  const paint = plot => {
    for (const model of plot.all_models) {
      for (const [property, name, dark] of model.tags ?? []) model[property] = color(name, dark);
    }
  };

  const embed = async (figure, item) => {
    const picture = figure.querySelector(".static");
    const host = document.createElement("div");
    host.className = "bk-host";
    // Bokeh measures the place it is put in, so the host takes its place before it can be seen.
    host.style.cssText = "position: absolute; visibility: hidden; width: 100%; --bokeh-icon-color: var(--muted)";
    host.style.maxWidth = `${(picture.querySelector("svg") ?? picture).getBoundingClientRect().width}px`;
    picture.after(host);
    try {
      const views = await window.Bokeh.embed.embed_item(item, host);
      const plot = views.roots[0].model.document;
      paint(plot);
      host.style.position = host.style.visibility = "";
      return {host, views, plot};
    } catch (reason) {
      host.remove();
      throw reason;
    }
  };

  const mark = (figure, isLive) => {
    figure.classList.toggle("live", isLive);
    buttonOf(figure)?.setAttribute("aria-pressed", String(isLive));
  };

  const start = async (key, figure) => {
    try {
      const plots = await load();
      if (!plots.has(key)) throw new Error("the page holds no live form of it");
      live.set(key, await embed(figure, plots.get(key)));
      mark(figure, true);
      return true;
    } catch (reason) {
      console.warn(`Figure ${key} stays as it is: ${reason instanceof Error ? reason.message : reason}`);
      return false;
    } finally {
      waiting.delete(key);
    }
  };

  const liven = async key => {
    const figure = figureOf(key);
    if (!figure || live.has(key)) return live.has(key);
    unfold(figure); // what is folded has no size
    if (!waiting.has(key)) waiting.set(key, start(key, figure));
    return waiting.get(key);
  };

  const livenAll = async () => {
    for (const figure of figures()) await liven(figure.id);
  };

  const still = key => {
    const {host, views, plot} = live.get(key);
    const {documents, index} = window.Bokeh;
    const figure = figureOf(key);
    const hadFocus = host.contains(document.activeElement);
    live.delete(key);
    mark(figure, false);
    plot.clear();
    documents.splice(documents.indexOf(plot), 1);
    for (const view of views.roots) index.delete(view);
    host.remove();
    if (hadFocus) buttonOf(figure)?.focus();
  };

  const watch = figure => {
    const key = figure.id;
    const button = buttonOf(figure);
    const picture = figure.querySelector(".static");
    let intent = 0;
    picture?.addEventListener("pointerenter", event => {
      if (event.pointerType === "mouse") intent = setTimeout(() => liven(key), INTENT);
    });
    picture?.addEventListener("pointerleave", () => clearTimeout(intent));
    figure.addEventListener("keydown", event => {
      if (event.key === "Enter" && event.target === figure) liven(key);
    });
    button?.addEventListener("click", () => (live.has(key) ? still(key) : liven(key)));
    if (button) button.hidden = false; // pages hide it, because without scripts it would do nothing
    mark(figure, false);
  };

  const theme = document.getElementById("theme");
  const follow = () => {
    live.forEach(({plot}) => paint(plot));
    theme?.setAttribute("aria-pressed", String(isDark()));
  };
  theme?.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
  });
  if (theme) theme.hidden = false;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);
  new MutationObserver(follow).observe(root, {attributeFilter: ["data-theme"]});
  follow();

  /* Browsers unfold what a link leads to; older ones do not, and none does so for a part that is the target already. */
  const show = id => {
    const part = document.getElementById(id);
    if (!part) return;
    unfold(part);
    part.scrollIntoView();
  };
  const followLink = () => show(decodeURIComponent(location.hash.slice(1)));
  addEventListener("hashchange", followLink);
  if (location.hash) followLink();

  const asked = document.getElementById("what-if")?.closest("details"); // its scripts come when it is opened
  let panel = null;
  const askPanel = () => asked.open && (panel ??= run("what-if-code"));
  asked?.addEventListener("toggle", askPanel);
  if (asked) askPanel();

  const search = document.getElementById("search");
  search?.addEventListener("input", () => {
    const found = [...document.querySelectorAll("#terms option")].find(option => option.value === search.value);
    if (!found) return;
    location.hash = found.dataset.anchor;
    show(found.dataset.anchor);
  });
  if (search) search.parentElement.hidden = false;

  const all = document.getElementById("unfold");
  all?.addEventListener("click", () => {
    const open = all.getAttribute("aria-pressed") !== "true";
    for (const fold of document.querySelectorAll("details.fold")) fold.open = open;
    all.setAttribute("aria-pressed", String(open));
    all.textContent = open ? "Close all" : "Open all";
  });
  if (all) all.hidden = false;

  figures().forEach(watch);
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") [...live.keys()].forEach(still);
  });
  window.anovaReport = Object.freeze({liven, livenAll, inflate, plotOf: key => live.get(key)?.plot});
})();
