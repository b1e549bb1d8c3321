// Uses the tools of a cluster through both lines of the TypeScript client of the Model
// Context Protocol, by streamable HTTP and by server-sent events, every call on another
// node. A session of events stays on its node, so one address for all nodes has none.
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as Events1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as Client2, SSEClientTransport as Events2, StreamableHTTPClientTransport as HTTP2 } from "@modelcontextprotocol/client";
import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

const urls = process.env.SHOAL_URLS.split(","), master = process.env.SHOAL_KEY;
const stateless = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const kinds = [
  { name: "sdk 1, HTTP", Client: Client1, Transport: HTTP1, version: "2025-11-25" },
  { name: "client 2, HTTP with a handshake", Client: Client2, Transport: HTTP2, version: "2025-11-25" },
  { name: "client 2, HTTP without a handshake", Client: Client2, Transport: HTTP2, options: stateless, version: "2026-07-28" },
];
if (urls.length > 1) {
  kinds.push(
    { name: "sdk 1, events", Client: Client1, Transport: Events1, version: "2025-11-25", events: true },
    { name: "client 2, events", Client: Client2, Transport: Events2, version: "2025-11-25", events: true },
  );
}
let checks = 0;

function check(promise, got, want) {
  checks++;
  if (!isDeepStrictEqual(got, want)) throw new Error(`${promise}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

async function ask(method, path, body) {
  const answer = await fetch(urls[0] + path, { method, body: JSON.stringify(body), headers: { Authorization: `Bearer ${master}`, "Content-Type": "application/json" } });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}

// connect returns a client for each node, taken in turn by its methods.
async function connect(kind, key) {
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  const clients = [];
  for (const url of urls) {
    const client = new kind.Client({ name: "shoal's checks", version: "1" }, kind.options);
    await client.connect(new kind.Transport(new URL(url + "/mcp"), { requestInit }));
    clients.push(client);
  }
  let turn = 0;
  const next = () => clients[turn++ % clients.length];
  return {
    clients,
    tools: async () => (await next().listTools()).tools.map((t) => t.name),
    // call returns the JSON that a tool answers, or its error code.
    call: async (name, args) => {
      const result = await next().callTool({ name, arguments: args });
      const answer = JSON.parse(result.content[0].text);
      return result.isError ? answer.code : answer;
    },
    close: () => Promise.all(clients.map((c) => c.close())),
  };
}

async function done(server, enqueued) {
  for (const end = Date.now() + 20000; Date.now() < end; await new Promise((r) => setTimeout(r, 10))) {
    const task = await server.call("get-task", { taskUid: String(enqueued.taskUid) });
    if (!["enqueued", "processing"].includes(task.status)) return check(`task ${enqueued.taskUid}`, task.status, "succeeded");
  }
  throw new Error(`task ${enqueued.taskUid} does not end`);
}

function tenantToken(key, rules) {
  const part = (v) => Buffer.from(JSON.stringify(v)).toString("base64url");
  const head = `${part({ alg: "HS256", typ: "JWT" })}.${part({ apiKeyUid: key.uid, searchRules: rules })}`;
  return `${head}.${createHmac("sha256", key.key).update(head).digest("base64url")}`;
}

const ids = (answer) => answer.hits?.map((h) => h.id) ?? answer;

async function use(kind) {
  const films = { indexUid: "films-mcp" };
  const server = await connect(kind, master);
  check("client and server agree on a version", server.clients[0].getNegotiatedProtocolVersion?.() ?? server.clients[0].transport._protocolVersion, kind.version);
  check("the master key sees all tools", (await server.tools()).length, 18);
  await done(server, await server.call("create-index", { uid: "films-mcp", primaryKey: "id" }));
  await done(server, await server.call("update-settings", { ...films, filterableAttributes: ["owner", "genre"] }));
  await done(server, await server.call("add-documents", { ...films, documents: [{ id: 1, title: "Heat", owner: "ann", genre: "crime" }, { id: 2, title: "Heat wave", owner: "bob", genre: "comedy" }] }));
  for (const _ of urls) {
    check("every node finds what a tool has written", ids(await server.call("search", { ...films, q: "heat" })), [1, 2]);
  }
  check("multi-search", (await server.call("multi-search", { queries: [{ ...films, q: "wave" }] })).results.map(ids), [[2]]);
  check("facet values", (await server.call("facet-search", { ...films, facetName: "genre" })).facetHits.length, 2);
  check("a route's refusal reaches the model", await server.call("search", { ...films, limit: "three" }), "invalid_search_limit");

  const made = await ask("POST", "/keys", { actions: ["search"], indexes: ["films-mcp"], expiresAt: null });
  const keyed = await connect(kind, made.key);
  const tenant = await connect(kind, tenantToken(made, { "films-mcp": { filter: "owner = ann" } }));
  for (const _ of urls) {
    check("a key sees the tools that it may use", await keyed.tools(), ["search", "multi-search", "facet-search"]);
    check("a key reaches its index", ids(await keyed.call("search", films)), [1, 2]);
    check("a key reaches no other index", await keyed.call("search", { indexUid: "others" }), "invalid_api_key");
    check("a key reaches no other index", await keyed.call("multi-search", { queries: [{ indexUid: "others" }] }), "invalid_api_key");
    check("a tenant token filters", ids(await tenant.call("search", { ...films, filter: "owner = bob OR owner = ann" })), [1]);
    check("a key may use no other tool", await keyed.call("get-settings", films).then(() => "used", (e) => e.code), -32602);
  }
  check("a wrong key is refused", await connect(kind, "wrong").then(() => "taken", () => "refused"), "refused");
  if (kind.events) {
    const target = new URL(urls[1] + "/mcp" + server.clients[0].transport._endpoint.search);
    const answer = await fetch(target, { method: "POST", body: "{}", headers: { Authorization: `Bearer ${master}`, "Content-Type": "application/json" } });
    check("a session of events stays on its node", answer.status, 404);
  }
  await ask("DELETE", `/keys/${made.uid}`);
  await done(server, await server.call("delete-index", films));
  await Promise.all([server, keyed, tenant].map((s) => s.close()));
}

await ask("PATCH", "/experimental-features", { mcpRoute: true });
for (const kind of kinds) {
  await use(kind).catch((e) => {
    throw new Error(`${kind.name}: ${e.message}`, { cause: e });
  });
}
console.log(`Model Context Protocol, TypeScript: ${checks} checks`);
