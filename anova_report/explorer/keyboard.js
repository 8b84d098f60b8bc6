/* What controls of ipywidgets lack. Sliders have a label that screen readers do not find: this gives each handle the words
   beside it. Lists lose arrow keys to JupyterLab, which goes to another cell: this keeps them. And Python draws SVG only:
   this paints it where a PNG is asked for. */

const nameHandles = root => {
  for (const handle of root.querySelectorAll(".noUi-handle")) {
    const words = handle.closest(".widget-inline-hbox")?.querySelector("label")?.textContent;
    if (words && handle.getAttribute("aria-label") !== words) handle.setAttribute("aria-label", words);
  }
};
const keepKeys = root => {
  for (const list of root.querySelectorAll("select")) list.dataset.lmSuppressShortcuts = "true";
};

const SHARP = 2; // pixels of a PNG for each of its picture
const savePng = async link => {
  const picture = new Image();
  picture.src = link.href;
  await picture.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, {width: SHARP * picture.naturalWidth, height: SHARP * picture.naturalHeight});
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const file = URL.createObjectURL(await new Promise(done => canvas.toBlob(done, "image/png")));
  Object.assign(document.createElement("a"), {download: link.download, href: file}).click();
  setTimeout(() => URL.revokeObjectURL(file), 60000);
};
const onClick = event => {
  const link = event.target.closest("a[data-png]");
  if (!link) return;
  event.preventDefault();
  savePng(link);
};

const render = ({el}) => {
  let observer = null;
  // The explorer around this widget is put together after it, and changes when it is used.
  const start = () => {
    const root = el.closest(".anova-explorer");
    if (!root) return;
    const help = () => (nameHandles(root), keepKeys(root));
    observer = new MutationObserver(help);
    observer.observe(root, {childList: true, subtree: true});
    root.addEventListener("click", onClick);
    help();
  };
  const waiting = requestAnimationFrame(start);
  return () => (cancelAnimationFrame(waiting), observer?.disconnect());
};

export default {render};
