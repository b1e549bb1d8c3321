// Builds elements. Text is always set as text: nothing that came from a document
// or an answer is ever read as HTML.

// h makes an element: h('a', {href, class, onclick}, child, [children], 'text').
// A member that is null, undefined or false is left out.
export function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'selected') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

// svg is h for elements of a drawing.
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes ?? {})) node.setAttribute(name, value);
  node.append(...children.flat());
  return node;
}

// show replaces what a node holds.
export function show(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
}

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
