"use strict";

/* Evaluates an explanation from the numbers that travel in a page: what `report/audit/what_if.py` writes. Pure functions
   of these numbers; nothing here knows a document, and nothing is fetched. A row is a list of numbers: levels are their
   codes, dates are seconds since 1970, and what is missing is NaN. */
const anovaEvaluator = (() => {
  const sum = numbers => numbers.reduce((total, number) => total + number, 0);

  /* Numbers are multiples of powers of two: of all of them the lowest bytes first, the sign in the lowest bit. */
  const unpack = async ({lengths, exponents, data}) => {
    const text = atob(data);
    const packed = new Blob([Uint8Array.from(text, letter => letter.charCodeAt(0))]);
    const bytes = new Uint8Array(await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
    const count = sum(lengths);
    const folded = new Float64Array(count);
    for (let from = bytes.length - count; from >= 0 && count; from -= count) {
      for (let at = 0; at < count; at++) folded[at] = 256 * folded[at] + bytes[from + at];
    }
    let start = 0;
    return lengths.map((length, list) => {
      const step = 2 ** exponents[list];
      const own = folded.slice(start, (start += length));
      return own.map(number => (number % 2 ? -(number + 1) / 2 : number / 2) * step);
    });
  };

  /* Slopes of a natural cubic spline through some points, by elimination of its three diagonals. */
  const splineSlopes = (at, values) => {
    const last = at.length - 1;
    if (last < 1) return [0];
    const widths = at.slice(1).map((end, i) => end - at[i]);
    const rises = widths.map((width, i) => (values[i + 1] - values[i]) / width);
    const upper = [0.5];
    const right = [1.5 * rises[0]];
    for (let i = 1; i <= last; i++) {
      const [before, after] = i < last ? [widths[i], widths[i - 1]] : [1, 0];
      const middle = 2 * (i < last ? before + after : 1);
      const known = i < last ? 3 * (before * rises[i - 1] + after * rises[i]) : 3 * rises[i - 1];
      const pivot = middle - before * upper[i - 1];
      upper.push(after / pivot);
      right.push((known - before * right[i - 1]) / pivot);
    }
    for (let i = last - 1; i >= 0; i--) right[i] -= upper[i] * right[i + 1];
    return right;
  };

  /* Each piece between two gaps is a spline of its own; in gaps functions are straight. */
  const pieceSlopes = (breaks, gaps, values) => {
    const cuts = [0, ...gaps.map(gap => gap + 1), breaks.length];
    return cuts.slice(1).flatMap((end, i) => splineSlopes(breaks.slice(cuts[i], end), values.slice(cuts[i], end)));
  };

  const positionAmong = (sorted, value) => { // how many are not larger
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] <= value) low = middle + 1; else high = middle;
    }
    return low;
  };

  const ordered = ({breaks, gaps, heavy, held}, table) => {
    const n = breaks.length;
    const slopes = table.map(values => pieceSlopes(breaks, gaps, [...values.slice(0, n)]));
    const straight = new Set(gaps);
    const whole = breaks[n - 1] - breaks[0];
    return value => {
      if (Number.isNaN(value)) return table.map(values => values[values.length - 1]);
      const inside = Math.min(Math.max(value, breaks[0]), breaks[n - 1]);
      const beyond = held || n < 2 ? 0 : (value - inside) / whole;
      const left = Math.min(Math.max(positionAmong(breaks, inside) - 1, 0), Math.max(n - 2, 0));
      const right = Math.min(left + 1, n - 1);
      const width = breaks[right] - breaks[left];
      const u = width ? (inside - breaks[left]) / width : 0;
      const bend = straight.has(left) ? 0 : u * (1 - u);
      const rise = u + bend * (2 * u - 1);
      const jump = heavy.indexOf(held ? inside : value);
      const end = n + heavy.length + (beyond > 0 ? 1 : 0);
      return table.map((values, k) =>
        values[left] * (1 - rise) + values[right] * rise
        + bend * width * (slopes[k][left] * (1 - u) - slopes[k][right] * u)
        + (jump < 0 ? 0 : values[n + jump]) + (beyond ? values[end] * beyond : 0));
    };
  };

  const nominal = ({cells, missing}, table) => code => {
    if (Number.isNaN(code)) return table.map(values => values[values.length - 1]);
    return table.map(values => (code < 0 ? 0 : values[cells[code]]));
  };

  /* The published functions: Legendre polynomials, orthonormal on [−1, 1], of a scaled value. */
  const legendre = (x, degree) => {
    const found = [1, x];
    for (let m = 1; m < degree; m++) found.push(((2 * m + 1) * x * found[m] - m * found[m - 1]) / (m + 1));
    return found.slice(0, degree + 1).map((value, m) => value * Math.sqrt((2 * m + 1) / 2));
  };
  const scaled = ({scaling: [center, spread]}, value) =>
    spread === undefined ? Math.min(Math.max(value, -1), 1) : Math.tanh((value - center) / spread);
  const published = (input, table) => {
    const degrees = table.map(([degree]) => degree);
    return value => {
      const all = legendre(scaled(input, value), Math.max(1, ...degrees));
      return degrees.map(degree => all[degree]);
    };
  };

  /* A density of several features is Σ c Π P̃, its coefficients in the order in which the last feature runs fastest. */
  const densityAt = (coefficients, places) => {
    const degree = Math.round(coefficients.length ** (1 / places.length)) - 1;
    const families = places.map(x => legendre(x, Math.max(degree, 1)).slice(0, degree + 1));
    let left = coefficients;
    for (const family of families.reverse()) {
      left = Array.from({length: left.length / family.length}, (_, at) =>
        sum(family.map((value, m) => value * left[at * family.length + m])));
    }
    return left[0];
  };

  /* Cells of support: of ordered values, or one for each level; then missing, then what the fit knows nothing of. */
  const supportCell = ({cells, edges, missing, n_known: known}, value) => {
    if (Number.isNaN(value)) return missing ? known : known + 1;
    if (!cells.length) return positionAmong(edges, value);
    return value < 0 ? known + 1 : Math.min(cells[value], known - 1);
  };
  const cellValues = ({cells, edges, ends, levels}, cell) => // from, to; or names of levels
    cells.length ? levels.filter((_, code) => cells[code] === cell) : [edges[cell - 1] ?? ends[0], edges[cell] ?? ends[1]];
  const bitAt = (hex, place) => (parseInt(hex[place >> 2], 16) >> (3 - (place & 3))) & 1;

  const links = {
    identity: value => value,
    logit: value => 1 / (1 + Math.exp(-value)),
    log: value => Math.exp(value),
  };

  const open = async numbers => {
    const {inputs, terms, outputs, unseen, n_replicates: nReplicates, quantiles, clip} = numbers;
    const [places, densities, ...tables] = await Promise.all([
      unpack(numbers.functions),
      numbers.densities && unpack(numbers.densities),
      ...inputs.map(input => unpack(input.table)),
    ]);
    const coefficients = await Promise.all(outputs.map(output => unpack(output.coefficients)));
    const unpacked = await Promise.all(outputs.map(output => output.replicates && unpack(output.replicates)));
    /* Of each term there are two lists, of products of all its features and of fewer: in the order of its products. */
    const replicates = unpacked.map(lists => lists && [lists[0], ...terms.map((term, at) => {
      const both = lists.slice(2 * at + 1, 2 * at + 3), next = [0, 0];
      const found = new Float64Array(both[0].length + both[1].length);
      for (let k = 0; k * nReplicates < found.length; k++) {
        const which = Number(term.some((_, side) => !places[at][k * term.length + side]));
        found.set(both[which].subarray(next[which], (next[which] += nReplicates)), k * nReplicates);
      }
      return found;
    })]);
    const functions = inputs.map((input, at) => {
      const kind = densities ? published : input.cells.length ? nominal : ordered;
      const own = kind(input, tables[at]);
      return value => [1, ...own(value)];
    });

    /* The products of each term at a row, and what they are multiplied by. */
    const products = row => {
      const families = row.map((value, feature) => functions[feature](value));
      return terms.map((term, at) => {
        const chosen = places[at];
        const found = new Float64Array(chosen.length / term.length);
        for (let k = 0, place = 0; k < found.length; k++) {
          found[k] = 1;
          for (const feature of term) found[k] *= families[feature][chosen[place++]];
        }
        if (!densities || !found.length) return found;
        const weight = 1 / Math.max(densityAt(densities[at], term.map(one => scaled(inputs[one], row[one]))), clip);
        return found.map(product => product * weight);
      });
    };

    const dot = (numbers, others) => {
      let total = 0;
      for (let k = 0; k < numbers.length; k++) total += numbers[k] * others[k];
      return total;
    };

    /* What each replicate contributed to the value of a term. */
    const traced = (constant, own, factors) => {
      const found = Float64Array.from(constant);
      for (let k = 0, at = 0; k < factors.length; k++) {
        for (let r = 0; r < nReplicates; r++) found[r] += factors[k] * own[at++];
      }
      return found;
    };

    /* Half of the 95% interval. Where few replicates contribute most, it is wider (Satterthwaite). */
    const reach = contributions => {
      let squares = 0, fourths = 0;
      for (const each of contributions) {
        squares += each ** 2;
        fourths += each ** 4;
      }
      if (!squares) return 0;
      const wanted = 2 / (fourths / squares ** 2 - 1 / nReplicates);
      const degrees = wanted > 0 ? Math.min(wanted, nReplicates - 1) : nReplicates - 1;
      const place = (quantiles.length - 1) / Math.max(degrees, 1);
      const before = Math.min(Math.floor(place), quantiles.length - 2);
      const quantile = quantiles[before] + (place - before) * (quantiles[before + 1] - quantiles[before]);
      return quantile * Math.sqrt(squares * nReplicates / (nReplicates - 1));
    };

    const total = lists => {
      const found = new Float64Array(nReplicates);
      for (const list of lists) list.forEach((each, r) => (found[r] += each));
      return found;
    };

    /* Every component of a row; with what replicates contributed, where that is known. */
    const explain = (row, output = 0) => {
      const factors = products(row);
      const {mean, offsets} = outputs[output];
      const components = factors.map((own, at) => dot(own, coefficients[output][at]) + offsets[at]);
      const [constants, ...known] = replicates[output] ?? [];
      const [moves, ...shifts] = (constants ? ["mean", ...terms] : []).map((_, at) =>
        constants.subarray(at * nReplicates, (at + 1) * nReplicates));
      const moved = moves && factors.map((own, at) => traced(shifts[at], known[at], own));
      const shapley = inputs.map(() => 0);
      terms.forEach((term, at) => term.forEach(feature => (shapley[feature] += components[at] / term.length)));
      return {
        mean, components, shapley, moved,
        explained: mean + sum(components),
        reaches: moved && moved.map(reach),
        reach: moved ? reach(total([moves, ...moved])) : null,
      };
    };

    /* What changes from one explained row to another, term by term; what they have in common cancels in the bands. */
    const change = (before, after) => {
      const moved = before.moved && after.moved.map((own, at) => own.map((each, r) => each - before.moved[at][r]));
      return {
        components: after.components.map((value, at) => value - before.components[at]),
        explained: after.explained - before.explained,
        reaches: moved && moved.map(reach),
        reach: moved ? reach(total(moved)) : null,
      };
    };

    /* Features whose value the fit has not seen, and pairs of the others whose values no row combines. */
    const isOutside = ({ends: [low, high], cells, missing}, value) => {
      if (low === undefined && !cells.length) return false;
      return Number.isNaN(value) ? !missing : cells.length ? value < 0 : value < low || value > high;
    };
    const outside = row => row.map((value, feature) => isOutside(inputs[feature], value));
    const unseenPairs = row => unseen.filter(({term: [first, second], shape, cells}) =>
      bitAt(cells, supportCell(inputs[first], row[first]) * shape[1] + supportCell(inputs[second], row[second]))
    ).map(({term}) => term);

    /* The cell that may hold rows nearest to that of a row: how many cells away, and which ordered values it has. */
    const nearestSeen = (row, term) => {
      const {shape, cells} = unseen.find(pair => pair.term[0] === term[0] && pair.term[1] === term[1]);
      const own = term.map(feature => supportCell(inputs[feature], row[feature]));
      const away = (side, cell) => {
        const isOrdered = !inputs[term[side]].cells.length && Math.max(cell, own[side]) < inputs[term[side]].n_known;
        return isOrdered ? Math.abs(cell - own[side]) : Number(cell !== own[side]);
      };
      let best = {steps: Infinity};
      for (let first = 0; first < Math.min(shape[0], inputs[term[0]].n_known); first++) {
        for (let second = 0; second < Math.min(shape[1], inputs[term[1]].n_known); second++) {
          const steps = away(0, first) + away(1, second);
          if (steps < best.steps && !bitAt(cells, first * shape[1] + second)) best = {steps, at: [first, second]};
        }
      }
      return best.at && {steps: best.steps, places: term.map((feature, side) => cellValues(inputs[feature], best.at[side]))};
    };

    /* A sum of components, each times a weight, with its band. */
    const weighted = (found, weights) => {
      const moved = found.moved && new Float64Array(nReplicates);
      let value = 0;
      weights.forEach((weight, at) => {
        if (!weight) return;
        value += weight * found.components[at];
        if (moved) found.moved[at].forEach((each, r) => (moved[r] += weight * each));
      });
      return {value, moved, reach: moved ? reach(moved) : null};
    };
    const joint = (found, features) =>
      weighted(found, terms.map(term => Number(term.every(feature => features.includes(feature)))));

    /* What moves the explained value most: the rule of `measures/reasons.py`. */
    const reasons = (found, most = 4) => {
      const every = numbers.members.map(({name, features}) => ({
        name,
        ...weighted(found, terms.map(term => term.filter(feature => features.includes(feature)).length / term.length)),
      }));
      const ranked = every.map((own, at) => [own, at]).sort(([a, i], [b, j]) => Math.abs(b.value) - Math.abs(a.value) || i - j)
        .slice(0, most + 1).map(([own]) => own);
      const isApart = ranked.slice(1).map((next, at) => {
        const own = ranked[at], apart = Math.abs(own.value) - Math.abs(next.value);
        return !own.moved
          || apart > reach(own.moved.map((each, r) => Math.sign(own.value) * each - Math.sign(next.value) * next.moved[r]));
      });
      const least = 1e-12 * Math.abs(ranked[0]?.value ?? 0);
      return ranked.slice(0, most).map((own, at) => ({
        ...own,
        isRanked: (isApart[at - 1] ?? true) && (isApart[at] ?? true),
        hasDirection: own.reach === null || Math.abs(own.value) > own.reach,
      })).filter(({value}) => Math.abs(value) > least);
    };

    return {
      inputs, terms, outputs, members: numbers.members, starts: numbers.starts,
      explain, change, joint, reasons, outside, unseenPairs, nearestSeen, inverse: links[numbers.link],
    };
  };

  return {open, links};
})();
