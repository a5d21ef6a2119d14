"use strict";
// Shows a report: the JSON object that the package text of dev.sluice.job.page describes.
// Texts become text nodes alone, never markup.

const PAGE_ROWS = 100;
const COUNT = new Intl.NumberFormat("en-US");
const WORDS = new Intl.Collator("en", { numeric: true });

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== false) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children);
  return element;
}

async function unpacked(text) {
  const packed = atob(text.trim());
  const bytes = Uint8Array.from(packed, letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

function timeText(millis) {
  return new Date(millis).toISOString().replace("T", " ").replace("Z", "");
}

function cellText(kind, value) {
  if (value === null) {
    return kind === "time" ? "–" : "";
  }
  return kind === "number" ? COUNT.format(value) : kind === "time" ? timeText(value) : value;
}

/** The words of a cell, which commas separate. */
function parts(cell) {
  return cell ? cell.split(", ") : [];
}

/** The number that a cell of lines begins with, or its word. */
function firstLine(lines) {
  return /^\d+/.exec(lines)?.[0] ?? lines;
}

function address(section, filters) {
  return "#" + section + "?" + new URLSearchParams(filters);
}

/**
 * Leads lines of a section's columns to the rules; where there are none, to another section with the same column.
 * A line that is not there leads nowhere.
 */
function linkLines(sections) {
  const rules = sections.find(({ id }) => id === "rules");
  for (const { id, columns } of sections) {
    for (const column of columns.filter(({ kind }) => kind === "line")) {
      const name = rules ? "line" : column.name;
      const index = section => section.columns.findIndex(other => other.name === name);
      const to = rules ?? sections.find(other => other.id !== id && index(other) >= 0);
      let there;
      column.link = line =>
        (there ??= new Set(to?.data[index(to)].map(firstLine))).has(firstLine(line)) ? address(to.id, { [name]: firstLine(line) }) : null;
    }
  }
}

/** Puts the words of rules where other sections name rows of the section of rules. */
function spellRules(sections) {
  const rules = sections.find(({ id }) => id === "rules");
  const words = rules?.data[rules.columns.findIndex(({ kind }) => kind === "rule")];
  for (const section of sections.filter(section => section !== rules)) {
    section.columns.forEach(({ kind }, index) => {
      if (kind === "rule") {
        section.data[index] = section.data[index].map(cell => typeof cell === "number" ? words[cell] : cell);
      }
    });
  }
}

/** Table of a section: searched, filtered, sorted, and shown by pages. */
class Table {
  constructor(section) {
    this.section = section;
    this.columns = section.columns;
    this.size = section.data[0]?.length ?? 0;
    this.filters = {};
    this.find = "";
    this.sort = null;
    this.page = 0;
    this.range = null;
    this.chips = make("span", { class: "chips" });
    this.body = make("tbody", { role: "rowgroup" });
    this.status = make("p", { class: "status", role: "status" });
    this.buttons = [
      ["First", () => 0],
      ["Previous", () => this.page - 1],
      ["Next", () => this.page + 1],
      ["Last", () => this.pages() - 1],
    ].map(([name, page]) =>
      make("button", { type: "button", onclick: () => this.show(page()) }, name));
    this.heads = this.columns.map((column, index) =>
      make("th", { scope: "col", role: "columnheader", class: column.kind },
        make("button", { type: "button", onclick: () => this.sortBy(index) }, column.name)));
    this.element = make("div", {}, this.controls(),
      make("div", { class: "wide" },
        make("table", { role: "table", "aria-label": section.title, class: "rows" },
          make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...this.heads)),
          this.body)),
      make("nav", { class: "pages", "aria-label": "Pages of " + section.title },
        ...this.buttons.slice(0, 2), this.status, ...this.buttons.slice(2)));
    this.select();
  }

  controls() {
    this.searchField = make("input", {
      type: "search", placeholder: "Search", "aria-label": "Search " + this.section.title,
      oninput: event => { this.find = event.target.value.toLowerCase(); this.select(); },
    });
    const choices = this.columns.flatMap((column, index) =>
      column.kind.startsWith("choice") ? this.choice(column, index) : []);
    const texts = this.columns.some(column => !["number", "time"].includes(column.kind));
    return make("div", { class: "controls" }, ...(texts ? [this.searchField] : []), ...choices, this.chips);
  }

  choice(column, index) {
    const cells = new Set(this.section.data[index]);
    const words = column.kind === "choices" ? new Set([...cells].flatMap(parts)) : cells;
    const values = [...words].filter(Boolean).sort(WORDS.compare);
    if (values.length < 2 || values.length > 100) {
      return [];
    }
    const select = make("select", {
      "aria-label": "Show only " + column.name,
      onchange: () => this.filter(column.name, select.value || null),
    }, make("option", { value: "" }, column.name + ": any"),
      ...values.map(value => make("option", { value }, value)));
    column.select = select;
    return [select];
  }

  filter(name, value) {
    if (value === null) {
      delete this.filters[name];
    } else {
      this.filters[name] = value;
    }
    this.select();
  }

  sortBy(column) {
    const numeric = ["number", "time"].includes(this.columns[column].kind);
    const again = this.sort?.column === column;
    this.sort = { column, name: this.columns[column].name, down: again ? !this.sort.down : numeric };
    this.select();
  }

  /** Number of the column of a name, or the first. */
  place(name) {
    return Math.max(0, this.columns.findIndex(column => column.name === name));
  }

  /** Texts of the rows in lower case, for searches. */
  texts() {
    if (!this.words) {
      const columns = this.section.data.filter((_, index) =>
        !["number", "time"].includes(this.columns[index].kind));
      this.words = Array.from({ length: this.size }, (_, row) =>
        columns.map(column => column[row] ?? "").join("\n").toLowerCase());
    }
    return this.words;
  }

  /** Chooses and orders the rows anew. */
  select() {
    const data = this.section.data;
    const tests = Object.entries(this.filters).map(([name, value]) => {
      const index = this.columns.findIndex(column => column.name === name);
      const cells = data[index] ?? [];
      const kind = this.columns[index]?.kind;
      return kind === "line"
        ? row => firstLine(cells[row]) === firstLine(value)
        : kind === "choices"
          ? row => parts(cells[row]).includes(value)
          : row => cells[row] === value;
    });
    if (this.find) {
      const texts = this.texts();
      tests.push(row => texts[row].includes(this.find));
    }
    if (this.range) {
      const [from, to] = this.range;
      tests.push(row => data[0][row] >= from && data[0][row] < to);
    }
    this.rows = [];
    for (let row = 0; row < this.size; row++) {
      if (tests.every(test => test(row))) {
        this.rows.push(row);
      }
    }
    if (this.sort) {
      this.rows.sort(this.comparison());
    }
    this.heads.forEach((head, index) => {
      const sorted = this.sort?.column === index;
      const order = this.sort?.down ? "descending" : "ascending";
      sorted ? head.setAttribute("aria-sort", order) : head.removeAttribute("aria-sort");
    });
    this.columns.forEach(column => {
      if (column.select) {
        column.select.value = this.filters[column.name] ?? "";
      }
    });
    this.chips.replaceChildren(...Object.entries(this.filters)
      .filter(([name]) => !this.columns.find(column => column.name === name)?.select)
      .map(([name, value]) => make("button", {
        type: "button", "aria-label": `Remove the filter ${name} ${value}`,
        onclick: () => this.filter(name, null),
      }, `${name} ${value} ×`)));
    this.show(0);
  }

  comparison() {
    const { column, down } = this.sort;
    const cells = this.section.data[column];
    const kind = this.columns[column].kind;
    const compare = ["number", "time"].includes(kind)
      ? (a, b) => (cells[a] ?? -Infinity) - (cells[b] ?? -Infinity) || 0
      : kind === "rule"
        ? (a, b) => (cells[a] < cells[b] ? -1 : cells[a] > cells[b] ? 1 : 0)
        : (a, b) => WORDS.compare(cells[a] ?? "", cells[b] ?? "");
    return down ? (a, b) => compare(b, a) : compare;
  }

  pages() {
    return Math.max(1, Math.ceil(this.rows.length / PAGE_ROWS));
  }

  show(page) {
    this.page = Math.min(Math.max(page, 0), this.pages() - 1);
    const from = this.page * PAGE_ROWS;
    const shown = this.rows.slice(from, from + PAGE_ROWS);
    this.body.replaceChildren(...shown.map(row =>
      make("tr", { role: "row" }, ...this.columns.map((column, index) => this.cell(column, index, row)))));
    const of = this.rows.length === this.size ? "" : `, chosen from ${COUNT.format(this.size)}`;
    this.status.textContent = shown.length === 0
      ? (this.size === 0 ? "Nothing to list" : `No row of ${COUNT.format(this.size)} is chosen`)
      : `${COUNT.format(from + 1)}–${COUNT.format(from + shown.length)} of ${COUNT.format(this.rows.length)}${of}`;
    this.buttons.forEach((button, index) => {
      button.disabled = index < 2 ? this.page === 0 : this.page === this.pages() - 1;
      button.hidden = this.pages() === 1;
    });
  }

  cell(column, index, row) {
    const value = this.section.data[index][row];
    const text = cellText(column.kind, value);
    const inside = column.link
      ? parts(text).flatMap((line, at) => {
        const href = column.link(line);
        return [...(at ? [", "] : []), href ? make("a", { href }, line) : line];
      })
      : [text];
    const none = value === null || value === 0;
    return make("td", {
      role: "cell", class: column.kind + (none ? " none" : ""), "data-name": column.name,
    }, ...inside);
  }
}

