"""Uses the tools of a cluster through the Python client of the Model Context Protocol, by
streamable HTTP and by server-sent events, on each node."""

import asyncio
import json
import os

import httpx2
import meilisearch
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

key = os.environ["SHOAL_KEY"]
urls = os.environ["SHOAL_URLS"].split(",")
checks = 0


def check(promise, got, want):
    global checks
    checks += 1
    if got != want:
        raise SystemExit(f"{promise}: {got!r}, want {want!r}")


async def answer(client, tool, arguments):
    result = await client.call_tool(tool, arguments)
    found = json.loads(result.content[0].text)
    return found["code"] if result.is_error else found


async def use(client, version):
    films = {"indexUid": "films-mcp"}
    check("client and server agree on a version", client.protocol_version, version)
    check("a key sees the tools that it may use", [t.name for t in (await client.list_tools()).tools], ["search", "multi-search", "facet-search"])
    check("a tenant token filters", [h["id"] for h in (await answer(client, "search", {**films, "filter": "owner = bob OR owner = ann"}))["hits"]], [1])
    check("a key reaches no other index", await answer(client, "search", {"indexUid": "others"}), "invalid_api_key")
    check("a route's refusal reaches the model", await answer(client, "search", {**films, "limit": "three"}), "invalid_search_limit")
    try:
        await client.call_tool("get-settings", films)
        raise SystemExit("a key used a tool that it may not use")
    except MCPError as e:
        check("a key may use no other tool", e.code, -32602)


async def main(token):
    headers = {"Authorization": f"Bearer {token}"}
    for url in urls:
        for mode, version in ("auto", "2026-07-28"), ("legacy", "2025-11-25"):
            async with httpx2.AsyncClient(headers=headers) as http:
                async with Client(streamable_http_client(url + "/mcp", http_client=http), mode=mode) as client:
                    await use(client, version)
            if len(urls) > 1:  # a session of events stays on its node
                async with Client(sse_client(url + "/mcp", headers=headers), mode=mode) as client:
                    await use(client, version)


admin = meilisearch.Client(urls[0], key)
admin.http.patch("experimental-features", {"mcpRoute": True})
index = admin.index("films-mcp")
index.update_filterable_attributes(["owner"])
written = index.add_documents([{"id": 1, "title": "Heat", "owner": "ann"}, {"id": 2, "title": "Heat wave", "owner": "bob"}], "id")
check("documents", admin.wait_for_task(written.task_uid, timeout_in_ms=20000).status, "succeeded")
made = admin.create_key({"actions": ["search"], "indexes": ["films-mcp"], "expiresAt": None})
asyncio.run(main(admin.generate_tenant_token(made.uid, {"films-mcp": {"filter": "owner = ann"}}, api_key=made.key)))
admin.delete_key(made.uid)
check("deletion", admin.wait_for_task(index.delete().task_uid, timeout_in_ms=20000).status, "succeeded")
print(f"Model Context Protocol, Python: {checks} checks")
