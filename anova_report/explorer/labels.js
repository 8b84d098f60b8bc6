/* Sliders of ipywidgets have a label that screen readers do not find: this gives each handle the words beside it. */

const nameHandles = root => {
  for (const handle of root.querySelectorAll(".noUi-handle")) {
    const words = handle.closest(".widget-inline-hbox")?.querySelector("label")?.textContent;
    if (words && handle.getAttribute("aria-label") !== words) handle.setAttribute("aria-label", words);
  }
};

const render = ({el}) => {
  let observer = null;
  // The explorer around this widget is put together after it, and changes when it is used.
  const start = () => {
    const root = el.closest(".anova-explorer");
    if (!root) return;
    observer = new MutationObserver(() => nameHandles(root));
    observer.observe(root, {childList: true, subtree: true});
    nameHandles(root);
  };
  const waiting = requestAnimationFrame(start);
  return () => (cancelAnimationFrame(waiting), observer?.disconnect());
};

export default {render};