/** Matrix of numbers, whose cells lead to the rows of its table. */
function matrixTable(section) {
  const { row, column, rows, columns, cells } = section.matrix;
  const other = name => name.startsWith("other ");
  const most = Math.max(1, ...cells.flatMap((line, at) =>
    line.filter((_, to) => !other(rows[at]) && !other(columns[to]))));
  const sum = numbers => numbers.reduce((a, b) => a + b, 0);
  const number = (value, filters) => {
    const shade = value === 0 ? 0 : 0.12 + 0.6 * Math.min(1, Math.log1p(value) / Math.log1p(most));
    const known = !Object.values(filters).some(other);
    return make("td", { class: value ? "number" : "number none", style: `--shade:${shade.toFixed(3)}` },
      value && known ? make("a", { href: address(section.id, filters) }, COUNT.format(value)) : COUNT.format(value));
  };
  const total = value => make("td", { class: "number total" }, COUNT.format(value));
  return make("div", { class: "wide" }, make("table", { class: "matrix" },
    make("caption", {}, `Packets by ${row} and ${column}; a number leads to its rows below.`),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, row),
      ...columns.map(name => make("th", { scope: "col" }, name)),
      make("th", { scope: "col", class: "total" }, "all"))),
    make("tbody", {}, ...rows.map((name, at) => make("tr", {},
      make("th", { scope: "row" }, name),
      ...columns.map((also, to) => number(cells[at][to], { [row]: name, [column]: also })),
      total(sum(cells[at]))))),
    make("tfoot", {}, make("tr", {}, make("th", { scope: "row" }, "all"),
      ...columns.map((_, to) => total(sum(cells.map(line => line[to])))),
      total(sum(cells.map(sum)))))));
}

