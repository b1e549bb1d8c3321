// The hits of a search as cards, with why each is where it is.

import { path, post } from './api.js';
import { dialog, fault, h, show } from './dom.js';
import { flat, plain, written } from './exact.js';
import { marks } from './query.js';
import { may } from './rights.js';

// card shows a hit of a query in an index. place counts from one; key is the primary key of
// the index, undefined where it is not known.
export function card(hit, place, uid, query, key) {
  const formatted = hit._formatted ?? hit;
  const names = Object.keys(hit).filter((n) => !n.startsWith('_'));
  const title = ['title', 'name', 'label', 'id'].find((n) => hit[n] !== undefined && hit[n] !== null && plain(hit[n])) ?? names[0];
  const picture = names.map((n) => hit[n]).find((v) => typeof v === 'string' && /^https?:\/\/\S+\.(png|jpe?g|gif|webp|avif|svg)(\?\S*)?$/i.test(v));
  return h('article', { class: 'card hit' },
    picture ? h('img', { src: picture, alt: '', loading: 'lazy', referrerpolicy: 'no-referrer', onerror: (event) => event.target.remove() }) : null,
    h('div', { class: 'body' },
      h('h2', {}, h('span', { class: 'soft' }, `${place}. `), h('bdi', {}, marked(formatted[title]))),
      h('dl', { class: 'fields' }, names.filter((n) => n !== title && hit[n] !== null && hit[n] !== '').slice(0, 8).map((n) => [h('dt', {}, n), h('dd', { dir: 'auto' }, marked(formatted[n]))])),
      h('div', { class: 'row small' },
        h('button', { type: 'button', class: 'quiet', onclick: () => why(hit, uid, query) }, 'Why here?'),
        h('button', { type: 'button', class: 'quiet', onclick: () => whole(hit) }, 'As JSON'),
        key && may('documents.get') ? h('a', { href: `#${path('indexes', uid, 'documents', written(hit[key]))}` }, 'Document') : null,
        key && may('dynamicSearchRules.update') ? h('a', { href: `#/rules?${new URLSearchParams({ new: '', index: uid, id: written(hit[key]), words: query.q })}` }, 'Pin') : null,
        query.ratio > 0 ? h('span', { class: 'tag' }, hit._rankingScoreDetails?.vectorSort ? 'found by meaning' : 'found by words') : null,
        hit._rankingScore === undefined ? null : h('span', { class: 'soft' }, `score ${hit._rankingScore.toFixed(4)}`))));
}

// why draws what each rule said of a hit, in the order in which the rules decide,
// and adds how the query was understood where the key may ask for it.
async function why(hit, uid, query) {
  const rules = Object.entries(hit._rankingScoreDetails ?? {}).filter(([, d]) => typeof d === 'object').sort((a, b) => a[1].order - b[1].order);
  const text = h('div', {});
  if (may('*')) {
    post('/cluster/explain', { indexUid: uid, q: query.q, limit: 5 }).then(
      (answer) => show(text, h('h2', {}, 'How the query was read'), h('pre', {}, answer.text.split(/\n\n1\. /)[0])),
      (error) => show(text, fault(error)));
  }
  await dialog('Why this hit is here', [
    rules.length === 0 ? h('p', {}, 'Nothing was asked for, so hits stand in the order of the index or of the sort.') : h('div', { class: 'rules' }, rules.map(([name, d]) => {
      const said = Object.entries(d).filter(([k]) => k !== 'order' && k !== 'score').map(([k, v]) => `${words(k)}: ${v}`).join(', ');
      return h('div', { class: 'rule' }, h('b', {}, words(name)),
        d.score === undefined ? h('span', {}) : h('meter', { min: 0, max: 1, value: d.score, 'aria-label': words(name), title: d.score.toFixed(4) }),
        h('span', { class: 'soft' }, said || (d.score === undefined ? '' : d.score.toFixed(4))));
    })), text], { wide: true });
}

async function whole(hit) {
  const shown = Object.fromEntries(Object.entries(hit).filter(([n]) => !n.startsWith('_') || n === '_geo' || n === '_geojson' || n === '_vectors'));
  await dialog('Document', h('pre', {}, JSON.stringify(shown, null, 2)), { wide: true });
}

// score is from 0 to 1: that of a rule, or how near the meaning is.
const score = (details) => details.score ?? details.similarity;

// words makes "exactness" of "exactness" and "word position" of "wordPosition".
const words = (name) => name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

// marked is a formatted value with its matches marked.
function marked(value) {
  if (value === null || value === undefined) return '–';
  return flat(value).split(marks[0]).flatMap((part, i) => {
    if (i === 0) return [part];
    const [inside, rest = ''] = part.split(marks[1]);
    return [h('mark', {}, inside), rest];
  });
}
