package httpfront

// documentRoutes are the rows of indexes, documents and settings.
func documentRoutes() []route {
	const index, documents = "/indexes/{index_uid}", "/indexes/{index_uid}/documents"
	table := []route{
		row("GET", "/openapi.json", "", serveOpenAPI),

		row("GET", "/indexes", "indexes.get", serveIndexes),
		row("POST", "/indexes", "indexes.create", serveCreateIndex),
		row("GET", index, "indexes.get", serveIndex),
		row("PATCH", index, "indexes.update", serveUpdateIndex),
		row("DELETE", index, "indexes.delete", serveDeleteIndex),
		row("POST", index+"/compact", "indexes.compact", serveCompactIndex),
		row("POST", index+"/fields", "fields.post", serveFields),
		row("POST", "/swap-indexes", "indexes.swap", serveSwapIndexes),

		row("GET", documents, "documents.get", serveDocuments),
		row("POST", documents, "documents.add", serveReplaceDocuments),
		row("PUT", documents, "documents.add", serveUpdateDocuments),
		row("DELETE", documents, "documents.delete", serveClearDocuments),
		row("POST", documents+"/delete-batch", "documents.delete", serveDeleteBatch),
		row("POST", documents+"/delete", "documents.delete", serveDeleteByFilter),
		row("POST", documents+"/edit", "documents.*", serveEditDocuments),
		row("POST", documents+"/fetch", "documents.get", serveFetchDocuments),
		row("GET", documents+"/{document_id}", "documents.get", serveDocument),
		row("DELETE", documents+"/{document_id}", "documents.delete", serveDeleteDocument),
	}
	return append(table, settingsRoutes()...)
}
