package api

import (
	"encoding/json"
	"strconv"
)

// embedderField numbers the members of an embedder's definition in their public
// order (spec write-api 13.1).
type embedderField int

const (
	embSource embedderField = iota
	embModel
	embRevision
	embPooling
	embAPIKey
	embDimensions
	embBinaryQuantized
	embTemplate
	embTemplateMaxBytes
	embURL
	embIndexingFragments
	embSearchFragments
	embRequest
	embResponse
	embHeaders
	embSearchEmbedder
	embIndexingEmbedder
	embDistribution
	embFields // their number
)

var embedderFieldNames = [embFields]string{
	"source", "model", "revision", "pooling", "apiKey", "dimensions", "binaryQuantized", "documentTemplate",
	"documentTemplateMaxBytes", "url", "indexingFragments", "searchFragments", "request", "response", "headers",
	"searchEmbedder", "indexingEmbedder", "distribution",
}

// EmbedderPatch changes one embedder; the stored definition has the same form
// with every member absent or set. Values are canonical JSON.
type EmbedderPatch struct {
	fields [embFields]Field[Value]
}

// value returns a set member's value, nil when it is absent or null.
func (e *EmbedderPatch) value(f embedderField) *Value {
	if !e.fields[f].IsSet() {
		return nil
	}
	return &e.fields[f].Value
}

func (e *EmbedderPatch) text(f embedderField) string {
	if v := e.value(f); v != nil {
		return v.String()
	}
	return ""
}

// Embedder is a stored definition as its users read it.
type Embedder struct {
	Source               string // openAi, huggingFace, ollama, userProvided, rest or composite
	Model, Revision      string
	Pooling, URL, APIKey string
	// Dimensions are those set, else those that the model has; 0 when they are not
	// known. SetDimensions are the ones set.
	Dimensions, SetDimensions int
	BinaryQuantized           bool
	DocumentTemplate          string
	TemplateMaxBytes          int
	Request, Response         *Value
	Headers                   []Entry[string]
	HasDistribution           bool
	DistributionMean, Sigma   float64
	// IndexingFragments and SearchFragments are by name, sorted.
	IndexingFragments, SearchFragments []Entry[Value]
	// SearchEmbedder and IndexingEmbedder are the halves of a composite one.
	SearchEmbedder, IndexingEmbedder *Embedder
}

// ParseEmbedder decodes one value of Settings.Embedders.
func ParseEmbedder(raw json.RawMessage) (*Embedder, error) {
	p, err := storedEmbedder(raw)
	if err != nil {
		return nil, err
	}
	return p.embedder()
}

func (p *EmbedderPatch) embedder() (*Embedder, error) {
	e := &Embedder{
		Source: p.text(embSource), Model: p.text(embModel), Revision: p.text(embRevision), Pooling: p.text(embPooling),
		URL: p.text(embURL), APIKey: p.text(embAPIKey), DocumentTemplate: p.text(embTemplate),
		Request: p.value(embRequest), Response: p.value(embResponse),
	}
	if v := p.value(embDimensions); v != nil {
		e.Dimensions = clampInt(v.Uint())
	}
	if v := p.value(embTemplateMaxBytes); v != nil {
		e.TemplateMaxBytes = clampInt(v.Uint())
	}
	if v := p.value(embBinaryQuantized); v != nil {
		e.BinaryQuantized = v.Bool()
	}
	if v := p.value(embHeaders); v != nil {
		for _, m := range v.Members() {
			e.Headers = append(e.Headers, Entry[string]{Name: m.Name, Value: m.Value.String()})
		}
	}
	if v := p.value(embDistribution); v != nil {
		e.HasDistribution = true
		e.DistributionMean, e.Sigma = v.Get("mean").Float(), v.Get("sigma").Float()
	}
	e.SetDimensions = e.Dimensions
	e.IndexingFragments, e.SearchFragments = fragmentsOf(p.value(embIndexingFragments)), fragmentsOf(p.value(embSearchFragments))
	var err error
	if e.SearchEmbedder, err = nestedOf(p.value(embSearchEmbedder)); err == nil {
		e.IndexingEmbedder, err = nestedOf(p.value(embIndexingEmbedder))
	}
	e.Dimensions = e.nativeDimensions()
	return e, err
}

func fragmentsOf(v *Value) []Entry[Value] {
	if v == nil {
		return nil
	}
	out := make([]Entry[Value], 0, v.Len())
	for _, m := range v.Members() {
		if value := m.Value.Get("value"); value != nil {
			out = append(out, Entry[Value]{Name: m.Name, Value: *value})
		}
	}
	return out
}

func nestedOf(v *Value) (*Embedder, error) {
	if v == nil {
		return nil, nil
	}
	var p EmbedderPatch
	if err := embedderObject.Decode(BodyRoot(CodeInternal), v, &p); err != nil {
		return nil, err
	}
	return p.embedder()
}

func storedEmbedder(raw json.RawMessage) (*EmbedderPatch, error) {
	v, err := ParseJSON(raw)
	if err != nil {
		return nil, err
	}
	p := &EmbedderPatch{}
	if err := embedderObject.Decode(BodyRoot(CodeInternal), &v, p); err != nil {
		return nil, err
	}
	return p, nil
}

var embedderObject *Object[EmbedderPatch]

