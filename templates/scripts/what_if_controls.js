/* Controls of the what-if panel: one for each feature, and rows as lines of CSV. A value is a number: the code of a level,
   seconds since 1970, or NaN where it is missing. */
const anovaControls = (() => {
  const {element, histogram} = anovaDrawing;
  const {numberText, dateText} = anovaWording;
  const UNSEEN = -1, STEPS = 200, FEW = 12;
  const MISSING = new Set(["", "na", "n/a", "nan", "nat", "null", "none", "missing"]);

  const spanOf = ({span, ends: [low, high]}) => span ?? (low === undefined ? 0 : high - low);

  /* What a value is called: as `value_text` in `measures/values.py` has it, over the range of the fit. */
  const valueText = (input, value, say) => {
    if (Number.isNaN(value)) return say("missing");
    if (input.levels.length) return input.levels[value] ?? say(value < 0 ? "unseen level" : "rare level");
    if (input.kind === "boolean" && (value === 0 || value === 1)) return value ? "True" : "False";
    if (input.kind === "datetime") return dateText(value, spanOf(input));
    return numberText(value, spanOf(input)) + (input.kind === "duration" ? " s" : "");
  };

  const readDate = text => {
    const found = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?Z?$/.exec(text);
    return found ? Date.parse(`${found[1]}T${found[2] ?? "00:00"}Z`) / 1000 : NaN;
  };
  /* Reads what a person types; undefined where it is no value of this feature. */
  const readValue = (input, typed) => {
    const text = typed.trim();
    if (input.levels.length && input.levels.includes(typed)) return input.levels.indexOf(typed);
    if (input.levels.length && input.levels.includes(text)) return input.levels.indexOf(text);
    if (MISSING.has(text.toLowerCase())) return NaN;
    if (input.levels.length) return input.cells.length > input.levels.length ? undefined : UNSEEN;
    if (/^(true|false)$/i.test(text)) return input.kind === "boolean" ? Number(/^t/i.test(text)) : undefined;
    const value = input.kind === "datetime" ? readDate(text) : Number(text.replace("−", "-"));
    return Number.isFinite(value) && Math.abs(value) <= 1e70 ? value : undefined;
  };

  /* Splits lines of CSV, whichever of comma, semicolon and tab stands in the first; quotes as spreadsheets have them. */
  const readLines = text => {
    const first = text.split(/\r?\n/, 1)[0].replace(/"[^"]*"/g, "");
    const [separator] = [",", ";", "\t"].map(mark => [mark, first.split(mark).length]).sort((a, b) => b[1] - a[1])[0];
    const lines = [[""]];
    let isQuoted = false;
    for (let at = 0; at < text.length; at++) {
      const letter = text[at], line = lines.at(-1);
      if (isQuoted && letter === '"' && text[at + 1] === '"') line[line.length - 1] += text[++at];
      else if (letter === '"') isQuoted = !isQuoted;
      else if (!isQuoted && letter === separator) line.push("");
      else if (!isQuoted && letter === "\n") lines.push([""]);
      else if (isQuoted || letter !== "\r") line[line.length - 1] += letter;
    }
    return lines.filter(line => line.length > 1 || line[0].trim());
  };

  /* Reads a row, with a line of names before it or in the order of the features; a fault is {fault, …} for words. */
  const readRow = (text, inputs, titles, before) => {
    const lines = readLines(text);
    if (!lines.length) return {fault: "no line"};
    const cells = lines.at(-1);
    if (lines.length === 1) {
      if (cells.length !== inputs.length) return {fault: "cells", found: cells.length, wanted: inputs.length};
      return readCells(inputs.map((_, at) => cells[at]), inputs, titles, before);
    }
    const place = new Map(lines[0].map((name, at) => [name.trim(), at]));
    const found = inputs.map((input, at) => {
      const own = place.get(input.name) ?? place.get(titles[at]);
      if (own !== undefined || !input.columns.length) return cells[own];
      const chosen = input.columns.findIndex(column => Number(cells[place.get(column)]) === 1);
      return chosen < 0 ? undefined : input.levels[chosen];
    });
    if (found.every(cell => cell === undefined)) return {fault: "names"};
    return readCells(found, inputs, titles, before);
  };
  const readCells = (cells, inputs, titles, before) => {
    const row = cells.map((cell, at) => (cell === undefined ? before[at] : readValue(inputs[at], cell)));
    const wrong = row.indexOf(undefined);
    if (wrong >= 0) return {fault: inputs[wrong].levels.length ? "level" : "value", feature: titles[wrong], text: cells[wrong].trim()};
    return {row, n_kept: cells.filter(cell => cell === undefined).length};
  };
  const shownText = (input, value) => typedText(input, Number.isNaN(value) || input.kind === "datetime" ? value : Number(value.toPrecision(7)));
  const quoted = text => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const typedText = (input, value) => {
    if (Number.isNaN(value)) return "";
    if (input.levels.length) return input.levels[value] ?? "";
    if (input.kind === "boolean" && (value === 0 || value === 1)) return value ? "True" : "False";
    return input.kind === "datetime" ? new Date(value * 1000).toISOString().replace(/(T00:00:00)?(\.000)?Z$/, "").replace("T", " ") : String(value);
  };
  const writeRow = (row, inputs) =>
    [inputs.map(({name}) => quoted(name)), row.map((value, at) => quoted(typedText(inputs[at], value)))]
      .map(cells => cells.join(",")).join("\n");

  const control = (input, feature, at, {say, changed}) => {
    const id = `what-if-${at}`;
    const reset = element("button", {type: "button", class: "reset", hidden: true}, say("reset"), element("span", {class: "unseen"}, ` ${feature.title}`));
    const head = [element("label", {for: id}, feature.heading), reset];
    const host = (own, ...parts) => {
      const box = element("div", {class: "control", "data-title": feature.title.toLowerCase()}, element("div", {class: "head"}, head), parts);
      return {...own, box, reset};
    };
    if (input.levels.length || input.kind === "boolean") {
      const names = input.levels.length ? input.levels : ["False", "True"];
      const options = names.map((name, code) => element("option", {value: code}, name));
      if (input.cells.length > names.length) options.push(element("option", {value: names.length}, say("rare level")));
      options.push(element("option", {value: "missing"}, say("missing")));
      if (input.levels.length) options.push(element("option", {value: UNSEEN}, say("unseen level")));
      const list = element("select", {id}, options);
      list.addEventListener("change", () => changed(at, list.value === "missing" ? NaN : Number(list.value)));
      const show = value => (list.value = Number.isNaN(value) ? "missing" : String(value));
      return host({show}, list);
    }
    const [low = -1, high = 1] = input.ends;
    const isWhole = input.kind !== "datetime" && [...input.breaks, ...input.ends].every(Number.isInteger);
    const step = isWhole ? Math.max(Math.round((high - low) / STEPS), 1) : (high - low) / STEPS;
    const digits = Math.max(0, Math.ceil(-Math.log10(step || 1)) + 1);
    const field = element("input", {id, type: "text", inputmode: input.kind === "datetime" ? null : "decimal", autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-range`});
    const slider = element("input", {type: "range", min: 0, max: Math.max(Math.round((high - low) / (step || 1)), 1), step: 1, "aria-label": say("slider", {feature: feature.title})});
    const missing = element("input", {type: "checkbox", id: `${id}-missing`});
    const ofStep = place => {
      if (place >= Number(slider.max)) return high;
      const value = low + place * step, near = input.heavy.find(each => Math.abs(each - value) < step / 2);
      return near ?? (place === 0 ? low : Number(value.toFixed(Math.min(digits, 100))));
    };
    slider.addEventListener("input", () => changed(at, ofStep(Number(slider.value))));
    field.addEventListener("input", () => {
      const value = readValue(input, field.value);
      field.setAttribute("aria-invalid", String(value === undefined));
      if (value !== undefined) changed(at, value, field);
    });
    missing.addEventListener("change", () => changed(at, missing.checked ? NaN : ofStep(Number(slider.value))));
    const show = (value, typing) => {
      const isMissing = Number.isNaN(value);
      missing.checked = isMissing;
      if (typing !== field) {
        field.value = shownText(input, value);
        field.removeAttribute("aria-invalid");
      }
      if (!isMissing) slider.value = Math.round((Math.min(Math.max(value, low), high) - low) / (step || 1));
      slider.setAttribute("aria-valuetext", valueText(input, value, say));
    };
    const ends = input.ends.map(end => valueText(input, end, say));
    return host(
      {show},
      element("div", {class: "range"}, feature.edges.length && input.ends.length ? histogram(feature, input.ends) : null, slider,
        element("p", {class: "ends", id: `${id}-range`}, element("span", {class: "unseen"}, say("range")), element("span", {}, ends[0] ?? ""), element("span", {}, ends[1] ?? ""))),
      element("div", {class: "typed"}, field, element("label", {for: `${id}-missing`}, missing, say("missing"))),
    );
  };

  /* All controls, the most important features first; many of them are folded, and can be searched. */
  const controls = (inputs, features, order, {say, changed, host}) => {
    const made = inputs.map((input, at) => control(input, features[at], at, {say, changed}));
    const boxes = order.map(at => made[at].box);
    host.append(...boxes.slice(0, FEW));
    if (boxes.length > FEW) {
      const more = element("details", {class: "more"}, element("summary", {}, say("further features", {n: boxes.length - FEW})), boxes.slice(FEW));
      const find = element("input", {type: "search", autocomplete: "off"});
      find.addEventListener("input", () => {
        const wanted = find.value.trim().toLowerCase();
        for (const box of boxes) box.hidden = !box.dataset.title.includes(wanted);
        if (wanted) more.open = true;
      });
      host.prepend(element("label", {class: "find"}, say("find"), find));
      host.append(more);
    }
    return made;
  };

  return {controls, valueText, readRow, writeRow};
})();
