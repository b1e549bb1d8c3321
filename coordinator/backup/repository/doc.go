// Package repository keeps snapshots in a bucket. Each snapshot sends only the content that
// earlier ones lack: streams of bytes are cut at places that depend on their content
// (docs/adr/0012), and each piece, a chunk, is stored under the SHA-256 of its bytes.
//
//	chunks/AB/ABCD...   one chunk: a byte for its form, then its bytes, compressed
//	                    or not
//	snapshots/NAME      a manifest: which chunks make up which stream
//	dropped/NAME        the manifest of a snapshot that is not kept any more
//
// Writer.Stream writes a stream. A snapshot exists once Writer.Finish has checked that all its
// chunks are there and has written its manifest. Repository.Read returns a manifest,
// Repository.Walk its streams. Prune drops snapshots by a Policy and deletes chunks that no
// manifest names.
//
// Several clusters may use one bucket, and a former leader may still write while the next one
// prunes. Therefore a Writer relies only on chunks that a manifest names, and a chunk is
// deleted only a day after the last manifest that names it was dropped.
//
// Goroutines send and fetch chunks, a few at a time. The call that started them waits for them.
package repository
