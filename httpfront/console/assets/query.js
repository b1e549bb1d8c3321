// What a person searches for, and the requests that it makes.

// perPage is how many hits a page shows.
export const perPage = 20;

// Marks around a matched word: characters of the private use area, so that no text
// of a document can be taken for one.
export const marks = ['\ue000', '\ue001'];

// Query is the state of the part Search. values holds the chosen values of each facet,
// ranges the bounds {min, max} of each facet of numbers, as texts; '' is no bound. ratio is
// how much the meaning counts beside the words, from 0 to 1, as an embedder reads it.
export class Query {
  // address is what address has written.
  constructor(address = '') {
    this.read(address);
  }

  // read takes over what an address says. Anybody may have written it: what is no bound
  // and no page is left out.
  read(address) {
    Object.assign(this, { q: '', sort: '', page: 1, embedder: '', ratio: 0, values: new Map(), ranges: new Map() });
    for (const [name, value] of new URLSearchParams(address)) {
      const [, kind, facet] = /^(f|min|max)\.(.+)$/s.exec(name) ?? [];
      if (name === 'q' || name === 'sort' || name === 'embedder') this[name] = value;
      else if (name === 'page' && /^[1-9]\d{0,8}$/.test(value)) this.page = Number(value);
      else if (name === 'ratio' && Number(value) > 0 && Number(value) <= 1) this.ratio = Number(value);
      else if (kind === 'f') this.chosen(facet).add(value);
      else if (kind && value.trim() !== '' && Number.isFinite(Number(value))) this.range(facet)[kind] = value.trim();
    }
  }

  // address says all of it: q, sort, embedder, ratio, page, f.NAME for each chosen value, min.NAME and
  // max.NAME for the bounds.
  address() {
    const all = new URLSearchParams();
    if (this.q !== '') all.append('q', this.q);
    if (this.sort !== '') all.append('sort', this.sort);
    if (this.ratio > 0) {
      all.append('embedder', this.embedder);
      all.append('ratio', this.ratio);
    }
    if (this.page > 1) all.append('page', this.page);
    for (const [name, values] of this.values) for (const v of values) all.append(`f.${name}`, v);
    for (const [name, range] of this.ranges) for (const bound of ['min', 'max']) if (range[bound] !== '') all.append(`${bound}.${name}`, range[bound]);
    return all.toString();
  }

  // chosen is the set of chosen values of a facet.
  chosen(name) {
    if (!this.values.has(name)) this.values.set(name, new Set());
    return this.values.get(name);
  }

  // range is what bounds a facet of numbers.
  range(name) {
    if (!this.ranges.has(name)) this.ranges.set(name, { min: '', max: '' });
    return this.ranges.get(name);
  }

  // filtered names the facets that filter.
  filtered() {
    const names = [...this.values.keys(), ...this.ranges.keys()];
    return [...new Set(names)].filter((name) => this.chosen(name).size > 0 || this.range(name).min !== '' || this.range(name).max !== '');
  }

  clear() {
    this.values.clear();
    this.ranges.clear();
    this.page = 1;
  }

  // filter is the filter of all facets but one: values of one facet are joined by OR,
  // facets by AND. It is undefined where nothing filters.
  filter(but) {
    const all = this.filtered().filter((name) => name !== but).flatMap((name) => {
      const { min, max } = this.range(name);
      const any = [...this.chosen(name)].map((v) => `${quoted(name)} = ${quoted(v)}`);
      return [any, min === '' ? [] : [`${quoted(name)} >= ${min}`], max === '' ? [] : [`${quoted(name)} <= ${max}`]];
    }).filter((group) => group.length > 0);
    return all.length > 0 ? all : undefined;
  }

  // hybrid is that member of a search: undefined for one by words alone.
  hybrid() {
    return this.ratio > 0 ? { embedder: this.embedder, semanticRatio: this.ratio } : undefined;
  }

  // searches are the queries of one multi-search. The first one finds the page of hits
  // and counts facets. Each further one counts one facet that filters, without its own
  // filter: its other values stay to choose from.
  searches(indexUid, facets) {
    const hits = {
      indexUid, q: this.q, hybrid: this.hybrid(), hitsPerPage: perPage, page: this.page, facets, filter: this.filter(), sort: this.sort ? [this.sort] : undefined,
      attributesToHighlight: ['*'], highlightPreTag: marks[0], highlightPostTag: marks[1], attributesToCrop: ['*'], cropLength: 40,
      showRankingScore: true, showRankingScoreDetails: true,
    };
    return [hits, ...this.filtered().map((name) => ({ indexUid, q: this.q, hybrid: this.hybrid(), limit: 0, facets: [name], filter: this.filter(name) }))];
  }
}

// quoted writes a text as a literal of the filter language.
const quoted = (text) => `"${String(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
