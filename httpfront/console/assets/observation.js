// What the nodes remember: figures of a day, slow requests, and the newest lines of the log.

import { get, patch } from './api.js';
import { bytes, count, fault, h, later, show, span, svg, table, toast } from './dom.js';

// observed are the pages below Cluster, by the last segment of their address.
export const observed = { history: day, slow, log };

// links lead to them.
export const links = () => h('nav', { class: 'row', 'aria-label': 'What the nodes remember' },
  [['history', 'The last day'], ['slow', 'Slow requests'], ['log', 'Log']].map(([name, title]) => h('a', { href: `#/cluster/${name}` }, title)));

const back = () => h('p', {}, h('a', { href: '#/cluster' }, '← cluster'));

// repeat loads a page again and again while somebody sees it.
function repeat(ms, load, signal) {
  const timer = setInterval(() => { if (!document.hidden) load(); }, ms);
  signal.addEventListener('abort', () => clearInterval(timer));
}

// spark draws a line of values over time, from nought. Room is for as many values as across.
export function spark(values, label, across = values.length) {
  const most = Math.max(0, ...values) || 1;
  const points = values.map((v, i) => `${((i / Math.max(1, across - 1)) * 300).toFixed(1)},${(40 - (v / most) * 36).toFixed(1)}`);
  return svg('svg', { class: 'spark', viewBox: '0 0 300 42', preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
    svg('path', { d: points.length > 0 ? `M${points.join('L')}` : '' }));
}

// rates are the growth of a counter by the second between samples. A counter that went back
// belongs to a process that has been started again.
const rates = (samples, name) => samples.slice(1).map((s, i) => (s.at > samples[i].at && s[name] >= samples[i][name] ? (s[name] - samples[i][name]) / ((s.at - samples[i].at) / 1000) : 0));

// The figures of a day: a title, the values of the samples, and how a value is written.
const figures = [
  ['Searches a second', (list) => rates(list, 'searches'), (v) => v.toFixed(1)],
  ['Slowest searches (p99)', (list) => list.map((s) => s.searchP99), (v) => span(v / 1000)],
  ['Documents a second', (list) => rates(list, 'documents'), (v) => count(Math.round(v))],
  ['Memory', (list) => list.map((s) => s.memory), bytes],
  ['Disk used', (list) => list.map((s) => s.diskUsed), bytes],
  ['Disk free', (list) => list.map((s) => s.diskFree), bytes],
];

const number = (text) => ({ text, number: true });

// day shows what the nodes did, a table for each figure.
async function day(root, signal) {
  const body = h('div', {});
  show(root, back(), h('h1', {}, 'The last day'), body);
  async function load() {
    try {
      const { nodes } = await get('/cluster/history?points=288', { signal });
      show(body, h('p', { class: 'soft' }, 'A sample a minute, since the node was started. It forgets them when it ends.'),
        figures.map(([title, values, text]) => h('section', { class: 'card', 'aria-label': title }, h('h2', {}, title),
          table(['Node', 'Course', number('Least'), number('Most'), number('Now'), number('Since')], nodes.map((n) => row(n, values(n.samples), text))))));
    } catch (error) {
      if (!signal.aborted) show(body, fault(error));
    }
  }
  await load();
  repeat(30000, load, signal);
}

function row(n, values, text) {
  const [least, most, now] = values.length > 0 ? [Math.min(...values), Math.max(...values), values.at(-1)].map(text) : ['–', '–', '–'];
  return h('tr', { key: n.id }, h('th', { scope: 'row' }, n.name),
    h('td', { class: 'course' }, spark(values, `${n.name}: least ${least}, most ${most}, now ${now}`)),
    h('td', {}, least), h('td', {}, most), h('td', {}, now), h('td', {}, span((n.samples.at(-1).at - n.samples[0].at) / 1000)));
}

// Thresholds to choose from, in ms.
const thresholds = [50, 100, 200, 500, 1000, 2000, 5000];

// slow shows which requests took long and where their time went.
async function slow(root, signal) {
  const list = h('div', {});
  const { thresholdMs, showQuery } = await get('/cluster/slow-log', { signal });
  const choices = [...new Set([...thresholds, ...(thresholdMs ? [thresholdMs] : [])])].sort((a, b) => a - b);
  const threshold = h('select', { 'aria-label': 'Note requests', onchange: () => set({ thresholdMs: threshold.value ? Number(threshold.value) : null }) },
    h('option', { value: '', selected: !thresholdMs }, 'only searches of over 1 s'),
    choices.map((ms) => h('option', { value: ms, selected: ms === thresholdMs }, `of ${span(ms / 1000)} and more`)));
  const query = h('input', { type: 'checkbox', checked: showQuery, onchange: () => set({ showQuery: query.checked }) });
  async function set(change) {
    await patch('/cluster/slow-log', change);
    toast('In force on all nodes from the next request on.');
  }
  show(root, back(), h('h1', {}, 'Slow requests'),
    h('div', { class: 'card' }, h('div', { class: 'row' }, h('label', {}, 'Note requests ', threshold), h('label', {}, query, 'With what was searched for')),
      h('p', { class: 'soft small' }, 'Without a threshold nothing says where their time went. What is noted also stands in the logs of the nodes. What people search for is theirs: note it only while you need it.')), list);
  async function load() {
    try {
      const { results } = await get('/cluster/slow-requests', { signal });
      show(list, results.length === 0 ? h('div', { class: 'card empty' }, 'No slow request.') : h('div', { class: 'card' },
        table(['When', 'Request', 'Index', 'Node', number('Took'), 'Where the time went', 'Searched for'], results.map((r) => h('tr', { key: `${r.node} ${r.at} ${r.route} ${r.took}` },
          h('td', {}, new Date(r.at).toLocaleTimeString()), h('td', { class: 'long' }, r.route, r.status >= 400 ? h('span', { class: 'bad' }, ` ${r.status}`) : null), h('td', { class: 'long' }, r.indexUid ?? ''),
          h('td', {}, r.node), h('td', {}, span(r.took / 1000)), h('td', { class: 'long' }, steps(r)), h('td', { class: 'long', dir: 'auto' }, (r.queries ?? []).map((q) => `${q.q}${q.filter ? ` (${q.filter})` : ''}`).join('; ')))))));
    } catch (error) {
      if (!signal.aborted) show(list, fault(error));
    }
  }
  await load();
  repeat(5000, load, signal);
}

// steps names the parts of a request that took longest.
const steps = (r) => [...(r.queued >= 1 ? [{ name: 'waiting in the queue', took: r.queued }] : []), ...(r.steps ?? []).toSorted((a, b) => b.took - a.took).slice(0, 4)]
  .map((s) => `${s.name} ${span(s.took / 1000)}`).join(', ');

// log shows the newest lines of a node's log; the address says of which node and which lines.
async function log(root, signal, address) {
  const { nodes } = await get('/cluster/status', { signal });
  const lines = h('pre', { id: 'lines', tabindex: 0, 'aria-label': 'Lines of the log' });
  const said = h('div', {});
  const node = h('select', { 'aria-label': 'Node', onchange: note }, nodes.map((n) => h('option', { value: n.name }, n.name)));
  const contains = h('input', { type: 'search', class: 'narrow', 'aria-label': 'Lines that contain', placeholder: 'Lines that contain', autocomplete: 'off', oninput: later(150, () => { if (!signal.aborted) note(); }) });
  const follow = h('input', { type: 'checkbox', checked: true });
  show(root, back(), h('h1', {}, 'Log'),
    h('div', { class: 'card row' }, node, h('div', { class: 'grow' }, contains), h('label', {}, follow, 'Follow')), said, lines);
  function note() {
    history.replaceState(null, '', `#/cluster/log?${new URLSearchParams({ node: node.value, contains: contains.value })}`);
    return load();
  }
  async function load() {
    const query = new URLSearchParams({ node: node.value, contains: contains.value, lines: 200 });
    const asked = query.toString();
    try {
      const answer = await get(`/cluster/log?${query}`, { signal });
      if (asked !== new URLSearchParams({ node: node.value, contains: contains.value, lines: 200 }).toString()) return;
      show(said);
      show(lines, answer.lines.length > 0 ? answer.lines.join('\n') : 'No such line.');
    } catch (error) {
      if (!signal.aborted) show(said, fault(error));
    }
  }
  function turn(text) {
    const query = new URLSearchParams(text);
    if (nodes.some((n) => n.name === query.get('node'))) node.value = query.get('node');
    contains.value = query.get('contains') ?? '';
    return load();
  }
  await turn(address);
  repeat(2000, () => follow.checked && load(), signal);
  return turn;
}
