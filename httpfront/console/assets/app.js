// The frame of the console: which part is shown, the key, the state of the cluster.

import { call, freshness, get, key, needsKey } from './api.js';
import { dialog, fault, h, show } from './dom.js';
import { cluster } from './cluster.js';
import { indexesPart } from './indexes.js';
import { keys } from './keys.js';
import { requests } from './requests.js';
import { search } from './search.js';
import { tasks } from './tasks.js';

// Each part is a function (root, arguments, signal, query): it fills root and stops all
// it has started when the signal aborts. It may return a function that shows what another
// query of the same address says.
const parts = { search, indexes: indexesPart, tasks, cluster, keys, requests };
const titles = { search: 'Search', indexes: 'Indexes', tasks: 'Tasks', cluster: 'Cluster', keys: 'Keys', requests: 'Requests' };

let leave = new AbortController();
let shown = { place: null, turn: null }; // the address without its query, and what the part returned

// address is that of the page, #/part/argument/argument?query, as [place, query].
function address() {
  const text = location.hash.replace(/^#\/?/, '');
  const at = text.indexOf('?');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

// open shows the part that the address names, anew.
async function open() {
  leave.abort();
  leave = new AbortController();
  const signal = leave.signal;
  shown = { place: null, turn: null };
  const [place, query] = address();
  const [name, ...rest] = place.split('/').map(unescaped);
  const part = parts[name] ? name : 'search';
  show(document.getElementById('parts'), Object.keys(parts).map((p) =>
    h('a', { href: `#/${p}`, 'aria-current': p === part ? 'page' : null }, titles[p])));
  document.title = `${titles[part]} · Shoal`;
  const root = h('div', { own: signal }); // no part is drawn into what another one left
  show(document.getElementById('main'), root);
  try {
    const turn = await parts[part](root, rest, signal, query);
    if (!signal.aborted) shown = { place: address()[0], turn: turn ?? null };
  } catch (error) {
    if (signal.aborted) return;
    show(root, h('h1', {}, titles[part]), fault(error), needsKey(error) ? h('button', { onclick: askKey }, 'Enter a key') : null);
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
        await call('GET', '/version');
      } catch (error) {
        // A key that may only search is a good key: what it may not do is said where it is tried.
        if (error.code === 'invalid_api_key' && (await mayWork())) return;
        key.set(before);
        throw error;
      }
    },
  });
  asking = false;
  if (done) open();
}

// mayWork tells whether a key that may not ask for the version may search: an index
// that does not exist is found missing only by a key that is valid.
async function mayWork() {
  try {
    await call('POST', '/multi-search', { queries: [] });
    return true;
  } catch (error) {
    return error.code !== 'invalid_api_key' && error.status !== 401;
  }
}

const colours = { ok: 'good', warning: 'warn', critical: 'bad' };

// watch shows in the bar what the cluster can do, in the sentence of `shoal status`. The
// page asks often enough to show within two seconds that a node died.
async function watch() {
  const place = document.getElementById('state');
  try {
    // A key that may not ask proves by its refusal that the node serves.
    const state = await get('/cluster/state', { timeout: 5000 }).catch((error) => {
      if (error.status !== 401 && error.status !== 403) throw error;
      return freshness.stale ? { level: 'warning', says: `no leader for ${freshness.stale} s` } : { level: 'ok', says: 'serving' };
    });
    const text = `● ${state.says}`;
    if (place.textContent !== text) show(place, h('span', { class: colours[state.level], title: state.says }, text));
  } catch (error) {
    show(place, h('span', { class: 'bad', title: error.message }, error.status === 0 ? '● no answer' : '● unavailable'));
  }
  setTimeout(watch, 1000);
}

document.getElementById('key-button').addEventListener('click', askKey);
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address names the part
  toContent();
});
window.addEventListener('hashchange', () => {
  const [place, query] = address();
  if (shown.turn && shown.place === place) return shown.turn(query);
  toContent(); // the link that was followed may be gone
  open();
});
open();
watch();
