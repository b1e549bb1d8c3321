// The part Rules: dynamic search rules, which pin documents to places for some searches.

import { del, finished, get, patch, path, post } from './api.js';
import { count, counted, dialog, fault, h, pager, show, table, toast } from './dom.js';
import { exact, written } from './exact.js';
import { may } from './rights.js';

const perPage = 20;
const at = '/dynamic-search-rules';

// rules shows a page of rules, or one: #/rules/UID, or #/rules with the query new for one
// that begins with what the rest of the query says.
export async function rules(root, [uid], signal, address) {
  const query = new URLSearchParams(address);
  try {
    if (uid) return one(root, await get(`${at}${path(uid)}`, { signal, read: exact }));
    if (query.has('new')) return one(root, draft(query));
    await list(root, query, signal);
  } catch (error) {
    if (error.code !== 'feature_not_enabled') throw error;
    show(root, h('h1', {}, 'Rules'), h('div', { class: 'card' }, h('p', {}, 'Dynamic search rules are switched off in this cluster.'),
      may('experimental.update') ? h('button', { type: 'button', onclick: () => switchOn(root, uid, signal, address) }, 'Switch them on') : null));
  }
  return null;
}

async function switchOn(root, uid, signal, address) {
  await patch('/experimental-features', { dynamicSearchRules: true });
  await rules(root, [uid], signal, address);
}

// draft is a new rule that pins the document which a query names.
function draft(query) {
  const pins = query.get('id') === null ? [] : [{ indexUid: query.get('index') ?? undefined, id: query.get('id'), position: 0 }];
  return { uid: null, active: true, conditions: query.get('words') ? { query: { words: query.get('words') } } : {}, actions: selectors(pins) };
}

async function list(root, query, signal) {
  const page = Math.max(1, Math.floor(Number(query.get('page')) || 1));
  const answer = await post(at, { limit: perPage, offset: (page - 1) * perPage }, { signal, read: exact });
  show(root,
    h('div', { class: 'row' }, h('h1', {}, 'Rules'), h('span', { class: 'grow' }), may('dynamicSearchRules.update') && h('a', { href: '#/rules?new' }, 'New rule')),
    answer.results.length === 0
      ? h('div', { class: 'card empty' }, 'There is no rule yet. A rule pins documents to places of the result when a search has certain words, at certain times.')
      : h('div', { class: 'card' }, table(['Rule', 'When', 'What', 'State'], answer.results.map((r) => h('tr', { key: r.uid },
        h('th', { scope: 'row', class: 'long' }, h('a', { href: `#/rules${path(r.uid)}` }, r.uid), h('div', { class: 'soft small' }, r.description ?? '')),
        h('td', { class: 'long' }, when(r.conditions)), h('td', { class: 'long' }, what(r.actions)), h('td', { class: r.active ? 'good' : 'soft' }, r.active ? 'active' : 'off'))))),
    pager(page, Math.ceil(answer.total / perPage), (to) => { location.hash = `#/rules?page=${to}`; }));
}

// when says in words when a rule holds.
function when({ query, time, filter }) {
  const all = [
    query?.words !== undefined && `the query has the words “${query.words}”`, query?.isEmpty === true && 'nothing is typed', query?.isEmpty === false && 'something is typed',
    time?.start && `from ${new Date(time.start).toLocaleString()}`, time?.end && `until ${new Date(time.end).toLocaleString()}`, filter && 'the filter allows certain values',
  ].filter(Boolean);
  return all.length > 0 ? all.join(', ') : 'always';
}

function what(actions) {
  const pins = pinsOf(actions);
  const scales = Array.isArray(actions) ? 0 : actions.scale?.length ?? 0;
  return [pins.length > 0 && `${counted(pins.length, 'document', 'documents')} pinned: ${pins.slice(0, 3).map((p) => `${p.id} at ${count(p.position + 1)}`).join(', ')}`, scales > 0 && counted(scales, 'scale', 'scales')].filter(Boolean).join('; ');
}

// Actions have two forms: a list of selectors, and an object with pins and scales.
const pinsOf = (actions) => (Array.isArray(actions) ? actions.map((a) => ({ indexUid: a.selector.indexUid, id: a.selector.id, position: a.action.position })) : actions.pin ?? []);
const selectors = (pins) => pins.map(({ indexUid, id, position }) => ({ selector: { indexUid, id }, action: { type: 'pin', position } }));

// local is a time as a field of the form shows it, instant the time that a field says: the
// one from before if it shows the same.
const local = (time) => (time ? new Date(Date.parse(time) - new Date(time).getTimezoneOffset() * 60000).toISOString().slice(0, 16) : '');
const instant = (field, before) => (field === '' ? undefined : field === local(before) ? before : new Date(field).toISOString());

