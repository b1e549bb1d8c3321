// The part Tasks: tasks as they change, with progress and the reason of waiting.

import { changes, del, get, path, post } from './api.js';
import { ago, count, dialog, duration, fault, h, later, show, table, toast } from './dom.js';
import { may } from './rights.js';

const statuses = ['enqueued', 'processing', 'succeeded', 'failed', 'canceled'];
const kinds = { succeeded: 'good', failed: 'bad', canceled: 'soft', processing: 'warn', enqueued: 'soft' };

// What a cluster keeps to be restored from: the action, the route, and its name.
const backups = [['dumps.create', '/dumps', 'Make a dump'], ['snapshots.create', '/snapshots', 'Make a snapshot']];

// tasks shows a page of tasks; the address says which: status, index, and from, the uid of
// the newest one.
export async function tasks(root, [uid], signal, address) {
  if (uid) return one(root, uid, signal);
  const state = {};
  const rows = h('div', {});
  const status = h('select', { 'aria-label': 'Status', onchange: () => open({ status: status.value, from: '' }) }, h('option', { value: '' }, 'any status'), statuses.map((s) => h('option', { value: s }, s)));
  const index = h('input', { placeholder: 'index', 'aria-label': 'Index', autocomplete: 'off', oninput: later(150, () => { if (!signal.aborted) open({ index: index.value.trim(), from: '' }, 'replaceState'); }) });
  show(root, h('h1', {}, 'Tasks'), h('div', { class: 'card row' }, status, index, h('span', { class: 'grow' }),
    backups.filter(([action]) => may(action)).map(([, route, label]) => h('button', { class: 'quiet', onclick: () => run(() => post(route), `${label}: it is among the tasks.`) }, label)),
    may('tasks.delete') ? h('button', { class: 'danger', onclick: clear }, 'Forget ended tasks') : null), rows);

  // read takes over what an address says, which anybody may have written.
  function read(text) {
    const query = new URLSearchParams(text);
    Object.assign(state, { status: statuses.includes(query.get('status')) ? query.get('status') : '', index: query.get('index') ?? '', from: /^\d{1,10}$/.test(query.get('from')) ? query.get('from') : '' });
    status.value = state.status;
    if (index !== document.activeElement) index.value = state.index;
  }

  // open notes what is asked for in the address and shows it.
  function open(change, note = 'pushState') {
    Object.assign(state, change);
    const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== ''));
    history[note](null, '', `#/tasks${query.size > 0 ? `?${query}` : ''}`);
    return load();
  }

  function turn(text) {
    read(text);
    return load();
  }

  let newest = null; // what was drawn last
  let loading = false;
  let asking = new AbortController();
  // load asks for what is shown; a newer call ends an older one.
  async function load() {
    asking.abort();
    asking = new AbortController();
    const mine = AbortSignal.any([signal, asking.signal]);
    loading = true;
    const query = new URLSearchParams({ limit: '25' });
    if (state.status) query.set('statuses', state.status);
    if (state.index) query.set('indexUids', state.index);
    if (state.from) query.set('from', state.from);
    try {
      const [page, batches] = await Promise.all([get(`/tasks?${query}`, { signal: mine }), get('/batches?statuses=processing&limit=20', { signal: mine })]);
      // Only the cluster knows what a task waits for.
      const waits = page.results.some((t) => t.status === 'enqueued');
      const cluster = waits && may('*') ? await get('/cluster/status', { signal: mine }).catch(() => null) : null;
      if (mine.aborted) return;
      newest = [page, batches.results, cluster];
      draw(...newest);
    } catch (error) {
      if (!mine.aborted) show(rows, fault(error));
    } finally {
      if (!mine.aborted) loading = false;
    }
  }

  function draw(page, running, cluster) {
    const open = new Map(running.map((b) => [b.uid, b]));
    show(rows, h('div', { class: 'card' }, table([{ text: 'Task', number: true }, 'Kind', 'Index', 'Status', 'What', 'Took', 'Enqueued', 'Action'], page.results.map((t) => h('tr', { key: t.uid },
      h('td', {}, h('a', { href: `#/tasks/${t.uid}` }, t.uid)), h('td', {}, t.type), h('td', { class: 'long' }, t.indexUid ?? '–'),
      h('td', { class: kinds[t.status] }, t.status), h('td', { class: 'long' }, what(t, open, running, cluster)), h('td', {}, duration(t.duration)), h('td', {}, ago(t.enqueuedAt)),
      h('td', {}, may('tasks.cancel') && (t.status === 'enqueued' || t.status === 'processing') ? h('button', { class: 'danger', onclick: () => cancel(t.uid) }, 'Cancel') : null)))),
    page.results.length === 0 ? h('p', { class: 'empty' }, 'No task.') : null,
    h('div', { class: 'row' },
      h('button', { class: 'quiet', disabled: state.from === '', onclick: () => open({ from: '' }) }, 'Newest'),
      h('button', { class: 'quiet', disabled: page.next === null, onclick: () => open({ from: String(page.next) }) }, 'Older'),
      h('span', { class: 'soft' }, `${count(page.total)} in all`))));
  }

  async function cancel(task) {
    await run(() => post(`/tasks/cancel?uids=${task}`), `Task ${task} will be cancelled.`);
  }

  async function clear() {
    const yes = await dialog('Forget ended tasks', h('p', {}, 'All tasks that succeeded, failed or were cancelled leave the list. Their effects stay.'),
      { label: 'Forget them', danger: true, submit: () => del('/tasks?statuses=succeeded,failed,canceled') });
    if (yes) load();
  }

  async function run(request, said) {
    try {
      await request();
      toast(said);
    } catch (error) {
      toast(error.message, true);
    }
    load();
  }

  await turn(address);
  changes(signal, load);
  // Times go on while nothing changes, and so may what a task waits for.
  const timer = setInterval(() => {
    if (document.hidden || newest === null) return;
    if (!newest[2]) draw(...newest); else if (!loading) load();
  }, 2000);
  signal.addEventListener('abort', () => clearInterval(timer));
  return turn;
}

