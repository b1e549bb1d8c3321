package settings

import (
	"encoding/json"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// foreignKeys names members that hold ids of documents in other indexes.
var foreignKeys = row[[]ForeignKey]{
	Name: "foreignKeys", Path: "foreign-keys", Verb: "PUT", Code: apierr.Declare("invalid_settings_foreign_keys"),
	decode: decode.List(foreignKeyObject.Read),
	write:  func(dst []byte, keys []ForeignKey, _ bool) []byte { return appendForeignKeys(dst, keys) },
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
	apply: func(s *Settings, f decode.Field[[]ForeignKey], _ *Env) *apierr.Error {
		s.ForeignKeys = nil
		if f.IsSet() {
			s.ForeignKeys = appendForeignKeys(nil, f.Value)
		}
		return nil
	},
}.setting()

// ForeignKey names the member that holds ids of documents of another index.
type ForeignKey struct {
	Index string `json:"foreignIndexUid"`
	Field string `json:"fieldName"`
}

// DecodedForeignKeys returns the setting foreignKeys.
func (s *Settings) DecodedForeignKeys() (keys []ForeignKey, err error) {
	if len(s.ForeignKeys) > 0 {
		err = json.Unmarshal(s.ForeignKeys, &keys)
	}
	return keys, err
}

var foreignKeyObject = decode.NewObject(
	decode.Plain("foreignIndexUid", apierr.Code{}, decode.String, func(k *ForeignKey) *string { return &k.Index }).Required(apierr.Code{}),
	decode.Plain("fieldName", apierr.Code{}, decode.String, func(k *ForeignKey) *string { return &k.Field }).Required(apierr.Code{}),
)

func appendForeignKeys(dst []byte, keys []ForeignKey) []byte {
	return jsonvalue.AppendList(dst, keys, func(k *ForeignKey, dst []byte) []byte {
		dst = jsonvalue.AppendString(append(dst, `{"foreignIndexUid":`...), k.Index)
		return append(jsonvalue.AppendString(append(dst, `,"fieldName":`...), k.Field), '}')
	})
}
