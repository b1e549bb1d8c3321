// The part Indexes: the list, and one index.

import { aliases } from './aliases.js';
import { del, finished, get, indexes, patch, path, post } from './api.js';
import { ago, bytes, count, dialog, filterBox, h, show, table } from './dom.js';
import { may } from './rights.js';
import { documents, whole } from './documents.js';
import { dropZone } from './files.js';
import { settingsEditor } from './settings.js';

// indexesPart shows the list, an index, its documents (UID/documents) or one of them.
export function indexesPart(root, [uid, below, id], signal, query) {
  if (below === 'documents') return id ? whole(root, uid, id, signal) : documents(root, uid, signal, query);
  return uid ? one(root, uid, signal) : list(root, signal);
}

// ask gets what the key may see; null is what it may not, or what does not answer.
const ask = (action, where, signal) => (may(action) ? get(where, { signal }).catch(() => null) : null);

const most = 200; // rows of the list

async function list(root, signal) {
  const [all, stats, status, named] = await Promise.all([
    indexes(),
    ask('stats.get', '/stats', signal),
    ask('*', '/cluster/status', signal),
    ask('*', '/cluster/aliases', signal),
  ]);
  const placed = new Map((status?.indexes ?? []).map((x) => [x.uid, x]));
  const again = () => list(root, signal);
  let [name, alias] = ['', '']; // what the lists are narrowed to
  function draw(wanted) {
    name = wanted;
    const found = all.filter((x) => x.uid.toLowerCase().includes(wanted.toLowerCase()));
    show(root,
      h('div', { class: 'row' }, h('h1', {}, 'Indexes'), h('span', { class: 'grow' }),
        may('indexes.create') && h('button', { onclick: () => create().then((done) => done && again()) }, 'New index'),
        may('indexes.swap') && h('button', { class: 'quiet', disabled: all.length < 2, onclick: () => swap(all).then((done) => done && again()) }, 'Swap two')),
      all.length > 10 ? h('div', { key: 'filter', class: 'card' }, filterBox('Filter by name', wanted, draw)) : null,
      found.length === 0
        ? h('div', { class: 'card empty' }, all.length === 0 ? 'There is no index yet.' : 'No index is named like this.')
        : h('div', { key: 'list', class: 'card' },
          table(['Index', number('Documents'), number('Size'), number('Shards'), 'Copies', 'Primary key', 'Changed', 'Search'], found.slice(0, most).map((x) => row(x, stats?.indexes?.[x.uid], placed.get(x.uid)))),
          found.length > most ? h('p', { class: 'soft' }, `${count(found.length - most)} more are not shown. Filter by name to find them.`) : null),
      named ? aliases(named.results, all, alias, (text) => { alias = text; draw(name); }, again) : null);
  }
  draw('');
}

const number = (text) => ({ text, number: true });

const row = (x, figures, place) => h('tr', { key: x.uid },
  h('th', { scope: 'row', class: 'long' }, h('a', { href: `#/indexes/${encodeURIComponent(x.uid)}` }, x.uid), figures?.isIndexing ? h('span', { class: 'tag warn' }, 'indexing') : null),
  h('td', {}, figures ? count(figures.numberOfDocuments) : '–'),
  h('td', {}, figures ? bytes(figures.rawDocumentDbSize) : '–'),
  h('td', {}, place ? `${place.shards.length}${place.shardsWanted ? ` → ${place.shardsWanted}` : ''}` : '–'),
  h('td', {}, place ? copies(place) : '–'),
  h('td', { class: 'long' }, x.primaryKey ?? '–'),
  h('td', {}, ago(x.updatedAt)),
  h('td', {}, may('search') && h('a', { href: `#/search/${encodeURIComponent(x.uid)}`, 'aria-label': `search in ${x.uid}` }, 'search')));

// copies says whether every shard has the copies it should have.
function copies(place) {
  const least = Math.min(...place.shards.map((s) => s.replicas.filter((r) => r.alive && r.state === 'inSync').length));
  const kind = least >= place.replicaGoal ? 'good' : least > 0 ? 'warn' : 'bad';
  return h('span', { class: kind, title: place.replicaReason ?? '' }, least >= place.replicaGoal ? `${place.replicaGoal}` : `${least} of ${place.replicaGoal}`);
}

const create = () => dialog('New index', [
  h('label', { class: 'stack' }, 'Name', h('input', { name: 'uid', required: true, pattern: '[A-Za-z0-9_\\-]+', autofocus: true, title: 'Letters, digits, - and _' })),
  h('label', { class: 'stack' }, 'Primary key (empty: found in the first documents)', h('input', { name: 'primaryKey' })),
], {
  label: 'Create',
  submit: async (form) => {
    const task = await post('/indexes', { uid: form.elements.uid.value, primaryKey: form.elements.primaryKey.value || undefined });
    await finished(task.taskUid);
  },
});

const swap = (all) => dialog('Swap two indexes', [
  h('p', { class: 'soft' }, 'The two exchange their names in one step: searches see either all of the old or all of the new.'),
  ...['a', 'b'].map((name, i) => h('label', { class: 'stack' }, i === 0 ? 'This' : 'and this', h('select', { name }, all.map((x, n) => h('option', { value: x.uid, selected: n === i }, x.uid))))),
], {
  label: 'Swap',
  submit: async (form) => {
    const task = await post('/swap-indexes', [{ indexes: [form.elements.a.value, form.elements.b.value] }]);
    await finished(task.taskUid);
  },
});

