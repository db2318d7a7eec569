/** The page: a name, then messages and who is here. What comes from others is only ever set as text. */

import { lineOf, WAYS } from './lines.js';
import { KEPT, LONGEST_NAME, LONGEST_TEXT, length, Refused, tidy } from './room.js';

/** @typedef {import('./room.js').Message} Message */

const COLOURS = 8;
/** Pixels from the end that still count as being there. */
const NEAR = 48;
/** Milliseconds until it is said that a message is on its way, and for which a notice stays. */
const SLOW = 400;
const FRAME = 16;
const NOTICE = 8000;

const nameForm = /** @type {HTMLFormElement} */ (document.getElementById('join'));
const nameBox = /** @type {HTMLInputElement} */ (document.getElementById('name'));
const nameError = /** @type {HTMLElement} */ (document.getElementById('join-error'));
const state = /** @type {HTMLElement} */ (document.getElementById('state'));
const roomSection = /** @type {HTMLElement} */ (document.getElementById('room'));
const peopleTitle = /** @type {HTMLElement} */ (document.getElementById('people-title'));
const users = /** @type {HTMLElement} */ (document.getElementById('users'));
const log = /** @type {HTMLElement} */ (document.getElementById('log'));
const empty = /** @type {HTMLElement} */ (document.getElementById('empty'));
const list = /** @type {HTMLElement} */ (document.getElementById('messages'));
const notice = /** @type {HTMLElement} */ (document.getElementById('notice'));
const newest = /** @type {HTMLButtonElement} */ (document.getElementById('newest'));
const textForm = /** @type {HTMLFormElement} */ (document.getElementById('write'));
const textBox = /** @type {HTMLTextAreaElement} */ (document.getElementById('text'));
const textError = /** @type {HTMLElement} */ (document.getElementById('write-error'));

const { transport } = document.documentElement.dataset;

let ourName = '';
/** @type {Awaited<ReturnType<typeof lineOf>> | undefined} */
let line;
/** How messages come; one may choose where the server speaks polling. */
const way = document.createElement('select');
/** @type {Message[]} to be shown with the next frame */
const arrived = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let showTimer;
let unread = 0;
/** Whether the reader is at the end, and stays there when messages come. */
let following = true;
/** How far down the end was when the reader was last taken there. */
let end = 0;
/** @type {string[]} on their way, oldest first */
const outbox = [];
/** What was given back without knowing whether it had arrived. */
let doubtful = '';

/** @type {import('./room.js').Page} */
const page = {
  changed({ added, restarted }) {
    if (restarted) {
      arrived.length = 0;
      list.replaceChildren();
      unread = 0;
      following = true;
      say('The server has started again. This is a new room.');
    }
    arrived.push(...added);
    // One look at the layout for all that comes within a frame. Timers also run where nobody looks.
    showTimer ??= setTimeout(show, FRAME);
  },

  here(names) {
    peopleTitle.textContent = `Here now: ${names.length}`;
    const shown = [...users.children].map((one) => one.textContent);
    if (names.length === shown.length && names.every((name, index) => name === shown[index])) return;
    users.replaceChildren(...names.map(personOf));
  },

  state(now, why) {
    const before = state.dataset.state;
    const words = now === 'connected' ? 'Connected' : 'Connection lost. Trying again …';
    state.dataset.state = now;
    if (state.textContent !== words) state.textContent = words;
    if (why) say(why);
    if (before === 'lost' && now === 'connected' && !notice.textContent) say('Connected again. Nothing is missing.');
  },

  expelled(why) {
    line = undefined;
    giveBack();
    roomSection.hidden = true;
    nameForm.hidden = false;
    delete state.dataset.state;
    state.textContent = 'Not in the room';
    nameError.textContent = why;
    nameBox.focus();
  },
};

// --- coming in