// one is the form of a rule. What it has no field for stays as it is.
function one(root, rule) {
  const { query, time } = rule.conditions;
  const field = (label, attributes) => h('label', { class: 'stack' }, label, h('input', { autocomplete: 'off', ...attributes }));
  const pins = h('div', {});
  const said = h('div', {});
  // pinRow is one pin. Its place is counted from one.
  const pinRow = (pin) => {
    const row = h('div', { class: 'row pin', role: 'group', 'aria-label': 'Pin' },
      field('Document', { name: 'id', required: true, value: pin.id }), field('Index (empty: any)', { name: 'index', value: pin.indexUid ?? '' }),
      field('Place, 1 is first', { name: 'place', type: 'number', min: 1, max: 4294967296, required: true, value: pin.position + 1 }),
      h('button', { type: 'button', class: 'danger', onclick: () => { row.remove(); pins.querySelector('input')?.focus(); } }, 'Remove the pin'));
    return row;
  };
  pins.append(...pinsOf(rule.actions).map(pinRow));
  const add = () => {
    const row = pinRow({ id: '', position: pins.childElementCount });
    pins.append(row);
    row.querySelector('input').focus();
  };
  const allowed = may('dynamicSearchRules.update');
  const form = h('form', { onsubmit: (event) => { event.preventDefault(); return save(); } },
    h('div', { class: 'card nodes' },
      rule.uid === null ? field('Name', { name: 'uid', required: true, pattern: '[A-Za-z0-9_\\-]+', title: 'Letters, digits, - and _' }) : null,
      field('Description', { name: 'description', value: rule.description ?? '' }),
      field('Precedence (the lower number wins)', { name: 'precedence', type: 'number', min: 0, value: rule.precedence === undefined ? '' : written(rule.precedence) }),
      h('label', {}, h('input', { type: 'checkbox', name: 'active', checked: rule.active }), 'Active')),
    h('fieldset', { class: 'card' }, h('legend', {}, 'When'), h('div', { class: 'nodes' },
      field('The query has these words (empty: any query)', { name: 'words', value: query?.words ?? '' }),
      h('label', { class: 'stack' }, 'What is typed', h('select', { name: 'typed' }, [['', 'anything or nothing'], ['true', 'nothing'], ['false', 'something']].map(([value, text]) => h('option', { value, selected: value === String(query?.isEmpty ?? '') }, text)))),
      field('From', { name: 'start', type: 'datetime-local', value: local(time?.start) }), field('Until', { name: 'end', type: 'datetime-local', value: local(time?.end) })),
    rule.conditions.filter ? h('p', { class: 'soft small' }, 'And the filter allows: ', h('code', {}, JSON.stringify(rule.conditions.filter.values)), '. That is edited by a request.') : null),
    h('fieldset', { class: 'card' }, h('legend', {}, 'Pins'), pins, h('button', { type: 'button', class: 'quiet', onclick: add }, 'Add a pin'),
      !Array.isArray(rule.actions) && rule.actions.scale?.length > 0 ? h('p', { class: 'soft small' }, 'Scales: ', h('code', {}, JSON.stringify(rule.actions.scale)), '. They are edited by a request.') : null),
    said, h('div', { class: 'row' }, allowed && h('button', { type: 'submit' }, 'Save'),
      rule.uid !== null && may('dynamicSearchRules.delete') ? h('button', { type: 'button', class: 'danger', onclick: () => remove(rule.uid) }, 'Delete') : null));

  // changed is the body that makes of the rule what the form says.
  function changed() {
    const e = form.elements;
    const words = e.words.value.trim();
    const [start, end] = [instant(e.start.value, time?.start), instant(e.end.value, time?.end)];
    const placed = [...pins.children].map((row) => {
      const value = (name) => row.querySelector(`[name=${name}]`).value.trim();
      return { indexUid: value('index') || undefined, id: value('id'), position: Number(value('place')) - 1 };
    });
    return {
      description: e.description.value.trim() || null, precedence: e.precedence.value === '' ? null : JSON.rawJSON?.(e.precedence.value) ?? Number(e.precedence.value), active: e.active.checked,
      conditions: {
        ...rule.conditions,
        query: words || e.typed.value ? { words: words || undefined, isEmpty: e.typed.value ? e.typed.value === 'true' : undefined } : undefined,
        time: start || end ? { start, end } : undefined,
      },
      actions: Array.isArray(rule.actions) ? selectors(placed) : { ...rule.actions, pin: placed },
    };
  }

  async function save() {
    const uid = rule.uid ?? form.elements.uid.value;
    try {
      await finished((await patch(`${at}${path(uid)}`, changed())).taskUid);
    } catch (error) {
      return show(said, fault(error));
    }
    toast(`The rule ${uid} is in force.`);
    location.hash = '#/rules';
  }

  show(root, h('p', {}, h('a', { href: '#/rules' }, '← all rules')), h('h1', {}, rule.uid === null ? 'New rule' : `Rule ${rule.uid}`), form);
  return null;
}

async function remove(uid) {
  const done = await dialog(`Delete the rule ${uid}?`, h('p', {}, 'Searches are no longer changed by it.'),
    { label: 'Delete it', danger: true, submit: async () => finished((await del(`${at}${path(uid)}`)).taskUid) });
  if (!done) return;
  toast(`The rule ${uid} is deleted.`);
  location.hash = '#/rules';
}
