// The part Indexes: the list, one index with its settings, and dropping a file on it.

import { del, finished, get, indexes, patch, path, post, upload } from './api.js';
import { ago, bytes, count, dialog, fault, h, show, toast } from './dom.js';
import { may } from './rights.js';

export function indexesPart(root, [uid], signal) {
  return uid ? one(root, uid, signal) : list(root, signal);
}

// ask gets what the key may see; null is what it may not, or what does not answer.
const ask = (action, where, signal) => (may(action) ? get(where, { signal }).catch(() => null) : null);

async function list(root, signal) {
  const [all, stats, status] = await Promise.all([
    indexes(),
    ask('stats.get', '/stats', signal),
    ask('*', '/cluster/status', signal),
  ]);
  const placed = new Map((status?.indexes ?? []).map((x) => [x.uid, x]));
  const again = () => list(root, signal);
  const rows = all.map((x) => {
    const figures = stats?.indexes?.[x.uid];
    const place = placed.get(x.uid);
    return h('tr', { key: x.uid },
      h('th', { scope: 'row' }, h('a', { href: `#/indexes/${encodeURIComponent(x.uid)}` }, x.uid), figures?.isIndexing ? h('span', { class: 'tag warn' }, 'indexing') : null),
      h('td', { class: 'number' }, figures ? count(figures.numberOfDocuments) : '–'),
      h('td', { class: 'number' }, figures ? bytes(figures.rawDocumentDbSize) : '–'),
      h('td', { class: 'number' }, place ? `${place.shards.length}${place.shardsWanted ? ` → ${place.shardsWanted}` : ''}` : '–'),
      h('td', {}, place ? copies(place) : '–'),
      h('td', {}, x.primaryKey ?? '–'),
      h('td', {}, ago(x.updatedAt)),
      h('td', {}, may('search') && h('a', { href: `#/search/${encodeURIComponent(x.uid)}` }, 'search')));
  });
  show(root,
    h('div', { class: 'row' }, h('h1', {}, 'Indexes'), h('span', { class: 'grow' }),
      may('indexes.create') && h('button', { onclick: () => create().then((done) => done && again()) }, 'New index'),
      may('indexes.swap') && h('button', { class: 'quiet', disabled: all.length < 2, onclick: () => swap(all).then((done) => done && again()) }, 'Swap two')),
    all.length === 0
      ? h('div', { class: 'card empty' }, 'There is no index yet.')
      : h('div', { class: 'card scroll' }, h('table', {}, h('thead', {}, h('tr', {},
        h('th', {}, 'Index'), h('th', { class: 'number' }, 'Documents'), h('th', { class: 'number' }, 'Size'), h('th', { class: 'number' }, 'Shards'), h('th', {}, 'Copies'), h('th', {}, 'Primary key'), h('th', {}, 'Changed'), h('th', {}))),
      h('tbody', {}, rows))));
}

// copies says whether every shard has the copies it should have.
function copies(place) {
  const least = Math.min(...place.shards.map((s) => s.replicas.filter((r) => r.alive && r.state === 'inSync').length));
  const kind = least >= place.replicaGoal ? 'good' : least > 0 ? 'warn' : 'bad';
  return h('span', { class: kind }, least >= place.replicaGoal ? `${place.replicaGoal}` : `${least} of ${place.replicaGoal}`);
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
      place ? h('button', { class: 'quiet', onclick: () => resize(place).then((done) => done && again()) }, 'Shards and copies') : null,
      may('indexes.delete') && h('button', { class: 'danger', onclick: () => remove(uid) }, 'Delete')),
    h('div', { class: 'card row' },
      fact('Documents', stats ? count(stats.numberOfDocuments) : '–'), fact('Size', bytes(stats?.rawDocumentDbSize)),
      fact('Primary key', index.primaryKey ?? 'none yet'), fact('Shards', place?.shards.length ?? '–'), fact('Copies', place ? copies(place) : '–'), fact('Changed', ago(index.updatedAt))),
    may('documents.add') ? dropZone(uid, again) : null,
    settings ? settingsEditor(at, settings, again) : null,
    stats ? fields(stats) : null);
}

const fact = (name, value) => h('div', {}, h('div', { class: 'soft small' }, name), h('b', {}, value));

const fields = (stats) => h('details', { class: 'card' }, h('summary', {}, `Fields (${Object.keys(stats.fieldDistribution).length})`),
  h('div', { class: 'scroll' }, h('table', {}, h('tbody', {}, Object.entries(stats.fieldDistribution).map(([name, n]) =>
    h('tr', {}, h('th', { scope: 'row' }, name), h('td', { class: 'number' }, count(n))))))));

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
    h('label', { class: 'stack' }, 'Shards', h('input', { name: 'shards', type: 'number', min: 1, max: 256, value: place.shardsWanted ?? place.shards.length, oninput: tell })),
    h('label', { class: 'stack' }, 'Copies of each', h('input', { name: 'replicas', type: 'number', min: 1, max: 16, value: place.replicaGoal, oninput: tell })),
    said,
  ];
  function tell(event) {
    const f = event.target.form.elements;
    const size = place.shards.reduce((sum, s) => sum + s.bytes, 0);
    const lines = [];
    if (+f.shards.value !== place.shards.length) lines.push(`All ${count(place.documents)} documents (${bytes(size)} each copy) are written into ${f.shards.value} new shards.`);
    if (+f.replicas.value > place.replicaGoal) lines.push(`${+f.replicas.value - place.replicaGoal} more copies: about ${bytes(size * (f.replicas.value - place.replicaGoal))} go over the network.`);
    if (+f.replicas.value < place.replicaGoal) lines.push(`${place.replicaGoal - f.replicas.value} copies of each shard are dropped.`);
    show(said, lines.join(' ') || 'Nothing moves.');
  }
  return dialog(`Shards and copies of ${place.uid}`, form, {
    label: 'Apply',
    submit: (f) => patch(`/cluster/indexes/${encodeURIComponent(place.uid)}`, { shards: +f.elements.shards.value, replicas: +f.elements.replicas.value }),
  });
}

