package settings

import (
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// foreignKeys names members that hold ids of documents in other indexes.
var foreignKeys = row[jsonvalue.Value]{
	Name: "foreignKeys", Path: "foreign-keys", Verb: "PUT", Code: apierr.Declare("invalid_settings_foreign_keys"),
	decode: foreignKeyList,
	write:  func(dst []byte, v jsonvalue.Value, _ bool) []byte { return v.AppendJSON(dst) },
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
	apply: func(s *Settings, f decode.Field[jsonvalue.Value], _ *Env) *apierr.Error {
		s.ForeignKeys = nil
		if f.IsSet() {
			s.ForeignKeys = f.Value.AppendJSON(nil)
		}
		return nil
	},
}.setting()

// foreignKeyList checks the form and keeps the value.
func foreignKeyList(at *decode.Loc, v *jsonvalue.Value) (jsonvalue.Value, *apierr.Error) {
	_, err := decode.List(foreignKeyObject.As(func() [2]string { return [2]string{} }))(at, v)
	return *v, err
}

var foreignKeyObject = decode.NewObject(
	decode.Plain("foreignIndexUid", apierr.Code{}, decode.String, func(k *[2]string) *string { return &k[0] }).Required(apierr.Code{}),
	decode.Plain("fieldName", apierr.Code{}, decode.String, func(k *[2]string) *string { return &k[1] }).Required(apierr.Code{}),
)
