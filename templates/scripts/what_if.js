/* The what-if panel: a row that a person types, and what the explanation says of it. It stands in a document or in the
   shadow of an element, and asks nobody. Every sentence stands in the template `#what-if-words`. */
const anovaPanel = (() => {
  const {element, waterfall, mark, markLive} = anovaDrawing;
  const {percent, factor, signed, counted, enumeration, inUnit, named} = anovaWording;
  const {controls, valueText, readRow, writeRow} = anovaControls;
  const MOST_STEPS = 10, MOST_WIDEST = 2, QUIET = 500; // milliseconds without a change, after which the answer is read out
  const begin = (root, {numbers, features, labels, order, outputs}, model, {plotOf = () => null, answered = () => {}} = {}) => {
    const part = name => root.getElementById(`what-if-${name}`);
    const words = new Map([...part("words").content.querySelectorAll("[data-say]")].map(each => [each.dataset.say, each.textContent.trim()]));
    const say = (name, given = {}) => words.get(name).replace(/\{(\w+)\}/g, (_, key) => String(given[key]));
    const {terms, starts} = model;
    const inputs = model.inputs.map((input, at) => ({...input, span: numbers.spans[at]}));
    const titles = features.map(({title}) => title);
    const names = named(numbers), bare = named({...numbers, unit: ""});
    const isLog = numbers.scale === "log", isLogit = numbers.link === "logit";
    const real = ({values}) => values.map(value => value ?? NaN);
    const state = {row: real(starts[0]), before: real(starts[0]), beforeName: starts[0].name, output: 0};
    let marks = [];

    const text = (at, value = state.row[at]) => valueText(inputs[at], value, say);
    const withUnit = (at, value = state.row[at]) => {
      const written = text(at, value);
      return /^[−\d]/.test(written) ? inUnit(written, features[at].unit) : written;
    };
    const interval = (value, reach, write) => (reach === null ? "" : say("interval", {low: write(value - reach), high: write(value + reach)}));
    const isSame = (a, b) => a === b || (Number.isNaN(a) && Number.isNaN(b));
    const moved = () => state.row.flatMap((value, at) => (isSame(value, state.before[at]) ? [] : [at]));

    /* The prediction on its own scale. */
    const own = ({explained, reach, mean}) => {
      if (isLogit) return say("probability", {value: percent(model.inverse(explained)), interval: interval(explained, reach, value => percent(model.inverse(value)))});
      return isLog ? say("times", {factor: factor(explained - mean), base: names.value(mean)}) : "";
    };
    const card = (name, title, value, lines) => element("div", {class: name}, element("dt", {}, title), element("dd", {class: "value"}, value), lines.filter(Boolean).map(line => element("dd", {}, line)));
    const cards = (found, before, change) => {
      const shown = [card("after", say("after"), names.value(found.explained), [interval(found.explained, found.reach, names.value), own(found)])];
      if (moved().length) {
        shown.unshift(card("before", say("before"), names.value(before.explained), [interval(before.explained, before.reach, names.value), own(before), state.beforeName]));
        const points = isLogit ? [say("points", {value: signed(100 * (model.inverse(found.explained) - model.inverse(before.explained)))})] : [];
        shown.push(card("change", say("change"), names.effect(change.explained), [interval(change.explained, change.reach, names.brief), ...points]));
      }
      part("cards").replaceChildren(...shown);
      const brief = [say("brief", {value: names.value(found.explained)})];
      if (moved().length) brief.push(say("brief before", {value: names.value(before.explained)}));
      part("brief").replaceChildren(...brief.map(each => element("span", {}, each)));
    };

    const warnings = found => {
      const outside = model.outside(state.row);
      const said = outside.flatMap((isOutside, at) => {
        if (!isOutside) return [];
        if (Number.isNaN(state.row[at])) return [say("never missing", {feature: titles[at]})];
        if (inputs[at].cells.length) return [say("level not seen", {feature: titles[at]})];
        const [low, high] = inputs[at].ends.map(end => withUnit(at, end));
        return [say("outside", {feature: titles[at], value: withUnit(at), low, high})];
      });
      for (const term of model.unseenPairs(state.row)) {
        const [a, b] = term.map(at => say("value of", {feature: titles[at], value: withUnit(at)}));
        const near = model.nearestSeen(state.row, term);
        const places = near && near.places.map((place, side) => placeText(term[side], place));
        said.push(say("not combined", {a, b}) + (near ? ` ${say("nearest", {cells: counted(near.steps, "cell", "cells"), where: enumeration(places)})}` : ""));
      }
      part("warnings").replaceChildren(...said.map(each => element("li", {}, each)));
      part("warned").hidden = !said.length;
      const widest = terms.map((_, at) => at).sort((a, b) => found.reaches[b] - found.reaches[a]).slice(0, MOST_WIDEST);
      part("widest").textContent = found.reaches
        ? say("widest", {terms: enumeration(widest.map(at => `${labels[at]} (${names.brief(found.components[at])}, ${interval(found.components[at], found.reaches[at], names.brief)})`))})
        : say(numbers.bands_left_out ? "bands left out" : "no bands");
      return said.length;
    };
    const placeText = (feature, place) => (inputs[feature].cells.length
      ? say("value of", {feature: titles[feature], value: enumeration(place, 3)})
      : say("between", {feature: titles[feature], low: withUnit(feature, place[0]), high: withUnit(feature, place[1])}));

    /* The largest steps, and all others taken together. */
    const steps = (values, reaches) => {
      const ranked = values.map((_, at) => at).filter(at => values[at]).sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
      const n = ranked.length <= MOST_STEPS ? ranked.length : MOST_STEPS - 1;
      const shown = ranked.slice(0, n).map(at => ({label: labels[at], detail: terms[at].map(one => text(one)).join(", "), value: values[at], reach: reaches && reaches[at]}));
      const rest = ranked.slice(n);
      if (rest.length) shown.push({label: say("further terms", {n: rest.length}), detail: "", value: rest.reduce((sum, at) => sum + values[at], 0), reach: null});
      return shown;
    };
    /* A long unit stands beside the last bar only. */
    const draw = (name, to, given) => {
      const host = part(name), way = (own, words) => ({whole: own.value, part: own.brief, to: words});
      const ways = [way(names, to), way(bare, numbers.unit ? say("in unit", {what: to, unit: numbers.unit}) : to)];
      host.replaceChildren(waterfall({ways, ...given}, host.clientWidth));
    };
    const pictures = (found, before, change) => {
      const changed = moved();
      part("changed").hidden = !changed.length;
      if (changed.length) {
        part("changes").textContent = enumeration(changed.map(at => say("from to", {feature: titles[at], before: withUnit(at, state.before[at]), after: withUnit(at)})), 4) + ".";
        draw("change-steps", say("after"), {
          base: before.explained, end: {value: found.explained, reach: null}, steps: steps(change.components, change.reaches),
          from: say("before"), label: say("change picture", {before: names.value(before.explained), after: names.value(found.explained)}),
        });
      }
      draw("steps", say("explained"), {
        base: found.mean, end: {value: found.explained, reach: found.reach}, steps: steps(found.components, found.reaches),
        from: say(isLog ? "base rate" : "mean"), label: say("picture", {mean: names.value(found.mean), explained: names.value(found.explained)}),
      });
      const head = ["term", "values", "contribution", "its interval", ...(changed.length ? ["contribution before", "changed by"] : [])];
      const line = (at, cells) => element("tr", {}, element("th", {scope: "row"}, labels[at]), cells.map(cell => element("td", {}, cell)));
      const ranked = terms.map((_, at) => at).sort((a, b) => Math.abs(found.components[b]) - Math.abs(found.components[a]));
      part("table").replaceChildren(
        element("thead", {}, element("tr", {}, head.map(name => element("th", {scope: "col"}, say(name))))),
        element("tbody", {}, ranked.map(at => line(at, [
          terms[at].map(one => text(one)).join(", "), names.effect(found.components[at]),
          found.reaches ? say("to", {low: names.brief(found.components[at] - found.reaches[at]), high: names.brief(found.components[at] + found.reaches[at])}) : "–",
          ...(changed.length ? [names.effect(before.components[at]), names.effect(change.components[at])] : []),
        ]))),
      );
    };

    /* Sentences of `measures/sentences/groups.py`. */
    const reasonWords = ({value, reach, hasDirection, isRanked}) => {
      const [times, change = ""] = names.effect(value).replace("× ", "").replace(/\)$/, "").split(" (");
      const ends = hasDirection && !isLog ? interval(Math.abs(value), reach, names.bound) : interval(value, reach, names.brief);
      const aside = [isLog && change, ends].filter(Boolean).join("; "); // as large as it raises, or lowers
      const known = aside && ` (${aside})`;
      const size = names.bound(Math.abs(value));
      const adds = hasDirection ? say(value > 0 ? "raises" : "lowers", {value: size}) : say("adds", {value: names.effect(value)});
      const way = isLog ? say("multiplies", {value: times}) : adds;
      const open = [hasDirection || "direction", isRanked || "rank"].filter(what => what !== true).map(what => say(what));
      return way + known + (open.length ? `: ${say("undetermined", {what: enumeration(open)})}` : ".");
    };
    const together = found => {
      const {joints, anchor} = outputs[state.output];
      part("joints").replaceChildren(...joints.map(({label, features: own, why}) => {
        const {value, reach} = model.joint(found, own);
        return element("li", {}, anchor ? element("a", {href: `#${anchor}`}, label) : element("strong", {}, label), ` ${names.effect(value)}${reach === null ? "" : ` (${interval(value, reach, names.brief)})`}. ${why}`);
      }));
      part("together").hidden = !joints.length;
    };

    const pointAt = found => {
      for (const drawn of marks) drawn.remove();
      const placed = (feature, places) => {
        const value = state.row[feature];
        if (!places) return value;
        const near = places.map(place => (place === "missing" ? (Number.isNaN(value) ? 0 : Infinity) : place === null ? Infinity : Math.abs(place - value)));
        const best = near.indexOf(Math.min(...near));
        return near[best] <= (inputs[feature].cells.length ? 0 : 0.002 * (inputs[feature].ends[1] - inputs[feature].ends[0])) ? best : NaN;
      };
      marks = outputs[state.output].marks.flatMap(({key, ids, term, kind, places, times, panels}) => {
        const value = found.components[terms.findIndex(each => each.join() === term.join())];
        let at = term.map((feature, side) => placed(feature, places[side]));
        if (kind === "levels") at = [value, at[0]];
        else if (kind === "curve") at.push(value);
        const plot = plotOf(key);
        if (plot) markLive(plot, at.some(Number.isNaN) ? null : at.map((each, side) => (times[side] ? 1000 * each : each)));
        return ids.flatMap((id, drawing) => {
          const svg = root.getElementById(id)?.closest("svg");
          const panels_ = panels[drawing], isMissing = kind === "curve" && Number.isNaN(at[0]);
          if (!svg || (isMissing ? panels_.length < 2 : at.some(Number.isNaN))) return [];
          return [mark(svg, isMissing ? panels_[1] : panels_[0], isMissing ? [0.6, value] : at, {isMap: kind === "surface", isBar: kind === "levels" || isMissing})];
        });
      });
    };

    let quiet = 0;
    const announce = (found, before, warned) => {
      clearTimeout(quiet);
      quiet = setTimeout(() => {
        const given = {prediction: outputs[state.output].prediction, value: names.value(found.explained), interval: interval(found.explained, found.reach, names.value)};
        const said = [say("said", given), own(found)];
        if (moved().length) said.push(say("said before", {value: names.value(before.explained)}));
        if (warned) said.push(say("said warnings", {warnings: counted(warned, "warning", "warnings")}));
        part("said").textContent = said.filter(Boolean).join(" ");
      }, QUIET);
    };

    const answer = () => {
      const found = model.explain(state.row, state.output), before = model.explain(state.before, state.output);
      const change = model.change(before, found), changed = new Set(moved());
      made.forEach(({box, reset}, at) => {
        box.classList.toggle("changed", changed.has(at));
        reset.hidden = !changed.has(at);
      });
      part("keep").hidden = part("back").hidden = !changed.size;
      cards(found, before, change);
      const warned = warnings(found);
      pictures(found, before, change);
      part("reasons").replaceChildren(...model.reasons(found).map(reason => element("li", {}, element("strong", {}, reason.name), ` ${reasonWords(reason)}`)));
      together(found);
      pointAt(found);
      announce(found, before, warned);
      answered(state.row);
    };
    let frame = 0;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(answer);
    };
    const changed = (at, value, typing) => {
      state.row[at] = value;
      made[at].show(value, typing);
      soon();
    };
    const made = controls(inputs, features, order, {say, changed, host: part("controls")});
    const showRow = () => {
      state.row.forEach((value, at) => made[at].show(value));
      soon();
    };
    made.forEach(({reset, box}, at) => reset.addEventListener("click", () => {
      changed(at, state.before[at]);
      box.querySelector("input, select").focus();
    }));

    part("start").append(...starts.map(({name}, at) => element("option", {value: at}, name)));
    part("start").addEventListener("change", () => {
      const start = starts[Number(part("start").value)];
      Object.assign(state, {row: real(start), before: real(start), beforeName: start.name});
      showRow();
    });
    part("output")?.addEventListener("change", () => {
      state.output = Number(part("output").value);
      soon();
    });
    const refocus = () => (part("start").closest("label").hidden ? part("controls").querySelector("input, select") : part("start")).focus();
    part("keep").addEventListener("click", () => {
      Object.assign(state, {before: [...state.row], beforeName: say("kept")});
      soon();
      refocus();
    });
    part("back").addEventListener("click", () => {
      state.row = [...state.before];
      showRow();
      refocus();
    });
    part("read").addEventListener("click", () => {
      const {row, n_kept: kept, fault, ...given} = readRow(part("line").value, inputs, titles, state.row);
      part("fault").textContent = fault ? say(`fault: ${fault}`, given) : kept ? say("kept values", {n: kept}) : say("read");
      part("line").setAttribute("aria-invalid", String(Boolean(fault)));
      if (fault) return;
      state.row = row;
      showRow();
    });
    part("write").addEventListener("click", () => {
      part("line").value = writeRow(state.row, inputs);
      part("line").select();
    });
    const livened = new MutationObserver(soon); // a figure that becomes live shows the point, too
    for (const {key} of outputs.flatMap(output => output.marks)) {
      const figure = root.getElementById(key);
      if (figure) livened.observe(figure, {attributeFilter: ["class"]});
    }
    new ResizeObserver(soon).observe(part("steps"));
    showRow();
    /* Start from another row, which may have changes already. */
    return (name, before, row = before) => {
      Object.assign(state, {row: [...row], before: [...before], beforeName: name});
      showRow();
    };
  };

  /* Open the panel of a root with what `read` promises; where that fails, say so and leave the rest alone. */
  const open = async (root, read, hooks) => {
    const [panel, off] = ["panel", "off"].map(name => root.getElementById(`what-if-${name}`));
    try {
      const given = await read();
      const model = await anovaEvaluator.open(given.numbers);
      off.hidden = true;
      panel.hidden = false;
      return begin(root, given, model, hooks);
    } catch (reason) {
      panel.hidden = true;
      off.hidden = false;
      off.textContent = root.getElementById("what-if-words").content.querySelector("[data-say=failed]").textContent;
      console.warn(`The what-if panel does not work: ${reason instanceof Error ? reason.message : reason}`);
      return null;
    }
  };

  return {open};
})();
