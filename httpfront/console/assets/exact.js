// JSON of documents. A JavaScript number rounds large numbers, so numbers of documents
// stay as they are written.

// exact parses JSON. A number that a JavaScript number would change becomes an object that
// JSON.stringify writes as it was.
export const exact = (text) => JSON.parse(text, (_, value, { source } = {}) => (typeof value === 'number' && source !== undefined && rounded(value, source) ? JSON.rawJSON(source) : value));

// rounded tells whether a number is not the one that was written. A JavaScript number holds
// 15 digits in any case.
const rounded = (value, source) => String(value) !== source && (!Number.isFinite(value) || source.replace(/e.*$/i, '').replace(/^[-0.]+|\./g, '').length > 15);

// plain tells whether a value is neither an object nor a list.
export const plain = (value) => value === null || typeof value !== 'object' || JSON.isRawJSON?.(value) === true;

// written is a plain value as a text.
export const written = (value) => (typeof value === 'object' && value !== null ? value.rawJSON : String(value));

// flat is a value of a document on one line.
export function flat(value) {
  if (plain(value)) return written(value);
  if (Array.isArray(value)) return value.map(flat).join(', ');
  return Object.entries(value).map(([name, v]) => `${name}: ${flat(v)}`).join(', ');
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]|[^\s[\]{},:"]+/gs;

// laidOut writes JSON over several lines. It changes nothing but the space between values.
export function laidOut(text) {
  const all = text.match(tokens) ?? [];
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return all.map((token, i) => {
    if (token === ':') return ': ';
    if (token === ',') return `,${line()}`;
    if (token === '{' || token === '[') {
      if (all[i + 1] === '}' || all[i + 1] === ']') return token;
      depth += 1;
      return token + line();
    }
    if (token !== '}' && token !== ']' || all[i - 1] === '{' || all[i - 1] === '[') return token;
    depth -= 1;
    return line() + token;
  }).join('');
}
