package columnist

import (
	"errors"

	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
	"shoal/shard/version"
)

// source returns the source of a job's columns.
func (j *job) source() columns.Source {
	if len(j.parts) == 1 {
		return j.parts[0].view
	}
	return joined{j}
}

// joined is the shards of a job read as one. They have no common document.
type joined struct{ *job }

// Live implements columns.Source.
func (j joined) Live() docset.Set {
	sets := make([]docset.Set, len(j.parts))
	for i := range j.parts {
		sets[i] = j.parts[i].core.Live()
	}
	return docset.Union(sets...)
}

// Dictionary implements columns.Source.
func (j joined) Dictionary() *lexicon.Dictionary { return j.sum((*version.Version).Dictionary) }

// ExactDictionary implements columns.Source.
func (j joined) ExactDictionary() *lexicon.Dictionary {
	return j.sum((*version.Version).ExactDictionary)
}

func (j joined) sum(of func(*version.Version) *lexicon.Dictionary) *lexicon.Dictionary {
	list := make([]*lexicon.Dictionary, len(j.parts))
	for i := range j.parts {
		list[i] = of(j.parts[i].core)
	}
	return lexicon.Sum(list...)
}

// Tokens implements columns.Source, for documents of the job.
func (j joined) Tokens() record.TokenReader {
	r := &joinedTokens{job: j.job, readers: make([]record.TokenReader, len(j.parts))}
	for i := range j.parts {
		r.readers[i] = j.parts[i].view.Tokens()
	}
	return r
}

// joinedTokens reads each record from the shard of its document.
type joinedTokens struct {
	job     *job
	readers []record.TokenReader
}

// Read implements record.TokenReader.
func (r *joinedTokens) Read(ord uint32) (t record.Tokens, ok bool, err error) {
	for i := range r.readers {
		if r.job.parts[i].own.Contains(uint16(ord)) {
			return r.readers[i].Read(ord)
		}
	}
	return t, false, nil
}

// Close implements record.TokenReader.
func (r *joinedTokens) Close() (err error) {
	for _, reader := range r.readers {
		err = errors.Join(err, reader.Close())
	}
	return err
}