/** The choice of a way comes last in the form: most people need none. */
function offerWays() {
  const label = document.createElement('label');
  label.textContent = 'How messages come';
  label.htmlFor = way.id = 'way';
  way.append(...Object.entries(WAYS).map(([name, words]) => new Option(words, name)));
  const wanted = new URLSearchParams(location.search).get('transport') ?? '';
  if (Object.hasOwn(WAYS, wanted)) way.value = wanted;
  nameForm.append(label, way);
}

async function join() {
  const name = tidy(nameBox.value);
  if (name === '' || length(name) > LONGEST_NAME) {
    refuseName(name === '' ? 'Please enter a name.' : `A name has at most ${LONGEST_NAME} characters.`);
    return;
  }
  const button = buttonOf(nameForm);
  button.disabled = true;
  nameError.textContent = '';
  state.textContent = 'Connecting …';
  ourName = name;
  arrived.length = 0;
  list.replaceChildren();
  try {
    const made = await lineOf(transport, way.value, name, page);
    await made.join();
    line = made;
    nameForm.hidden = true;
    roomSection.hidden = false;
    page.state('connected');
    following = true;
    show();
    textBox.focus();
  } catch (error) {
    state.textContent = 'Not in the room';
    refuseName(error instanceof Refused ? error.message : 'The server does not answer. Please try again.');
  } finally {
    button.disabled = false;
  }
}

function refuseName(/** @type {string} */ why) {
  nameError.textContent = why;
  nameBox.setAttribute('aria-invalid', 'true');
  nameBox.focus();
}

// --- messages

function show() {
  clearTimeout(showTimer);
  showTimer = undefined;
  const added = arrived.splice(0);
  if (following && !hasMovedUp()) {
    put(added);
    toTheEnd();
  } else {
    const reading = [...list.children].find((item) => topOf(item) >= topOf(log));
    const place = reading && topOf(reading);
    put(added);
    if (reading?.isConnected && place !== undefined) log.scrollTop += topOf(reading) - place;
    unread += added.filter(({ user }) => user !== ourName).length;
  }
  showUnread();
  empty.hidden = list.childElementCount > 0;
  if (added.some(({ user, text }) => user === ourName && text === doubtful)) arrivedAfterAll();
}

function put(/** @type {Message[]} */ added) {
  for (const message of added) {
    const next = placeOf(message.id);
    group(list.insertBefore(itemOf(message), next));
    group(next);
  }
  while (list.childElementCount > KEPT) list.firstElementChild?.remove();
  group(list.firstElementChild);
}

function topOf(/** @type {Element} */ element) {
  return element.getBoundingClientRect().top;
}

/** The item before which a message goes; null for the end, where nearly all of them go. */
function placeOf(/** @type {number} */ id) {
  let place = null;
  for (let item = list.lastElementChild; item && idOf(item) > id; item = item.previousElementSibling) place = item;
  return place;
}

function idOf(/** @type {Element} */ item) {
  return Number(/** @type {HTMLElement} */ (item).dataset.id);
}

function userOf(/** @type {Element} */ item) {
  return /** @type {HTMLElement} */ (item).dataset.user;
}

function itemOf(/** @type {Message} */ { id, user, text }) {
  const item = document.createElement('li');
  item.dataset.id = String(id);
  item.dataset.user = user;
  item.classList.toggle('own', user === ourName);
  const said = document.createElement('p');
  said.className = 'text';
  said.dir = 'auto';
  said.textContent = text;
  item.append(avatarOf(user), nameOf(user), said);
  return item;
}

/** Messages of one person in a row show the name once. */
function group(/** @type {Element | null} */ item) {
  item?.classList.toggle(
    'follows',
    item.previousElementSibling !== null && userOf(item) === userOf(item.previousElementSibling),
  );
}

function nameOf(/** @type {string} */ user) {
  const name = document.createElement('bdi');
  name.className = 'user';
  name.textContent = user;
  return name;
}

function avatarOf(/** @type {string} */ user) {
  const avatar = document.createElement('span');
  let sum = 0;
  for (const character of user) sum = (31 * sum + Number(character.codePointAt(0))) % 65_521;
  avatar.className = `avatar colour-${sum % COLOURS}`;
  avatar.dataset.initial = [...user.trim()][0]?.toUpperCase() ?? '·';
  return avatar;
}

