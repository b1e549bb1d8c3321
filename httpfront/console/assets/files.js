// The place where files with documents are dropped.

import { finished, path, upload } from './api.js';
import { bytes, count, fault, h, show, toast } from './dom.js';

// The files that an index takes, by the ends of their names.
const types = { json: 'application/json', ndjson: 'application/x-ndjson', jsonl: 'application/x-ndjson', csv: 'text/csv' };

// kindOf says of a file by its name how it is to be sent; null when it is of no known kind.
function kindOf(name) {
  const ends = name.toLowerCase().split('.');
  const packed = ends.at(-1) === 'gz';
  const type = types[ends.at(packed ? -2 : -1)];
  return type ? { type, encoding: packed ? 'gzip' : null } : null;
}

// dropZone takes files for an index, whose primary key is null until it has one, sends them one after the other, and follows their tasks.
export function dropZone(uid, primaryKey, again) {
  const progress = h('div', {});
  const choose = h('input', { type: 'file', accept: '.json,.ndjson,.jsonl,.csv,.gz', multiple: true, 'aria-label': 'Files with documents', onchange: () => take(choose.files) });
  const key = primaryKey ? null : h('input', { 'aria-label': 'Primary key', placeholder: 'primary key, if not found', autocomplete: 'off' });
  const separator = h('input', { 'aria-label': 'Separator of CSV files', value: ',', maxlength: 1, size: 1, autocomplete: 'off' });
  const zone = h('div', { key: 'drop', own: `${uid} ${primaryKey ?? ''}`, class: 'card drop', ondragover: over, ondragleave: over, ondrop: (event) => { over(event); return take(event.dataTransfer.files); } },
    h('p', {}, 'Drop a JSON, NDJSON or CSV file here, packed by gzip or not, or choose one: '), choose,
    h('div', { class: 'row small' }, h('label', {}, 'CSV with ', separator, ' between'), key), progress);
  // over shows whether a file is held over the place, and keeps the browser from opening it.
  function over(event) {
    event.preventDefault();
    zone.classList.toggle('over', event.type === 'dragover');
  }

  async function take(files) {
    for (const file of files) {
      const kind = kindOf(file.name);
      if (!kind) { toast(`${file.name}: the name must end in .json, .ndjson or .csv, or in one of them and .gz.`, true); continue; }
      const query = new URLSearchParams();
      if (key?.value.trim()) query.set('primaryKey', key.value.trim());
      if (kind.type === 'text/csv' && separator.value !== ',') query.set('csvDelimiter', separator.value);
      const bar = h('progress', { max: 1, value: 0, 'aria-label': `Upload of ${file.name}` });
      const said = h('span', { role: 'status' }, `${file.name}: sending ${bytes(file.size)}`);
      show(progress, said, bar);
      try {
        const task = await upload(`${path('indexes', uid)}/documents?${query}`, file, kind, (part) => { bar.value = part; });
        bar.removeAttribute('value');
        show(said, `${file.name}: indexing (task ${task.taskUid})`);
        const ended = await finished(task.taskUid);
        toast(`${file.name}: ${count(ended.details?.indexedDocuments ?? 0)} documents indexed.`);
        show(progress);
      } catch (error) {
        show(progress, fault(error));
        return;
      }
    }
    return again();
  }
  return zone;
}
