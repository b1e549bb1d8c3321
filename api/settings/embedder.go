package settings

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
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

// EmbedderPatch changes one embedder. The stored definition has the same form; its members
// are absent or set, never null. Values are canonical JSON.
type EmbedderPatch struct {
	fields [embFields]decode.Field[jsonvalue.Value]
}

// value returns the value of a member, nil if it is absent or null.
func (e *EmbedderPatch) value(f embedderField) *jsonvalue.Value {
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

// Embedder is a stored definition in decoded form.
type Embedder struct {
	Source               string // openAi, huggingFace, ollama, userProvided, rest or composite
	Model, Revision      string
	Pooling, URL, APIKey string
	// SetDimensions is the configured number, 0 for none. Dimensions is the same or else
	// the native number of the model, 0 if unknown.
	Dimensions, SetDimensions int
	// DimensionsStated tells that the number is configured. Half of a composite embedder may
	// have 0, which no other half fits.
	DimensionsStated        bool
	APIKeyStated            bool // maybe as ""
	BinaryQuantized         bool
	DocumentTemplate        string
	Request, Response       *jsonvalue.Value
	Headers                 []decode.Entry[string]
	HasDistribution         bool
	DistributionMean, Sigma float64
	// IndexingFragments and SearchFragments are sorted by name.
	IndexingFragments, SearchFragments []decode.Entry[jsonvalue.Value]
	// SearchEmbedder and IndexingEmbedder are the two parts of a composite embedder.
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
		URL: p.text(embURL), APIKey: p.text(embAPIKey), DocumentTemplate: DefaultDocumentTemplate,
		Request: p.value(embRequest), Response: p.value(embResponse), APIKeyStated: p.value(embAPIKey) != nil,
	}
	if v := p.value(embDimensions); v != nil {
		e.Dimensions, _ = count(v.Uint())
		e.DimensionsStated = true
	}
	if v := p.value(embTemplate); v != nil {
		e.DocumentTemplate = v.String()
	}
	if v := p.value(embBinaryQuantized); v != nil {
		e.BinaryQuantized = v.Bool()
	}
	if v := p.value(embHeaders); v != nil {
		for _, m := range v.Members() {
			e.Headers = append(e.Headers, decode.Entry[string]{Name: m.Name, Value: m.Value.String()})
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

func fragmentsOf(v *jsonvalue.Value) []decode.Entry[jsonvalue.Value] {
	if v == nil {
		return nil
	}
	out := make([]decode.Entry[jsonvalue.Value], 0, v.Len())
	for _, m := range v.Members() {
		if value := m.Value.Get("value"); value != nil {
			out = append(out, decode.Entry[jsonvalue.Value]{Name: m.Name, Value: *value})
		}
	}
	return out
}

func nestedOf(v *jsonvalue.Value) (*Embedder, error) {
	if v == nil {
		return nil, nil
	}
	p, err := nestedPatch(v)
	if err != nil {
		return nil, err
	}
	return p.embedder()
}

// nestedPatch decodes one half of a composite embedder.
func nestedPatch(v *jsonvalue.Value) (*EmbedderPatch, error) {
	p := &EmbedderPatch{}
	if err := nestedObject.Decode(decode.BodyRoot(apierr.CodeInternal), v, p); err != nil {
		return nil, err
	}
	return p, nil
}

func storedEmbedder(raw json.RawMessage) (*EmbedderPatch, error) {
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return nil, err
	}
	p := &EmbedderPatch{}
	if err := embedderObject.Decode(decode.BodyRoot(apierr.CodeInternal), &v, p); err != nil {
		return nil, err
	}
	return p, nil
}

// embedderObject reads a definition, nestedObject one that is nested in it. The nested one knows
// the members that it must not have, so that checkUses can refuse them.
var embedderObject, nestedObject *decode.Object[EmbedderPatch]

// Set in init, because the table refers to itself through nested embedders.
func init() {
	decoders := [embFields]decode.Decoder[jsonvalue.Value]{
		embSource:  keep(decode.OneOf(embedderSources[:]...)),
		embModel:   keep(decode.String),
		embPooling: keep(decode.OneOf("useModel", "forceCls", "forceMean")), embRevision: keep(decode.String), embAPIKey: keep(decode.String),
		embDimensions: keep(decode.Uint), embBinaryQuantized: keep(decode.Bool), embTemplate: keep(decode.String), embTemplateMaxBytes: keep(decode.Uint),
		embURL: keep(decode.String), embIndexingFragments: fragments, embSearchFragments: fragments, embRequest: decode.Any, embResponse: decode.Any,
		embHeaders: headers, embSearchEmbedder: nestedEmbedder, embIndexingEmbedder: nestedEmbedder, embDistribution: distribution,
	}
	object := func(order []embedderField) *decode.Object[EmbedderPatch] {
		rows := make([]decode.Row[EmbedderPatch], len(order))
		for i, f := range order {
			rows[i] = decode.Tristate(embedderFieldNames[f], apierr.Code{}, decoders[f], func(e *EmbedderPatch) *decode.Field[jsonvalue.Value] { return &e.fields[f] })
		}
		return decode.NewObject(rows...)
	}
	public := make([]embedderField, embFields)
	for f := range embFields {
		public[f] = f
	}
	embedderObject = object(public)
	decoders[embSearchEmbedder], decoders[embIndexingEmbedder] = decode.Any, decode.Any
	nestedObject = object(nestedOrder)
}

// keep checks a value and keeps it as JSON.
func keep[T any](dec decode.Decoder[T]) decode.Decoder[jsonvalue.Value] {
	return func(at *decode.Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) {
		_, err := dec(at, v)
		return *v, err
	}
}

// embedderMap decodes the value of the setting: definitions by name, where null removes.
func embedderMap(at *decode.Loc, v *jsonvalue.Value) ([]decode.Entry[*EmbedderPatch], *apierr.Error) {
	list, err := decode.Map(decode.OrNull(decodeEmbedder))(at, v)
	return decode.SortEntries(list), err
}

func decodeEmbedder(at *decode.Loc, v *jsonvalue.Value) (EmbedderPatch, *apierr.Error) {
	var e EmbedderPatch
	err := embedderObject.Decode(at, v, &e)
	return e, err
}

func nestedEmbedder(at *decode.Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) {
	var e EmbedderPatch
	err := nestedObject.Decode(at, v, &e)
	return e.asValue(), err
}

var fragmentObject = decode.NewObject(
	decode.Plain("value", apierr.Code{}, decode.Any, func(f *jsonvalue.Value) *jsonvalue.Value { return f }).Required(apierr.Code{}),
)

// fragment reads the value of a fragment. Other members are ignored.
func fragment(at *decode.Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) {
	known := *v
	if v.Kind() == jsonvalue.KindObject {
		known = jsonvalue.ObjectValue(slices.DeleteFunc(slices.Clone(v.Members()), func(m jsonvalue.Member) bool { return m.Name != "value" })...)
	}
	return fragmentObject.Read(at, &known)
}

func fragments(at *decode.Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) {
	list, err := decode.Map(decode.OrNull(fragment))(at, v)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	out := make([]jsonvalue.Member, 0, len(list))
	for _, e := range decode.SortEntries(list) {
		m := jsonvalue.Member{Name: e.Name}
		if e.Value != nil {
			m.Value = jsonvalue.ObjectValue(jsonvalue.Member{Name: "value", Value: *e.Value})
		}
		out = append(out, m)
	}
	return jsonvalue.ObjectValue(out...), nil
}

func headers(at *decode.Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) {
	list, err := decode.Map(decode.String)(at, v)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	out := make([]jsonvalue.Member, 0, len(list))
	for _, e := range decode.SortEntries(list) {
		out = append(out, jsonvalue.Member{Name: e.Name, Value: jsonvalue.StringValue(e.Value)})
	}
	return jsonvalue.ObjectValue(out...), nil
}

var distributionObject = decode.NewObject(
	decode.Plain("mean", apierr.Code{}, decode.Float32, func(d *[2]float32) *float32 { return &d[0] }).Required(apierr.Code{}),
	decode.Plain("sigma", apierr.Code{}, decode.Float32, func(d *[2]float32) *float32 { return &d[1] }).Required(apierr.Code{}),
)

// distribution reads two numbers of 32 bits.
func distribution(at *decode.Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) {
	d, err := distributionObject.Read(at, v)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	if mean := d[0]; mean < 0 || mean > 1 {
		return jsonvalue.Value{}, at.Invalid("the distribution mean must be in the range [0, 1], got " + float32Text(mean))
	}
	if sigma := d[1]; sigma <= 0 || sigma > 1 {
		return jsonvalue.Value{}, at.Invalid("the distribution sigma must be in the range ]0, 1], got " + float32Text(sigma))
	}
	return jsonvalue.ObjectValue(jsonvalue.Member{Name: "mean", Value: float32Value(d[0])}, jsonvalue.Member{Name: "sigma", Value: float32Value(d[1])}), nil
}

// float32Text is a number as messages show it.
func float32Text(f float32) string {
	return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(float64(f), 'f', -1, 32)), "+")
}