function personOf(/** @type {string} */ user) {
  const item = document.createElement('li');
  item.classList.toggle('own', user === ourName);
  item.append(avatarOf(user), nameOf(user));
  return item;
}

// --- the reader's place

function toTheEnd() {
  following = true;
  unread = 0;
  log.scrollTop = log.scrollHeight;
  end = log.scrollTop;
}

/** Whether the reader has left the end and the browser has yet to say so: it does with the next frame. */
function hasMovedUp() {
  return log.scrollTop < Math.min(end, log.scrollHeight - log.clientHeight) - NEAR;
}

function showUnread() {
  newest.hidden = unread === 0;
  newest.textContent = unread === 1 ? '1 new message' : `${unread} new messages`;
}

// --- sending

function submit() {
  const text = tidy(textBox.value);
  if (!line || text === '') return;
  const longer = length(text) - LONGEST_TEXT;
  if (longer > 0) {
    textError.textContent = `A message has at most ${LONGEST_TEXT} characters; this one has ${longer} too many.`;
    return;
  }
  textError.textContent = '';
  textBox.value = '';
  doubtful = '';
  toTheEnd();
  showUnread();
  outbox.push(text);
  if (outbox.length === 1) void sendAll();
}

/** One after the other, so that they arrive in order. */
async function sendAll() {
  const slow = setTimeout(() => say('Sending …'), SLOW);
  try {
    for (let text = outbox[0]; text !== undefined && line; text = outbox[0]) {
      await line.send(text);
      outbox.shift();
    }
  } catch (error) {
    const refused = error instanceof Refused;
    doubtful = refused ? '' : (outbox[0] ?? '');
    giveBack();
    textError.textContent = refused ? error.message : 'Not sent yet. Try again once there is a connection.';
  }
  clearTimeout(slow);
  if (notice.textContent === 'Sending …') say('');
}

/** Puts what could not be sent back before what was written since. */
function giveBack() {
  textBox.value = [...outbox.splice(0), textBox.value].filter(Boolean).join(' ');
}

/** The answer was lost, not the message: it is not to be sent twice. */
function arrivedAfterAll() {
  if (textBox.value.startsWith(doubtful)) textBox.value = textBox.value.slice(doubtful.length).trimStart();
  doubtful = '';
  textError.textContent = '';
}

// --- small things

/** @type {ReturnType<typeof setTimeout> | undefined} */
let noticeTimer;

function say(/** @type {string} */ words) {
  clearTimeout(noticeTimer);
  notice.textContent = words;
  noticeTimer = setTimeout(() => say(''), NOTICE);
}

function buttonOf(/** @type {HTMLFormElement} */ form) {
  return /** @type {HTMLButtonElement} */ (form.querySelector('button'));
}

nameForm.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!buttonOf(nameForm).disabled) void join();
});
nameBox.addEventListener('input', () => {
  nameError.textContent = '';
  nameBox.removeAttribute('aria-invalid');
});
textForm.addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
textBox.addEventListener('keydown', (event) => {
  // Enter also ends the choice of a character in many languages.
  if (event.key !== 'Enter' || event.isComposing) return;
  event.preventDefault();
  submit();
});
textBox.addEventListener('input', () => {
  const left = LONGEST_TEXT - length(textBox.value);
  textForm.dataset.left = left <= LONGEST_TEXT / 5 ? String(left) : '';
});
newest.addEventListener('click', () => {
  toTheEnd();
  showUnread();
  textBox.focus();
});
log.addEventListener('scroll', () => {
  following = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  if (unread && following) {
    unread = 0;
    showUnread();
  }
});
// An error or a long draft takes room from the messages.
new ResizeObserver(() => {
  if (following) toTheEnd();
}).observe(log);
window.addEventListener('online', () => line?.wake());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) line?.wake();
});

if (transport === 'polling') offerWays();
nameForm.hidden = false;
nameBox.focus();
