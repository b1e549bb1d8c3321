package version

import (
	"slices"
	"strings"

	"shoal/shard/docset"
	"shoal/shard/lexicon"
)

// step is the change from one version of a shard to the next: the documents added,
// changed or removed, and the words with changed counts, sorted.
type step struct {
	since        uint64 // serial of the previous version
	docs         docset.Set
	words, exact []lexicon.Change
}

func (s *step) size() int { return s.docs.Len() + len(s.words) + len(s.exact) }

// trail are the last steps that led to a version, oldest first. last is the newest
// step, until the version that it follows is known.
type trail struct {
	steps []step
	last  step
}

// maxTrail and maxTrailSize bound the number of steps and their total size.
const maxTrail, maxTrailSize = 64, 1 << 16

// follow appends the last step to the trail of the previous version.
func (t *trail) follow(old *Version, changed docset.Set) {
	last := t.last
	last.since, last.docs = old.serial, changed
	steps := append(slices.Clip(old.trail.steps), last)
	size := 0
	for i := range steps {
		size += steps[i].size()
	}
	for len(steps) > maxTrail || len(steps) > 0 && size > maxTrailSize {
		size -= steps[0].size()
		steps = steps[1:]
	}
	t.steps, t.last = steps, step{}
}

// Change is the difference between two versions: documents, and words with changed
// counts, sorted.
type Change struct {
	Docs         docset.Set
	Words, Exact []string
}

// Since returns the difference to an older version of the shard. ok is false if it is
// unknown or too large.
func (c *Version) Since(old *Version) (change Change, ok bool) {
	if c == old {
		return Change{}, true
	}
	from := slices.IndexFunc(c.trail.steps, func(s step) bool { return s.since == old.serial })
	if from < 0 {
		return Change{}, false
	}
	steps := c.trail.steps[from:]
	docs := make([]docset.Set, len(steps))
	for i := range steps {
		docs[i] = steps[i].docs
	}
	change.Docs = docset.Union(docs...)
	change.Words = changedWords(steps, func(s *step) []lexicon.Change { return s.words })
	change.Exact = changedWords(steps, func(s *step) []lexicon.Change { return s.exact })
	return change, true
}

func changedWords(steps []step, of func(*step) []lexicon.Change) (words []string) {
	for i := range steps {
		for _, c := range of(&steps[i]) {
			words = append(words, c.Word)
		}
	}
	slices.SortFunc(words, strings.Compare)
	return slices.Compact(words)
}
