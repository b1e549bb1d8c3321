package settings

import (
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// AppendClear appends the settings as AppendSettings does, but with
// secrets in clear: how dumps and exports carry them.
func AppendClear(dst []byte, s *Settings, f Features) []byte {
	dst = append(dst, '{')
	first := true
	for _, row := range table {
		if row.Name == "foreignKeys" && !f.ForeignKeys || row.Name == "chat" && !f.ChatCompletions {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(jsonvalue.AppendString(dst, row.Name), ':')
		if row.Name == "embedders" {
			dst = clearEmbedders(dst, s)
		} else {
			dst = row.AppendPublic(dst, s)
		}
	}
	return append(dst, '}')
}

func clearEmbedders(dst []byte, s *Settings) []byte {
	dst = append(dst, '{')
	for i, e := range decode.EntriesOf(s.Embedders) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(jsonvalue.AppendString(dst, e.Name), ':'), e.Value...)
	}
	return append(dst, '}')
}
