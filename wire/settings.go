package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"shoal/api/settings"
	"shoal/wire/same"
)

// decoded are the settings in use in this process, by their stored form. In a cluster with many
// indexes most have equal settings, and each node decodes those of an index twice: for the
// catalogue and for the shard.
var decoded same.Values[string, settings.Settings]

// DecodeSettings decodes the form of EncodeSettings. No bytes mean the defaults. Equal bytes
// give the same settings while they are in use: do not modify. Safe for concurrent use.
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

// FieldsKey returns a text that is different for different lists of fields.
func FieldsKey(fields []string) string {
	var b []byte
	for _, f := range fields {
		b = append(binary.AppendUvarint(b, uint64(len(f))), f...)
	}
	return string(b)
}
