// The settings of an index, as a form or as JSON, with what would change before it is saved.

import { finished, patch } from './api.js';
import { dialog, h, toast } from './dom.js';
import { may } from './rights.js';

const linesOf = (text) => text.split('\n').map((l) => l.trim()).filter(Boolean);

// How a setting stands in a text field: a value a line, or a word with its synonyms a line.
const values = { write: (list) => (list ?? []).join('\n'), read: linesOf };
const synonyms = {
  write: (words) => Object.entries(words ?? {}).map(([word, others]) => `${word}: ${others.join(', ')}`).join('\n'),
  read: (text) => Object.fromEntries(linesOf(text).map((line) => {
    const [word, ...rest] = line.split(':');
    return [word.trim(), rest.join(':').split(',').map((w) => w.trim()).filter(Boolean)];
  })),
};

const line = { write: (value) => value ?? '', read: (text) => text.trim() || null, single: true };

// forms are the settings that a person sets often.
const forms = [
  ['searchableAttributes', 'Searched fields, most important first (* for all), one a line', values],
  ['displayedAttributes', 'Shown fields (* for all), one a line', values],
  ['filterableAttributes', 'Fields for filters and facets, one a line', values],
  ['sortableAttributes', 'Fields to sort by, one a line', values],
  ['rankingRules', 'Ranking rules, in order, one a line', values],
  ['stopWords', 'Stop words, one a line', values],
  ['synonyms', 'Synonyms, a word a line, as phone: mobile, cell phone (for both ways, two lines)', synonyms],
  ['expiryAttribute', 'Documents expire at the time in this field, in seconds since 1970 (empty: never)', line],
];

// fits tells whether a value survives being written into a field and read again. What
// does not, such as rules of filterable attributes, is edited as JSON.
const fits = (form, value) => same(form.read(form.write(value)), value);

// same compares two values of a setting. One that is not shown is null.
const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

// settingsEditor edits settings as a form or as JSON and shows what would change.
export function settingsEditor(at, settings, again) {
  const text = JSON.stringify(settings, null, 2);
  const area = h('textarea', { class: 'code', spellcheck: 'false', 'aria-label': 'Settings as JSON', value: text });
  const fieldsets = forms.filter(([name, , form]) => fits(form, settings[name])).map(([name, label, form]) => {
    const typed = { value: form.write(settings[name]), oninput: () => fromForm(name, form.read(input.value)) };
    const input = form.single ? h('input', typed) : h('textarea', { rows: 3, ...typed });
    return h('label', { class: 'stack' }, label, input);
  });
  const typos = h('input', { type: 'checkbox', checked: settings.typoTolerance?.enabled ?? true, onchange: () => fromForm('typoTolerance', { ...settings.typoTolerance, enabled: typos.checked }) });
  // fromForm writes a field of the form into the JSON, which is what is saved.
  function fromForm(name, value) {
    try {
      area.value = JSON.stringify({ ...JSON.parse(area.value), [name]: value }, null, 2);
    } catch (error) {
      toast(`The settings as JSON are not valid: ${error.message}`, true);
    }
  }
  async function save() {
    let next;
    try {
      next = JSON.parse(area.value);
    } catch (error) {
      return toast(`This is no JSON: ${error.message}`, true);
    }
    const changed = Object.fromEntries(Object.entries(next).filter(([name, value]) => !same(value, settings[name])));
    for (const name of Object.keys(settings)) if (!(name in next)) changed[name] = null;
    if (Object.keys(changed).length === 0) return toast('Nothing has changed.');
    const done = await dialog('Save these settings?', [
      h('div', {}, Object.entries(changed).map(([name, value]) => h('div', { class: 'changed' }, h('b', {}, name),
        h('pre', {}, h('del', {}, `- ${JSON.stringify(settings[name] ?? null)}`), h('ins', {}, value === null ? '+ the default' : `+ ${JSON.stringify(value)}`)))))],
    { submit: async () => finished((await patch(`${at}/settings`, changed)).taskUid), wide: true });
    if (!done) return;
    toast('The settings are in force.');
    await again();
    document.getElementById('save-settings')?.focus({ preventScroll: true });
  }
  return h('section', { key: 'settings', own: text, class: 'card' }, h('h2', {}, 'Settings'),
    h('details', { open: true }, h('summary', {}, 'As a form'), h('div', { class: 'nodes' }, fieldsets, h('label', {}, typos, 'Tolerate typos'))),
    h('details', {}, h('summary', {}, 'As JSON'), area),
    may('settings.update') && h('div', { class: 'row' }, h('button', { id: 'save-settings', onclick: save }, 'Show the difference and save')));
}
