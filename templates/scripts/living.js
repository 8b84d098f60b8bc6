/* The what-if panel in an output of a notebook: in the shadow of an element, so that its styles and names meet nobody's. */
const anovaLiving = (() => {
  /* The markup is made by our own templates, which escape every name. */
  const mount = (host, {markup, given}, hooks) => {
    const root = host.shadowRoot ?? host.attachShadow({mode: "open"});
    // A notebook does not see that a key was meant for a field in the shadow, and would take it for one of its commands.
    host.dataset.lmSuppressShortcuts = "true";
    host.addEventListener("keydown", event => event.stopPropagation());
    root.innerHTML = markup;
    return anovaPanel.open(root, async () => given, hooks);
  };
  return {mount};
})();
