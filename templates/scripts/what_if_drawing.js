/* Pictures of the what-if panel. They are made of elements, never of text that could be markup. */
const anovaDrawing = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const ROW = 26, HALF = 7, TEXT = 12, LEAST = 300, WIDEST = 720;
  const LEAST_BARS = 0.25; // of the width, for bars

  const write = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children.flat().filter(child => child !== null && child !== undefined));
    return node;
  };
  const element = (tag, attributes = {}, ...children) => write(document.createElement(tag), attributes, children);
  const shape = (tag, attributes = {}, ...children) => write(document.createElementNS(SVG, tag), attributes, children);

  const measure = document.createElement("canvas").getContext("2d");
  const widthOf = (words, isStrong = false) => {
    measure.font = `${isStrong ? "650 " : ""}${TEXT}px system-ui, sans-serif`;
    return measure.measureText(words).width;
  };
  const shortened = (words, room) => {
    if (widthOf(words) <= room) return words;
    const letters = [...words];
    while (letters.length > 1 && widthOf(`${letters.join("")}…`) > room) letters.pop();
    return `${letters.join("").trimEnd()}…`;
  };
  const text = (words, x, y, room, attributes = {}) => {
    const shown = shortened(words, room);
    return shape("text", {x, y: y + 4, ...attributes}, shown, shown === words ? null : shape("title", {}, words));
  };

  /* From one value to another, one bar below the other; a whisker at the end of each bar is its 95% interval. Numbers are
     written in the first of several ways that leaves room for bars, or in the last. */
  const waterfall = ({base, steps, end, from, label, ways}, width) => {
    const wide = Math.min(Math.max(width, LEAST), WIDEST);
    const left = Math.round(wide * (wide < 480 ? 0.4 : 0.38));
    const fits = ways.map(way => {
      const numbers = [way.whole(base), way.whole(end.value), ...steps.map(step => way.part(step.value))];
      return {...way, values: Math.ceil(Math.max(...numbers.map(number => widthOf(number, true)))) + 14};
    });
    const {whole, part, to: until, values} = fits.find(way => wide - left - 2 * way.values >= LEAST_BARS * wide) ?? fits.at(-1);
    const sums = steps.reduce((found, step) => [...found, found.at(-1) + step.value], [base]);
    const ends = [end.value - (end.reach ?? 0), end.value + (end.reach ?? 0)];
    steps.forEach((step, at) => ends.push(sums[at + 1] - (step.reach ?? 0), sums[at + 1] + (step.reach ?? 0)));
    const low = Math.min(...sums, ...ends), high = Math.max(...sums, ...ends);
    const across = value => left + values + ((value - low) / (high - low || 1)) * (wide - left - 2 * values);
    const rows = steps.length + 2, high_ = ROW * rows + 8;
    const drawing = shape("svg", {
      class: "what-if-steps", role: "img", "aria-label": label, width: wide, height: high_, viewBox: `0 0 ${wide} ${high_}`,
    });
    const middle = row => ROW * (row + 0.5) + 4;
    const line = (from, to, y0, y1, name) => shape("line", {x1: from, x2: to, y1: y0, y2: y1, class: name});
    drawing.append(line(across(base), across(base), middle(0), middle(rows - 1), "from"));
    drawing.append(
      text(from, 0, middle(0), left - 8, {class: "end"}),
      shape("circle", {cx: across(base), cy: middle(0), r: 4.5, class: "dot"}),
      text(whole(base), across(base) + 10, middle(0), values, {class: "end"}),
    );
    steps.forEach((step, at) => {
      const start = across(sums[at]), to = across(sums[at + 1]), y = middle(at + 1), isDown = step.value < 0;
      // Values stand beside the label where there is room for both.
      const wanted = step.detail ? widthOf(step.detail) + 10 : 0;
      const detail = wanted < (left - 8) * 0.45 || wanted + widthOf(step.label) < left - 8 ? step.detail : "";
      const room = left - 8 - (detail ? wanted : 0);
      const reach = ((step.reach ?? 0) / (high - low || 1)) * (wide - left - 2 * values);
      const beyond = Math.max(reach, 0) + 6;
      drawing.append(
        text(step.label, 0, y, room),
        detail ? text(detail, left - 8, y, wanted, {class: "note", "text-anchor": "end"}) : "",
        line(start, start, y - ROW + HALF, y - HALF, "link"),
        shape("rect", {
          x: Math.min(start, to), y: y - HALF, width: Math.max(Math.abs(to - start), 1), height: 2 * HALF,
          class: isDown ? "down" : "up",
        }),
        reach > 0.5 ? line(to - reach, to + reach, y, y, "band") : "",
        text(part(step.value), to + (isDown ? -beyond : beyond), y, values, {"text-anchor": isDown ? "end" : "start"}),
      );
    });
    const last = rows - 1, y = middle(last), reach = ((end.reach ?? 0) / (high - low || 1)) * (wide - left - 2 * values);
    drawing.append(line(across(sums.at(-1)), across(end.value), y - ROW + HALF, y - HALF, "link"));
    if (reach > 0.5) drawing.append(line(across(end.value) - reach, across(end.value) + reach, y, y, "band"));
    drawing.append(
      text(until, 0, y, left - 8, {class: "end strong"}),
      shape("circle", {cx: across(end.value), cy: y, r: 4.5, class: "dot"}),
      text(whole(end.value), across(end.value) + Math.max(reach, 4) + 6, y, values, {class: "end strong"}),
    );
    return drawing;
  };

  /* How rows are spread over the range of a feature. */
  const histogram = ({edges, counts}, [low, high]) => {
    const most = Math.max(...counts, 1), span = high - low || 1;
    const bars = counts.map((count, at) => {
      const from = Math.max((edges[at] - low) / span, 0), to = Math.min((edges[at + 1] - low) / span, 1);
      const tall = count ? Math.max((count / most) * 24, 1) : 0;
      return to > from ? shape("rect", {x: 200 * from, width: Math.max(200 * (to - from) - 0.6, 0.4), y: 24 - tall, height: tall}) : null;
    });
    return shape("svg", {class: "what-if-rows", viewBox: "0 0 200 24", preserveAspectRatio: "none", "aria-hidden": "true"}, bars);
  };

  /* A point on a drawing of the page: where the row lies on a curve, among bars, or on a map. */
  const mark = (drawing, {frame: [left, top, right, bottom], x, y, foot}, [at, value], {isMap, isBar}) => {
    const held = (share, from, to) => from + Math.min(Math.max(share, 0), 1) * (to - from);
    const across = held((at - x[0]) / (x[1] - x[0]), left, right), down = held((value - y[0]) / (y[1] - y[0]), bottom, top);
    const lines = isBar ? [] : [shape("line", {x1: across, x2: across, y1: top, y2: foot})];
    if (isMap) lines.push(shape("line", {x1: left, x2: right, y1: down, y2: down}));
    const group = shape("g", {class: "what-if-mark"}, lines, shape("circle", {cx: across, cy: down, r: 5}));
    drawing.append(group);
    return group;
  };

  /* The same on a live figure, in values of its axes; no point where there is no place. */
  const sources = new WeakMap(); // of the document of a live figure
  const markLive = (plot, place) => {
    const [figure] = plot.roots();
    if (figure.type !== "Plot") return;
    if (!sources.has(plot)) {
      const [Source, Renderer, Scatter] = ["ColumnDataSource", "GlyphRenderer", "Scatter"].map(name => window.Bokeh.Models.get(name));
      const color = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      const glyph = new Scatter({
        x: {field: "x"}, y: {field: "y"}, size: {value: 11}, line_width: {value: 1.5},
        fill_color: {value: color("positive")}, line_color: {value: color("surface")},
        tags: [["fill_color", "positive"], ["line_color", "surface"]], // for the other theme
      });
      sources.set(plot, new Source({data: {x: [], y: []}}));
      figure.renderers = [...figure.renderers, new Renderer({data_source: sources.get(plot), glyph})];
    }
    sources.get(plot).data = place ? {x: [place[0]], y: [place[1]]} : {x: [], y: []};
  };

  return {element, shape, waterfall, histogram, mark, markLive};
})();
