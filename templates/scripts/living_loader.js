/* Brings a saved explorer to life where scripts may run: in a reopened notebook, an exported one, on a web page. It asks no
   kernel and fetches nothing; where it fails, the still pictures above it are what they were. */
(async box => {
  if (!box || box.dataset.state) return;
  box.dataset.state = "waiting";
  const inflate = async part => {
    const letters = box.querySelector(`[data-part=${part}]`).textContent.trim();
    const packed = new Blob([Uint8Array.from(atob(letters), letter => letter.charCodeAt(0))]);
    return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  // Hidden where the explorer itself is shown, and not worth a second before it is looked at.
  await new Promise(seen => new IntersectionObserver(([entry], watcher) => entry.isIntersecting && (watcher.disconnect(), seen())).observe(box));
  try {
    const script = document.createElement("script");
    script.textContent = await inflate("code");
    document.head.append(script);
    script.remove();
    await script.anovaLiving.mount(box.querySelector(".living-host"), JSON.parse(await inflate("island")));
    box.dataset.state = "alive";
  } catch (reason) {
    console.warn(`The explorer stays a still picture: ${reason instanceof Error ? reason.message : reason}`);
  }
})(document.currentScript?.closest(".anova-living"));
