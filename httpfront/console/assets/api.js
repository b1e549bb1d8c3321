// Speaks to the node that served this page. The key lives in the tab's session
// storage: another tab asks for its own, and closing the tab forgets it.

const place = 'shoal-key';

export const key = {
  get: () => sessionStorage.getItem(place) ?? '',
  set: (value) => (value ? sessionStorage.setItem(place, value) : sessionStorage.removeItem(place)),
};

// ApiError is a refusal as the API words it. status is 0 where no answer came.
export class ApiError extends Error {
  constructor(status, body) {
    super(body.message);
    this.status = status;
    this.code = body.code;
  }
}

// needsKey tells whether an error says that a key is missing or is not enough.
export const needsKey = (error) => error.status === 401 || error.code === 'invalid_api_key';

// freshness is what the newest answer with data was stale by: null, or seconds
// without contact to the leader.
export const freshness = { stale: null };

const authorization = () => (key.get() ? { Authorization: `Bearer ${key.get()}` } : {});

// call sends one request and returns what read makes of the text of the answer: its JSON
// (null for an empty one). A text body is sent as it is. signal aborts it.
export async function call(method, path, body, { signal, type = 'application/json', timeout = 30000, read = JSON.parse } = {}) {
  const headers = authorization();
  if (body !== undefined) headers['Content-Type'] = type;
  const signals = [AbortSignal.timeout(timeout)];
  if (signal) signals.push(signal);
  let answer;
  try {
    answer = await fetch(path, {
      method, headers, signal: AbortSignal.any(signals),
      body: body === undefined || typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const said = error.name === 'TimeoutError' ? `No answer within ${timeout / 1000} seconds.` : 'The node does not answer. Is it still running? Any other node of the cluster serves the same console.';
    throw new ApiError(0, { message: said });
  }
  freshness.stale = answer.headers.get('Shoal-Stale');
  const text = await answer.text();
  let json = null;
  try {
    json = text === '' ? null : (answer.ok ? read : JSON.parse)(text);
  } catch {
    if (answer.ok) return text;
  }
  if (!answer.ok) throw new ApiError(answer.status, json ?? { message: `${answer.status} ${answer.statusText}` });
  return json;
}

export const get = (path, options) => call('GET', path, undefined, options);
export const post = (path, body, options) => call('POST', path, body, options);
export const put = (path, body, options) => call('PUT', path, body, options);
export const patch = (path, body, options) => call('PATCH', path, body, options);
export const del = (path, options) => call('DELETE', path, undefined, options);

// upload sends a file and tells progress from 0 to 1. encoding says how it is packed, if so.
export function upload(path, file, { type, encoding }, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('Content-Type', type);
    if (encoding) request.setRequestHeader('Content-Encoding', encoding);
    if (key.get()) request.setRequestHeader('Authorization', `Bearer ${key.get()}`);
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = () => reject(new ApiError(0, { message: 'The connection broke off. Nothing was added by this upload.' }));
    request.onload = () => {
      let json;
      try {
        json = JSON.parse(request.responseText);
      } catch {
        json = { message: request.statusText };
      }
      if (request.status < 300) resolve(json);
      else reject(new ApiError(request.status, json));
    };
    request.send(file);
  });
}

// streams tell changes as they happen, if the cluster has the feature tasksStreamingRoute on.
const streams = ['/tasks/stream', '/batches/stream'];

// follow reads a stream and calls tell when it is open and after each event, until it ends.
async function follow(where, signal, tell) {
  const answer = await fetch(where, { headers: authorization(), signal });
  if (!answer.ok) throw new ApiError(answer.status, await answer.json());
  tell();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop().slice(0, 5); // enough to know an event by
    if (lines.some((line) => line.startsWith('data:'))) tell();
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// changes calls tell after tasks or batches have changed, at most once a second and one call
// after the other, until signal aborts. Without streams it calls tell every 1.5 seconds. A
// tab that nobody sees is told when it is seen again. tell returns a promise that holds.
export function changes(signal, tell) {
  let busy = false;
  let due = false;
  const soon = async () => {
    due = true;
    if (busy) return;
    busy = true;
    while (due && !document.hidden && !signal.aborted) {
      due = false;
      await Promise.all([tell(), pause(1000)]);
    }
    busy = false;
  };
  document.addEventListener('visibilitychange', () => { if (due) soon(); }, { signal });
  // A stream that ended has a gap, which tell closes. The feature may be switched on later.
  const watch = async (where) => {
    for (let polls = 0; !signal.aborted; polls -= 1) {
      if (polls <= 0) await follow(where, signal, soon).catch((error) => { polls = error.code === 'feature_not_enabled' ? 40 : 1; });
      await pause(1500);
      soon();
    }
  };
  streams.forEach(watch);
}

// finished waits until a task has ended and returns it. At most ten minutes.
export async function finished(taskUid) {
  const until = Date.now() + 600000;
  for (let wait = 100; Date.now() < until; wait = Math.min(wait * 1.5, 2000)) {
    const task = await get(`/tasks/${taskUid}`);
    if (task.status === 'failed') throw new ApiError(200, task.error);
    if (task.status !== 'enqueued' && task.status !== 'processing') return task;
    await pause(wait);
  }
  throw new ApiError(0, { message: `Task ${taskUid} is still under way: see Tasks.` });
}

// path joins path segments, each escaped.
export const path = (...segments) => segments.map((s) => `/${encodeURIComponent(s)}`).join('');

// indexes lists all indexes, in pages, at most 2,000 of them.
export async function indexes() {
  const all = [];
  for (let offset = 0; offset < 2000; offset += 500) {
    const page = await get(`/indexes?limit=500&offset=${offset}`);
    all.push(...page.results);
    if (all.length >= page.total || page.results.length === 0) break;
  }
  return all;
}
