// Command size measures one node, or a cluster (-shape), at any number of documents (make size): indexing,
// searches warm, searches right after a restart with nothing of its files in the
// page cache, and with -writes searches beside writes. Documents are made from a
// seed: words whose frequencies fall as those of a language do, lengths that vary,
// few duplicates; with -dataset they are those of a file, again and again with new
// ids. It prints one table; it fails only when the node does.
//
// With -dimensions every document has a vector, all in clusters, and the searches are by
// vector, under filters that let through less and less (make vectors). It fails, too, when
// a search misses one of the nearest documents.
//
// With -dir the data stays, and the next run over the same folder measures it without
// indexing again: so programs are compared.
package main
