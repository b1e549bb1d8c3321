// Builds elements. Text is always set as text: nothing that came from a document
// or an answer is ever read as HTML.

const properties = ['value', 'checked', 'disabled', 'selected'];

// identity, handlers and drawn are kept on an element for show, which compares by them.
const [identity, handlers, drawn] = [Symbol('identity'), Symbol('handlers'), Symbol('drawn')];

// h makes an element: h('a', {href, class, onclick}, child, [children], 'text').
// A member that is null, undefined or false is left out. key names an element among its
// siblings, so that show finds it again. own says that the element's own code changes it:
// show leaves it alone until own changes.
export function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  node[handlers] = {};
  node[drawn] = {};
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === 'key' || name === 'own') node[identity] = { ...node[identity], [name]: value };
    else if (properties.includes(name)) node[drawn][name] = value ?? (name === 'value' ? '' : false);
    else if (value === null || value === undefined || value === false) continue;
    else if (name.startsWith('on')) listen(node, name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...present(children));
  // The value of a select needs its options, so properties come last.
  Object.assign(node, node[drawn]);
  return node;
}

const present = (children) => children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false);

// listen lets an element call its newest handler: show exchanges handlers, not elements.
function listen(node, type, handler) {
  node[handlers][type] = handler;
  node.addEventListener(type, dispatch);
}

// dispatch calls the handler and tells the person why what it began has failed. A request
// that was given up belongs to a part that the person has left.
function dispatch(event) {
  const begun = event.currentTarget[handlers][event.type]?.(event);
  if (begun instanceof Promise) begun.catch((error) => { if (error.name !== 'AbortError') toast(error.message, true); });
}

// svg is h for elements of a drawing.
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes ?? {})) node.setAttribute(name, value);
  node.append(...children.flat());
  return node;
}

// show makes a node hold these children. What is there already and alike stays in the
// page and takes over only what differs, so the focus, a selected text and the place
// in a list that scrolls survive. Handlers of what is shown again must not keep
// elements that were made with them: those never reach the page. See own of h.
export function show(node, ...children) {
  const active = document.activeElement;
  fill(node, present(children));
  // An element that had to move lost the focus on its way.
  if (active !== document.activeElement && node.contains(active)) active.focus({ preventScroll: true });
}

function fill(parent, wanted) {
  const nodes = wanted.map((w) => (w instanceof Node ? w : new Text(w)));
  const keys = new Map([...parent.childNodes].filter((c) => keyOf(c) !== undefined).map((c) => [keyOf(c), c]));
  const keep = new Set(nodes.map(keyOf));
  // Those that go are taken out first: then those that stay need not move.
  for (const [k, child] of keys) if (!keep.has(k)) child.remove();
  let at = parent.firstChild;
  for (const node of nodes) {
    const k = keyOf(node);
    let old = k === undefined ? at : keys.get(k);
    if (node.parentNode === parent) old = node;
    if (!old || !alike(old, node)) {
      parent.insertBefore(node, at);
      continue;
    }
    if (old === at) at = at.nextSibling;
    else parent.insertBefore(old, at);
    if (old !== node) adopt(old, node);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

const keyOf = (node) => node[identity]?.key;

// alike tells whether an element can become another one.
const alike = (a, b) => a === b || (a.nodeName === b.nodeName && a.type === b.type && keyOf(a) === keyOf(b) && a[identity]?.own === b[identity]?.own);

// adopt makes a node of the page look and act like a new one.
function adopt(old, node) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== node.data) old.data = node.data;
    return;
  }
  if (node[identity]?.own !== undefined) return;
  for (const { name } of [...old.attributes]) if (!node.hasAttribute(name) && !byPerson(old, name)) old.removeAttribute(name);
  for (const { name, value } of node.attributes) if (old.getAttribute(name) !== value && !byPerson(old, name)) old.setAttribute(name, value);
  for (const type of Object.keys(node[handlers] ?? {})) old.addEventListener(type, dispatch);
  old[handlers] = node[handlers];
  old[drawn] = node[drawn];
  fill(old, [...node.childNodes]);
  for (const [name, value] of Object.entries(node[drawn] ?? {})) {
    // What a person is typing is not overwritten.
    if (old[name] !== value && !(name === 'value' && old === document.activeElement)) old[name] = value;
  }
}

// byPerson tells whether an attribute is changed by whoever uses the page.
const byPerson = (node, name) => name === 'open' && node.nodeName === 'DETAILS';

