/* The page's half of the bridge: one view of a bokeh document that lives in Python.

   It shows the still picture, asks Python for the document as it is now, and draws it. From then on Python sends
   changes of the document, and the view reports selections, zooms and the events that Python has asked for. Whatever
   fails, the still picture or the last plots stay. Nothing is fetched, and no text becomes code but BokehJS itself. */

const SILENT = {sync: false}; // what Python or the theme has changed is no news to Python
const PATIENCE = 5000; // milliseconds to wait for Python before it is told more; until then news is gathered
// The bridge in Python takes these and no others.
const NEWS = {Range1d: ["start", "end"], Selection: ["indices", "line_indices", "multiline_indices", "image_indices"]};
const MOVES = new Set(["mousemove", "pan", "pinch", "rotate", "wheel", "rangesupdate"]); // of these the last one counts

/* All that leans on parts of BokehJS that its documentation does not promise: a notebook has no bokeh server, whose
   client would do the same. Browser tests run it on each supported line of bokeh. */
const bokehOf = version => globalThis.Bokeh?.[version] ?? null;
const documentOf = (bokeh, json) => bokeh.require("document").Document.from_json(json);
const draw = (bokeh, doc, place, hosts) => bokeh.embed.add_document_standalone(doc, place, hosts);
const encode = (bokeh, doc, events) => {
  const {Serializer} = bokeh.require("core/serialization");
  const references = new Map([...doc.all_models].map(model => [model, model.ref()]));
  return new Serializer({references}).encode(events);
};
const forget = (bokeh, doc) => {
  const views = doc.views_manager?.roots ?? [];
  doc.clear(SILENT); // also takes away the plots that are drawn, but leaves them in a list of all plots
  for (const view of views) bokeh.index.delete(view);
  const at = bokeh.documents.indexOf(doc);
  if (at >= 0) bokeh.documents.splice(at, 1);
};
const isNews = event => {
  if (event.sync === false) return false;
  if (event.kind === "ModelChanged") return NEWS[event.model.type]?.includes(event.attr) ?? false;
  return event.kind === "MessageSent" && event.msg_type === "bokeh_event" && event.msg_data.origin != null;
};

let counted = 0;
const keyOf = event => {
  if (event.kind === "ModelChanged") return `${event.model.id} ${event.attr}`;
  const {origin, event_name: name} = event.msg_data;
  return `${origin.id} ${name} ${MOVES.has(name) ? "" : counted++}`;
};

// A message may hold a window on a larger buffer, which BokehJS would take for the whole.
const bytesOf = part => {
  const {buffer, byteOffset, byteLength} = ArrayBuffer.isView(part) ? part : new Uint8Array(part);
  return new Uint8Array(buffer, byteOffset, byteLength).slice();
};

const load = async (version, packed) => {
  if (bokehOf(version) || !packed) return bokehOf(version);
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const code = await new Response(stream).text();
  if (bokehOf(version)) return bokehOf(version); // another view was faster
  const script = document.createElement("script");
  script.textContent = code;
  document.head.append(script);
  script.remove();
  bokehOf(version)?.set_log_level("warn");
  return bokehOf(version);
};

/* Themes: JupyterLab and its kin say on the body which one it is, VS Code in its own words; else the screen counts. */
const darkScreen = matchMedia("(prefers-color-scheme: dark)");
const THEME_MARKS = ["data-jp-theme-light", "data-vscode-theme-kind"];
const themeNow = () => {
  const {jpThemeLight, vscodeThemeKind} = document.body.dataset;
  if (jpThemeLight !== undefined) return jpThemeLight === "false" ? "dark" : "light";
  if (vscodeThemeKind !== undefined) return /light/.test(vscodeThemeKind) ? "light" : "dark";
  return darkScreen.matches ? "dark" : "light";
};

// JupyterLab hides itself while it changes its theme, and what is hidden cannot be measured: wait for the next frame.
const watchTheme = whenChanged => {
  const later = () => requestAnimationFrame(whenChanged);
  const observer = new MutationObserver(later);
  observer.observe(document.body, {attributeFilter: THEME_MARKS});
  darkScreen.addEventListener("change", later);
  return () => (observer.disconnect(), darkScreen.removeEventListener("change", later));
};

/* Tags of a model say which of its properties has which colour: [property, name], [property, names], or for a scale
   [property, colours in light, colours in dark]. */
const shade = (colours, isDark, first, second) => {
  if (Array.isArray(second)) return isDark ? second : first;
  return Array.isArray(first) ? first.map(name => colours[name]) : colours[first];
};
const paint = (doc, colours, isDark) => {
  for (const model of doc.all_models) {
    const tags = (model.tags ?? []).filter(Array.isArray);
    if (tags.length === 0) continue;
    const shades = tags.map(([property, ...names]) => [property, shade(colours, isDark, ...names)]);
    model.setv(Object.fromEntries(shades), SILENT);
  }
};

const made = (tag, name) => Object.assign(document.createElement(tag), {className: name});

class View {
  constructor(model, el) {
    this.id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    this.model = model;
    this.el = made("div", "anova-view");
    this.still = made("div", "anova-still");
    this.live = made("div", "anova-live");
    this.el.append(this.still, this.live);
    el.append(this.el);
    this.bokeh = this.doc = null;
    this.figures = new Map(); // name → figure element
    this.news = new Map(); // what Python is to be told next
    this.toldAt = -Infinity;
    this.work = Promise.resolve(); // messages are dealt with one after the other
    this.mayAskAgain = true;
    this.isClosed = false;
    this.handlers = {
      "msg:custom": (message, buffers) => this.hear(message, buffers),
      "change:fallback": () => this.showStill(),
      "change:hidden": () => this.arrange(),
      "change:captions": () => this.arrange(),
    };
  }

