// The part Requests: any request, its answer, and the same as code.

import { call, get, key } from './api.js';
import { fault, h, show } from './dom.js';
import { laidOut } from './exact.js';

export async function requests(root) {
  const api = await get('/openapi.json').catch(() => null);
  const routes = api ? Object.entries(api.paths).flatMap(([p, methods]) => Object.keys(methods).map((m) => ({ method: m.toUpperCase(), path: p, about: methods[m] }))) : [];
  const method = h('select', { 'aria-label': 'Method', onchange: code }, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((m) => h('option', {}, m)));
  const where = h('input', { 'aria-label': 'Path', value: '/indexes', list: 'routes', autocomplete: 'off', spellcheck: 'false', oninput: () => { suggest(); code(); }, onkeydown: (event) => event.key === 'Enter' && send() });
  const list = h('datalist', { id: 'routes' }, [...new Set(routes.map((r) => r.path))].map((p) => h('option', { value: p })));
  const body = h('textarea', { class: 'code', 'aria-label': 'Body', spellcheck: 'false', placeholder: 'Body (JSON), where the route takes one', oninput: code });
  const members = h('div', { class: 'row small' });
  const answer = h('div', {});
  const snippet = h('pre', {});
  let language = 'curl';

  // suggest offers the members that the body of this route may have.
  function suggest() {
    const route = routes.find((r) => r.method === method.value && matches(r.path, where.value));
    const schema = resolve(api, route?.about.requestBody?.content?.['application/json']?.schema);
    show(members, Object.keys(schema?.properties ?? {}).slice(0, 40).map((name) =>
      h('button', { type: 'button', class: 'quiet', onclick: () => add(name, schema.properties[name]) }, name)));
  }

  // add puts a member with an example of its type into the body.
  function add(name, about) {
    let value = {};
    try {
      value = body.value.trim() === '' ? {} : JSON.parse(body.value);
    } catch {
      return show(answer, fault(new Error('The body is no JSON, so nothing can be added to it.')));
    }
    const type = [about?.type].flat().find((t) => t !== 'null');
    value[name] = { array: [], object: {}, boolean: true, integer: 1, number: 1 }[type] ?? '';
    body.value = JSON.stringify(value, null, 2);
    code();
  }

  async function send() {
    const began = performance.now();
    show(answer, h('p', { class: 'soft' }, 'Waiting for the answer.'));
    const took = () => h('span', { class: 'soft' }, `${Math.round(performance.now() - began)} ms`);
    try {
      const got = await call(method.value, where.value, body.value.trim() === '' || method.value === 'GET' ? undefined : body.value, { read: (text) => { JSON.parse(text); return laidOut(text); } });
      show(answer, h('p', {}, h('b', { class: 'good' }, 'answered '), took()), h('pre', { id: 'answer' }, got ?? 'no content'));
    } catch (error) {
      show(answer, h('p', {}, h('b', { class: 'bad' }, `${error.status || 'no answer'} `), took()), fault(error));
    }
  }

  function code() {
    const text = body.value.trim();
    show(snippet, languages[language]({ method: method.value, url: location.origin + where.value, key: key.get() ? '$SHOAL_KEY' : '', body: method.value === 'GET' ? '' : text }));
  }

  method.addEventListener('change', suggest);
  show(root, h('h1', {}, 'Requests'),
    h('div', { class: 'card' }, h('div', { class: 'row' }, method, h('div', { class: 'grow' }, where, list), h('button', { onclick: send }, 'Send')), members, body),
    h('div', { class: 'card' }, answer),
    h('div', { class: 'card' }, h('div', { class: 'row' }, Object.keys(languages).map((name) => h('label', {}, h('input', { type: 'radio', name: 'language', checked: name === language, onchange: () => { language = name; code(); } }), name))), snippet));
  where.style.width = '100%';
  suggest();
  code();
}

// matches tells whether a path fits a pattern such as /indexes/{index_uid}.
function matches(pattern, path) {
  const [a, b] = [pattern.split('/'), path.split('?')[0].split('/')];
  return a.length === b.length && a.every((part, i) => part === b[i] || part.startsWith('{'));
}

// resolve follows references of a schema within the description.
function resolve(api, schema) {
  for (let depth = 0; schema?.$ref && depth < 5; depth += 1) schema = schema.$ref.slice(2).split('/').reduce((at, name) => at?.[name], api);
  return schema;
}

const shell = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const languages = {
  curl: ({ method, url, key: k, body }) => [`curl -X ${method} ${shell(url)}`, k && `-H "Authorization: Bearer ${k}"`, body && `-H 'Content-Type: application/json'`, body && `--data ${shell(body)}`].filter(Boolean).join(' \\\n  '),
  Python: ({ method, url, key: k, body }) => `import json, os, urllib.request\n\nrequest = urllib.request.Request(${JSON.stringify(url)}, method=${JSON.stringify(method)}${body ? `,\n    data=${JSON.stringify(body)}.encode()` : ''})\n${body ? 'request.add_header("Content-Type", "application/json")\n' : ''}${k ? 'request.add_header("Authorization", "Bearer " + os.environ["SHOAL_KEY"])\n' : ''}print(json.load(urllib.request.urlopen(request)))`,
  JavaScript: ({ method, url, key: k, body }) => `const answer = await fetch(${JSON.stringify(url)}, {\n  method: ${JSON.stringify(method)},\n  headers: {${[body && "'Content-Type': 'application/json'", k && 'Authorization: `Bearer ${process.env.SHOAL_KEY}`'].filter(Boolean).join(', ')}},${body ? `\n  body: ${JSON.stringify(body)},` : ''}\n});\nconsole.log(await answer.json());`,
};
