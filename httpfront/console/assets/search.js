// The part Search: search as you type, facets as filters, sort, and why a hit is
// where it is.

import { get, indexes, path, post } from './api.js';
import { count, dialog, fault, h, later, show } from './dom.js';

// Marks around a matched word: characters of the private use area, so that no text
// of a document can be taken for one.
const [open, close] = ['\ue000', '\ue001'];

export async function search(root, [chosen], signal) {
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
  const state = { uid, q: '', filters: new Map(), sort: '', page: 1 };
  const settings = await get(`${path('indexes', uid)}/settings`, { signal }).catch(() => null);
  const facets = (settings?.filterableAttributes ?? []).filter((f) => typeof f === 'string' && !f.includes('*') && !f.startsWith('_')).slice(0, 20);

  const input = h('input', { type: 'search', 'aria-label': `Search in ${uid}`, placeholder: `Search in ${uid}`, autofocus: true, autocomplete: 'off' });
  const pick = uids.length > 0
    ? h('select', { 'aria-label': 'Index', onchange: () => { location.hash = `#/search/${encodeURIComponent(pick.value)}`; } }, uids.map((u) => h('option', { value: u, selected: u === uid }, u)))
    : h('input', { 'aria-label': 'Index', value: uid, placeholder: 'index', onchange: () => { location.hash = `#/search/${encodeURIComponent(pick.value)}`; } });
  const order = h('select', { 'aria-label': 'Sort', onchange: () => { state.sort = order.value; state.page = 1; run(); } },
    h('option', { value: '' }, 'by relevance'),
    (settings?.sortableAttributes ?? []).flatMap((a) => [h('option', { value: `${a}:asc` }, `${a} ↑`), h('option', { value: `${a}:desc` }, `${a} ↓`)]));
  const found = h('div', { class: 'soft small', role: 'status', 'aria-live': 'polite' });
  const side = h('div', {});
  const hits = h('div', { id: 'hits' });

  let running = new AbortController();
  // run asks for the page that the state describes; a newer call ends an older one.
  async function run() {
    running.abort();
    running = new AbortController();
    const mine = running;
    const all = [...state.filters].filter(([, values]) => values.size > 0);
    const filter = all.map(([name, values]) => [...values].map((v) => `${quoted(name)} = ${quoted(v)}`));
    try {
      const answer = await post(`${path('indexes', uid)}/search`, {
        q: state.q, hitsPerPage: 20, page: state.page, facets: facets.length > 0 ? facets : undefined,
        filter: filter.length > 0 ? filter : undefined, sort: state.sort ? [state.sort] : undefined,
        attributesToHighlight: ['*'], highlightPreTag: open, highlightPostTag: close,
        attributesToCrop: ['*'], cropLength: 40,
        showRankingScore: true, showRankingScoreDetails: true,
      }, { signal: AbortSignal.any([signal, mine.signal]) });
      if (mine.signal.aborted) return;
      show(found, `${count(answer.totalHits)} ${answer.totalHits === 1 ? 'hit' : 'hits'} in ${answer.processingTimeMs} ms`);
      show(side, facetBoxes(answer));
      show(hits, answer.hits.length > 0 ? answer.hits.map((hit, i) => card(hit, (state.page - 1) * 20 + i + 1)) : h('div', { class: 'card empty' }, 'Nothing matches.'), pages(answer));
    } catch (error) {
      if (!mine.signal.aborted && !signal.aborted) show(hits, fault(error));
    }
  }

  // facetBoxes shows the values of each facet with their counts, as check boxes.
  function facetBoxes(answer) {
    return Object.entries(answer.facetDistribution ?? {}).map(([name, values]) => {
      const set = state.filters.get(name) ?? new Set();
      const shown = Object.entries(values).sort((a, b) => b[1] - a[1]);
      for (const v of set) if (!(v in values)) shown.unshift([v, 0]);
      if (shown.length === 0) return null;
      return h('fieldset', { key: name }, h('legend', {}, name), h('ul', { class: 'facet' }, shown.map(([value, n]) =>
        h('li', { key: value }, h('label', {}, h('input', {
          type: 'checkbox', checked: set.has(value), onchange: (event) => {
            if (event.target.checked) set.add(value); else set.delete(value);
            state.filters.set(name, set);
            state.page = 1;
            run();
          },
        }), h('span', { class: 'name' }, value), h('span', { class: 'count' }, count(n)))))));
    });
  }

  function card(hit, place) {
    const formatted = hit._formatted ?? hit;
    const names = Object.keys(hit).filter((n) => !n.startsWith('_'));
    const title = ['title', 'name', 'label', 'id'].find((n) => typeof hit[n] === 'string' || typeof hit[n] === 'number') ?? names[0];
    const picture = names.map((n) => hit[n]).find((v) => typeof v === 'string' && /^https?:\/\/\S+\.(png|jpe?g|gif|webp|avif|svg)(\?\S*)?$/i.test(v));
    return h('article', { class: 'card hit' },
      picture ? h('img', { src: picture, alt: '', loading: 'lazy', referrerpolicy: 'no-referrer', onerror: (event) => event.target.remove() }) : null,
      h('div', { class: 'body' },
        h('h3', {}, h('span', { class: 'soft' }, `${place}. `), marked(formatted[title])),
        h('dl', { class: 'fields' }, names.filter((n) => n !== title && hit[n] !== null && hit[n] !== '').slice(0, 8).map((n) => [h('dt', {}, n), h('dd', {}, marked(formatted[n]))])),
        h('div', { class: 'row small' },
          h('button', { type: 'button', class: 'quiet', onclick: () => why(hit) }, 'Why here?'),
          h('button', { type: 'button', class: 'quiet', onclick: () => whole(hit) }, 'As JSON'),
          hit._rankingScore === undefined ? null : h('span', { class: 'soft' }, `score ${hit._rankingScore.toFixed(4)}`))));
  }

  // why draws what each rule said of a hit, in the order in which the rules decide,
  // and adds how the query was understood where the key may ask for it.
  async function why(hit) {
    const rules = Object.entries(hit._rankingScoreDetails ?? {}).filter(([, d]) => typeof d === 'object').sort((a, b) => a[1].order - b[1].order);
    const text = h('div', {});
    post('/cluster/explain', { indexUid: uid, q: state.q, limit: 5 }).then(
      (answer) => show(text, h('h2', {}, 'How the query was read'), h('pre', {}, answer.text.split(/\n\n1\. /)[0])),
      () => show(text, h('p', { class: 'soft' }, 'How the query was read is shown to keys with all actions.')));
    await dialog('Why this hit is here', [
      rules.length === 0 ? h('p', {}, 'Nothing was asked for, so hits stand in the order of the index or of the sort.') : h('div', { class: 'rules' }, rules.map(([name, d]) => {
        const said = Object.entries(d).filter(([k]) => k !== 'order' && k !== 'score').map(([k, v]) => `${words(k)}: ${v}`).join(', ');
        return h('div', { class: 'rule' }, h('b', {}, words(name)),
          d.score === undefined ? h('span', {}) : h('meter', { min: 0, max: 1, value: d.score, title: d.score.toFixed(4) }),
          h('span', { class: 'soft' }, said || (d.score === undefined ? '' : d.score.toFixed(4))));
      })), text], { wide: true });
  }

  async function whole(hit) {
    const plain = Object.fromEntries(Object.entries(hit).filter(([n]) => !n.startsWith('_') || n === '_geo' || n === '_geojson' || n === '_vectors'));
    await dialog('Document', h('pre', {}, JSON.stringify(plain, null, 2)), { wide: true });
  }

  function pages(answer) {
    if (answer.totalPages <= 1) return null;
    const go = (page) => () => { state.page = page; run(); window.scrollTo(0, 0); };
    return h('nav', { class: 'row', 'aria-label': 'Pages' },
      h('button', { class: 'quiet', disabled: state.page <= 1, onclick: go(state.page - 1) }, 'Previous'),
      h('span', { class: 'soft' }, `page ${state.page} of ${answer.totalPages}`),
      h('button', { class: 'quiet', disabled: state.page >= answer.totalPages, onclick: go(state.page + 1) }, 'Next'));
  }

  input.addEventListener('input', later(60, () => { state.q = input.value; state.page = 1; run(); }));
  show(root,
    h('h1', {}, 'Search'),
    h('div', { class: 'card' }, h('div', { class: 'row' }, pick, h('div', { class: 'grow' }, input), order), found),
    h('div', { class: 'split' }, h('details', { class: 'filters', open: window.innerWidth > 736 }, h('summary', {}, 'Filters'), side), hits));
  input.focus();
  await run();
}

// quoted writes a text as a literal of the filter language.
const quoted = (text) => `"${String(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

// words makes "exactness" of "exactness" and "word position" of "wordPosition".
const words = (name) => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

// marked is a formatted value with its matches marked.
function marked(value) {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'object' ? flat(value) : String(value);
  return text.split(open).flatMap((part, i) => {
    if (i === 0) return [part];
    const [inside, rest = ''] = part.split(close);
    return [h('mark', {}, inside), rest];
  });
}

// flat is an array or object on one line.
function flat(value) {
  if (Array.isArray(value)) return value.map((v) => (v !== null && typeof v === 'object' ? flat(v) : String(v))).join(', ');
  return Object.entries(value).map(([k, v]) => `${k}: ${v !== null && typeof v === 'object' ? flat(v) : v}`).join(', ');
}
