// The charts of a lab that runs: time runs to the right, a line for each subject, a gap where another one runs.

const QUICK = 80; // milliseconds between two drawings
export const HUES = 6;

/** Name, unit, and the lines of each kind of chart: which figure of which event, and how it is dashed. */
const KINDS = {
  throughput: { title: 'Answers per second', lines: [{ of: 'load', value: (e) => (e.deliveries ?? e.requests - e.errors) / e.seconds }] },
  latency: {
    title: 'Latency, ms: median solid, p99 dashed',
    lines: [
      { of: 'load', value: (e) => e.p50_ms },
      { of: 'load', value: (e) => e.p99_ms, dash: [4, 4] },
    ],
    logarithmic: true,
  },
  probe: { title: 'How long /healthz takes, ms', lines: [{ of: 'load', value: (e) => e.probe_ms ?? null }], logarithmic: true },
  waiting: {
    title: 'Requests in the server: throughput × mean latency (Little’s law)',
    lines: [{ of: 'load', value: (e) => (e.mean_ms === null ? null : ((e.requests / e.seconds) * e.mean_ms) / 1000) }],
  },
  cpu: { title: 'Cores that the server keeps busy', lines: [{ of: 'machine', value: (e) => e.cpu_cores }] },
  threads: {
    title: 'Threads of the server: all solid, ready to run dashed',
    lines: [
      { of: 'machine', value: (e) => e.threads },
      { of: 'machine', value: (e) => e.running, dash: [4, 4] },
    ],
  },
  switches: { title: 'Context switches per second', lines: [{ of: 'machine', value: (e) => e.switches_per_s }] },
  memory: { title: 'Memory of the server, MiB', lines: [{ of: 'machine', value: (e) => e.memory_mib }] },
  sockets: {
    title: 'Memory of the kernel for all TCP connections, MiB',
    lines: [{ of: 'machine', value: (e) => e.sockets_mib }],
  },
  lost: { title: 'Updates lost so far', lines: [{ of: 'load', value: (e) => e.lost ?? null }] },
  cores: { title: 'Each core, busy share', byCore: true },
};

const colour = (number) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--drawn-${number % HUES}`).trim();

/** Custom properties hold `light-dark()` as it is written; a probe element resolves it. */
function resolveColours() {
  const probe = document.body.appendChild(document.createElement('span'));
  const names = [...Array(HUES).keys()].map((number) => [`--hue-${number}`, `--drawn-${number}`]);
  for (const [from, to] of [...names, ['--soft', '--drawn-soft'], ['--line', '--drawn-line']]) {
    probe.style.color = `var(${from})`;
    document.documentElement.style.setProperty(to, getComputedStyle(probe).color);
  }
  probe.remove();
}

class Chart {
  #kind;
  #lines;
  #data;
  #plot;

  constructor(name, subjects, into) {
    this.#kind = KINDS[name];
    this.#lines = this.#kind.byCore
      ? [...Array(navigator.hardwareConcurrency).keys()].map((core) => ({
          of: 'machine', value: (e) => e.cores[core] ?? null, hue: core, name: `core ${core}`,
        }))
      : subjects.flatMap((subject, hue) => this.#kind.lines.map((line) => ({ ...line, subject, hue, name: subject })));
    this.#data = [[], ...this.#lines.map(() => [])];
    const figure = into.appendChild(document.createElement('figure'));
    const caption = figure.appendChild(document.createElement('figcaption'));
    caption.textContent = this.#kind.title;
    this.#plot = new uPlot(this.#options(figure), this.#data, figure);
    new ResizeObserver(() => this.#plot.setSize({ width: figure.clientWidth, height: 200 })).observe(figure);
  }

  #options(figure) {
    const soft = getComputedStyle(document.documentElement).getPropertyValue('--drawn-soft');
    const grid = { stroke: getComputedStyle(document.documentElement).getPropertyValue('--drawn-line'), width: 1 };
    const axis = { stroke: soft, grid, ticks: grid };
    return {
      width: Math.max(200, figure.clientWidth),
      height: 200,
      cursor: { show: false },
      scales: { x: { time: false }, y: this.#kind.logarithmic ? { distr: 3 } : { range: (plot, low, high) => [0, high || 1] } },
      axes: [{ ...axis, values: (plot, ticks) => ticks.map((tick) => `${tick} s`) }, { ...axis, size: 64 }],
      series: [
        {},
        ...this.#lines.map((line) => ({
          label: line.name, stroke: colour(line.hue), width: 2, dash: line.dash, spanGaps: false, points: { show: false },
        })),
      ],
    };
  }

  /** An event of a subject at a time in seconds; a logarithmic axis has no zero. */
  add(seconds, subject, event) {
    if (!this.#lines.some((line) => line.of === event.event)) {
      return;
    }
    this.#data[0].push(seconds);
    this.#lines.forEach((line, number) => {
      const own = line.of === event.event && (line.subject ?? subject) === subject;
      const value = own ? line.value(event) : null;
      this.#data[number + 1].push(this.#kind.logarithmic && !(value > 0) ? null : value);
    });
  }

  /** A gap: another subject runs from now on. */
  gap(seconds) {
    for (const [number, values] of this.#data.entries()) {
      values.push(number === 0 ? seconds : null);
    }
  }

  draw() {
    this.#plot.setData(this.#data);
  }
}

/** All charts of a run. */
export class Charts {
  #charts;
  #begin = performance.now();
  #due = false;

  constructor(names, subjects, into) {
    resolveColours();
    into.replaceChildren();
    this.#charts = names.map((name) => new Chart(name, subjects, into));
  }

  #all(change) {
    const seconds = (performance.now() - this.#begin) / 1000;
    for (const chart of this.#charts) {
      change(chart, seconds);
    }
    if (!this.#due) {
      this.#due = true;
      setTimeout(() => {
        this.#due = false;
        for (const chart of this.#charts) {
          chart.draw();
        }
      }, QUICK);
    }
  }

  add(subject, event) {
    this.#all((chart, seconds) => chart.add(seconds, subject, event));
  }

  gap() {
    this.#all((chart, seconds) => chart.gap(seconds));
  }
}
