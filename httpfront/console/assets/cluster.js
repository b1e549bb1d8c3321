// The part Cluster: nodes as columns, shards as cells, and what each node does.

import { del, get, path, post } from './api.js';
import { bytes, count, counted, dialog, fault, filterBox, h, show, span, table, toast } from './dom.js';
import { links, observed, spark } from './observation.js';

// Samples of the last minutes, kept while the page is open, by node.
const history = new Map();
const kept = 150;

const most = 200; // indexes on the map

// cluster shows the cluster, or what its nodes remember (history, slow, log).
export function cluster(root, [below], signal, address) {
  return observed[below] ? observed[below](root, signal, address) : whole(root, signal);
}

async function whole(root, signal) {
  const nodes = h('div', { class: 'nodes' });
  const head = h('div', { class: 'card' });
  const map = h('div', {});
  const filter = h('div', {});
  let newest = null;
  let wanted = '';
  show(root, h('h1', {}, 'Cluster'), head, h('div', { class: 'card' }, links()), nodes, h('h2', { class: 'below' }, 'Shards'), filter, map);

  const narrow = (text) => { wanted = text; show(map, shards(newest, wanted)); };

  async function load() {
    try {
      const [status, activity] = await Promise.all([get('/cluster/status', { signal }), get('/cluster/activity', { signal }).catch(() => null)]);
      remember(activity);
      summary(head, status);
      show(nodes, status.nodes.map((n) => node(n, status, load)));
      newest = status;
      if (status.indexes.length > 10) show(filter, h('div', { class: 'card' }, filterBox('Filter by name', wanted, narrow)));
      show(map, shards(status, wanted));
    } catch (error) {
      if (!signal.aborted) show(head, fault(error));
    }
  }
  await load();
  const timer = setInterval(() => { if (!document.hidden) load(); }, 2000);
  signal.addEventListener('abort', () => clearInterval(timer));
}

function summary(head, status) {
  const copies = status.indexes.flatMap((x) => x.shards.flatMap((s) => s.replicas));
  show(head, h('div', { class: 'row' },
    h('b', { class: { ok: 'good', warning: 'warn', critical: 'bad' }[status.state.level] }, status.state.says),
    h('span', {}, `${counted(status.nodes.length, 'node', 'nodes')}, leader ${status.leader || 'none'}`),
    h('span', { class: 'soft' }, `${counted(status.indexes.length, 'index', 'indexes')}, ${counted(copies.length, 'copy', 'copies')}`)),
  (status.waits ?? []).map((w) => h('p', { class: 'warn' }, w)),
  (status.decisions ?? []).slice(-8).reverse().map((d) => h('p', { class: 'soft small' }, `${new Date(d.at).toLocaleString()} · ${d.reason}`)));
}

function remember(activity) {
  for (const n of activity?.nodes ?? []) {
    const list = history.get(n.id) ?? [];
    const before = list[list.length - 1];
    const seconds = before ? (n.at - before.at) / 1000 : 0;
    // A counter that went back belongs to a process that has been started again.
    const rate = (name) => (before && seconds > 0 && n[name] >= before[name] ? (n[name] - before[name]) / seconds : 0);
    if (!before || n.at > before.at) list.push({ ...n, searchRate: rate('searches'), documentRate: rate('documents') });
    history.set(n.id, list.slice(-kept));
  }
}

