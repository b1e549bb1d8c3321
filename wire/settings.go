package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"shoal/api/settings"
	"shoal/wire/same"
)

// decoded are the settings that somebody in this process holds, by their stored form. Most
// indexes of a cluster with many have the settings of all the others, and decode them on each
// node twice: for the catalogue and for the shard.
var decoded same.Values[string, settings.Settings]

// DecodeSettings decodes settings in the form of EncodeSettings; no bytes at all are the
// defaults. Equal bytes give the same settings while somebody holds them: do not modify.
// Safe for concurrent use.
func DecodeSettings(raw []byte) (*settings.Settings, error) {
	return decoded.Of(string(raw), func() (*settings.Settings, error) {
		if len(raw) == 0 {
			return settings.Default(), nil
		}
		s := &settings.Settings{}
		if err := json.Unmarshal(raw, s); err != nil {
			return nil, fmt.Errorf("stored settings: %w", err)
		}
		return s, nil
	})
}

// FieldsKey is a text that differs for lists of fields that differ in anything.
func FieldsKey(fields []string) string {
	var b []byte
	for _, f := range fields {
		b = append(binary.AppendUvarint(b, uint64(len(f))), f...)
	}
	return string(b)
}