const types = { json: 'application/json', ndjson: 'application/x-ndjson', jsonl: 'application/x-ndjson', csv: 'text/csv' };

// dropZone takes files, sends them one after the other, and follows their tasks.
function dropZone(uid, again) {
  const progress = h('div', {});
  const choose = h('input', { type: 'file', accept: '.json,.ndjson,.jsonl,.csv', multiple: true, 'aria-label': 'Files with documents', onchange: () => take(choose.files) });
  const zone = h('div', { key: 'drop', own: uid, class: 'card drop' },
    h('p', {}, 'Drop a JSON, NDJSON or CSV file here, or choose one: '), choose, progress);
  zone.addEventListener('dragover', (event) => { event.preventDefault(); zone.classList.add('over'); });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => { event.preventDefault(); zone.classList.remove('over'); take(event.dataTransfer.files); });
  async function take(files) {
    for (const file of files) {
      const type = types[file.name.split('.').pop().toLowerCase()];
      if (!type) { toast(`${file.name}: the name must end in .json, .ndjson or .csv.`, true); continue; }
      const bar = h('progress', { max: 1, value: 0, 'aria-label': `Upload of ${file.name}` });
      const said = h('span', { role: 'status' }, `${file.name}: sending ${bytes(file.size)}`);
      show(progress, said, bar);
      try {
        const task = await upload(`${path('indexes', uid)}/documents`, file, type, (part) => { bar.value = part; });
        bar.removeAttribute('value');
        show(said, `${file.name}: indexing (task ${task.taskUid})`);
        const ended = await finished(task.taskUid);
        toast(`${file.name}: ${count(ended.details?.indexedDocuments ?? 0)} documents indexed.`);
        show(progress);
      } catch (error) {
        show(progress, fault(error));
        return;
      }
    }
    again();
  }
  return zone;
}

// forms are the settings that a person sets often, as lists of words.
const forms = [
  ['searchableAttributes', 'Searched fields, most important first (* for all)'],
  ['displayedAttributes', 'Shown fields (* for all)'],
  ['filterableAttributes', 'Fields for filters and facets'],
  ['sortableAttributes', 'Fields to sort by'],
  ['rankingRules', 'Ranking rules, in order'],
  ['stopWords', 'Stop words'],
];

// settingsEditor edits settings as a form or as JSON and shows what would change.
function settingsEditor(at, settings, again) {
  const text = JSON.stringify(settings, null, 2);
  const area = h('textarea', { class: 'code', spellcheck: 'false', 'aria-label': 'Settings as JSON', value: text });
  const lines = new Map();
  const fieldsets = forms.map(([name, label]) => {
    const plain = (settings[name] ?? []).every((v) => typeof v === 'string');
    if (!plain) return null; // rules of filterable attributes are edited as JSON
    const input = h('textarea', { rows: 3, value: (settings[name] ?? []).join('\n'), oninput: fromForm });
    lines.set(name, input);
    return h('label', { class: 'stack' }, `${label}, one a line`, input);
  });
  const typos = h('input', { type: 'checkbox', checked: settings.typoTolerance?.enabled ?? true, onchange: fromForm });
  function fromForm() {
    const next = JSON.parse(area.value);
    for (const [name, input] of lines) next[name] = input.value.split('\n').map((l) => l.trim()).filter(Boolean);
    next.typoTolerance = { ...next.typoTolerance, enabled: typos.checked };
    area.value = JSON.stringify(next, null, 2);
  }
  async function save() {
    let next;
    try {
      next = JSON.parse(area.value);
    } catch (error) {
      return toast(`This is no JSON: ${error.message}`, true);
    }
    const changed = Object.fromEntries(Object.entries(next).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(settings[name])));
    for (const name of Object.keys(settings)) if (!(name in next)) changed[name] = null;
    if (Object.keys(changed).length === 0) return toast('Nothing has changed.');
    const done = await dialog('Save these settings?', [
      h('div', {}, Object.entries(changed).map(([name, value]) => h('div', { class: 'changed' }, h('b', {}, name),
        h('pre', {}, h('del', {}, `- ${JSON.stringify(settings[name])}`), h('ins', {}, value === null ? '+ the default' : `+ ${JSON.stringify(value)}`)))))],
    { submit: async () => finished((await patch(`${at}/settings`, changed)).taskUid), wide: true });
    if (!done) return;
    toast('The settings are in force.');
    await again();
    document.getElementById('save-settings')?.focus({ preventScroll: true });
  }
  return h('section', { key: 'settings', own: text, class: 'card' }, h('h2', {}, 'Settings'),
    h('details', { open: true }, h('summary', {}, 'As a form'), h('div', { class: 'nodes' }, fieldsets, h('label', {}, typos, 'Tolerate typos'))),
    h('details', {}, h('summary', {}, 'As JSON'), area),
    may('settings.update') && h('div', { class: 'row' }, h('button', { id: 'save-settings', onclick: save }, 'Show the difference and save')));
}
