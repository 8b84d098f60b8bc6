/* Controls of ipywidgets for people who do not use a mouse. Sliders have a label that screen readers do not find: this
   gives each handle the words beside it. Lists lose arrow keys to JupyterLab, which goes to another cell: this keeps them. */

const nameHandles = root => {
  for (const handle of root.querySelectorAll(".noUi-handle")) {
    const words = handle.closest(".widget-inline-hbox")?.querySelector("label")?.textContent;
    if (words && handle.getAttribute("aria-label") !== words) handle.setAttribute("aria-label", words);
  }
};
const keepKeys = root => {
  for (const list of root.querySelectorAll("select")) list.dataset.lmSuppressShortcuts = "true";
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
    help();
  };
  const waiting = requestAnimationFrame(start);
  return () => (cancelAnimationFrame(waiting), observer?.disconnect());
};

export default {render};
