package shard

import "shoal/shard/version"

// Budget divides a node's memory limit by use, in bytes. Memory that grows with the
// documents of a shard is either bounded here or listed in docs/operations.md with its
// bytes per document.
type Budget struct {
	// Blocks, Postings, Columns and Vectors are the sizes of the caches of store blocks,
	// decoded posting lists, columns of frequent words, and vectors.
	Blocks, Postings, Columns, Vectors int64
	// Build is the memory that one build may use before it spills to disk.
	Build int64
	// Records bounds the cached token records of recently changed documents, over all
	// shards.
	Records int64
	// Results bounds the costly results that one version of a shard caches.
	Results version.Bounds
	// Unmapped turns off memory mapping of column files.
	Unmapped bool
	// Warm is how many bytes of files are read ahead after a start. They land in the
	// page cache of the system, outside of the limit.
	Warm int64
}

// mappedLeast is the smallest memory limit with mapped column files. Whoever sets a
// lower limit expects a small process, and process tables count mapped pages.
const mappedLeast = 512 << 20

// Divide splits a memory limit. It leaves an eighth for everything that is not listed,
// such as requests and the log.
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

// columns returns the bytes for columns while vectors use the given bytes: their share
// and half of what vectors leave unused. Most indexes have no vectors.
func (b *Budget) columns(vectors int64) int64 { return b.Columns + max(0, b.Vectors-vectors)/2 }

// postings returns the bytes for posting lists while vectors use the given bytes: their
// share and, unless the limit is small, a quarter of what vectors leave unused.
func (b *Budget) postings(vectors int64) int64 {
	if b.Unmapped {
		return b.Postings
	}
	return b.Postings + max(0, b.Vectors-vectors)/4
}

// defaultBudget is for tests and for nodes with an unknown limit.
var defaultBudget = Budget{
	Blocks: 128 << 20, Postings: 64 << 20, Columns: 512 << 20, Vectors: 256 << 20, Build: 96 << 20, Records: 64 << 20,
	Results: version.Bounds{Ranking: 64 << 20, Facets: 64 << 20, Ranges: 16 << 20},
}

// fill replaces zero fields by defaults.
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

// memory tells what the shards use of their budget, and lends what one purpose leaves
// to others. Safe for concurrent use.
type memory struct {
	*resources
	replicas *replicas
	budget   Budget
}

// share lends memory that vectors do not use to columns and posting lists.
func (m *memory) share() {
	held := m.shared.Vectors.Held()
	m.columnist.Cache().Resize(m.budget.columns(held))
	m.shared.Postings.Resize(m.budget.postings(held))
}

// Use is the memory that one purpose uses and may use, in bytes.
type Use struct {
	Name        string
	Used, Limit int64
}

// uses lists the memory by purpose.
func (m *memory) uses() []Use {
	b, c, db := &m.budget, m.columnist.Figures(), m.store.DB.Metrics()
	results, live := m.unions.Kept()
	records := int64(0)
	m.replicas.eachNewest(func(v *version.Version) {
		kept := v.Kept()
		results.Ranking, results.Facets, results.Ranges = results.Ranking+kept.Ranking, results.Facets+kept.Facets, results.Ranges+kept.Ranges
		live, records = live+int64(v.Live().MemBytes()+v.Rows().MemBytes()), records+int64(v.FreshBytes())
	})
	return []Use{
		{"blocks", db.BlockCache.Size, b.Blocks}, {"postings", m.shared.Postings.Bytes(), m.shared.Postings.Limit()},
		{"columns", m.columnist.Cache().Bytes(), m.columnist.Cache().Limit()}, {"vectors", m.shared.Vectors.Held(), b.Vectors},
		{"memtables", int64(db.MemTable.Size), 0}, {"column_maps", c.MemBytes, 0}, {"documents", live, 0}, {"records", records, b.Records},
		{"ranking", int64(results.Ranking), 0}, {"facets", int64(results.Facets), 0}, {"ranges", int64(results.Ranges), 0},
	}
}