// The table refers to itself through nested embedders.
func init() {
	decoders := [embFields]Decoder[Value]{
		embSource:  keep(OneOf(embedderSources[:]...)),
		embModel:   keep(String),
		embPooling: keep(OneOf("useModel", "forceCls", "forceMean")), embRevision: keep(String), embAPIKey: keep(String),
		embDimensions: keep(Uint), embBinaryQuantized: keep(Bool), embTemplate: keep(String), embTemplateMaxBytes: keep(Uint),
		embURL: keep(String), embIndexingFragments: fragments, embSearchFragments: fragments, embRequest: Any, embResponse: Any,
		embHeaders: headers, embSearchEmbedder: nestedEmbedder, embIndexingEmbedder: nestedEmbedder, embDistribution: distribution,
	}
	rows := make([]Row[EmbedderPatch], embFields)
	for f := range embFields {
		rows[f] = Tristate(embedderFieldNames[f], Code{}, decoders[f], func(e *EmbedderPatch) *Field[Value] { return &e.fields[f] })
	}
	embedderObject = NewObject(rows...)
}

// keep checks a value and keeps it as JSON.
func keep[T any](dec Decoder[T]) Decoder[Value] {
	return func(at *Loc, v *Value) (Value, *Error) {
		_, err := dec(at, v)
		return *v, err
	}
}

// embedderMap is the value of the setting: definitions by name, null removes.
func embedderMap(at *Loc, v *Value) ([]Entry[*EmbedderPatch], *Error) {
	list, err := Map(OrNull(decodeEmbedder))(at, v)
	return sortEntries(list), err
}

func decodeEmbedder(at *Loc, v *Value) (EmbedderPatch, *Error) {
	var e EmbedderPatch
	err := embedderObject.Decode(at, v, &e)
	return e, err
}

func nestedEmbedder(at *Loc, v *Value) (Value, *Error) {
	e, err := decodeEmbedder(at, v)
	if err != nil {
		return Value{}, err
	}
	return e.asValue(), nil
}

var fragmentObject = NewObject(
	Plain("value", Code{}, Any, func(f *Value) *Value { return f }).Required(Code{}),
)

func fragments(at *Loc, v *Value) (Value, *Error) {
	list, err := Map(OrNull(fragmentObject.As(func() Value { return Value{} })))(at, v)
	if err != nil {
		return Value{}, err
	}
	out := make([]Member, 0, len(list))
	for _, e := range sortEntries(list) {
		m := Member{Name: e.Name}
		if e.Value != nil {
			m.Value = ObjectValue(Member{Name: "value", Value: *e.Value})
		}
		out = append(out, m)
	}
	return ObjectValue(out...), nil
}

func headers(at *Loc, v *Value) (Value, *Error) {
	list, err := Map(String)(at, v)
	if err != nil {
		return Value{}, err
	}
	out := make([]Member, 0, len(list))
	for _, e := range sortEntries(list) {
		out = append(out, Member{Name: e.Name, Value: StringValue(e.Value)})
	}
	return ObjectValue(out...), nil
}

var distributionObject = NewObject(
	Plain("mean", Code{}, keep(Float), func(d *[2]Value) *Value { return &d[0] }).Required(Code{}),
	Plain("sigma", Code{}, keep(Float), func(d *[2]Value) *Value { return &d[1] }).Required(Code{}),
)

func distribution(at *Loc, v *Value) (Value, *Error) {
	var d [2]Value
	if err := distributionObject.Decode(at, v, &d); err != nil {
		return Value{}, err
	}
	if mean := d[0].Float(); mean < 0 || mean > 1 {
		return Value{}, at.Invalid("the distribution mean must be in the range [0, 1], got " + strconv.FormatFloat(mean, 'f', -1, 64))
	}
	if sigma := d[1].Float(); sigma <= 0 || sigma > 1 {
		return Value{}, at.Invalid("the distribution sigma must be in the range ]0, 1], got " + strconv.FormatFloat(sigma, 'f', -1, 64))
	}
	return ObjectValue(Member{Name: "mean", Value: d[0]}, Member{Name: "sigma", Value: d[1]}), nil
}

// asValue returns the given members in public order.
func (e *EmbedderPatch) asValue() Value {
	var out []Member
	for f := range embFields {
		if e.fields[f].Given() {
			out = append(out, Member{Name: embedderFieldNames[f], Value: e.fields[f].Value})
		}
	}
	return ObjectValue(out...)
}

// masked returns a copy with its secrets hidden.
func (e *EmbedderPatch) masked() *EmbedderPatch {
	c := *e
	if v := e.value(embAPIKey); v != nil {
		c.fields[embAPIKey] = Set(StringValue(MaskSecret(v.String())))
	}
	for _, f := range []embedderField{embSearchEmbedder, embIndexingEmbedder} {
		if v := e.value(f); v != nil && v.Get("apiKey") != nil {
			members := append([]Member(nil), v.Members()...)
			for i := range members {
				if members[i].Name == "apiKey" && !members[i].Value.IsNull() {
					members[i].Value = StringValue(MaskSecret(members[i].Value.String()))
				}
			}
			c.fields[f] = Set(ObjectValue(members...))
		}
	}
	return &c
}

func writeEmbedders(dst []byte, list []Entry[*EmbedderPatch], masked bool) []byte {
	return writeMap(dst, list, func(dst []byte, e *EmbedderPatch) []byte {
		if e == nil {
			return append(dst, "null"...)
		}
		if masked {
			e = e.masked()
		}
		v := e.asValue()
		return v.AppendJSON(dst)
	})
}

func showEmbedders(dst []byte, s *Settings) []byte {
	list := make([]Entry[*EmbedderPatch], 0, len(s.Embedders))
	for _, e := range entriesOf(s.Embedders) {
		// Definitions were written by applyEmbedders; one that does not decode is
		// shown empty rather than with its secrets.
		p, err := storedEmbedder(e.Value)
		if err != nil {
			p = &EmbedderPatch{}
		}
		list = append(list, Entry[*EmbedderPatch]{Name: e.Name, Value: p})
	}
	return writeEmbedders(dst, list, true)
}
