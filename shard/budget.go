package shard

import "shoal/shard/version"

// Budget divides the memory limit of a node by use, in bytes. What grows with the
// documents of a shard is either bounded by one of these or listed in
// docs/operations.md with its bytes for each document.
type Budget struct {
	// Blocks is the cache of the store's blocks, Postings that of decoded posting
	// lists, Columns that of columns of frequent words, Vectors that of vectors.
	Blocks, Postings, Columns, Vectors int64
	// Build is what one build may hold before it spills.
	Build int64
	// Records is what all shards keep of token records of documents that changed lately.
	Records int64
	// Results bound what one version of a shard keeps of costly results.
	Results version.Bounds
	// Unmapped: column files are not mapped, however large.
	Unmapped bool
	// Warm is how much of files is read ahead of searches after a start, into the memory
	// that the system keeps of files: no part of the limit.
	Warm int64
}

// mappedLeast is the memory limit from which on column files are mapped: who gives less
// wants a process that is small in every table of the system, with mapped pages in it.
const mappedLeast = 512 << 20

// Divide divides a memory limit. The shares leave an eighth for what is not
// listed: requests, the log.
func Divide(limit int64) Budget {
	const mib = 1 << 20
	b := Budget{
		Blocks: min(limit/8, 512*mib), Postings: min(limit/16, 96*mib), Columns: limit / 16, Vectors: limit / 4,
		Build: min(limit/8, 128*mib), Records: min(limit/32, 256*mib),
		Results: version.Bounds{
			Ranking: int(min(limit/8, 256*mib)), Facets: int(min(limit/16, 64*mib)), Ranges: int(min(limit/64, 16*mib)),
		},
	}
	if b.Unmapped = limit < mappedLeast; b.Unmapped {
		b.Vectors, b.Results.Ranking = limit/16*5, int(limit/16)
	}
	return b
}

// columns is what columns may take while vectors hold so many bytes: their share, and
// half of what vectors leave of theirs. Most indexes have no vectors.
func (b *Budget) columns(vectors int64) int64 { return b.Columns + max(0, b.Vectors-vectors)/2 }

// postings is what posting lists may take while vectors hold so many bytes: their share,
// and, unless the process is to be small, a quarter of what vectors leave of theirs.
func (b *Budget) postings(vectors int64) int64 {
	if b.Unmapped {
		return b.Postings
	}
	return b.Postings + max(0, b.Vectors-vectors)/4
}

// defaultBudget is that of tests and of nodes whose limit is not known.
var defaultBudget = Budget{
	Blocks: 128 << 20, Postings: 64 << 20, Columns: 512 << 20, Vectors: 256 << 20, Build: 96 << 20, Records: 64 << 20,
	Results: version.Bounds{Ranking: 64 << 20, Facets: 64 << 20, Ranges: 16 << 20},
}

// fill takes the defaults for what is 0.
func (b *Budget) fill() {
	d := defaultBudget
	for _, v := range []struct{ at, value *int64 }{
		{&b.Blocks, &d.Blocks}, {&b.Postings, &d.Postings}, {&b.Columns, &d.Columns}, {&b.Vectors, &d.Vectors}, {&b.Build, &d.Build}, {&b.Records, &d.Records},
	} {
		if *v.at == 0 {
			*v.at = *v.value
		}
	}
	if b.Results == (version.Bounds{}) {
		b.Results = d.Results
	}
}

// Use tells how much memory something takes and may take, in bytes.
type Use struct {
	Name        string
	Used, Limit int64
}

// Uses lists what the memory of the shards is used for. Limits of 0 are not limits of
// ours: these grow with the documents.
func (h *Host) Uses() []Use {
	b, c, m := &h.o.Budget, h.columns.Figures(), h.store.DB.Metrics()
	results, live := h.unions.Kept()
	records := int64(0)
	h.eachNewest(func(v *version.Version) {
		kept := v.Kept()
		results.Ranking, results.Facets, results.Ranges = results.Ranking+kept.Ranking, results.Facets+kept.Facets, results.Ranges+kept.Ranges
		live, records = live+int64(v.Live().MemBytes()), records+int64(v.FreshBytes())
	})
	return []Use{
		{"blocks", m.BlockCache.Size, b.Blocks}, {"postings", h.shared.Postings.Bytes(), h.shared.Postings.Limit()},
		{"columns", h.columns.Cache().Bytes(), h.columns.Cache().Limit()}, {"vectors", h.shared.Vectors.Held(), b.Vectors},
		{"memtables", int64(m.MemTable.Size), 0}, {"column_maps", c.MemBytes, 0}, {"documents", live, 0}, {"records", records, b.Records},
		{"ranking", int64(results.Ranking), 0}, {"facets", int64(results.Facets), 0}, {"ranges", int64(results.Ranges), 0},
	}
}
