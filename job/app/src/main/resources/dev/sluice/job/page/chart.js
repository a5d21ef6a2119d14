"use strict";
// Draws a section's numbers over time. make, COUNT and timeText are in page.js.

const NAMED = { permit: 0, deny: 1, depends: 2, "not-judged": 3, "dead letter": 4 };

/** Number of a series' colour: that of its meaning, else the next one. */
function colourOf(name, index) {
  return NAMED[name] ?? (/^(drop|deny|reject|discard|block)/i.test(name) ? 1 : [0, 5, 6, 2, 7, 3][index % 6]);
}

/** Chart of a section's numbers over time, stacked, with zoom by mouse and by buttons. */
class Chart {
  constructor(section, table) {
    const times = section.data[0];
    this.step = section.chart.step;
    this.table = table;
    this.start = times[0];
    this.end = times[times.length - 1] + this.step;
    this.range = [this.start, this.end];
    this.merged = 1;
    const dense = column => {
      const values = new Array((this.end - this.start) / this.step).fill(0);
      column.forEach((value, row) => { values[this.bucket(times[row])] = value; });
      return values;
    };
    this.series = section.columns.slice(1).map((column, index) => ({
      name: column.name, values: dense(section.data[index + 1]), shown: true, colour: colourOf(column.name, index),
    }));
    this.plot = make("div", {
      class: "chart", role: "img", "aria-label": "Chart of packets over time; the table below has its numbers",
    });
    this.when = make("p", { class: "when" });
    this.legend = make("div", { class: "legend" }, ...this.series.map(series => {
      series.amount = make("span", { class: "amount" });
      const button = make("button", {
        type: "button", "aria-pressed": "true", onclick: () => {
          series.shown = !series.shown;
          button.setAttribute("aria-pressed", series.shown);
          this.draw();
        },
      }, make("span", { class: "swatch", style: `background:var(--series-${series.colour})` }), series.name, series.amount);
      return button;
    }));
    const zoom = (name, change) =>
      make("button", { type: "button", onclick: () => this.zoom(...change(...this.range)) }, name);
    this.element = make("div", {}, this.plot, this.when, this.legend,
      make("div", { class: "controls", role: "group", "aria-label": "Time shown" },
        zoom("Zoom in", (from, to) => [from + (to - from) / 4, to - (to - from) / 4]),
        zoom("Zoom out", (from, to) => [from - (to - from) / 2, to + (to - from) / 2]),
        zoom("Earlier", (from, to) => [from - (to - from) / 2, to - (to - from) / 2]),
        zoom("Later", (from, to) => [from + (to - from) / 2, to + (to - from) / 2]),
        zoom("All", () => [this.start, this.end])));
  }

  bucket(time) {
    return Math.floor((time - this.start) / this.step);
  }

  /**
   * Starts of the bars, and for each shown series its sums and those of the series behind it: drawn
   * in this order, each covers a part of the one before. As many buckets are one bar as the width asks for.
   */
  stacked() {
    const bars = Math.ceil((this.end - this.start) / this.step / this.merged);
    const times = Array.from({ length: bars + 1 }, (_, bar) => this.start + bar * this.merged * this.step);
    const sums = new Array(bars + 1).fill(0);
    const layers = [];
    for (const { shown, values } of this.series.slice().reverse()) {
      for (let i = 0; shown && i < values.length; i++) {
        sums[Math.floor(i / this.merged)] += values[i];
      }
      sums[bars] = sums[bars - 1]; // the last bar's end
      layers.unshift(sums.slice());
    }
    return [times, ...layers];
  }

  zoom(from, to) {
    const width = Math.min(Math.max(to - from, this.step * 2), this.end - this.start);
    const start = Math.min(Math.max(from, this.start), this.end - width);
    this.chart.setScale("x", { min: start, max: start + width });
  }

  /** Gives back what the chart holds. */
  close() {
    this.chart?.destroy();
    this.chart = null;
  }

