// Keyboard shortcuts.

/** Handles a key; returns whether it has a function. */
function pressed(app, event) {
  if (event.ctrlKey || event.metaKey) return withControl(app, event);
  if (event.target.closest?.("button, a, summary, input") && (event.key === "Enter" || event.key === " ")) return false;
  if (event.key.startsWith("Arrow")) return arrow(app, event);
  if (event.altKey) return false;
  if (/^[1-9]$/.test(event.key)) return app.pickCluster(Number(event.key) - 1);
  const action = {
    Escape: () => (app.picking ? app.pick(app.picking) : app.choose(null)),
    Enter: () => (app.picking ? app.take() : app.putInto()),
    Delete: () => app.remove(),
    Backspace: () => app.remove(),
    n: () => app.go(1),
    p: () => app.go(-1),
    m: () => app.pick("move"),
    j: () => app.pick("join"),
    o: () => app.putInto(),
    s: () => app.split(),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  action?.();
  return Boolean(action);
}

function withControl(app, event) {
  const action = {
    z: () => (event.shiftKey ? app.redo() : app.undo()),
    y: () => app.redo(),
    s: () => app.save(),
    enter: () => app.save(true),
  }[event.key.toLowerCase()];
  action?.();
  return Boolean(action);
}

function arrow(app, event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return false;
  if (event.altKey) app.resize(event.shiftKey ? "start" : "end", step);
  else app.walk(step, event.shiftKey);
  return true;
}
