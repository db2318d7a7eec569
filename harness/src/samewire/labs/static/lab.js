// The page of a lab: a prediction first, then a run with live charts, then the result beside the prediction.

import { Charts, HUES } from './charts.js';

const lab = JSON.parse(document.getElementById('lab').textContent);
const at = (id) => document.getElementById(id);
const made = (tag, text, attributes = {}) => {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  return element;
};

/** A sentence of a lab's file: what is between backticks is code. */
const sentence = (tag, text) => {
  const element = made(tag, '');
  element.append(...text.split('`').map((part, number) => (number % 2 === 1 ? made('code', part) : part)));
  return element;
};

let guess = null;
let run = null;

const post = (path, content) =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) });

function complain(problem) {
  at('problem').textContent = problem;
  at('problem').hidden = problem === '';
}

at('prediction').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  guess = { best: form.get('best'), factor: Number(form.get('factor')), why: form.get('why') };
  event.target.hidden = true;
  at('predicted').textContent = `You predict: “${guess.best}” is ${lab.asked_for}, and the highest has ${guess.factor} times as much as the lowest.`;
  at('predicted').hidden = false;
  at('first').hidden = true;
  at('start').disabled = false;
  at('start').focus();
});

/** Ask for a prediction again: something was changed. */
function askAgain() {
  guess = null;
  at('prediction').hidden = false;
  at('predicted').hidden = true;
  at('first').hidden = false;
  at('start').disabled = true;
}

at('knobs').addEventListener('change', () => {
  if (run !== null) {
    askAgain();
  }
});

at('knobs').addEventListener('submit', async (event) => {
  event.preventDefault();
  complain('');
  const knobs = Object.fromEntries(new FormData(event.target));
  const answer = await post(`/labs/${lab.name}/runs`, { knobs, guess });
  if (!answer.ok) {
    complain(await answer.text());
    return;
  }
  run = (await answer.json()).run;
  at('found').hidden = true;
  at('start').disabled = true;
  at('stop').hidden = false;
  follow(run);
});

at('stop').addEventListener('click', () => post(`/runs/${run}/stop`, {}));

function follow(number) {
  const charts = new Charts(lab.charts, lab.subjects, at('charts'));
  const now = new Now(lab.subjects);
  const events = new EventSource(`/runs/${number}/events`);
  let subject = null;
  const over = () => {
    events.close();
    at('stop').hidden = true;
    at('start').disabled = guess === null;
  };
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.event === 'run' || event.event === 'warm') {
      subject = event.subject;
      charts.gap();
      at('state').textContent =
        event.event === 'warm' ? `Warming: ${subject}` : `Round ${event.round} of ${event.rounds}: ${subject}`;
    } else if (event.event === 'load' || event.event === 'machine') {
      charts.add(subject, event);
      now.add(subject, event);
    } else if (event.event === 'state' && subject === null) {
      at('state').textContent = event.text;
    } else if (event.event === 'result') {
      over();
      at('state').textContent = `Done. The result is kept in ${event.file}.`;
      show(event.result);
    } else if (event.event === 'failed') {
      over();
      at('state').textContent = '';
      complain(event.problem);
    }
  };
}

/** The newest figures of each subject. */
class Now {
  static #columns = [
    ['answers/s', 'load', (e) => (e.deliveries ?? e.requests - e.errors) / e.seconds],
    ['p50, ms', 'load', (e) => e.p50_ms],
    ['p99, ms', 'load', (e) => e.p99_ms],
    ['/healthz, ms', 'load', (e) => e.probe_ms],
    ['lost', 'load', (e) => e.lost],
    ['cores', 'machine', (e) => e.cpu_cores],
    ['threads', 'machine', (e) => e.threads],
    ['ready', 'machine', (e) => e.running],
    ['switches/s', 'machine', (e) => e.switches_per_s],
    ['MiB', 'machine', (e) => e.memory_mib],
  ];
  #rows;

  constructor(subjects) {
    const table = at('now');
    const head = made('tr', '');
    head.append(made('th', ''), ...Now.#columns.map(([name]) => made('th', name, { class: 'number', scope: 'col' })));
    this.#rows = new Map(subjects.map((subject, hue) => [subject, row(subject, hue, Now.#columns.map(() => '–'))]));
    table.replaceChildren(head, ...this.#rows.values());
    table.hidden = false;
  }

  add(subject, event) {
    Now.#columns.forEach(([, kind, value], number) => {
      const found = kind === event.event ? value(event) : undefined;
      if (found !== undefined && found !== null) {
        this.#rows.get(subject).cells[number + 1].textContent = told(found);
      }
    });
  }
}

const told = (value) => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString());

