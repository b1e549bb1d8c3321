// The settings of an index, as a form or as JSON, with what would change before it is saved.

import { finished, patch } from './api.js';
import { dialog, h, toast } from './dom.js';
import { may } from './rights.js';

// forms are the settings that a person sets often, as lists of words.
const forms = [
  ['searchableAttributes', 'Searched fields, most important first (* for all)'],
  ['displayedAttributes', 'Shown fields (* for all)'],
  ['filterableAttributes', 'Fields for filters and facets'],
  ['sortableAttributes', 'Fields to sort by'],
  ['rankingRules', 'Ranking rules, in order'],
  ['stopWords', 'Stop words'],
];

// settingsEditor edits settings as a form or as JSON and shows what would change.
export function settingsEditor(at, settings, again) {
  const text = JSON.stringify(settings, null, 2);
  const area = h('textarea', { class: 'code', spellcheck: 'false', 'aria-label': 'Settings as JSON', value: text });
  const lines = new Map();
  const fieldsets = forms.map(([name, label]) => {
    const plain = (settings[name] ?? []).every((v) => typeof v === 'string');
    if (!plain) return null; // rules of filterable attributes are edited as JSON
    const input = h('textarea', { rows: 3, value: (settings[name] ?? []).join('\n'), oninput: fromForm });
    lines.set(name, input);
    return h('label', { class: 'stack' }, `${label}, one a line`, input);
  });
  const typos = h('input', { type: 'checkbox', checked: settings.typoTolerance?.enabled ?? true, onchange: fromForm });
  function fromForm() {
    const next = JSON.parse(area.value);
    for (const [name, input] of lines) next[name] = input.value.split('\n').map((l) => l.trim()).filter(Boolean);
    next.typoTolerance = { ...next.typoTolerance, enabled: typos.checked };
    area.value = JSON.stringify(next, null, 2);
  }
  async function save() {
    let next;
    try {
      next = JSON.parse(area.value);
    } catch (error) {
      return toast(`This is no JSON: ${error.message}`, true);
    }
    const changed = Object.fromEntries(Object.entries(next).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(settings[name])));
    for (const name of Object.keys(settings)) if (!(name in next)) changed[name] = null;
    if (Object.keys(changed).length === 0) return toast('Nothing has changed.');
    const done = await dialog('Save these settings?', [
      h('div', {}, Object.entries(changed).map(([name, value]) => h('div', { class: 'changed' }, h('b', {}, name),
        h('pre', {}, h('del', {}, `- ${JSON.stringify(settings[name])}`), h('ins', {}, value === null ? '+ the default' : `+ ${JSON.stringify(value)}`)))))],
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
