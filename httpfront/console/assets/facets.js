// The filters beside the hits: a box for each facet, and chips for what filters.

import { path, post } from './api.js';
import { count, fault, h, later } from './dom.js';

const few = 10; // values of a facet that are shown at first
const many = 20; // facets that are shown at first
const most = 100; // values of a facet that an index counts unless its settings say more

// Facets draws the facets of an index and changes the query. It calls changed after each
// change of the query, and again when only the boxes are to be drawn anew.
export class Facets {
  // settings are those of the index, null where the key may not see them.
  constructor(uid, query, settings, { changed, again, signal }) {
    Object.assign(this, { uid, query, limit: settings?.faceting?.maxValuesPerFacet ?? most, changed, again, signal });
    this.none = settings?.filterableAttributes?.length === 0; // the index refuses to count
    this.names = []; // in the order of the first answer
    this.all = false; // more than many facets are shown
    this.boxes = new Map(); // what is open and searched in each box
    this.look = later(120, (name) => this.find(name));
  }

  // asked are the facets to count: all until they are known, then those that are shown.
  asked() {
    if (this.none) return undefined;
    return this.names.length <= many ? ['*'] : this.shown();
  }

  shown() {
    const first = this.names.slice(0, this.all ? undefined : many);
    return [...first, ...this.query.filtered().filter((name) => this.names.includes(name) && !first.includes(name))];
  }

  box(name) {
    if (!this.boxes.has(name)) this.boxes.set(name, { open: false, text: '', found: null });
    return this.boxes.get(name);
  }

  // find searches in the values of a facet, of which an answer counts only the first.
  async find(name) {
    const box = this.box(name);
    const text = box.text;
    if (text === '') box.found = null;
    else {
      try {
        const answer = await post(`${path('indexes', this.uid)}/facet-search`, { facetName: name, facetQuery: text, q: this.query.q, hybrid: this.query.hybrid(), filter: this.query.filter(name) }, { signal: this.signal });
        if (box.text !== text) return;
        box.found = { values: answer.facetHits.map((hit) => [hit.value, hit.count]) };
      } catch (error) {
        if (this.signal.aborted) return;
        box.found = { values: [], error };
      }
    }
    this.again();
  }

  // findAgain repeats the searches in values: what else is searched for has changed.
  findAgain() {
    for (const [name, box] of this.boxes) if (box.text !== '') this.find(name);
  }

  // draw makes the boxes from the results of a multi-search of the query.
  draw([first, ...others]) {
    const distribution = Object.assign({}, first.facetDistribution, ...others.map((r) => r.facetDistribution));
    const stats = Object.assign({}, first.facetStats, ...others.map((r) => r.facetStats));
    for (const name of Object.keys(distribution)) if (!name.startsWith('_') && !this.names.includes(name)) this.names.push(name);
    const more = this.names.length - this.shown().length;
    return [
      this.names.length === 0 ? h('p', { class: 'soft small' }, 'No field of this index is set to filter by.') : null,
      this.shown().map((name) => this.drawBox(name, Object.entries(distribution[name] ?? {}), stats[name])),
      more > 0 ? h('button', { type: 'button', class: 'quiet', onclick: () => { this.all = true; this.changed(); } }, `Show ${more} more facets`) : null,
    ];
  }

  drawBox(name, values, stats) {
    const box = this.box(name);
    const chosen = this.query.chosen(name);
    const texts = values.some(([value]) => Number.isNaN(Number(value)));
    const searches = texts && values.length > few || box.text !== '';
    const sorted = (box.found?.values ?? values).toSorted((a, b) => b[1] - a[1]);
    const shown = sorted.filter(([value], i) => box.found || box.open || i < few || chosen.has(value));
    const cut = values.length >= this.limit;
    // A chosen value that was not counted has no document, or lies beyond those that are counted.
    for (const v of chosen) if (!box.found && !values.some(([value]) => value === v)) shown.unshift([v, cut ? null : 0]);
    if (shown.length === 0 && !searches && !this.query.filtered().includes(name)) return null;
    return h('fieldset', { key: name, class: 'facet' }, h('legend', {}, name),
      stats || this.bounded(name) ? this.drawRange(name, stats ?? {}) : null,
      searches ? h('input', {
        type: 'search', key: 'search', 'aria-label': `Search in the values of ${name}`, placeholder: 'Search in the values', autocomplete: 'off', value: box.text,
        oninput: (event) => { box.text = event.target.value.trim(); this.look(name); },
      }) : null,
      box.found?.error ? fault(box.found.error) : null,
      box.found && !box.found.error && box.found.values.length === 0 ? h('p', { class: 'soft small' }, 'No value begins like this.') : null,
      h('ul', {}, shown.map(([value, n]) => this.drawValue(name, value, n))),
      values.length > few && !box.found ? h('button', { type: 'button', key: 'more', class: 'quiet small', 'aria-expanded': String(box.open), onclick: () => { box.open = !box.open; this.again(); } },
        box.open ? 'Show fewer' : `Show more (${count(values.length)}${cut ? ' of many' : ''})`) : null,
      cut && !box.found ? h('p', { class: 'soft small' }, `Only ${count(values.length)} values are counted. ${texts ? 'Search for the others.' : 'The bounds reach the others.'}`) : null);
  }

  drawValue(name, value, n) {
    const chosen = this.query.chosen(name);
    const tick = (event) => {
      if (event.target.checked) chosen.add(value); else chosen.delete(value);
      this.changed();
    };
    return h('li', { key: value }, h('label', {}, h('input', { type: 'checkbox', checked: chosen.has(value), onchange: tick }),
      h('span', { class: 'name', dir: 'auto' }, value), n === null ? null : h('span', { class: 'count' }, count(n))));
  }

  bounded(name) {
    const { min, max } = this.query.range(name);
    return min !== '' || max !== '';
  }

  drawRange(name, stats) {
    const range = this.query.range(name);
    return h('div', { key: 'range', class: 'range' }, [['min', 'From'], ['max', 'to']].map(([bound, label]) => h('label', {}, label, h('input', {
      type: 'number', step: 'any', 'aria-label': `${name}, ${bound === 'min' ? 'least' : 'greatest'} value`, placeholder: stats[bound] ?? '', value: range[bound],
      onchange: (event) => { range[bound] = event.target.value; this.changed(); },
    }))));
  }

  // chips are buttons that take one choice away each, and one for all of them. focus is
  // called afterwards: the button that was pressed is gone.
  chips(focus) {
    const chip = (text, drop) => h('button', { type: 'button', class: 'chip', key: text, 'aria-label': `Remove the filter ${text}`, onclick: () => { drop(); this.changed(); focus(); } }, text, h('span', { 'aria-hidden': 'true' }, ' ×'));
    const chips = this.query.filtered().flatMap((name) => {
      const [chosen, range] = [this.query.chosen(name), this.query.range(name)];
      const bounds = [range.min === '' ? '' : `from ${range.min}`, range.max === '' ? '' : `to ${range.max}`].filter(Boolean).join(' ');
      return [...[...chosen].map((v) => chip(`${name}: ${v}`, () => chosen.delete(v))), bounds && chip(`${name}: ${bounds}`, () => this.query.ranges.delete(name))];
    });
    if (chips.length > 0) chips.push(h('button', { type: 'button', class: 'quiet small', key: ' all', onclick: () => { this.query.clear(); this.changed(); focus(); } }, 'Clear all filters'));
    return chips;
  }
}