// float32Value is the number with the fewest digits that f is nearest to.
func float32Value(f float32) jsonvalue.Value {
	shown, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	if err != nil {
		shown = float64(f) // unreachable: f is finite
	}
	return jsonvalue.FloatValue(shown)
}

// asValue returns the given members in public order.
func (e *EmbedderPatch) asValue() jsonvalue.Value {
	var out []jsonvalue.Member
	for f := range embFields {
		if e.fields[f].Given() {
			out = append(out, jsonvalue.Member{Name: embedderFieldNames[f], Value: e.fields[f].Value})
		}
	}
	return jsonvalue.ObjectValue(out...)
}

// written returns a copy as it is stored and shown: without the members that a nested
// definition must not have.
func (e *EmbedderPatch) written() *EmbedderPatch {
	c := *e
	for _, f := range nestedFields {
		if v := e.value(f); v != nil {
			kept := slices.DeleteFunc(slices.Clone(v.Members()), func(m jsonvalue.Member) bool {
				return slices.ContainsFunc(neverNested, func(f embedderField) bool { return embedderFieldNames[f] == m.Name })
			})
			c.fields[f] = decode.Set(jsonvalue.ObjectValue(kept...))
		}
	}
	return &c
}

// masked returns a copy with its secrets hidden.
func (e *EmbedderPatch) masked() *EmbedderPatch {
	c := *e
	if v := e.value(embAPIKey); v != nil {
		c.fields[embAPIKey] = decode.Set(jsonvalue.StringValue(jsonvalue.MaskSecret(v.String())))
	}
	for _, f := range nestedFields {
		if v := e.value(f); v != nil && v.Get("apiKey") != nil {
			members := append([]jsonvalue.Member(nil), v.Members()...)
			for i := range members {
				if members[i].Name == "apiKey" && !members[i].Value.IsNull() {
					members[i].Value = jsonvalue.StringValue(jsonvalue.MaskSecret(members[i].Value.String()))
				}
			}
			c.fields[f] = decode.Set(jsonvalue.ObjectValue(members...))
		}
	}
	return &c
}

