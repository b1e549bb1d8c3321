package dump

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/coordinator/task"
)

// exportForm is an export task, or its details, as a dump has it.
type exportForm struct {
	URL         string                     `json:"url"`
	APIKey      *string                    `json:"api_key"`
	PayloadSize byteSize                   `json:"payload_size"`
	Indexes     map[string]json.RawMessage `json:"indexes"`
}

type exportIndex struct {
	Filter           json.RawMessage `json:"filter"`
	OverrideSettings bool            `json:"override_settings"`
	MatchedDocuments *uint64         `json:"matched_documents,omitempty"`
}

type publicExportIndex struct {
	Filter           json.RawMessage `json:"filter"`
	OverrideSettings bool            `json:"overrideSettings"`
	MatchedDocuments *uint64         `json:"matchedDocuments,omitempty"`
}

// byteSize is a number of bytes, written as the reference does ("24 MiB"); negative for none.
type byteSize int64

// MarshalJSON writes a text or null.
func (b byteSize) MarshalJSON() ([]byte, error) {
	if b < 0 {
		return null, nil
	}
	return quoted(jsonvalue.HumanSize(int64(b))), nil
}

// UnmarshalJSON reads a text, a number or null.
func (b *byteSize) UnmarshalJSON(data []byte) error {
	*b = -1
	if string(data) == "null" {
		return nil
	}
	digits := string(data)
	if strings.HasPrefix(digits, `"`) {
		if err := json.Unmarshal(data, &digits); err != nil {
			return err
		}
	}
	at := strings.IndexFunc(digits, func(r rune) bool { return r >= 'A' && r <= 'z' })
	if at < 0 {
		at = len(digits)
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(digits[:at]), 64)
	if err != nil {
		return fmt.Errorf("size %q: %w", digits, err)
	}
	scale, known := byteUnits[strings.TrimSpace(digits[at:])]
	if !known || !(f >= 0) || f*scale >= math.MaxInt64 {
		return fmt.Errorf("size %q", digits)
	}
	*b = byteSize(math.Round(f * scale))
	return nil
}

var byteUnits = map[string]float64{
	"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}

// public returns the "indexes" object of details and task bodies, by pattern.
func (e *exportForm) public() (json.RawMessage, error) {
	var out object
	for _, pattern := range sortedNames(e.Indexes) {
		var x exportIndex
		if err := json.Unmarshal(e.Indexes[pattern], &x); err != nil {
			return nil, err
		}
		raw, err := encode(publicExportIndex{orNull(x.Filter), x.OverrideSettings, x.MatchedDocuments})
		if err != nil {
			return nil, err
		}
		out = append(out, member{pattern, raw})
	}
	return out.encode(), nil
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// storedExportIndexes is the inverse of public.
func storedExportIndexes(public json.RawMessage) (map[string]json.RawMessage, error) {
	have := map[string]publicExportIndex{}
	if len(public) > 0 {
		if err := json.Unmarshal(public, &have); err != nil {
			return nil, err
		}
	}
	out := make(map[string]json.RawMessage, len(have))
	for pattern, x := range have {
		raw, err := encode(exportIndex{orNull(x.Filter), x.OverrideSettings, x.MatchedDocuments})
		if err != nil {
			return nil, err
		}
		out[pattern] = raw
	}
	return out, nil
}

func readExportDetails(raw json.RawMessage) (json.RawMessage, error) {
	e := exportForm{PayloadSize: -1}
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, err
	}
	return e.details()
}

// details returns the public object, with a masked key.
func (e *exportForm) details() (json.RawMessage, error) {
	indexes, err := e.public()
	if err != nil {
		return nil, err
	}
	out := object{{"url", quoted(e.URL)}, {"apiKey", null}}
	if e.APIKey != nil {
		out[1].value = quoted(jsonvalue.MaskSecret(*e.APIKey))
	}
	if e.PayloadSize >= 0 {
		out = append(out, member{"payloadSize", quoted(jsonvalue.HumanSize(int64(e.PayloadSize)))})
	}
	return append(out, member{"indexes", indexes}).encode(), nil
}

// exportOf writes a task body with the given indexes, which come from the body or from the
// details.
func exportOf(body *task.ExportBody, indexes json.RawMessage) (json.RawMessage, error) {
	e := exportForm{URL: body.URL, APIKey: body.APIKey, PayloadSize: -1}
	if body.PayloadSize != nil {
		e.PayloadSize = byteSize(min(*body.PayloadSize, math.MaxInt64))
	}
	var err error
	if e.Indexes, err = storedExportIndexes(indexes); err != nil {
		return nil, err
	}
	return encode(&e)
}

// body is the inverse of exportOf.
func (e *exportForm) body() (*task.ExportBody, error) {
	indexes, err := e.public()
	if err != nil {
		return nil, err
	}
	b := &task.ExportBody{URL: e.URL, APIKey: e.APIKey, Indexes: indexes}
	if e.PayloadSize >= 0 {
		n := uint64(e.PayloadSize)
		b.PayloadSize = &n
	}
	return b, nil
}
