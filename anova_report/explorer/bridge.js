/* The page's side of the bridge: one view of a bokeh document in Python.

   It shows the still picture, requests the document as it is now, and draws it. From then on Python sends changes of
   the document, and the view reports selections, zooms and the events that have callbacks in Python. Whatever fails,
   the still picture or the last plots stay. Nothing is fetched, and no text becomes code but BokehJS itself. */

const SILENT = {sync: false}; // changes made by Python or by the theme are not reported to Python
const TIMEOUT = 5000; // milliseconds to wait for Python before more is reported; until then changes are gathered
const COLUMN = 352; // pixels of the narrowest column; what needs more takes the whole width
const REST = 1000; // milliseconds without a change after which the still picture is brought up to date
// The bridge in Python takes these and no others.
const REPORTED = {Range1d: ["start", "end"], Selection: ["indices", "line_indices", "multiline_indices", "image_indices"]};
const MOVES = new Set(["mousemove", "pan", "pinch", "rotate", "wheel", "rangesupdate"]); // of these only the last counts

/* All that uses undocumented parts of BokehJS: a notebook has no bokeh server, whose client would do the same. Browser
   tests run it on each supported line of bokeh. */
const bokehOf = version => globalThis.Bokeh?.[version] ?? null;
const documentOf = (bokeh, json) => bokeh.require("document").Document.from_json(json);
const draw = (bokeh, doc, place, hosts) => bokeh.embed.add_document_standalone(doc, place, hosts);
const encode = (bokeh, doc, events) => {
  const {Serializer} = bokeh.require("core/serialization");
  const references = new Map([...doc.all_models].map(model => [model, model.ref()]));
  return new Serializer({references}).encode(events);
};
const dispose = (bokeh, doc) => {
  const views = doc.views_manager?.roots ?? [];
  doc.clear(SILENT); // also removes the plots that are drawn, but leaves them in a list of all plots
  for (const view of views) bokeh.index.delete(view);
  const at = bokeh.documents.indexOf(doc);
  if (at >= 0) bokeh.documents.splice(at, 1);
};
/* BokehJS writes the place of every mark into a style sheet whenever it paints, even the same again, and a browser then
   works out the styles of the whole page anew, for the next text that is measured. */
const keepStyles = bokeh => {
  const sheets = bokeh.require("core/dom").InlineStyleSheet.prototype;
  const update = sheets._update;
  if (sheets.areKept || !update) return;
  sheets.areKept = true;
  sheets._update = function (css) {
    if (this.css !== css) update.call(this, css);
  };
};
/* BokehJS lays a plot out, and paints it, at each single change of a size or a border. Here this is done once, in the
   frame that paints all other changes, and before it so that nothing is left to paint then. */
