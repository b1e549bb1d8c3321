// The part Keys: list, create, restrict, delete. A new key is shown once to copy.

import { del, get, patch, path, post } from './api.js';
import { ago, dialog, h, pager, show, table, toast } from './dom.js';
import { may } from './rights.js';

// actions are all that a key can hold.
const actions = [
  '*', '*.get', 'search', 'documents.*', 'documents.add', 'documents.get', 'documents.delete', 'indexes.*', 'indexes.create', 'indexes.get',
  'indexes.update', 'indexes.delete', 'indexes.swap', 'indexes.compact', 'fields.post', 'settings.*', 'settings.get', 'settings.update', 'tasks.*',
  'tasks.get', 'tasks.cancel', 'tasks.delete', 'tasks.compact', 'stats.*', 'stats.get', 'metrics.*', 'metrics.get', 'dynamicSearchRules.*',
  'dynamicSearchRules.get', 'dynamicSearchRules.create', 'dynamicSearchRules.update', 'dynamicSearchRules.delete', 'dumps.*', 'dumps.create',
  'snapshots.*', 'snapshots.create', 'export', 'version', 'keys.get', 'keys.create', 'keys.update', 'keys.delete', 'experimental.get',
  'experimental.update', 'network.get', 'network.update', 'webhooks.*', 'webhooks.get', 'webhooks.create', 'webhooks.update', 'webhooks.delete',
  'chatCompletions', 'chats.*', 'chats.get', 'chats.delete', 'chatsSettings.*', 'chatsSettings.get', 'chatsSettings.update',
];

const perPage = 50;

// keys shows a page of keys; the address says which.
export async function keys(root, _, signal, address) {
  const at = Math.max(1, Math.floor(Number(new URLSearchParams(address).get('page')) || 1));
  const page = await get(`/keys?limit=${perPage}&offset=${(at - 1) * perPage}`, { signal });
  const again = () => keys(root, _, signal, address);
  show(root,
    h('div', { class: 'row' }, h('h1', {}, 'Keys'), h('span', { class: 'grow' }), may('keys.create') ? h('button', { onclick: () => create().then((done) => done && again()) }, 'New key') : null),
    h('div', { class: 'card' }, table(['Name', 'May', 'Indexes', 'Expires', 'Made', 'Actions'], page.results.map((k) => h('tr', { key: k.uid },
        h('th', { scope: 'row' }, k.name ?? h('span', { class: 'soft' }, 'no name'), h('div', { class: 'soft small' }, k.description ?? '')),
        h('td', {}, k.actions.map((a) => h('span', { class: 'tag' }, a))), h('td', { class: 'long' }, k.indexes.join(', ')), h('td', {}, expiry(k)), h('td', {}, ago(k.createdAt)),
        h('td', {}, h('div', { class: 'row' },
          h('button', { class: 'quiet', onclick: () => copy(k.key) }, 'Copy'),
          may('keys.update') && h('button', { class: 'quiet', onclick: () => rename(k).then((done) => done && again()) }, 'Rename'),
          may('keys.delete') && h('button', { class: 'danger', onclick: () => remove(k).then((done) => done && again()) }, 'Delete')))))),
    page.results.length === 0 ? h('p', { class: 'empty' }, 'No key.') : null),
    pager(at, Math.ceil(page.total / perPage), (to) => { location.hash = `#/keys?page=${to}`; }));
}

function expiry(k) {
  if (!k.expiresAt) return 'never';
  return h('span', { class: Date.parse(k.expiresAt) < Date.now() ? 'bad' : null }, new Date(k.expiresAt).toLocaleString());
}

async function copy(key) {
  try {
    await navigator.clipboard.writeText(key);
    toast('The key is on the clipboard.');
  } catch {
    await dialog('Key', h('pre', {}, key)); // without https a browser may refuse the clipboard
  }
}

async function create() {
  const boxes = h('fieldset', {}, h('legend', {}, 'May'), h('div', { class: 'row small' }, actions.map((a) => h('label', {}, h('input', { type: 'checkbox', name: 'action', value: a, checked: a === 'search' }), a))));
  let made;
  const done = await dialog('New key', [
    h('label', { class: 'stack' }, 'Name', h('input', { name: 'name', autofocus: true })),
    boxes,
    h('label', { class: 'stack' }, 'Indexes, with commas between (* for all, films-* by beginning)', h('input', { name: 'indexes', value: '*' })),
    h('label', { class: 'stack' }, 'Expires (empty: never)', h('input', { name: 'expires', type: 'datetime-local' })),
  ], {
    label: 'Make it', wide: true,
    submit: async (form) => {
      const may = [...form.querySelectorAll('input[name=action]:checked')].map((box) => box.value);
      const expires = form.elements.expires.value;
      made = await post('/keys', {
        name: form.elements.name.value || null, actions: may,
        indexes: form.elements.indexes.value.split(',').map((x) => x.trim()).filter(Boolean),
        expiresAt: expires ? new Date(expires).toISOString() : null,
      });
    },
  });
  if (done) await dialog('The new key', [h('pre', {}, made.key), h('button', { type: 'button', onclick: () => copy(made.key) }, 'Copy')]);
  return done;
}

const rename = (k) => dialog('Rename', [
  h('label', { class: 'stack' }, 'Name', h('input', { name: 'name', value: k.name ?? '' })),
  h('label', { class: 'stack' }, 'Description', h('input', { name: 'description', value: k.description ?? '' })),
], { submit: (form) => patch(path('keys', k.uid), { name: form.elements.name.value || null, description: form.elements.description.value || null }) });

const remove = (k) => dialog('Delete this key?', h('p', {}, `${k.name ?? k.uid}: whoever uses it is refused from now on.`),
  { label: 'Delete', danger: true, submit: () => del(path('keys', k.uid)) });
