// The page of a lab in which a fault is mended: plant, run the suite, predict, edit, run again, hand in.

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

let attempt = null;
let run = null;
/** The file in the editor as the server has it. */
let shown = { name: '', text: '' };

function complain(problem) {
  at('problem').textContent = problem;
  at('problem').hidden = problem === '';
  if (problem !== '') {
    at('problem').scrollIntoView({ block: 'center' });
  }
}

/** The answer, or null where it is a refusal, which is shown then. */
async function post(path, content) {
  complain('');
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(content),
  });
  if (!answer.ok) {
    complain(await answer.text());
    return null;
  }
  return answer;
}

const own = (what) => `/labs/${lab.name}/attempts/${attempt.seed}/${what}`;

at('planting').addEventListener('submit', async (event) => {
  event.preventDefault();
  const seed = new FormData(event.target).get('seed');
  at('plants').disabled = true;
  at('planted').textContent = 'A copy of a server is made. That takes some seconds.';
  at('planted').hidden = false;
  const answer = await post(`/labs/${lab.name}/attempts`, { seed: seed === '' ? null : Number(seed) });
  at('plants').disabled = false;
  at('planted').hidden = answer === null;
  if (answer) {
    shown = { name: '', text: '' };
    show(await answer.json());
    at('first').focus();
  }
});

/** All of the page, as the attempt is now. */
function show(now) {
  attempt = now;
  const last = now.runs.at(-1);
  at('planted').textContent = `Seed ${now.seed}: a fault is in a copy of ${now.server}. It is in one of ${now.files.length} files.`;
  at('planted').hidden = false;
  at('breaking').hidden = false;
  at('predicting').hidden = !last;
  at('mending').hidden = now.prediction === null;
  at('folder').textContent = now.folder;
  for (const select of document.querySelectorAll('.files')) {
    if (select.dataset.seed !== String(now.seed)) {
      select.replaceChildren(...now.files.map((file) => made('option', file, { value: file })));
      select.dataset.seed = now.seed;
    }
  }
  at('prediction').hidden = now.prediction !== null;
  at('predicted').hidden = now.prediction === null;
  at('first').disabled = last !== undefined && now.prediction === null;
  if (now.prediction) {
    at('predicted').textContent = `You expect: ${now.prediction.kind}, in ${now.prediction.file}.`;
    if (shown.name === '') {
      at('file').value = now.prediction.file;
      open(now.prediction.file);
    }
  }
  at('hints').hidden = now.hints.length === 0;
  at('hints').querySelector('ol').replaceChildren(...now.hints.map((hint) => made('li', hint)));
  at('said').replaceChildren(...(last ? said(last, now) : []));
  at('found').hidden = now.result === null;
  if (now.result) {
    at('verdict').textContent = now.result.verdict;
    at('reasons').replaceChildren(...now.result.why.map((why) => made('li', why)));
    at('wrong').textContent = now.result.planted;
    at('diff').textContent = now.result.diff;
  }
}

/** What the suite said: which tests fail, and all that it printed. */
function said(last, now) {
  const number = now.runs.length;
  const told = {
    green: `Run ${number}: green. Every test passes${last.changed ? '' : ', and you have changed nothing: the tests missed the fault this time'}.`,
    red: `Run ${number}: red. ${last.failures.length === 1 ? 'A test fails.' : `${last.failures.length} tests fail.`}`,
    broken: `Run ${number}: the copy does not build, or does not start. What was printed says why.`,
  }[last.status];
  const list = made('ul', '');
  for (const failure of last.failures) {
    const item = made('li', '');
    item.append(
      made('strong', failure.test.replace(/^test_/, '').replaceAll('_', ' ')),
      made('span', failure.about === '' ? '' : `: ${failure.about}`),
      made('br', ''),
      made('code', failure.message),
      made('br', ''),
      made('span', `contract-tests/${failure.module}`, { class: 'aside' }),
    );
    list.append(item);
  }
  const printed = made('details', '');
  const highlighted = made('div', '', { class: 'highlight' });
  highlighted.append(made('pre', now.output, { tabindex: '0' }));
  printed.append(made('summary', 'All that the suite printed'), highlighted);
  const verdict = made('p', `${told} It took ${Math.round(last.seconds)} s.`, { id: 'status', 'data-status': last.status });
  return [verdict, list, printed];
}

at('first').addEventListener('click', verify);
at('again').addEventListener('click', async () => {
  if (await save()) {
    verify();
  }
});
at('stop').addEventListener('click', () => post(`/runs/${run}/stop`, {}));

async function verify() {
  const answer = await post(own('runs'), {});
  if (answer) {
    run = (await answer.json()).run;
    follow(run);
  }
}

function follow(number) {
  const buttons = [...document.querySelectorAll('.runs'), at('plants')];
  const began = performance.now();
  const tell = () => {
    at('state').textContent = `The suite runs: ${Math.round((performance.now() - began) / 1000)} s.`;
  };
  const clock = setInterval(tell, 1000);
  const over = () => {
    clearInterval(clock);
    events.close();
    at('state').textContent = '';
    at('stop').hidden = true;
    for (const button of buttons) {
      button.disabled = false;
    }
  };
  tell();
  for (const button of buttons) {
    button.disabled = true;
  }
  at('stop').hidden = false;
  at('stop').focus();
  const events = new EventSource(`/runs/${number}/events`);
  events.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.event === 'verified') {
      over();
      show(event.attempt);
      const next = event.attempt.result ? 'result' : event.attempt.prediction ? 'break' : 'predict';
      at(next).focus();
    } else if (event.event === 'failed') {
      over();
      show(attempt);
      complain(event.problem);
    }
  };
}

at('prediction').addEventListener('submit', async (event) => {
  event.preventDefault();
  const answer = await post(own('prediction'), Object.fromEntries(new FormData(event.target)));
  if (answer) {
    show(await answer.json());
    at('mend').focus();
  }
});

at('file').addEventListener('change', async () => {
  const wanted = at('file').value;
  if (await save()) {
    open(wanted);
  } else {
    at('file').value = shown.name;
  }
});

/** Show a file in the editor. */
async function open(name) {
  const answer = await fetch(`${own('file')}?name=${encodeURIComponent(name)}`);
  if (!answer.ok) {
    complain(await answer.text());
    return;
  }
  shown = { name, text: (await answer.json()).text };
  at('code').value = shown.text;
}

at('save').addEventListener('click', save);

/** Whether what is in the editor is kept. Where nothing was changed in it, what another editor has written stays. */
async function save() {
  const text = at('code').value;
  if (text === shown.text) {
    return true;
  }
  const answer = await post(own('file'), { name: shown.name, before: shown.text, text });
  if (answer) {
    shown.text = text;
  }
  return answer !== null;
}

for (const [id, type, end] of [['markdown', 'text/markdown', 'md'], ['html', 'text/html', 'html']]) {
  at(id).addEventListener('click', async () => {
    const answer = await post(own('hand-in'), { words: at('words').value });
    if (answer) {
      const url = URL.createObjectURL(new Blob([(await answer.json())[id]], { type }));
      made('a', '', { href: url, download: `${lab.name}.${end}` }).click();
      URL.revokeObjectURL(url);
    }
  });
}

if (lab.attempt) {
  show(lab.attempt);
}
// A form that is sent before this script is there would only load the page again.
at('plants').disabled = false;