/** Section of the page: heading, note, figure, table. */
class Panel {
  constructor(section) {
    this.section = section;
    this.element = make("section", {
      id: "panel-" + section.id, role: "tabpanel", "aria-labelledby": "tab-" + section.id, tabindex: "-1", hidden: "",
    }, make("h2", {}, section.title), make("p", { class: "note" }, section.note));
    this.tab = make("a", {
      id: "tab-" + section.id, role: "tab", href: "#" + section.id, "aria-controls": "panel-" + section.id,
    }, section.title);
  }

  /** Draws what is drawn when it is first seen, as it was before the page was renewed. */
  build() {
    if (this.table) {
      return;
    }
    const { table: before, chart: drawn } = this.before ?? {};
    this.table = new Table(this.section);
    if (this.section.chart) {
      this.chart = new Chart(this.section, this.table);
      this.element.append(this.chart.element);
    }
    if (this.section.matrix) {
      this.element.append(matrixTable(this.section));
    }
    this.element.append(this.table.element);
    this.chart?.draw();
    if (before) {
      const { filters, find, sort } = before;
      Object.assign(this.table, { filters, find, sort: sort && { ...sort, column: this.table.place(sort.name) } });
      this.table.searchField.value = before.searchField.value;
      this.table.select();
      this.table.show(before.page);
      if (before.range && this.chart) {
        this.chart.zoom(...drawn.range);
      }
    }
  }
}

