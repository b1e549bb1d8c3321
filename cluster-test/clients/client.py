"""Uses a cluster through the Python client, every step on another node."""

import datetime
import itertools
import os

import meilisearch
from meilisearch.errors import MeilisearchApiError

key = os.environ["SHOAL_KEY"]
nodes = itertools.cycle([meilisearch.Client(u, key) for u in os.environ["SHOAL_URLS"].split(",")])
checks = 0


def check(what, got, want):
    global checks
    checks += 1
    if got != want:
        raise SystemExit(f"{what}: {got!r}, want {want!r}")


def done(task, status="succeeded"):
    check(f"task {task.task_uid}", next(nodes).wait_for_task(task.task_uid, timeout_in_ms=20000).status, status)


check("health", next(nodes).health(), {"status": "available"})
check("version", next(nodes).get_version()["pkgVersion"], "1.50.0")
done(next(nodes).create_index("films-py", {"primaryKey": "id"}))
films = lambda: next(nodes).index("films-py")
done(films().update_settings({"filterableAttributes": ["year", "genre"], "sortableAttributes": ["year"], "synonyms": {"movie": ["film"]}}))
done(films().add_documents([{"id": i, "title": f"The film number {i}", "year": 1990 + i % 5, "genre": ["drama", "comedy"][i % 2]} for i in range(60)]))
done(films().update_documents([{"id": 3, "title": "A quiet river"}]))
done(films().delete_document("4"))
check("documents", films().get_stats().number_of_documents, 59)
check("a document", films().get_document(3).year, 1993)
check("typo", [h["id"] for h in films().search("quiet rivr")["hits"]], [3])
check("synonym", films().search("movie", {"hitsPerPage": 5, "page": 1})["totalHits"], 58)
found = films().search("film", {"filter": "year = 1991 AND genre = drama", "facets": ["genre"], "sort": ["year:desc"]})
check("facets", found["facetDistribution"], {"genre": {"drama": 6}})
check("facet search", [h["value"] for h in films().facet_search("genre", "com")["facetHits"]], ["comedy"])
many = next(nodes).multi_search([{"indexUid": "films-py", "q": "river"}, {"indexUid": "films-py", "limit": 1}])
check("multi-search", [len(r["hits"]) for r in many["results"]], [1, 1])
done(next(nodes).index("no-such-index").delete_document("1"), "failed")
check("listing", films().get_documents({"limit": 2, "fields": ["id"]}).total, 59)

made = next(nodes).create_key({"actions": ["search"], "indexes": ["films-py"], "expiresAt": None, "description": "for tokens"})
until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
token = next(nodes).generate_tenant_token(made.uid, {"films-py": {"filter": "year = 1992"}}, api_key=made.key, expires_at=until)
for url in os.environ["SHOAL_URLS"].split(","):
    tenant = meilisearch.Client(url, token).index("films-py")
    check("tenant token", {h["year"] for h in tenant.search("")["hits"]}, {1992})
    try:
        meilisearch.Client(url, token).index("films-py").get_documents()
        raise SystemExit("a tenant token read documents")
    except MeilisearchApiError as e:
        check("refusal", e.code, "invalid_api_key")
next(nodes).delete_key(made.uid)
done(next(nodes).swap_indexes([{"indexes": ["films-py", "films-js"]}]), "failed")
done(films().delete())
print(f"Python: {checks} checks")