  start() {
    for (const [name, handler] of Object.entries(this.handlers)) this.model.on(name, handler);
    this.unwatch = watchTheme(() => this.recolour());
    this.become("still");
    this.recolour();
    this.ask();
  }

  close() {
    this.isClosed = true;
    for (const [name, handler] of Object.entries(this.handlers)) this.model.off(name, handler);
    this.unwatch();
    this.clear();
    this.el.remove();
  }

  clear() {
    if (this.doc) forget(this.bokeh, this.doc);
    this.doc = null;
    this.news.clear();
    this.figures.clear();
    this.live.replaceChildren();
  }

  become(state) {
    this.el.dataset.state = state;
    this.showStill();
  }

  /* Python lets no HTML through that could act: `markup.checked`. */
  showStill() {
    this.still.innerHTML = this.el.dataset.state === "still" ? this.model.get("fallback") : "";
  }

  ask() {
    this.send({kind: "open", library: bokehOf(this.model.get("_bokeh_version")) !== null});
  }

  send(message) {
    try {
      this.model.send({...message, view: this.id});
    } catch {
      if (this.doc) this.become("cut-off"); // the kernel was restarted: the plots stay, nobody answers
    }
  }

  hear(message, buffers) {
    if (message.view && message.view !== this.id) return this.work;
    this.work = this.work.then(() => this.obey(message, buffers ?? [])).catch(reason => this.fail(reason));
    return this.work;
  }

  async obey(message, buffers) {
    if (message.kind === "document") await this.show(message, buffers);
    else if (message.kind === "patch") this.patch(message, buffers);
    else if (message.kind === "heard") this.listened();
  }

  /* A change that cannot be applied leaves plots that nobody knows; the whole document sets that right, once. */
  fail(reason) {
    if (this.isClosed) return;
    console.warn(`A live plot stays as it is: ${reason instanceof Error ? reason.message : reason}`);
    this.clear();
    this.become("still");
    if (this.mayAskAgain) this.ask();
    this.mayAskAgain = false;
  }

  async show(message, buffers) {
    this.bokeh = await load(this.model.get("_bokeh_version"), buffers[0]);
    if (!this.bokeh) throw new Error("BokehJS did not start");
    if (this.isClosed) return;
    this.clear();
    const doc = (this.doc = documentOf(this.bokeh, message.document));
    this.recolour();
    const hosts = doc.roots().map((root, position) => this.place(message.names[position], root));
    this.arrange();
    try {
      await draw(this.bokeh, doc, this.live, hosts);
    } finally {
      if (this.isClosed) forget(this.bokeh, doc); // again: plots were still being made when it was forgotten
    }
    if (this.isClosed) return;
    doc.on_change(event => this.notice(event));
    this.become("live");
  }

  place(name, root) {
    const figure = made("figure", "anova-plot");
    const host = made("div", "anova-host");
    figure.dataset.plot = name;
    host.setAttribute("role", "group");
    if (root.width) figure.style.flexBasis = figure.style.maxWidth = `${root.width}px`;
    figure.append(made("figcaption", ""), host);
    this.figures.set(name, figure);
    this.live.append(figure);
    return host;
  }

  arrange() {
    const hidden = this.model.get("hidden");
    const captions = this.model.get("captions");
    for (const [name, figure] of this.figures) {
      const [title, description] = captions[name] ?? ["", ""];
      const [caption, host] = figure.children;
      figure.hidden = hidden.includes(name);
      caption.textContent = title;
      caption.hidden = title === "";
      host.setAttribute("aria-label", description || title || name);
    }
  }

  patch(message, buffers) {
    if (!this.doc || message.except === this.id) return;
    const arrays = new Map(message.ids.map((id, position) => [id, bytesOf(buffers[position]).buffer]));
    this.doc.apply_json_patch(message.patch, arrays);
    if (this.theme === "dark") this.recolour(); // Python writes the colours of light pages
    this.mayAskAgain = true;
  }

  recolour() {
    if (this.isClosed) return;
    this.theme = themeNow();
    const colours = this.model.get("_themes")[this.theme];
    for (const [name, value] of Object.entries(colours)) this.el.style.setProperty(`--${name}`, value);
    this.el.dataset.theme = this.theme;
    if (this.doc) paint(this.doc, colours, this.theme === "dark");
  }

  notice(event) {
    if (!isNews(event)) return;
    this.news.set(keyOf(event), event);
    queueMicrotask(() => this.tell());
  }

  /* One message at a time: while Python is busy, news is gathered, and of what moves only the last is told. */
  tell() {
    if (this.isClosed || this.news.size === 0 || performance.now() - this.toldAt < PATIENCE) return;
    this.toldAt = performance.now();
    const events = [...this.news.values()];
    this.news.clear();
    this.send({kind: "events", events: encode(this.bokeh, this.doc, events)});
  }

  listened() {
    this.toldAt = -Infinity;
    this.tell();
  }
}

const render = ({model, el}) => {
  const view = new View(model, el);
  view.start();
  return () => view.close();
};

export default {render};
