// Package documents reads files of documents and cuts them into uploads: JSON, NDJSON, CSV
// and what Elasticsearch writes, compressed or not.
//
// In: the bytes of a file and its format. Out: batches, each a valid body of a request
// (Batches.Read). It asks no cluster and imports nothing of ours.
package documents
