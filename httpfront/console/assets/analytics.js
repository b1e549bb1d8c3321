// The part Analytics: what people search for, what they do not find, what they click.

import { get, patch } from './api.js';
import { count, fault, h, show, table, toast } from './dom.js';

// Days of a report, by what the choice says.
const spans = { 1: 'Today', 7: '7 days', 30: '30 days', 90: '90 days' };

export async function analytics(root, _, signal) {
  const head = h('div', { class: 'card' });
  const body = h('div', {});
  let days = 7;
  let index = '';
  let known = []; // indexes that were searched
  show(root, h('h1', {}, 'Analytics'), head, body);

  async function load() {
    const from = new Date(Date.now() - (days - 1) * 86400000).toISOString().slice(0, 10);
    const query = new URLSearchParams({ from, limit: 20 });
    if (index) query.set('indexUid', index);
    try {
      const report = await get(`/cluster/analytics?${query}`, { signal });
      if (!index) known = report.indexes.map((x) => x.indexUid).filter((uid) => !uid.startsWith('('));
      show(head, choices(report));
      show(body, figures(report), times(report), lists(report));
    } catch (error) {
      if (!signal.aborted) show(head, fault(error));
    }
  }

  const choices = (report) => [
    h('div', { class: 'row' },
      h('label', {}, 'Time ', h('select', { onchange: (event) => { days = Number(event.target.value); load(); } },
        Object.entries(spans).map(([n, name]) => h('option', { value: n, selected: Number(n) === days }, name)))),
      h('label', {}, 'Index ', h('select', { onchange: (event) => { index = event.target.value; load(); } },
        h('option', { value: '', selected: !index }, 'all'),
        known.map((uid) => h('option', { value: uid, selected: uid === index }, uid)))),
      h('button', { type: 'button', class: 'quiet', onclick: load }, 'Refresh')),
    report.missingNodes.length ? h('p', { class: 'warn' }, `Without what ${report.missingNodes.join(', ')} counted.`) : null,
    report.settings.enabled ? null : h('p', { class: 'warn' }, 'Searches are not counted now.'),
    h('div', { class: 'row small' },
      h('span', { class: 'soft' }, report.settings.queries
        ? 'The texts of queries are kept for 90 days. People may type what is personal.'
        : 'Only numbers are counted. To see what people search for, count the texts of queries, too; people may type what is personal.'),
      h('button', { type: 'button', class: 'quiet', onclick: () => set({ queries: !report.settings.queries }) },
        report.settings.queries ? 'Forget the texts' : 'Count the texts'))];

  async function set(change) {
    try {
      await patch('/cluster/analytics', change);
      toast(change.queries ? 'From now on the texts of queries are counted.' : 'The texts of queries are removed on each node within a minute.');
    } catch (error) {
      toast(error.message, true);
    }
    load();
  }
  await load();
}

const share = (part, all) => (all ? ` (${((100 * part) / all).toFixed(1)} %)` : '');
const number = (text) => ({ text, number: true });
const row = (...cells) => h('tr', {}, cells.map((cell) => h('td', {}, cell)));
const figure = (name, value) => h('div', {}, h('span', { class: 'soft' }, `${name} `), h('b', {}, value));

function figures(report) {
  const { searches, searchesWithoutResults: none, clicks, conversions, latencyMs } = report;
  return h('div', { class: 'card' }, h('div', { class: 'figures' },
    figure('Searches', count(searches)),
    figure('Without results', count(none) + share(none, searches)),
    figure('Clicks', count(clicks)),
    figure('Conversions', count(conversions)),
    figure('p50 · p95 · p99', [latencyMs.p50, latencyMs.p95, latencyMs.p99].map((ms) => `${ms.toFixed(1)} ms`).join(' · '))));
}

const when = (report, at) => (report.interval === 'hour' ? `${at.slice(0, 10)} ${at.slice(11, 16)}` : at.slice(0, 10));

function times(report) {
  if (!report.times.length) return h('p', { class: 'soft' }, 'Nobody has searched in this time.');
  return [h('h2', {}, report.interval === 'hour' ? 'By hour (UTC)' : 'By day (UTC)'),
    table(['Time', number('Searches'), number('Without results'), number('Clicks'), number('Conversions')],
      report.times.map((t) => row(when(report, t.at), count(t.searches), count(t.searchesWithoutResults), count(t.clicks), count(t.conversions))))];
}

function lists(report) {
  const positions = report.clickPositions.map((n, i) => row(i === 10 ? '11 and further' : String(i + 1), count(n)));
  return [
    report.settings.queries ? [
      queries('Most frequent queries', report.queries),
      queries('Queries without results', report.queriesWithoutResults),
      queries('Queries whose hits were clicked', report.clickedQueries)] : null,
    report.clicks ? [h('h2', {}, 'Clicks by position'), table(['Position', number('Clicks')], positions)] : null,
    report.indexes.length > 1 ? [h('h2', {}, 'Indexes'),
      table(['Index', number('Searches'), number('Without results'), number('Clicks'), number('p99')],
        report.indexes.map((x) => row(x.indexUid, count(x.searches), count(x.searchesWithoutResults), count(x.clicks), `${x.latencyMs.p99.toFixed(1)} ms`)))] : null];
}

// queries is a list of queries. What is not certain of a count is shown as a span.
function queries(title, list) {
  if (!list.length) return null;
  return [h('h2', {}, title), table(['Query', 'Index', number('Times')],
    list.map((q) => row(q.q, q.indexUid, q.atMost > q.count ? `${count(q.count)} to ${count(q.atMost)}` : count(q.count))))];
}
