(() => {
  "use strict";
  Bokeh.set_log_level("error");
  const coarse = matchMedia("(pointer: coarse)").matches;

  // Without this file, or when drawing fails, the pictures stay.
  const draw = async (figure) => {
    const name = figure.dataset.chart;
    const place = document.getElementById("plot-" + name);
    const chart = JSON.parse(document.getElementById("chart-" + name).textContent);
    const views = await Bokeh.embed.embed_items({[name]: chart.document}, [{docid: name, roots: {[chart.root]: place.id}, root_ids: [chart.root]}]);
    const grid = [...views[0]][0].model;
    if (coarse) grid.toolbar.gestures.pan.active = null;  // a finger scrolls the page
    keys(place, grid.children.map(([plot]) => plot));
    figure.classList.add("live");
  };

  const keys = (place, plots) => {
    const ranges = [...new Set(plots.map((plot) => plot.x_range))];
    const whole = ranges.map((range) => [range.start, range.end]);
    place.tabIndex = 0;
    place.addEventListener("keydown", (event) => {
      const act = {ArrowLeft: [-0.2, 1], ArrowRight: [0.2, 1], "+": [0, 0.7], "=": [0, 0.7], "-": [0, 1 / 0.7], Home: null, 0: null}[event.key];
      if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      ranges.forEach((range, k) => {
        const log = plots[0].x_scale.type === "LogScale";
        const [go, back] = log ? [Math.log, Math.exp] : [(x) => x, (x) => x];
        const [start, end] = (act === null ? whole[k] : [range.start, range.end]).map(go);
        const [shift, zoom] = act ?? [0, 1];
        const middle = (start + end) / 2 + shift * (end - start), half = zoom * (end - start) / 2;
        range.setv({start: back(middle - half), end: back(middle + half)});
      });
    });
  };

  const begin = (figure) => draw(figure).catch((error) => console.error("chart " + figure.dataset.chart, error));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      watcher.unobserve(entry.target);
      begin(entry.target);
    }
  }, {rootMargin: "1200px"});
  document.querySelectorAll("figure[data-chart]").forEach((figure) => watcher.observe(figure));
  for (const each of document.querySelectorAll("data[data-path]")) each.title = each.dataset.path + " = " + (each.value || "not known");
})();
