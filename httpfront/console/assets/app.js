// The frame of the console: which part is shown, the key, the state of the cluster.

import { freshness, get, key, needsKey } from './api.js';
import { dialog, fault, h, show } from './dom.js';
import { analytics } from './analytics.js';
import { cluster } from './cluster.js';
import { indexesPart } from './indexes.js';
import { keys } from './keys.js';
import { requests } from './requests.js';
import { learn, may, says } from './rights.js';
import { rules } from './rules.js';
import { search } from './search.js';
import { tasks } from './tasks.js';

// Each part is a function (root, arguments, signal, query): it fills root and stops all
// it has started when the signal aborts. It may return a function that shows what another
// query of the same address says.
const parts = { search, analytics, indexes: indexesPart, rules, tasks, cluster, keys, requests };
// What a key needs for a part to be of use: any key may try requests.
const needs = { search: 'search', analytics: '*', indexes: 'indexes.get', rules: 'dynamicSearchRules.get', tasks: 'tasks.get', cluster: '*', keys: 'keys.get' };
const titles = { search: 'Search', analytics: 'Analytics', indexes: 'Indexes', rules: 'Rules', tasks: 'Tasks', cluster: 'Cluster', keys: 'Keys', requests: 'Requests' };

let learned = false; // what the key may do is known
let leave = new AbortController();
let turn = null; // what the part that is shown returned

// address is that of the page or of a URL, #/part/argument/argument?query, as [place, query].
function address(url = location) {
  const text = new URL(url).hash.replace(/^#\/?/, '');
  const at = text.indexOf('?');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

// open shows the part that the address names, anew.
async function open() {
  leave.abort();
  leave = new AbortController();
  const signal = leave.signal;
  turn = null;
  const [place, query] = address();
  const [name, ...rest] = place.split('/').map(unescaped);
  const root = h('div', { own: signal }); // no part is drawn into what another one left
  show(document.getElementById('main'), root);
  let part = parts[name] ? name : 'search';
  try {
    if (!learned) await learn();
    if (signal.aborted) return;
    learned = true;
    const allowed = Object.keys(parts).filter((p) => !needs[p] || may(needs[p]));
    if (!parts[name] && !allowed.includes(part)) [part] = allowed;
    show(document.getElementById('parts'), allowed.map((p) => h('a', { href: `#/${p}`, 'aria-current': p === part ? 'page' : null }, titles[p])));
    document.title = `${titles[part]} · Shoal`;
    if (!allowed.includes(part)) {
      show(root, h('h1', {}, titles[part]), h('div', { class: 'card' }, h('p', {}, says()), h('button', { type: 'button', onclick: askKey }, 'Enter another key')));
      return;
    }
    const returned = await parts[part](root, rest, signal, query);
    if (!signal.aborted) turn = returned ?? null;
  } catch (error) {
    if (signal.aborted) return;
    show(root, h('h1', {}, titles[part]), fault(error),
      needsKey(error) ? h('button', { type: 'button', onclick: askKey }, 'Enter a key') : h('button', { type: 'button', class: 'quiet', onclick: open }, 'Try again'));
    if (needsKey(error) && !key.get()) askKey();
  }
}

// unescaped is a segment of the address. One that somebody typed with a lone % is
// taken as it is.
function unescaped(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

// toContent moves the focus to what the part shows.
const toContent = () => document.getElementById('main').focus({ preventScroll: true });

let asking = false;

// askKey asks for a key and tries it before it is kept.
async function askKey() {
  if (asking) return;
  asking = true;
  const done = await dialog('Key', [
    h('p', { class: 'soft' }, 'The master key, or any key of this cluster. It is kept for this tab only. Leave it empty to work without one.'),
    h('label', { class: 'stack' }, 'Key', h('input', { type: 'password', name: 'key', autocomplete: 'off', value: key.get(), autofocus: true })),
  ], {
    label: 'Use it',
    submit: async (form) => {
      const before = key.get();
      key.set(form.elements.key.value.trim());
      try {
        await learn();
        learned = true;
      } catch (error) {
        key.set(before);
        throw error;
      }
    },
  });
  asking = false;
  if (done) open();
}

// health is what a key is told that may not ask for the state of the cluster.
async function health() {
  const { stale } = freshness; // of answers with data
  await get('/health', { timeout: 5000 });
  freshness.stale = stale;
  return stale ? { level: 'warning', says: `no leader for ${stale} s` } : { level: 'ok', says: 'serving' };
}

const colours = { ok: 'good', warning: 'warn', critical: 'bad' };

// watch shows in the bar what the cluster can do, in the sentence of `shoal status`. The
// page asks often enough to show within two seconds that a node died.
async function watch() {
  const place = document.getElementById('state');
  try {
    const state = may('*') ? await get('/cluster/state', { timeout: 5000 }) : await health();
    const text = `● ${state.says}`;
    if (place.textContent !== text) show(place, h('span', { class: colours[state.level], title: state.says }, text));
  } catch (error) {
    show(place, h('span', { class: 'bad', title: error.message }, error.status === 0 ? '● no answer' : needsKey(error) ? '● the key is refused' : '● unavailable'));
  }
  setTimeout(watch, 1000);
}

document.getElementById('key-button').addEventListener('click', askKey);
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address names the part
  toContent();
});
window.addEventListener('hashchange', (event) => {
  const [place, query] = address();
  // A part may have been left before it was ready, so only the old address tells which it is.
  if (turn && address(event.oldURL)[0] === place) return turn(query);
  toContent(); // the link that was followed may be gone
  open();
});
open();
watch();