  draw() {
    const style = getComputedStyle(document.documentElement);
    const colour = name => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    this.chart?.destroy();
    this.merged = this.barBuckets();
    this.chart = new uPlot({
      width: Math.max(this.plot.clientWidth, 260), height: Math.min(320, Math.max(200, innerHeight / 3)), ms: 1, padding: [8, 40, 0, 0],
      legend: { show: false }, cursor: { y: false, points: { show: false } },
      scales: { x: { range: (_, min, max) => [min, max] }, y: { range: (_, min, max) => [0, Math.max(1, max * 1.05)] } },
      axes: [
        { ...axis, space: 90, values: (_, splits, __, ___, step) => splits.map((at, i) => axisTime(at, step, i === 0)) },
        { ...axis, size: 64, incrs: [1, 2, 5, 10, 20, 50, 1e2, 2e2, 5e2, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 1e8, 1e9], values: (_, splits) => splits.map(at => COUNT.format(at)) },
      ],
      series: [{}, ...this.series.map(series => ({
        stroke: colour(`--series-${series.colour}`), fill: colour(`--series-${series.colour}`), width: 0,
        paths: uPlot.paths.stepped({ align: 1 }), points: { show: false },
      }))],
      tzDate: at => uPlot.tzDate(new Date(at), "Etc/UTC"),
      hooks: {
        setScale: [(plot, key) => { if (key === "x") { this.ranged(plot.scales.x.min, plot.scales.x.max); } }],
        setCursor: [plot => this.tell(plot.cursor.left >= 0 ? plot.posToVal(plot.cursor.left, "x") : null)],
      },
    }, this.stacked(), this.plot);
    this.chart.setScale("x", { min: this.range[0], max: this.range[1] });
  }

  ranged(from, to) {
    this.range = [from, to];
    const merged = this.barBuckets();
    if (merged !== this.merged) {
      this.merged = merged;
      this.chart.setData(this.stacked(), false);
    }
    const all = from <= this.start && to >= this.end;
    this.table.range = all ? null : [from - this.step + 1, to];
    this.table.select();
    this.tell(null);
  }

  /** Number of buckets of a bar that is wide enough to be seen. */
  barBuckets() {
    const [from, to] = this.range;
    return Math.max(1, Math.ceil((to - from) / this.step / (this.plot.clientWidth / 6)));
  }

  /** Tells the numbers of the bar at a time; null: the sums of the time shown. */
  tell(at) {
    const one = at === null ? -1 : Math.floor(this.bucket(at) / this.merged);
    const [from, to] = at === null
      ? [Math.max(0, this.bucket(this.range[0])), Math.ceil((this.range[1] - this.start) / this.step)]
      : [one * this.merged, (one + 1) * this.merged];
    for (const series of this.series) {
      series.amount.textContent = COUNT.format(series.values.slice(from, to).reduce((a, b) => a + b, 0));
    }
    const width = duration(this.merged * this.step);
    this.when.textContent = at === null
      ? `${timeText(this.range[0])} to ${timeText(this.range[1])} · a bar is ${width}`
      : `${timeText(this.start + from * this.step)} · ${width}`;
  }
}

function duration(millis) {
  millis = Math.round(millis);
  const units = [[86400000, "d"], [3600000, "h"], [60000, "min"], [1000, "s"], [1, "ms"]];
  const [unit, name] = units.find(([size]) => millis >= size);
  return `${COUNT.format(millis / unit)} ${name}`;
}

function axisTime(at, step, first) {
  const text = timeText(at);
  const [day, time] = [text.slice(0, 10), text.slice(11)];
  if (step >= 86400000) {
    return day;
  }
  const short = step >= 60000 ? time.slice(0, 5) : step >= 1000 ? time.slice(0, 8) : time;
  return first || time.startsWith("00:00:00.000") ? short + "\n" + day : short;
}
