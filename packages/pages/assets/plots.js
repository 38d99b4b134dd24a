// Draws each plot from the table beside it, and gives it new points when the table changes.

globalThis.macbatchPlots = (() => {
  const plots = new Map();

  /** A colour of the style sheet as the theme has it now. The value of the variable itself names both themes. */
  function colour(name) {
    const probe = document.createElement('span');
    probe.hidden = true;
    probe.className = `colour-${name}`;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }

  /** The columns of a table as numbers: the times in seconds, then one array for each series. */
  function dataOf(table) {
    const rows = [...table.tBodies[0].rows].map((row) =>
      [...row.cells].map((cell) => Number(cell.dataset.value)),
    );
    const columns = table.tHead.rows[0].cells.length;
    return Array.from({ length: columns }, (_, column) => rows.map((row) => row[column]));
  }

  function optionsOf(figure, table, width) {
    const names = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent.trim());
    const zone = figure.dataset.zone;
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
    const axis = {
      stroke: colour('weak'),
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
    };
    return {
      width,
      height: 180,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
      cursor: { drag: { x: false, y: false } },
      legend: { show: names.length > 1, live: false },
      axes: [
        { ...axis, values: (_, seconds) => seconds.map((each) => clock.format(new Date(each * 1000))) },
        { ...axis, size: 60 },
      ],
      scales: { y: { range: (_, low, high) => [0, Math.max(1, high * 1.1, low)] } },
      series: [
        {},
        ...names.map((label, index) => ({
          label,
          stroke: colour(`series-${(index % 6) + 1}`),
          width: 2,
          points: { show: false },
        })),
      ],
    };
  }

  function draw() {
    for (const [canvas, plot] of plots) {
      if (canvas.isConnected) continue;
      plot.chart.destroy();
      plots.delete(canvas);
    }
    for (const figure of document.querySelectorAll('figure.plot')) {
      const canvas = figure.querySelector('.plot-canvas');
      const table = figure.querySelector('details table');
      const data = dataOf(table);
      const shape = `${data.length} ${figure.dataset.zone}`;
      const known = plots.get(canvas);
      if (known !== undefined && known.shape === shape) {
        known.chart.setData(data);
        continue;
      }
      known?.chart.destroy();
      plots.set(canvas, {
        shape,
        chart: new uPlot(optionsOf(figure, table, canvas.clientWidth || 600), data, canvas),
      });
    }
  }

  addEventListener('resize', () => {
    for (const [canvas, { chart }] of plots) chart.setSize({ width: canvas.clientWidth || 600, height: 180 });
  });
  return { draw };
})();
