// The part Search: search as you type, facets as filters, sort. The address says what is
// searched for: it can be shared, and one can go back.

import { get, indexes, path, post } from './api.js';
import { counted, fault, h, later, pager, show } from './dom.js';
import { exact } from './exact.js';
import { Facets } from './facets.js';
import { card } from './hits.js';
import { Query, perPage } from './query.js';
import { may, patterns } from './rights.js';

export async function search(root, [chosen], signal, address) {
  const known = await covered();
  const uids = known.map((x) => x.uid);
  const uid = chosen ?? uids[0] ?? '';
  if (!uid) {
    return show(root, h('h1', {}, 'Search'), may('indexes.get')
      ? h('div', { class: 'card empty' }, 'There is no index yet. ', may('indexes.create') ? h('a', { href: '#/indexes' }, 'Create one and drop a file on it.') : null)
      : h('div', { class: 'card' }, h('p', {}, 'This key may search, but not list the indexes. Type the name of one.'), h('label', { class: 'stack' }, 'Index', picker(uids, uid))));
  }
  const query = new Query(address);
  const settings = may('settings.get') ? await get(`${path('indexes', uid)}/settings`, { signal }).catch(() => null) : null;

  const input = h('input', { type: 'search', 'aria-label': `Search in ${uid}`, placeholder: `Search in ${uid}`, autofocus: true, autocomplete: 'off' });
  const resort = (event) => { query.sort = event.target.value.trim(); changed(); };
  const order = settings
    ? h('select', { 'aria-label': 'Sort', onchange: resort })
    : h('input', { 'aria-label': 'Sort', placeholder: 'sort, as year:desc', size: 14, autocomplete: 'off', onchange: resort }); // this key may not see what can be sorted by
  const embedders = Object.keys(settings?.embedders ?? {});
  const mix = embedders.length > 0 ? hybrid() : null;
  const found = h('div', { class: 'soft small', role: 'status', 'aria-live': 'polite' });
  const side = h('div', {});
  const chips = h('div', { class: 'row chips' });
  const hits = h('div', { id: 'hits' });

  let results = null; // of the newest answer
  const boxes = () => { if (results) show(side, facets.draw(results)); };
  const facets = new Facets(uid, query, settings, { changed: () => changed(), again: boxes, signal });

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
      const answer = await post('/multi-search', { queries: query.searches(uid, facets.asked()) }, { signal: AbortSignal.any([signal, mine.signal]), read: exact });
      if (mine.signal.aborted) return;
      results = answer.results;
      const [first] = results;
      show(found, `${counted(first.totalHits, 'hit', 'hits')} in ${first.processingTimeMs} ms`);
      boxes();
      facets.findAgain();
      show(hits, first.hits.length > 0 ? first.hits.map((hit, i) => card(hit, (query.page - 1) * perPage + i + 1, uid, query, known.find((x) => x.uid === uid)?.primaryKey)) : h('div', { class: 'card empty' }, 'Nothing matches.'), pager(query.page, first.totalPages, go));
    } catch (error) {
      if (mine.signal.aborted || signal.aborted) return;
      if (error.code === 'invalid_search_facets' && !facets.none) { // found out without the settings
        facets.none = true;
        run();
        return;
      }
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
    const to = place + (text && `?${text}`);
    if (to !== location.hash) history[typing && typed ? 'replaceState' : 'pushState'](null, '', to);
    typed = typing;
  }

  // turn shows what the query says in all controls, and its hits.
  function turn(text) {
    query.read(text);
    typed = false;
    input.value = query.q;
    const sorts = (settings?.sortableAttributes ?? []).flatMap((a) => [[`${a}:asc`, `${a} ↑`], [`${a}:desc`, `${a} ↓`]]);
    if (query.sort && !sorts.some(([value]) => value === query.sort)) sorts.push([query.sort, query.sort]);
    if (settings) show(order, [['', 'by relevance'], ...sorts].map(([value, label]) => h('option', { value }, label)));
    order.value = query.sort;
    mix?.set();
    return run();
  }

  // hybrid is the choice between words and meaning, of an index that has embedders.
  function hybrid() {
    const blend = later(150, () => { if (!signal.aborted) changed(true); });
    const embedder = h('select', { 'aria-label': 'Embedder', onchange: () => { query.embedder = embedder.value; changed(); } }, embedders.map((name) => h('option', { value: name }, name)));
    const slider = h('input', { type: 'range', min: 0, max: 1, step: 0.05, 'aria-label': 'How much the meaning counts beside the words', oninput: () => { query.ratio = Number(slider.value); query.embedder = embedder.value; blend(); } });
    const set = () => {
      if (query.embedder) embedder.value = query.embedder;
      slider.value = query.ratio;
    };
    return { node: h('div', { class: 'row small' }, 'words', slider, 'meaning', embedder), set };
  }

  const go = (page) => { query.page = page; note(); run(); window.scrollTo(0, 0); };

  input.addEventListener('input', later(60, () => {
    if (signal.aborted) return; // the address is that of another part
    query.q = input.value;
    changed(true);
  }));
  if (signal.aborted) return null;
  show(root,
    h('h1', {}, 'Search'),
    h('div', { class: 'card' }, h('div', { class: 'row' }, picker(uids, uid), h('div', { class: 'grow' }, input), order), mix?.node, found),
    h('div', { class: 'split' }, h('details', { class: 'filters', open: window.innerWidth > 736 }, h('summary', {}, 'Filters'), side), h('div', {}, chips, hits)));
  input.focus();
  history.replaceState(null, '', place + (address && `?${address}`)); // names the index
  await turn(address);
  return turn;
}

// covered are the indexes that the key is known to cover.
async function covered() {
  if (may('indexes.get')) return indexes();
  return patterns().filter((pattern) => !pattern.includes('*')).map((uid) => ({ uid }));
}

// picker chooses the index: from a list where it is known and short, else by its name.
function picker(uids, uid) {
  const open = (event) => { location.hash = `#/search/${encodeURIComponent(event.target.value.trim())}`; };
  const listed = uids.length > 0 && uids.length <= 100 && uids.includes(uid);
  if (listed) return h('select', { 'aria-label': 'Index', onchange: open }, uids.map((u) => h('option', { value: u, selected: u === uid }, u)));
  return h('span', {}, h('input', { 'aria-label': 'Index', value: uid, placeholder: 'index', list: 'uids', autocomplete: 'off', onchange: open }),
    h('datalist', { id: 'uids' }, uids.map((u) => h('option', { value: u }))));
}
