// Package repository keeps snapshots in a bucket so that each sends only what the
// ones before did not: streams of bytes are cut where their content says
// (docs/adr/0012), and each piece, a chunk, lies under the SHA-256 of its bytes.
//
//	chunks/AB/ABCD...   one chunk: a byte for its form, then its bytes, compressed
//	                    or not
//	snapshots/NAME      a manifest: which chunks make up which stream
//	dropped/NAME        the manifest of a snapshot that is not kept any more
//
// In come streams by Writer.Stream; a snapshot exists once Writer.Finish has looked
// whether all its chunks are there and has put its manifest. Out go manifests
// (Repository.Read) and streams (Repository.Walk). Prune drops snapshots by a Policy
// and deletes chunks that nobody names.
//
// Several clusters may use one bucket, and a leader that was deposed may still write
// while the next one prunes: a Writer relies only on chunks that a manifest names,
// and a chunk is deleted only a day after the last manifest that names it was
// dropped.
//
// Goroutines: those that send and fetch chunks, a few at a time; a call that started
// them waits for them.
package repository
