/* The what-if panel in an output of a notebook: in the shadow of an element, so that its styles and names meet nobody's. */
const anovaLiving = (() => {
  /* The markup is made by our own templates, which escape every name. */
  const mount = (host, {markup, given}, hooks) => {
    const root = host.shadowRoot ?? host.attachShadow({mode: "open"});
    root.innerHTML = markup;
    return anovaPanel.open(root, async () => given, hooks);
  };
  return {mount};
})();
