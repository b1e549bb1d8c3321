package wire

import (
	"slices"

	"shoal/query/filter"
)

// MatchList describes what counts as a match of the query in a text (spec ranking 10.2): every
// located term with the derivations that ranking used.
type MatchList struct {
	// Phrases are tried first, in order.
	Phrases []MatchPhrase `msgpack:"p"`
	// Words come with terms that are not prefixes first, then by falling number of positions.
	Words []MatchWords `msgpack:"w"`
}

// MatchPhrase is a quoted phrase, a synonym or a split word. "" stands for a dropped stop word,
// which never matches. First and Last are the query positions of its term: the ids of a match.
type MatchPhrase struct {
	Words []string `msgpack:"w"`
	First uint16   `msgpack:"f"`
	Last  uint16   `msgpack:"l"`
}

// MatchWords are the single words of one term, in the order in which they are tried. With
// Prefix, a token matches that begins with one of them; then the first Chars characters of that
// word are highlighted.
type MatchWords struct {
	Words  []string `msgpack:"w"`
	First  uint16   `msgpack:"f"`
	Last   uint16   `msgpack:"l"`
	Prefix bool     `msgpack:"p"`
	Chars  int      `msgpack:"c"`
}

// Equal tells whether both are equal.
func (m *MatchList) Equal(n *MatchList) bool {
	return slices.EqualFunc(m.Phrases, n.Phrases, func(a, b MatchPhrase) bool {
		return slices.Equal(a.Words, b.Words) && a.First == b.First && a.Last == b.Last
	}) && slices.EqualFunc(m.Words, n.Words, func(a, b MatchWords) bool {
		return slices.Equal(a.Words, b.Words) && a.First == b.First && a.Last == b.Last && a.Prefix == b.Prefix && a.Chars == b.Chars
	})
}

// FetchStep asks a shard to render documents of the page.
type FetchStep struct {
	Ordinals []uint32      `msgpack:"o"`
	Match    MatchList     `msgpack:"m"`
	Options  RenderOptions `msgpack:"r"`
	// Room, when not 0, bounds the bytes of the answer approximately: documents after the one
	// that exceeds it are not rendered. Older nodes ignore it.
	Room int `msgpack:"rm"`
}

// RenderOptions determine how a document is shown (spec search-api 4.2, 4.3). The members are
// those of api.SearchRequest.
type RenderOptions struct {
	// Retrieve lists attributes; HasRetrieve false means all displayed ones.
	Retrieve        []string `msgpack:"r"`
	HasRetrieve     bool     `msgpack:"hr"`
	RetrieveVectors bool     `msgpack:"rv"`
	Highlight       []string `msgpack:"h"`
	PreTag          string   `msgpack:"pr"`
	PostTag         string   `msgpack:"po"`
	Crop            []string `msgpack:"c"`
	CropLength      uint64   `msgpack:"cl"`
	CropMarker      string   `msgpack:"cm"`
	MatchesPosition bool     `msgpack:"mp"`
	// Locales are those of the request. HasLocales false means those of the fields.
	Locales    []string `msgpack:"lo"`
	HasLocales bool     `msgpack:"hl"`
	// From is the point of the first _geoPoint criterion. Documents that show a `_geo` get
	// their distance from it.
	HasFrom bool            `msgpack:"hf"`
	From    filter.GeoPoint `msgpack:"fr"`
	// Extra are fields to return beside those that are retrieved, be they displayed or not.
	Extra    []string `msgpack:"ex"`
	HasExtra bool     `msgpack:"he"`
}

// Equal tells whether both are equal.
func (o *RenderOptions) Equal(p *RenderOptions) bool {
	return slices.Equal(o.Retrieve, p.Retrieve) && o.HasRetrieve == p.HasRetrieve && o.RetrieveVectors == p.RetrieveVectors &&
		slices.Equal(o.Highlight, p.Highlight) && o.PreTag == p.PreTag && o.PostTag == p.PostTag &&
		slices.Equal(o.Crop, p.Crop) && o.CropLength == p.CropLength && o.CropMarker == p.CropMarker &&
		o.MatchesPosition == p.MatchesPosition && slices.Equal(o.Locales, p.Locales) && o.HasLocales == p.HasLocales &&
		o.HasFrom == p.HasFrom && o.From == p.From && slices.Equal(o.Extra, p.Extra) && o.HasExtra == p.HasExtra
}

// FetchReply is parallel to the requested ordinals.
type FetchReply struct {
	Documents []Rendered `msgpack:"d"`
	// Full: Room was used up. Documents of the highest ordinals are missing; their elements are
	// empty.
	Full bool `msgpack:"fu"`
}

// Rendered is one document in the form of a hit; nil members are absent. Document ends with
// `_vectors` when they are retrieved.
type Rendered struct {
	Document        []byte `msgpack:"d"`
	Formatted       []byte `msgpack:"f"`
	MatchesPosition []byte `msgpack:"m"`
	HasDistance     bool   `msgpack:"hd"`
	Distance        uint64 `msgpack:"g"` // metres
	// Extra is an object of the extra fields; nil if none were asked for.
	Extra []byte `msgpack:"e"`
}

// Size returns the bytes of its texts.
func (r *Rendered) Size() int {
	return len(r.Document) + len(r.Formatted) + len(r.MatchesPosition) + len(r.Extra)
}