const applyTogether = (doc, patch, arrays) => {
  const views = doc.roots().map(root => doc.views_manager.get(root)).filter(view => view);
  const changed = new Set();
  requestAnimationFrame(() => {
    for (const view of views) delete view.invalidate_layout;
    if (doc.roots().length > 0) for (const view of changed) view.invalidate_layout();
  });
  for (const view of views) view.invalidate_layout = () => changed.add(view);
  doc.apply_json_patch(patch, arrays);
};
const isReported = event => {
  if (event.sync === false) return false;
  if (event.kind === "ModelChanged") return REPORTED[event.model.type]?.includes(event.attr) ?? false;
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

/* Themes: JupyterLab and VS Code write on the body which one it is; elsewhere the screen decides. */
const darkScreen = matchMedia("(prefers-color-scheme: dark)");
const THEME_MARKS = ["data-jp-theme-light", "data-vscode-theme-kind"];
const themeNow = () => {
  const {jpThemeLight, vscodeThemeKind} = document.body.dataset;
  if (jpThemeLight !== undefined) return jpThemeLight === "false" ? "dark" : "light";
  if (vscodeThemeKind !== undefined) return /light/.test(vscodeThemeKind) ? "light" : "dark";
  return darkScreen.matches ? "dark" : "light";
};

// JupyterLab hides itself while it changes its theme, and hidden plots cannot be measured: wait for the next frame.
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
    this.changes = new Map(); // to be reported to Python next
    this.reportedAt = -Infinity;
    this.work = Promise.resolve(); // messages are handled one after the other
    this.mayRetry = true;
    this.isClosed = false;
    this.handlers = {
      "msg:custom": (message, buffers) => this.receive(message, buffers),
      "change:fallback": () => this.showStill(),
      "change:hidden": () => this.arrange(),
      "change:captions": () => this.arrange(),
    };
  }

  start() {
    for (const [name, handler] of Object.entries(this.handlers)) this.model.on(name, handler);
    this.unwatch = watchTheme(() => this.recolour());
    this.setState("still");
    this.recolour();
    this.request();
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.resting);
    for (const [name, handler] of Object.entries(this.handlers)) this.model.off(name, handler);
    this.unwatch();
    this.clear();
    this.el.remove();
  }

  clear() {
    if (this.doc) dispose(this.bokeh, this.doc);
    this.doc = null;
    this.changes.clear();
    this.figures.clear();
    this.live.replaceChildren();
  }

  setState(state) {
    this.el.dataset.state = state;
    this.showStill();
  }

  /* Python refuses HTML that could act: `fragments.checked`. */
  showStill() {
    this.still.innerHTML = this.el.dataset.state === "still" ? this.model.get("fallback") : "";
  }

  request() {
    this.send({kind: "open", library: bokehOf(this.model.get("_bokeh_version")) !== null});
  }

  send(message) {
    try {
      this.model.send({...message, view: this.id});
    } catch {
      if (this.doc) this.setState("cut-off"); // the kernel was restarted: the plots stay, without a connection
    }
  }

  receive(message, buffers) {
    if (message.view && message.view !== this.id) return this.work;
    this.work = this.work.then(() => this.handle(message, buffers ?? [])).catch(reason => this.fail(reason));
    return this.work;
  }

  async handle(message, buffers) {
    if (message.kind === "document") await this.show(message, buffers);
    else if (message.kind === "patch") this.patch(message, buffers);
    else if (message.kind === "received") this.acknowledge();
  }

  /* A change that cannot be applied leaves plots in an unknown state; the whole document is requested again, once.
     After that the still picture is all there is, so Python draws it at every change. */
  fail(reason) {
    if (this.isClosed) return;
    console.warn(`A live plot stays as it is: ${reason instanceof Error ? reason.message : reason}`);
    this.clear();
    this.setState("still");
    if (this.mayRetry) this.request();
    else this.send({kind: "still", always: true});
    this.mayRetry = false;
  }

  async show(message, buffers) {
    this.bokeh = await load(this.model.get("_bokeh_version"), buffers[0]);
    if (!this.bokeh) throw new Error("BokehJS did not start");
    keepStyles(this.bokeh);
    if (this.isClosed) return;
    this.clear();
    const doc = (this.doc = documentOf(this.bokeh, message.document));
    this.recolour();
    const hosts = doc.roots().map((root, position) => this.place(message.names[position], root));
    this.arrange();
    try {
      await draw(this.bokeh, doc, this.live, hosts);
    } finally {
      if (this.isClosed) dispose(this.bokeh, doc); // again: plots were still being made the first time
    }
    if (this.isClosed) return;
    doc.on_change(event => this.onChange(event));
    this.setState("live");
  }

  place(name, root) {
    const figure = made("figure", "anova-plot");
    const host = made("div", "anova-host");
    figure.dataset.plot = name;
    host.setAttribute("role", "group");
    figure.classList.toggle("anova-wide", root.min_width > COLUMN);
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
    applyTogether(this.doc, message.patch, arrays);
    if (this.theme === "dark") this.recolour(); // Python writes the colours of light pages
    this.mayRetry = true;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.send({kind: "still", always: false}), REST);
  }

  recolour() {
    if (this.isClosed) return;
    this.theme = themeNow();
    const colours = this.model.get("_themes")[this.theme];
    for (const [name, value] of Object.entries(colours)) this.el.style.setProperty(`--${name}`, value);
    this.el.dataset.theme = this.theme;
    if (this.doc) paint(this.doc, colours, this.theme === "dark");
  }

  onChange(event) {
    if (!isReported(event)) return;
    this.changes.set(keyOf(event), event);
    queueMicrotask(() => this.report());
  }

  /* One message at a time: while Python is busy, changes are gathered, and of moves only the last is reported. */
  report() {
    if (this.isClosed || this.changes.size === 0 || performance.now() - this.reportedAt < TIMEOUT) return;
    this.reportedAt = performance.now();
    const events = [...this.changes.values()];
    this.changes.clear();
    this.send({kind: "events", events: encode(this.bokeh, this.doc, events)});
  }

  acknowledge() {
    this.reportedAt = -Infinity;
    this.report();
  }
}

const render = ({model, el}) => {
  const view = new View(model, el);
  view.start();
  return () => view.close();
};

export default {render};