async function one(root, uid, signal) {
  const at = path('indexes', uid);
  const [index, stats, settings, status] = await Promise.all([
    get(at, { signal }),
    ask('stats.get', `${at}/stats`, signal),
    ask('settings.get', `${at}/settings`, signal),
    ask('*', '/cluster/status', signal),
  ]);
  const place = status?.indexes.find((x) => x.uid === uid);
  const again = () => one(root, uid, signal);
  show(root,
    h('p', {}, h('a', { href: '#/indexes' }, '← all indexes')),
    h('div', { class: 'row' }, h('h1', {}, uid), h('span', { class: 'grow' }),
      may('search') && h('a', { href: `#/search/${encodeURIComponent(uid)}` }, 'Search in it'),
      may('documents.get') && index.primaryKey && h('a', { href: `#${at}/documents` }, 'Documents'),
      may('tasks.get') && h('a', { href: `#/tasks?${new URLSearchParams({ index: uid })}` }, 'Tasks'),
      place ? h('button', { class: 'quiet', onclick: () => resize(place).then((done) => done && again()) }, 'Shards and copies') : null,
      may('indexes.delete') && h('button', { class: 'danger', onclick: () => remove(uid) }, 'Delete')),
    h('div', { class: 'card row' },
      fact('Documents', stats ? count(stats.numberOfDocuments) : '–'), fact('Size', bytes(stats?.rawDocumentDbSize)),
      fact('Primary key', index.primaryKey ?? 'none yet'), fact('Shards', place?.shards.length ?? '–'), fact('Copies', place ? copies(place) : '–'), fact('Changed', ago(index.updatedAt)),
      place ? h('p', { class: 'soft small' }, `Copies: ${place.replicaReason}.`) : null),
    may('documents.add') ? dropZone(uid, index.primaryKey, again) : null,
    settings ? settingsEditor(at, settings, again) : null,
    stats ? fields(stats) : null);
}

const fact = (name, value) => h('div', {}, h('div', { class: 'soft small' }, name), h('b', {}, value));

const fields = (stats) => h('details', { class: 'card' }, h('summary', {}, `Fields (${Object.keys(stats.fieldDistribution).length})`),
  table(['Field', number('Documents')], Object.entries(stats.fieldDistribution).map(([name, n]) =>
    h('tr', {}, h('th', { scope: 'row', class: 'long' }, name), h('td', {}, count(n))))));

async function remove(uid) {
  const done = await dialog(`Delete ${uid}`, [
    h('p', {}, 'All its documents and settings go. This cannot be undone.'),
    h('label', { class: 'stack' }, 'Type the name of the index', h('input', { name: 'uid', required: true, autocomplete: 'off' })),
  ], {
    label: 'Delete', danger: true,
    submit: async (form) => {
      if (form.elements.uid.value !== uid) throw new Error(`That is not ${uid}.`);
      await finished((await del(path('indexes', uid))).taskUid);
    },
  });
  if (done) location.hash = '#/indexes';
}

// resize asks for other numbers of shards and copies and says what that moves.
function resize(place) {
  const said = h('p', { class: 'soft', role: 'status' });
  const form = [
    h('p', { class: 'soft' }, 'Searches and writes go on meanwhile; answers stay the same.'),
    h('p', { class: 'soft' }, `Copies now: ${place.replicaReason}. 0 leaves their number to the size of the index.`),
    h('label', { class: 'stack' }, 'Shards', h('input', { name: 'shards', type: 'number', min: 1, max: 256, value: place.shardsWanted ?? place.shards.length, oninput: tell })),
    h('label', { class: 'stack' }, 'Copies of each', h('input', { name: 'replicas', type: 'number', min: 0, max: 16, value: place.replicaGoal, oninput: tell })),
    said,
  ];
  function tell(event) {
    const f = event.target.form.elements;
    const size = place.shards.reduce((sum, s) => sum + s.bytes, 0);
    const lines = [];
    if (+f.shards.value !== place.shards.length) lines.push(`All ${count(place.documents)} documents (${bytes(size)} each copy) are written into ${f.shards.value} new shards.`);
    if (+f.replicas.value === 0) lines.push('Their number follows the size of the index.');
    else if (+f.replicas.value > place.replicaGoal) lines.push(`${+f.replicas.value - place.replicaGoal} more copies: about ${bytes(size * (f.replicas.value - place.replicaGoal))} go over the network.`);
    else if (+f.replicas.value < place.replicaGoal) lines.push(`${place.replicaGoal - f.replicas.value} copies of each shard are dropped.`);
    show(said, lines.join(' ') || 'Nothing moves.');
  }
  return dialog(`Shards and copies of ${place.uid}`, form, {
    label: 'Apply',
    // What was not changed is not sent: a number that was set once is kept whatever the size.
    submit: (f) => patch(`/cluster/indexes/${encodeURIComponent(place.uid)}`, {
      shards: +f.elements.shards.value === (place.shardsWanted ?? place.shards.length) ? undefined : +f.elements.shards.value,
      replicas: +f.elements.replicas.value === place.replicaGoal ? undefined : +f.elements.replicas.value,
    }),
  });
}