// table shows rows under heads, each a text or {text, number}. In a narrow window each
// row becomes a list of its cells, each with its head before it. The roles stay when it
// is drawn like that.
export function table(heads, rows) {
  const all = heads.map((head) => (typeof head === 'string' ? { text: head } : head));
  for (const row of rows) {
    row.setAttribute('role', 'row');
    [...row.children].forEach((cell, i) => {
      cell.setAttribute('role', cell.nodeName === 'TH' ? 'rowheader' : 'cell');
      cell.dataset.head = all[i].text;
      if (all[i].number) cell.classList.add('number');
    });
  }
  return h('table', { role: 'table' },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, all.map((head) => h('th', { role: 'columnheader', scope: 'col', class: head.number ? 'number' : null }, head.text)))),
    h('tbody', { role: 'rowgroup' }, rows));
}

// pager leads to the page before and to the next one; go is called with a page.
export function pager(page, pages, go) {
  if (pages <= 1) return null;
  return h('nav', { class: 'row', 'aria-label': 'Pages' },
    h('button', { type: 'button', class: 'quiet', disabled: page <= 1, onclick: () => go(page - 1) }, 'Previous'),
    h('span', { class: 'soft' }, `page ${count(page)} of ${count(pages)}`),
    h('button', { type: 'button', class: 'quiet', disabled: page >= pages, onclick: () => go(page + 1) }, 'Next'));
}

// filterBox narrows a long list by the beginning of its names. changed gets what is typed.
export const filterBox = (label, text, changed) => h('input', {
  type: 'search', class: 'narrow', 'aria-label': label, placeholder: label, autocomplete: 'off', value: text, oninput: (event) => changed(event.target.value.trim()),
});

// toast says something for some seconds; a fault stays longer.
export function toast(text, bad = false) {
  const box = h('div', { class: bad ? 'toast bad' : 'toast' }, text);
  document.getElementById('toasts').append(box);
  setTimeout(() => box.remove(), bad ? 12000 : 5000);
}

// fault shows an error of a request with what one can do about it.
export function fault(error) {
  return h('div', { class: 'fault', role: 'alert' }, error.message ?? String(error), error.code ? h('span', { class: 'soft' }, ` (${error.code})`) : null);
}

// dialog opens a form in a modal dialog. submit gets the form and may throw: the
// error is shown and the dialog stays. It resolves when the dialog is closed.
export function dialog(title, body, { submit, label = 'Save', wide = false, danger = false } = {}) {
  return new Promise((resolve) => {
    const said = h('div', {});
    const go = submit ? h('button', { type: 'submit', class: danger ? 'danger' : null }, label) : null;
    const form = h('form', { method: 'dialog' },
      h('h2', {}, title), body, said,
      h('div', { class: 'row' }, go, h('button', { type: 'button', class: 'quiet', onclick: () => box.close() }, submit ? 'Cancel' : 'Close')));
    const box = h('dialog', { class: wide ? 'wide' : null, 'aria-label': title }, form);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (!submit) return box.close();
      go.disabled = true;
      try {
        await submit(form);
        box.returnValue = 'done';
        box.close('done');
      } catch (error) {
        show(said, fault(error));
      } finally {
        go.disabled = false;
      }
    });
    box.addEventListener('close', () => {
      box.remove();
      resolve(box.returnValue === 'done');
    });
    document.body.append(box);
    box.showModal();
  });
}

// count is a number as people write it.
export const count = (n) => Number(n).toLocaleString('en');

// counted is a number of things.
export const counted = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;

// bytes is a size in binary units.
export function bytes(n) {
  if (n === null || n === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let at = 0;
  while (n >= 1024 && at < units.length - 1) { n /= 1024; at += 1; }
  return `${at === 0 ? n : n.toFixed(1)} ${units[at]}`;
}

// duration makes words of an ISO 8601 duration such as PT0.0074S.
export function duration(text) {
  if (!text) return '–';
  const m = /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text);
  if (!m) return text;
  const seconds = (+m[1] || 0) * 86400 + (+m[2] || 0) * 3600 + (+m[3] || 0) * 60 + (+m[4] || 0);
  return span(seconds);
}

// span is a time in seconds as people say it.
export function span(seconds) {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

// ago is how long a moment is past.
export function ago(text) {
  if (!text) return '–';
  const seconds = Math.max(0, (Date.now() - Date.parse(text)) / 1000);
  return h('time', { datetime: text, title: text }, seconds < 1 ? 'just now' : `${span(seconds)} ago`);
}

// later runs a function once after calls have ceased for ms.
export function later(ms, run) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...args), ms);
  };
}
