// The documents of an index: pages of them, and one with all it has.

import { del, finished, get, path, post } from './api.js';
import { counted, dialog, fault, flat, h, pager, show, toast } from './dom.js';
import { may } from './rights.js';

const perPage = 20;

// documents pages through the documents of an index. The address holds page and filter.
export async function documents(root, uid, signal, address) {
  const { primaryKey } = await get(path('indexes', uid), { signal });
  const at = `${path('indexes', uid)}/documents`;
  const list = h('div', {});
  const filter = h('input', { 'aria-label': 'Filter', placeholder: 'Filter, as year > 2000 AND genre = Drama', autocomplete: 'off', spellcheck: 'false', class: 'wide', onchange: () => open(1) });
  show(root,
    h('p', {}, h('a', { href: `#${path('indexes', uid)}` }, `← ${uid}`)),
    h('h1', {}, `Documents of ${uid}`),
    h('div', { class: 'card' }, filter), list);

  // open writes the page into the address, which shows it.
  function open(page) {
    const to = new URLSearchParams();
    if (page > 1) to.set('page', page);
    if (filter.value.trim()) to.set('filter', filter.value.trim());
    location.hash = `#${at}${to.size > 0 ? `?${to}` : ''}`;
  }

  async function turn(text) {
    const query = new URLSearchParams(text);
    const page = Math.max(1, Math.floor(Number(query.get('page')) || 1));
    filter.value = query.get('filter') ?? '';
    try {
      const answer = await post(`${at}/fetch`, { limit: perPage, offset: (page - 1) * perPage, filter: filter.value || undefined }, { signal });
      show(list, answer.results.length === 0 ? h('div', { class: 'card empty' }, 'No document.') : h('div', { class: 'card' },
        h('p', { class: 'soft small', role: 'status' }, counted(answer.total, 'document', 'documents')),
        answer.results.map((d) => summary(d, primaryKey, at))), pager(page, Math.ceil(answer.total / perPage), open));
    } catch (error) {
      if (!signal.aborted) show(list, fault(error));
    }
  }
  await turn(address);
  return turn;
}

const summary = (d, primaryKey, at) => h('div', { key: d[primaryKey], class: 'document' },
  h('a', { href: `#${at}${path(String(d[primaryKey]))}` }, String(d[primaryKey])), ' ',
  h('span', { class: 'soft', dir: 'auto' }, flat(Object.fromEntries(Object.entries(d).filter(([name]) => name !== primaryKey))).slice(0, 300)));

// whole shows all of a document.
export async function whole(root, uid, id, signal) {
  const at = `${path('indexes', uid)}/documents`;
  const d = await get(`${at}${path(id)}`, { signal });
  show(root,
    h('p', {}, h('a', { href: `#${at}` }, `← documents of ${uid}`)),
    h('div', { class: 'row' }, h('h1', {}, id), h('span', { class: 'grow' }), may('documents.delete') && h('button', { type: 'button', class: 'danger', onclick: () => remove(at, id) }, 'Delete')),
    h('dl', { class: 'card fields whole' }, Object.entries(d).map(([name, value]) => [h('dt', {}, name), h('dd', { dir: 'auto' }, typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value))])));
}

async function remove(at, id) {
  const done = await dialog(`Delete document ${id}?`, h('p', {}, 'This cannot be undone.'),
    { label: 'Delete it', danger: true, submit: async () => finished((await del(`${at}${path(id)}`)).taskUid) });
  if (!done) return;
  toast(`Document ${id} is deleted.`);
  location.hash = `#${at}`;
}