func writeEmbedders(dst []byte, list []decode.Entry[*EmbedderPatch], masked bool) []byte {
	return decode.WriteMap(dst, list, func(dst []byte, e *EmbedderPatch) []byte {
		if e == nil {
			return append(dst, "null"...)
		}
		if e = e.written(); masked {
			e = e.masked()
		}
		v := e.asValue()
		return v.AppendJSON(dst)
	})
}

func showEmbedders(dst []byte, s *Settings) []byte {
	list := make([]decode.Entry[*EmbedderPatch], 0, len(s.Embedders))
	for _, e := range decode.EntriesOf(s.Embedders) {
		// applyEmbedders wrote the definitions. One that does not decode is shown empty, so
		// that it cannot reveal secrets.
		p, err := storedEmbedder(e.Value)
		if err != nil {
			p = &EmbedderPatch{}
		}
		list = append(list, decode.Entry[*EmbedderPatch]{Name: e.Name, Value: p})
	}
	return writeEmbedders(dst, list, true)
}

// Embedder returns the definition of a configured embedder with its dimensions, if known.
// ok is false if there is none of that name. err means that the stored definition does not
// decode.
func (s *Settings) Embedder(name string) (e *Embedder, ok bool, err error) {
	raw, ok := s.Embedders[name]
	if !ok {
		return nil, false, nil
	}
	if e, err = ParseEmbedder(raw); err != nil {
		return nil, false, err
	}
	if e.Dimensions == 0 {
		e.Dimensions = s.EmbedderDimensions[name]
	}
	return e, true, nil
}

// nativeDimensions are the dimensions that follow from the definition, 0 if unknown.
func (e *Embedder) nativeDimensions() int {
	switch e.Source {
	case "openAi":
		model := e.Model
		if model == "" {
			model = defaultOpenAIModel
		}
		at := slices.IndexFunc(openAIModels, func(m openAIModel) bool { return m.name == model })
		if at >= 0 && (!e.DimensionsStated || openAIModels[at].fixed) {
			return int(openAIModels[at].dimensions)
		}
	case "composite":
		for _, half := range []*Embedder{e.IndexingEmbedder, e.SearchEmbedder} {
			if half != nil && e.Dimensions == 0 && half.Dimensions > 0 {
				return half.Dimensions
			}
		}
	}
	return e.Dimensions
}

// Shift returns the mean and the deviation that turn similarities into scores: those of the
// definition, otherwise those known for the model. ok is false if there are none (spec
// write-api 13.5).
func (e *Embedder) Shift() (mean, sigma float64, ok bool) {
	if e.HasDistribution {
		return e.DistributionMean, e.Sigma, true
	}
	switch e.Source {
	case "openAi":
		for _, m := range openAIModels {
			if m.name == e.Model {
				return m.mean, m.sigma, true
			}
		}
	case "composite":
		for _, half := range []*Embedder{e.SearchEmbedder, e.IndexingEmbedder} {
			if half == nil {
				continue
			}
			if mean, sigma, ok := half.Shift(); ok {
				return mean, sigma, true
			}
		}
	}
	return 0, 0, false
}

// knownOpenAI tells whether the source openAi has the model.
func knownOpenAI(model string) bool {
	return slices.ContainsFunc(openAIModels, func(m openAIModel) bool { return m.name == model })
}

// SupportsDimensions tells whether an openAi model can return vectors of other dimensions
// than its own.
func (e *Embedder) SupportsDimensions() bool {
	at := slices.IndexFunc(openAIModels, func(m openAIModel) bool { return m.name == e.Model })
	return at < 0 || !openAIModels[at].fixed
}
