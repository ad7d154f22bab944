"use strict";
// While the run goes on: ask the watcher on this machine for news, and show them.

(() => {
  const shown = root.dataset.live;
  const look = async () => {
    try {
      const now = await (await fetch("version", { cache: "no-store" })).text();
      // A page that nobody sees waits: to draw costs.
      if (now !== shown && !document.hidden) {
        location.reload();
        return;
      }
    } catch {
      document.getElementById("live").textContent = "The watcher has ended: this is the last that it showed.";
      return;
    }
    setTimeout(look, 1000);
  };
  setTimeout(look, 1000);
})();