// what says how far a task is, why it failed, or why it waits.
function what(t, open, running, cluster) {
  if (t.status === 'failed') return h('span', { class: 'bad' }, t.error.message);
  if (t.status === 'processing') return steps(open.get(t.batchUid)) ?? 'under way';
  if (t.status === 'enqueued') return h('span', {}, 'waits: ', reason(t, running, cluster));
  const d = t.details ?? {};
  if (d.indexedDocuments !== undefined && d.indexedDocuments !== null) return `${count(d.indexedDocuments)} of ${count(d.receivedDocuments ?? d.indexedDocuments)} documents`;
  if (d.deletedDocuments !== undefined && d.deletedDocuments !== null) return `${count(d.deletedDocuments)} deleted`;
  return '';
}

// reason is why an enqueued task does not run: what the cluster says of it, or the
// batch of its index that runs before it.
function reason(t, running, cluster) {
  const said = cluster?.waiting?.find((w) => w.taskUid === t.uid || (w.indexUid !== undefined && w.indexUid === t.indexUid));
  if (said) return said.reason;
  const before = running.find((b) => b.stats?.indexUids?.[t.indexUid] !== undefined);
  if (before) return h('span', {}, `batch ${before.uid} of this index is under way: `, steps(before) ?? '');
  const broken = cluster?.indexes.find((x) => x.uid === t.indexUid)?.shards.find((s) => !s.replicas.some((r) => r.alive && r.state === 'inSync'));
  if (broken) return `shard ${broken.number} has no copy that answers (${broken.replicas.map((r) => r.name).join(', ')})`;
  if (cluster && !cluster.leader) return 'the cluster has no leader';
  return 'it is next';
}

// steps is the innermost step of a batch that runs.
function steps(batch) {
  const list = batch?.progress?.steps;
  if (!list || list.length === 0) return null;
  const last = list[list.length - 1];
  return h('span', {}, `${list.map((s) => s.currentStep).join(' › ')} ${count(last.finished)}/${count(last.total)} `,
    h('progress', { max: 100, value: batch.progress.percentage, 'aria-label': 'Progress' }));
}

async function one(root, uid, signal) {
  async function load() {
    const task = await get(path('tasks', uid), { signal });
    const batch = task.batchUid === null || task.batchUid === undefined ? null : await get(path('batches', String(task.batchUid)), { signal }).catch(() => null);
    if (signal.aborted) return task;
    show(root, h('p', {}, h('a', { href: '#/tasks' }, '← all tasks')), h('h1', {}, `Task ${uid}`),
      task.error ? fault(task.error) : null,
      h('div', { class: 'card' }, h('h2', {}, 'Task'), h('pre', {}, JSON.stringify(task, null, 2))),
      batch ? h('div', { class: 'card' }, h('h2', {}, `Batch ${batch.uid}`), h('pre', {}, JSON.stringify(batch, null, 2))) : null);
    return task;
  }
  const ended = new AbortController();
  const look = async () => { if ((await load()).finishedAt) ended.abort(); };
  await look();
  // What cannot be had now is shown as it was.
  if (!ended.signal.aborted) changes(AbortSignal.any([signal, ended.signal]), () => look().catch(() => null));
}
