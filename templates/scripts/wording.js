/* One way to write each kind of number: `measures/wording.py` and `measures/values.py`, letter for letter. */
const anovaWording = (() => {
  const SMALLEST_PLAIN = 1e-4, LARGEST_PLAIN = 1e7, DAY = 86400;
  const minus = text => text.replaceAll("-", "−");

  /* The digits of a number, as many as are asked for, halves to even as Python has it; and the exponent of the first. */
  const rounded = (size, count) => {
    const [figures, exponent] = size.toExponential(60).split("e"); // all digits that decide
    const all = figures.replace(".", "");
    const kept = all.slice(0, Math.max(count, 0)), rest = all.slice(Math.max(count, 0)).replace(/0+$/, "");
    const isUp = rest > "5" || (rest === "5" && Number(kept.at(-1) ?? 0) % 2 === 1);
    const digits = (BigInt(kept || "0") + (isUp ? 1n : 0n)).toString().padStart(kept.length, "0");
    return [digits, Number(exponent) + digits.length - kept.length];
  };
  const grouped = whole => whole.replace(/\B(?=(\d{3})+$)/g, ",");

  /* As Python's format with so many decimals. */
  const fixed = (value, decimals, isGrouped = false) => {
    const size = Math.abs(value);
    const first = size ? Number(size.toExponential(60).split("e")[1]) : 0;
    const [digits] = size ? rounded(size, first + 1 + decimals) : ["0"];
    const text = (first + 1 + decimals < 0 ? "0" : digits).padStart(decimals + 1, "0");
    const whole = text.slice(0, text.length - decimals);
    const end = decimals ? `.${text.slice(text.length - decimals)}` : "";
    return (value < 0 ? "-" : "") + (isGrouped ? grouped(whole) : whole) + end;
  };
  const trimmed = text => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);

  const number = value => {
    const size = Math.abs(value), sign = value < 0 ? "−" : "";
    if (size === 0) return "0";
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : `${sign}inf`;
    if (size >= LARGEST_PLAIN || size < SMALLEST_PLAIN) {
      const [digits, exponent] = rounded(size, 3);
      return `${sign}${trimmed(`${digits[0]}.${digits.slice(1, 3)}`)}e${exponent < 0 ? "−" : ""}${Math.abs(exponent)}`;
    }
    if (size >= 100) return sign + fixed(size, 0, true);
    const [digits, exponent] = rounded(size, 3);
    const [whole, end] = exponent < 0
      ? ["0", "0".repeat(-exponent - 1) + digits]
      : [digits.slice(0, exponent + 1), digits.slice(exponent + 1)];
    return sign + trimmed(`${whole}.${end}`);
  };
  const signed = value => (value > 0 ? `+${number(value)}` : number(value));

  const percent = share => {
    if (share === 0 || Math.abs(share - 1) < 1e-12) return `${fixed(100 * share, 0)}%`;
    if (Math.abs(share) < 0.001) return share > 0 ? "< 0.1%" : "about 0%";
    return share >= 0.9995 && share < 1 ? "> 99.9%" : minus(`${fixed(100 * share, 1)}%`);
  };

  /* Two digits, as Python's "g" has them. */
  const brief = size => {
    const [digits, exponent] = rounded(size, 2);
    return exponent < 0 ? trimmed(`0.${"0".repeat(-exponent - 1)}${digits}`) : trimmed(`${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`);
  };
  const exponential = value => Math.exp(Math.min(value, 709));
  const factor = value => {
    const times = exponential(value), change = Math.abs(times - 1);
    if (!(change > 1e-6 && change < 0.9)) return `× ${number(times)}`;
    return `× ${trimmed(fixed(times, Math.max(2, 1 - Math.floor(Math.log10(change)))))}`;
  };

  const factorWords = value => {
    const change = 100 * (exponential(value) - 1);
    if (!(Math.abs(change) >= 0.005 && Math.abs(change) < 200) || change < -99) return factor(value);
    const size = Math.abs(change) >= 10 ? fixed(Math.abs(change), 0) : brief(Math.abs(change));
    return `${factor(value)} (${change < 0 ? "−" : "+"}${size}%)`;
  };

  const inUnit = (written, unit) => {
    if (!unit || unit === "%") return written + unit;
    return /^\d/.test(unit) ? `${written} × ${unit}` : `${written} ${unit}`;
  };
  const counted = (count, one, several) => `${grouped(String(count))} ${count === 1 ? one : several}`;
  const enumeration = (items, most = items.length) => {
    const shown = items.slice(0, most);
    if (items.length > shown.length) shown.push(`${items.length - shown.length} more`);
    const last = shown.pop() ?? "";
    return shown.length ? `${shown.join(", ")} and ${last}` : last;
  };

  /* What effects and predictions are called: `Names` in `measures/sentences/names.py`. */
  const named = ({scale, unit}) => ({
    isFactor: scale === "log",
    effect: value => (scale === "log" ? factorWords(value) : inUnit(signed(value), unit)),
    brief: value => (scale === "log" ? factor(value) : inUnit(signed(value), unit)),
    bound: value => (scale === "log" ? factor(value) : inUnit(number(value), unit)),
    value: value => inUnit(number(scale === "log" ? exponential(value) : value), unit),
  });

  const decimalsOf = span => (span > 0 ? Math.min(4 - Math.floor(Math.log10(span)), 300) : 5);
  const numberText = (value, span) => {
    if (!(span >= SMALLEST_PLAIN && span < 1e7) || Math.abs(value) >= 1e9) return number(value);
    const isGrouped = Math.abs(value) >= 10000 || span >= 1000;
    const text = trimmed(fixed(value, Math.max(decimalsOf(span) - 2, 0), isGrouped));
    return /^-0$/.test(text) ? "0" : minus(text);
  };
  const dateText = (value, span) => {
    const text = new Date(Math.floor(value) * 1000).toISOString();
    return span >= 2 * DAY ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
  };

  return {number, signed, percent, exponential, factor, factorWords, inUnit, counted, enumeration, named, numberText, dateText, fixed};
})();