/** Shows the section that the address names, and returns it. */
function choose(panels) {
  const id = decodeURI(location.hash.slice(1)).split("?")[0];
  const chosen = panels.find(panel => panel.section.id === id) ?? panels[0];
  for (const panel of panels) {
    const selected = panel === chosen;
    panel.element.hidden = !selected;
    panel.tab.setAttribute("aria-selected", selected);
    panel.tab.tabIndex = selected ? 0 : -1;
  }
  chosen.build();
  return chosen;
}

/** Shows the section that the address names, and the rows that it asks for, and returns it. */
function navigate(panels) {
  const chosen = choose(panels);
  if (location.hash.includes("?")) {
    chosen.table.filters = Object.fromEntries(new URLSearchParams(location.hash.split("?")[1]));
    chosen.table.find = chosen.table.searchField.value = "";
    chosen.table.select();
    chosen.table.element.scrollIntoView({ block: "nearest" });
  }
  document.body.dataset.shown = location.hash;
  return chosen;
}

/** Shows a report in place of the one before. */
function show(report, before) {
  document.title = report.title;
  document.getElementById("title").textContent = report.title;
  document.getElementById("facts").replaceChildren(...report.facts.map(([name, value]) =>
    make("div", {}, make("dt", {}, name),
      make("dd", {}, typeof value === "number" ? COUNT.format(value) : value))));
  spellRules(report.sections);
  linkLines(report.sections);
  const panels = report.sections.map(section => new Panel(section));
  for (const panel of panels) {
    const old = before.find(({ section }) => section.id === panel.section.id);
    panel.before = old?.table ? old : old?.before;
  }
  before.forEach(panel => panel.chart?.close());
  document.getElementById("tabs").replaceChildren(...panels.map(panel => panel.tab));
  document.getElementById("main").replaceChildren(...panels.map(panel => panel.element));
  return panels;
}

const RENEWED_MILLIS = 5000;

/** Asks the server for newer numbers again and again. */
function follow(text, notices, renew) {
  const live = document.getElementById("live");
  const words = document.getElementById("notices");
  const pause = document.getElementById("pause");
  let paused = false;
  live.hidden = false;
  words.textContent = notices.join("\n");
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Go on" : "Pause";
  });
  const ask = async () => {
    try {
      const fresh = paused ? text : await (await fetch("data", { cache: "no-store" })).text();
      if (fresh !== text && getSelection().isCollapsed) {
        const report = await unpacked(fresh);
        text = fresh;
        renew(report);
        words.textContent = report.notices.join("\n");
      }
    } catch (error) {
      words.textContent = `The server does not answer (${error.message}); these numbers are older. The page asks again.`;
      text = "";
    }
    setTimeout(ask, RENEWED_MILLIS);
  };
  setTimeout(ask, RENEWED_MILLIS);
}

async function start() {
  const text = document.getElementById("data").textContent;
  const report = await unpacked(text);
  let panels = show(report, []);
  const tabs = document.getElementById("tabs");
  tabs.addEventListener("keydown", event => {
    const at = panels.findIndex(panel => panel.tab === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to !== undefined && at >= 0) {
      event.preventDefault();
      const next = panels[(to + panels.length) % panels.length];
      location.hash = next.section.id;
      next.tab.focus();
    }
  });
  addEventListener("hashchange", () => {
    const link = document.activeElement;
    const chosen = navigate(panels);
    if (link === document.body || link.closest("[hidden]")) { // the link went with its section
      chosen.element.focus({ preventScroll: true });
    }
  });
  addEventListener("beforeprint", () => panels.forEach(panel => panel.build()));
  const redraw = () => panels.forEach(panel => panel.chart && !panel.element.hidden && panel.chart.draw());
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  navigate(panels);
  if (report.notices) {
    follow(text, report.notices, fresh => {
      const { id, ariaLabel } = document.activeElement;
      const at = scrollY;
      panels = show(fresh, panels);
      choose(panels);
      scrollTo(scrollX, at);
      const same = id ? document.getElementById(id) : ariaLabel && document.querySelector(`main [aria-label="${CSS.escape(ariaLabel)}"]`);
      same?.focus({ preventScroll: true });
    });
  }
}

start().catch(error => {
  document.getElementById("main").textContent =
    `This browser cannot unpack the report (${error.message}); open it in a browser of 2023 or later.`;
  throw error;
});
