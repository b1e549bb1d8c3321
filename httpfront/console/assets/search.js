// The part Search: search as you type, facets as filters, sort. The address says what is
// searched for: it can be shared, and one can go back.

import { get, indexes, path, post } from './api.js';
import { count, fault, h, later, show } from './dom.js';
import { Facets } from './facets.js';
import { card } from './hits.js';
import { Query, perPage } from './query.js';

export async function search(root, [chosen], signal, address) {
  let uids = [];
  try {
    uids = (await indexes()).map((x) => x.uid);
  } catch (error) {
    if (error.code !== 'invalid_api_key') throw error; // a key that may only search: its index is typed in
  }
  const uid = chosen ?? uids[0] ?? '';
  if (!uid && uids.length === 0) {
    return show(root, h('h1', {}, 'Search'), h('div', { class: 'card empty' }, 'There is no index yet. ', h('a', { href: '#/indexes' }, 'Create one and drop a file on it.')));
  }
  const query = new Query(address);
  const settings = await get(`${path('indexes', uid)}/settings`, { signal }).catch(() => null);

  const input = h('input', { type: 'search', 'aria-label': `Search in ${uid}`, placeholder: `Search in ${uid}`, autofocus: true, autocomplete: 'off' });
  const pick = uids.length > 0
    ? h('select', { 'aria-label': 'Index', onchange: () => { location.hash = `#/search/${encodeURIComponent(pick.value)}`; } }, uids.map((u) => h('option', { value: u, selected: u === uid }, u)))
    : h('input', { 'aria-label': 'Index', value: uid, placeholder: 'index', onchange: () => { location.hash = `#/search/${encodeURIComponent(pick.value)}`; } });
  const order = h('select', { 'aria-label': 'Sort', onchange: () => { query.sort = order.value; changed(); } });
  const found = h('div', { class: 'soft small', role: 'status', 'aria-live': 'polite' });
  const side = h('div', {});
  const chips = h('div', { class: 'row chips' });
  const hits = h('div', { id: 'hits' });

  let results = null; // of the newest answer
  const boxes = () => { if (results) show(side, facets.draw(results)); };
  const facets = new Facets(uid, query, settings?.faceting?.maxValuesPerFacet, { changed: () => changed(), again: boxes, signal });

  const place = `#/search/${encodeURIComponent(uid)}`;
  let typed = false; // the newest entry of the history was made by typing
  let running = new AbortController();
  // run asks for what the query says; a newer call ends an older one.
  async function run() {
    running.abort();
    running = new AbortController();
    const mine = running;
    show(chips, facets.chips(() => (chips.querySelector('button') ?? input).focus()));
    try {
      const answer = await post('/multi-search', { queries: query.searches(uid, facets.asked()) }, { signal: AbortSignal.any([signal, mine.signal]) });
      if (mine.signal.aborted) return;
      results = answer.results;
      const [first] = results;
      show(found, `${count(first.totalHits)} ${first.totalHits === 1 ? 'hit' : 'hits'} in ${first.processingTimeMs} ms`);
      boxes();
      facets.findAgain();
      show(hits, first.hits.length > 0 ? first.hits.map((hit, i) => card(hit, (query.page - 1) * perPage + i + 1, uid, query)) : h('div', { class: 'card empty' }, 'Nothing matches.'), pages(first));
    } catch (error) {
      if (mine.signal.aborted || signal.aborted) return;
      show(found);
      show(hits, fault(error));
    }
  }

  // changed follows a change of what is searched for: the first page is shown.
  function changed(typing = false) {
    query.page = 1;
    note(typing);
    run();
  }

  // note writes the query into the address. The letters of one word make one entry of the
  // browser's history.
  function note(typing = false) {
    const text = query.address();
    history[typing && typed ? 'replaceState' : 'pushState'](null, '', place + (text && `?${text}`));
    typed = typing;
  }

  // turn shows what the query says in all controls, and its hits.
  function turn(text) {
    query.read(text);
    typed = false;
    input.value = query.q;
    const sorts = (settings?.sortableAttributes ?? []).flatMap((a) => [[`${a}:asc`, `${a} ↑`], [`${a}:desc`, `${a} ↓`]]);
    if (query.sort && !sorts.some(([value]) => value === query.sort)) sorts.push([query.sort, query.sort]);
    show(order, [['', 'by relevance'], ...sorts].map(([value, label]) => h('option', { value }, label)));
    order.value = query.sort;
    return run();
  }

  function pages(answer) {
    if (answer.totalPages <= 1) return null;
    const go = (page) => () => { query.page = page; note(); run(); window.scrollTo(0, 0); };
    return h('nav', { class: 'row', 'aria-label': 'Pages' },
      h('button', { class: 'quiet', disabled: query.page <= 1, onclick: go(query.page - 1) }, 'Previous'),
      h('span', { class: 'soft' }, `page ${query.page} of ${answer.totalPages}`),
      h('button', { class: 'quiet', disabled: query.page >= answer.totalPages, onclick: go(query.page + 1) }, 'Next'));
  }

  input.addEventListener('input', later(60, () => {
    if (signal.aborted) return; // the address is that of another part
    query.q = input.value;
    changed(true);
  }));
  if (signal.aborted) return null;
  show(root,
    h('h1', {}, 'Search'),
    h('div', { class: 'card' }, h('div', { class: 'row' }, pick, h('div', { class: 'grow' }, input), order), found),
    h('div', { class: 'split' }, h('details', { class: 'filters', open: window.innerWidth > 736 }, h('summary', {}, 'Filters'), side), h('div', {}, chips, hits)));
  input.focus();
  history.replaceState(null, '', place + (address && `?${address}`)); // names the index
  await turn(address);
  return turn;
}
