// The aliases in the part Indexes: which index each names; make, turn and delete them.

import { del, path, put } from './api.js';
import { count, dialog, filterBox, h, table } from './dom.js';

const most = 200; // rows of the list

// aliases lists the aliases whose name or index has wanted in it. narrow gets what is typed into
// the filter, again is called after a change.
export function aliases(list, indexes, wanted, narrow, again) {
  const fits = (text) => text.toLowerCase().includes(wanted.toLowerCase());
  const found = list.filter((a) => fits(a.name) || fits(a.index));
  return h('section', { key: 'aliases', class: 'card', 'aria-label': 'Aliases' },
    h('div', { class: 'row' }, h('h2', {}, 'Aliases'), h('span', { class: 'grow' }),
      h('button', { class: 'quiet', disabled: indexes.length === 0, onclick: () => turn(null, indexes, list).then((done) => done && again()) }, 'New alias')),
    h('p', { class: 'soft small' }, 'An alias is a second name of an index. Requests that name it go to the index that it names at the moment.'),
    list.length > 10 ? h('div', { key: 'filter' }, filterBox('Filter aliases', wanted, narrow)) : null,
    found.length ? table(['Alias', 'Index', 'Actions'], found.slice(0, most).map((a) => h('tr', { key: a.name },
      h('th', { scope: 'row', class: 'long' }, a.name),
      h('td', { class: 'long' }, h('a', { href: `#/indexes/${encodeURIComponent(a.index)}` }, a.index)),
      h('td', {}, h('div', { class: 'row' },
        h('button', { class: 'quiet', 'aria-label': `Turn ${a.name}`, onclick: () => turn(a, indexes, list).then((done) => done && again()) }, 'Turn'),
        h('button', { class: 'danger', 'aria-label': `Delete ${a.name}`, onclick: () => remove(a).then((done) => done && again()) }, 'Delete')))))) : null,
    found.length > most ? h('p', { class: 'soft' }, `${count(found.length - most)} more are not shown. Filter to find them.`) : null);
}

// turn points an alias to another index, or makes one. What somebody else turned meanwhile is not
// overwritten.
const turn = (alias, indexes, list) => dialog(alias ? `Turn ${alias.name}` : 'New alias', [
  alias ? h('p', { class: 'soft' }, `It names ${alias.index} now. Searches see either all of one index or all of the other.`)
    : h('label', { class: 'stack' }, 'Name', h('input', { name: 'alias', required: true, pattern: '[A-Za-z0-9_\\-]+', autofocus: true, autocomplete: 'off', title: 'Letters, digits, - and _' })),
  h('label', { class: 'stack' }, 'Index', h('select', { name: 'index' },
    indexes.map((x) => h('option', { value: x.uid, selected: x.uid === alias?.index }, x.uid)))),
], {
  label: alias ? 'Turn it' : 'Make it',
  submit: (form) => {
    const name = alias?.name ?? form.elements.alias.value;
    if (!alias && list.some((a) => a.name === name)) throw new Error(`There is an alias ${name} already: turn that one.`);
    return put(path('cluster', 'aliases', name), { index: form.elements.index.value, from: alias?.index });
  },
});

const remove = (alias) => dialog(`Delete the alias ${alias.name}?`, h('p', {}, `Requests that name ${alias.name} are refused from now on. The index ${alias.index} stays.`),
  { label: 'Delete it', danger: true, submit: () => del(path('cluster', 'aliases', alias.name)) });
