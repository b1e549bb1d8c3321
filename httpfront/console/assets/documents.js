// The documents of an index: pages of them, and one with all it has.

import { del, finished, get, path, post } from './api.js';
import { counted, dialog, fault, h, pager, show, toast } from './dom.js';
import { exact, flat, laidOut, plain, written } from './exact.js';
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
      const answer = await post(`${at}/fetch`, { limit: perPage, offset: (page - 1) * perPage, filter: filter.value || undefined }, { signal, read: exact });
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

const summary = (d, primaryKey, at) => h('div', { key: written(d[primaryKey]), class: 'document' },
  h('a', { href: `#${at}${path(written(d[primaryKey]))}` }, written(d[primaryKey])), ' ',
  h('span', { class: 'soft', dir: 'auto' }, flat(Object.fromEntries(Object.entries(d).filter(([name]) => name !== primaryKey))).slice(0, 300)));

const raw = (text) => text;

// whole shows all of a document.
export async function whole(root, uid, id, signal) {
  const at = `${path('indexes', uid)}/documents`;
  const [{ primaryKey }, text] = await Promise.all([get(path('indexes', uid), { signal }), get(`${at}${path(id)}`, { signal, read: raw })]);
  const again = () => whole(root, uid, id, signal);
  show(root,
    h('p', {}, h('a', { href: `#${at}` }, `← documents of ${uid}`)),
    h('div', { class: 'row' }, h('h1', {}, id), h('span', { class: 'grow' }),
      may('documents.add') && h('button', { type: 'button', onclick: () => edit(at, id, primaryKey).then((done) => done && again()) }, 'Edit'),
      may('documents.delete') && h('button', { type: 'button', class: 'danger', onclick: () => remove(at, id) }, 'Delete')),
    h('dl', { class: 'card fields whole' }, Object.entries(exact(text)).map(([name, value]) => [h('dt', {}, name), h('dd', { dir: 'auto' }, plain(value) ? written(value) : JSON.stringify(value, null, 2))])));
}

// edit changes a document as the text that it is: what is typed goes to the cluster as it
// stands. Vectors are part of it, because the text replaces the document.
async function edit(at, id, primaryKey) {
  const where = `${at}${path(id)}?retrieveVectors=true`;
  const before = await get(where, { read: raw });
  const area = h('textarea', { class: 'code', rows: 18, spellcheck: 'false', 'aria-label': `Document ${id} as JSON`, autofocus: true, value: laidOut(withoutEmptyVectors(before)) });
  const done = await dialog(`Edit document ${id}`, [h('p', { class: 'soft' }, 'It is replaced by what stands here: a member that is taken out is gone. Numbers stay as they are written.'), area], {
    wide: true,
    submit: async () => {
      check(area.value, primaryKey, id);
      if (await get(where, { read: raw }) !== before) throw new Error('Somebody else has changed this document meanwhile. Copy what you need, close this and edit it anew.');
      await finished((await post(at, area.value)).taskUid);
    },
  });
  if (done) toast(`Document ${id} is saved.`);
  return done;
}

// withoutEmptyVectors takes away the member that says there are none.
const withoutEmptyVectors = (text) => text.replace(/,"_vectors":\{\}\}$/, '}');

// check throws what is wrong with the text of a document.
function check(text, primaryKey, id) {
  let given;
  try {
    given = exact(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${error.message}`);
  }
  if (plain(given) || Array.isArray(given)) throw new Error('A document is an object: {"name": value}.');
  if (!plain(given[primaryKey]) || written(given[primaryKey]) !== id) throw new Error(`${primaryKey} must stay ${id}: with another one it would be another document.`);
}

async function remove(at, id) {
  const done = await dialog(`Delete document ${id}?`, h('p', {}, 'This cannot be undone.'),
    { label: 'Delete it', danger: true, submit: async () => finished((await del(`${at}${path(id)}`)).taskUid) });
  if (!done) return;
  toast(`Document ${id} is deleted.`);
  location.hash = `#${at}`;
}
