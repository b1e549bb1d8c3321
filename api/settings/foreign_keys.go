package settings

import (
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// foreignKeys names members that hold ids of documents in other indexes.
var foreignKeys = row[[]foreignKey]{
	Name: "foreignKeys", Path: "foreign-keys", Verb: "PUT", Code: apierr.Declare("invalid_settings_foreign_keys"),
	decode: decode.List(foreignKeyObject.As(func() foreignKey { return foreignKey{} })),
	write:  func(dst []byte, keys []foreignKey, _ bool) []byte { return appendForeignKeys(dst, keys) },
	show: func(dst []byte, s *Settings) []byte {
		if len(s.ForeignKeys) == 0 {
			return append(dst, "[]"...)
		}
		return append(dst, s.ForeignKeys...)
	},
	gate: func(f Features) *apierr.Error {
		if f.ForeignKeys {
			return nil
		}
		return apierr.FeatureNotEnabled("setting `foreignKeys` in the index settings", "foreign_keys", 873)
	},
	apply: func(s *Settings, f decode.Field[[]foreignKey], _ *Env) *apierr.Error {
		s.ForeignKeys = nil
		if f.IsSet() {
			s.ForeignKeys = appendForeignKeys(nil, f.Value)
		}
		return nil
	},
}.setting()

// foreignKey names the member that holds ids of documents of an index.
type foreignKey struct{ index, field string }

var foreignKeyObject = decode.NewObject(
	decode.Plain("foreignIndexUid", apierr.Code{}, decode.String, func(k *foreignKey) *string { return &k.index }).Required(apierr.Code{}),
	decode.Plain("fieldName", apierr.Code{}, decode.String, func(k *foreignKey) *string { return &k.field }).Required(apierr.Code{}),
)

func appendForeignKeys(dst []byte, keys []foreignKey) []byte {
	dst = append(dst, '[')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonvalue.AppendString(append(dst, `{"foreignIndexUid":`...), k.index)
		dst = append(jsonvalue.AppendString(append(dst, `,"fieldName":`...), k.field), '}')
	}
	return append(dst, ']')
}
