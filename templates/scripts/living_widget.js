/* The panel as a part of the explorer. It answers by itself; what a person typed goes to Python, which may ask the model,
   and what Python chose comes back. Without a kernel it says so, and answers as before. */
const REST = 150; // milliseconds without a change, after which Python is told
const real = row => row.map(value => value ?? NaN);

const render = ({model, el}) => {
  const host = Object.assign(document.createElement("div"), {className: "anova-words"});
  host.style.minHeight = "1px"; // so that it can be seen
  el.append(host);
  const view = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  let show = null, known = "", turn = 0, waiting = 0, notAsked = "", isOpen = false;
  const said = words => host.shadowRoot.getElementById("what-if-asked").replaceChildren(words);
  /* What answers an older turn is passed over: the person has typed on. */
  const follow = () => {
    const {name, before, row, turn: [whose, answered], reply} = model.get("shown");
    if (!show || waiting || (whose === view && answered !== turn)) return;
    if (JSON.stringify([name, before, row]) !== known) show(name, real(before), real(row));
    known = JSON.stringify([name, before, row]);
    said(reply || notAsked);
  };
  const tell = row => {
    waiting = 0;
    try {
      model.send({kind: "row", row, turn: [view, turn]});
    } catch {
      // the kernel was restarted
    }
  };
  const answered = values => {
    const {name, before} = model.get("shown");
    const row = values.map(value => (Number.isNaN(value) ? null : value));
    if (!known || JSON.stringify([name, before, row]) === known) return; // before the first row of Python nothing was typed
    known = JSON.stringify([name, before, row]);
    turn += 1;
    said(notAsked);
    clearTimeout(waiting);
    waiting = setTimeout(tell, REST, row);
  };
  const receive = async (message, buffers) => {
    if (message.kind !== "island" || isOpen) return; // other views ask for it, too
    isOpen = true;
    const {buffer, byteOffset, byteLength} = ArrayBuffer.isView(buffers[0]) ? buffers[0] : new Uint8Array(buffers[0]);
    const stream = new Blob([new Uint8Array(buffer, byteOffset, byteLength)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const island = await new Response(stream).json();
    show = await anovaLiving.mount(host, island, {answered});
    notAsked = host.shadowRoot.getElementById("what-if-asked").textContent;
    follow();
  };
  model.on("msg:custom", receive);
  model.on("change:shown", follow);
  const watcher = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    watcher.disconnect();
    model.send({kind: "open"});
  });
  watcher.observe(host);
  return () => {
    watcher.disconnect();
    clearTimeout(waiting);
    model.off("msg:custom", receive);
    model.off("change:shown", follow);
  };
};

export default {render};