function row(label, hue, cells) {
  const line = made('tr', '');
  const name = made('th', '', { scope: 'row' });
  const swatch = made('span', '', { class: 'swatch', style: `background: var(--hue-${hue % HUES})` });
  name.append(swatch, label);
  line.append(name, ...cells.map((cell) => made('td', cell, { class: 'number' })));
  return line;
}

function show(found) {
  const figures = Object.values(found.figures);
  at('verdict').textContent = found.prediction.verdict;
  const head = made('tr', '');
  const name = (figure) => (figure.unit ? `${figure.name}, ${figure.unit}` : figure.name);
  head.append(made('th', ''), ...figures.map((figure) => made('th', name(figure), { class: 'number', scope: 'col' })));
  at('figures').replaceChildren(
    head,
    ...found.trials.map((trial, number) => row(trial.label, number, figures.map((figure) => figure.rows[number].text))),
  );
  at('rounds').textContent =
    `Means of ${found.rounds} rounds; in brackets the interval at a confidence of 95 %. Seed ${found.seed}.` +
    (found.small ? ' This run was cold and short: its figures mean nothing.' : '');
  at('remarks').replaceChildren(...found.remarks.map((remark) => made('li', remark)));
  at('intervals').replaceChildren(drawn(found));
  at('reasons').replaceChildren(
    ...found.reasons.flatMap((reason) => [
      sentence('dt', reason.text),
      made('dd', `Look at: ${name(found.figures[reason.metric])}.`, { class: 'aside' }),
    ]),
  );
  at('next').replaceChildren(...found.next.map(change));
  at('found').hidden = false;
  at('result').focus();
}

function change(next) {
  const item = sentence('li', `${next.text} `);
  if (Object.keys(next.knobs).length > 0) {
    const button = made('button', 'Set it', { type: 'button' });
    button.addEventListener('click', () => {
      for (const [knob, value] of Object.entries(next.knobs)) {
        at('knobs').elements[knob].value = value;
      }
      askAgain();
      at('predict').scrollIntoView();
      at('prediction').elements.best[0].focus();
    });
    item.append(button);
  }
  return item;
}

/** A dot with its interval for each trial, on a logarithmic axis if all ends are positive and far apart. */
function drawn(found) {
  const space = 'http://www.w3.org/2000/svg';
  const figure = found.figures[found.prediction.metric];
  const rows = figure.rows.filter((one) => one.mean !== null);
  const ends = rows.flatMap((one) => [one.low ?? one.mean, one.high ?? one.mean]);
  const far = ends.length > 0 && Math.min(...ends) > 0 && Math.max(...ends) / Math.min(...ends) > 20;
  const scaled = (value) => (far ? Math.log10(value) : value);
  const low = far ? scaled(Math.min(...ends)) : Math.min(0, ...ends);
  const high = Math.max(...ends.map(scaled));
  const place = (value) => 20 + (680 * (scaled(value) - low)) / (high - low || 1);
  const picture = document.createElementNS(space, 'svg');
  picture.setAttribute('viewBox', `0 0 720 ${48 * rows.length + 8}`);
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', `${figure.name}: ${rows.map((one) => `${one.label} ${one.text}`).join('; ')}`);
  const add = (tag, attributes, text = '') => {
    const element = picture.appendChild(document.createElementNS(space, tag));
    for (const [name, value] of Object.entries(attributes)) {
      element.setAttribute(name, value);
    }
    element.textContent = text;
  };
  rows.forEach((one, number) => {
    const hue = `var(--hue-${found.trials.findIndex((trial) => trial.label === one.label) % HUES})`;
    const y = 48 * number + 36;
    add('text', { x: 20, y: y - 14, 'font-size': 15, fill: 'currentColor' }, `${one.label}: ${one.text} ${figure.unit}`);
    add('line', { x1: 20, x2: 700, y1: y, y2: y, style: 'stroke: var(--line)' });
    if (one.low !== null && one.high !== null) {
      add('line', { x1: place(one.low), x2: place(one.high), y1: y, y2: y, style: `stroke: ${hue}; stroke-width: 5` });
    }
    add('circle', { cx: place(one.mean), cy: y, r: 6, style: `fill: ${hue}` });
  });
  return picture;
}

for (const [id, type, end] of [['markdown', 'text/markdown', 'md'], ['html', 'text/html', 'html']]) {
  at(id).addEventListener('click', async () => {
    const answer = await post(`/runs/${run}/hand-in`, { words: at('words').value });
    if (!answer.ok) {
      complain(await answer.text());
      return;
    }
    const url = URL.createObjectURL(new Blob([(await answer.json())[id]], { type }));
    made('a', '', { href: url, download: `${lab.name}.${end}` }).click();
    URL.revokeObjectURL(url);
  });
}

// A form that is sent before this script is there would only load the page again.
at('predicts').disabled = false;