// node is the card of one member: what it does now and over the last minutes.
function node(n, status, again) {
  const list = history.get(n.id) ?? [];
  const now = n.alive ? list[list.length - 1] : undefined; // figures of a dead node are old
  const leads = status.leader === n.name;
  return h('section', { key: n.id, class: 'card', 'aria-label': n.name },
    h('div', { class: 'row' }, h('b', {}, n.name),
      h('span', { class: n.alive ? 'tag good' : 'tag bad' }, n.alive ? 'up' : 'dead'),
      leads ? h('span', { class: 'tag' }, 'leader') : n.votes && n.alive ? h('span', { class: 'tag soft' }, 'votes') : null,
      n.draining ? h('span', { class: 'tag warn' }, 'draining') : null),
    h('div', { class: 'soft small' }, `${n.http || '–'}${n.zone ? ` · zone ${n.zone}` : ''} · ${n.inSync} of ${n.replicas} copies in sync${n.lag ? ` · ${count(n.lag)} entries behind` : ''}`),
    now ? [
      spark(list.map((s) => s.searchRate), `searches a second, now ${now.searchRate.toFixed(1)}`, kept),
      h('div', { class: 'figures' },
        figure('Searches', `${now.searchRate.toFixed(1)}/s`), figure('p50 · p99', `${span(now.searchP50 / 1000)} · ${span(now.searchP99 / 1000)}`),
        figure('Documents', `${count(Math.round(now.documentRate))}/s`), figure('Memory', bytes(now.memory)),
        figure('Disk used', bytes(now.diskUsed)), figure('Disk free', bytes(now.diskFree)))] : null,
    h('div', { key: 'acts', class: 'row small' },
      n.draining
        ? h('button', { class: 'quiet', onclick: () => act(() => del(`${path('cluster', 'nodes', n.id)}/drain`), `${n.name} takes copies again.`, again) }, 'Undo drain')
        : h('button', { class: 'quiet', onclick: () => drain(n, status, again) }, 'Drain'),
      h('button', { class: 'danger', onclick: () => remove(n, again) }, 'Remove')));
}

const figure = (name, value) => h('div', {}, h('span', { class: 'soft' }, `${name} `), h('b', {}, value));

async function act(request, said, again) {
  try {
    await request();
    toast(said);
  } catch (error) {
    toast(error.message, true);
  }
  again();
}

async function drain(n, status, again) {
  const held = status.indexes.flatMap((x) => x.shards.filter((s) => s.replicas.some((r) => r.node === n.id)).map((s) => s.bytes));
  const done = await dialog(`Drain ${n.name}`, h('p', {}, `${count(held.length)} copies (about ${bytes(held.reduce((a, b) => a + b, 0))} of documents) move to other nodes; it serves meanwhile. Afterwards it can be stopped and removed.`),
    { label: 'Drain', submit: () => post(`${path('cluster', 'nodes', n.id)}/drain`, {}) });
  if (done) again();
}

async function remove(n, again) {
  const done = await dialog(`Remove ${n.name}`, [
    h('p', {}, n.alive ? 'It still runs. Drain it first and stop it, or its copies are lost to the cluster and made anew from others.' : 'It leaves the cluster for good; a new node may take its name.'),
    h('label', { class: 'stack' }, 'Type the name of the node', h('input', { name: 'node', required: true, autocomplete: 'off' })),
  ], {
    label: 'Remove', danger: true,
    submit: async (form) => {
      if (form.elements.node.value !== n.name) throw new Error(`That is not ${n.name}.`);
      await del(path('cluster', 'nodes', n.id));
    },
  });
  if (done) again();
}

// shards is the map: a row a shard, a column a node, a cell a copy. wanted narrows it.
function shards(status, wanted) {
  const found = status.indexes.filter((x) => x.uid.toLowerCase().includes(wanted.toLowerCase()));
  if (found.length === 0) return h('div', { class: 'card empty' }, status.indexes.length === 0 ? 'There is no index yet.' : 'No index is named like this.');
  const rows = found.slice(0, most).flatMap((x) => x.shards.map((s) => h('tr', { key: `${x.uid}/${s.number}` },
    h('th', { scope: 'row', class: 'long' }, h('a', { href: `#/indexes/${encodeURIComponent(x.uid)}` }, x.uid), h('span', { class: 'soft' }, ` shard ${s.number}`)),
    h('td', {}, count(s.documents)), h('td', {}, bytes(s.bytes)),
    status.nodes.map((n) => {
      const r = s.replicas.find((c) => c.node === n.id);
      if (!r) return h('td', {});
      const state = r.alive ? r.state : 'dead';
      return h('td', {}, h('span', { class: `copy ${state}`, title: `${x.uid}, shard ${s.number}, on ${n.name}` }, { inSync: 'in sync', caughtUp: 'caught up', copying: 'copying', dead: 'dead' }[state]));
    }))));
  return h('div', { class: 'card' }, table(['Index', { text: 'Documents', number: true }, { text: 'Size', number: true }, ...status.nodes.map((n) => n.name)], rows),
    found.length > most ? h('p', { class: 'soft' }, `${count(found.length - most)} more indexes are not drawn. Filter by name to find them.`) : null);
}
