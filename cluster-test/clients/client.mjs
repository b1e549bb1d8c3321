// Uses a cluster through the JavaScript client, every step on another node.
import { Meilisearch } from "meilisearch";
import { generateTenantToken } from "meilisearch/token";
import { isDeepStrictEqual } from "node:util";

const urls = process.env.SHOAL_URLS.split(","), apiKey = process.env.SHOAL_KEY;
const nodes = urls.map((host) => new Meilisearch({ host, apiKey }));
let turn = 0, checks = 0;
const next = () => nodes[turn++ % nodes.length];
const films = () => next().index("films-js");

function check(what, got, want) {
  checks++;
  if (!isDeepStrictEqual(got, want)) throw new Error(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

async function done(enqueued, status = "succeeded") {
  const { taskUid } = await enqueued;
  check(`task ${taskUid}`, (await next().tasks.waitForTask(taskUid, { timeout: 20000, interval: 10 })).status, status);
}

check("health", await next().health(), { status: "available" });
await done(next().createIndex("films-js", { primaryKey: "id" }));
await done(films().updateSettings({ filterableAttributes: ["year", "genre"], sortableAttributes: ["year"], embedders: { own: { source: "userProvided", dimensions: 2 } } }));
const documents = Array.from({ length: 60 }, (_, i) => ({ id: i, title: `The film number ${i}`, year: 1990 + (i % 5), genre: ["drama", "comedy"][i % 2], _vectors: { own: [i, 1] } }));
await done(films().addDocuments(documents));
await done(films().updateDocuments([{ id: 3, title: "A quiet river" }]));
await done(films().deleteDocuments({ filter: "year = 1994" }));
check("documents", (await films().getStats()).numberOfDocuments, 48);
check("typo", (await films().search("quiet rivr")).hits.map((h) => h.id), [3]);
check("facets", (await films().search("film", { filter: ["year = 1991", "genre = drama"], facets: ["genre"] })).facetDistribution, { genre: { drama: 6 } });
check("highlight", (await films().search("river", { attributesToHighlight: ["title"] })).hits[0]._formatted.title, "A quiet <em>river</em>");
check("vector", (await films().search(null, { vector: [1, 0], hybrid: { embedder: "own", semanticRatio: 1 }, limit: 1 })).hits[0].id, 58);
check("similar", (await films().searchSimilarDocuments({ id: 58, embedder: "own", limit: 1 })).hits[0].id, 57);
check("federated", (await next().multiSearch({ federation: { limit: 2 }, queries: [{ indexUid: "films-js", q: "river" }, { indexUid: "films-js", q: "film" }] })).hits.length, 2);
check("listing", (await films().getDocuments({ limit: 1, fields: ["id"], sort: ["year:desc"] })).results, [{ id: 3 }]);

const made = await next().createKey({ actions: ["search"], indexes: ["films-js"], expiresAt: null });
const token = await generateTenantToken({ apiKey: made.key, apiKeyUid: made.uid, searchRules: { "films-js": { filter: "year = 1992" } } });
for (const host of urls) {
  const tenant = new Meilisearch({ host, apiKey: token }).index("films-js");
  check("tenant token", [...new Set((await tenant.search("")).hits.map((h) => h.year))], [1992]);
  await tenant.getDocuments().then(
    () => { throw new Error("a tenant token read documents"); },
    (e) => check("refusal", e.cause?.code, "invalid_api_key"),
  );
}
await next().deleteKey(made.uid);
await done(next().deleteIndex("films-js"));
console.log(`JavaScript: ${checks} checks`);
