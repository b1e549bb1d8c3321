package httpfront

import (
	"net/http"
	"strconv"
	"strings"

	"shoal/api"
)

var exportFields = api.NewObject(
	api.Plain("url", api.CodeInvalidExportURL, api.String, func(r *api.ExportRequest) *string { return &r.URL }),
	api.Optional("apiKey", api.CodeInvalidExportAPIKey, api.String, func(r *api.ExportRequest) **string { return &r.APIKey }),
	api.Optional("payloadSize", api.CodeInvalidExportPayloadSize, byteSize, func(r *api.ExportRequest) **uint64 { return &r.PayloadSize }),
	api.Nullable("indexes", api.Code{}, exportIndexes, func(r *api.ExportRequest) *[]api.Entry[api.ExportIndex] { return &r.Indexes }),
)

var exportIndexFields = api.NewObject(
	api.Nullable("filter", api.CodeInvalidExportIndexFilter, rawBytes, func(e *api.ExportIndex) *[]byte { return &e.Filter }),
	api.Plain("overrideSettings", api.CodeInvalidExportIndexOverrideSettings, api.Bool, func(e *api.ExportIndex) *bool { return &e.OverrideSettings }),
)

func rawBytes(_ *api.Loc, v *api.Value) ([]byte, *api.Error) { return v.AppendJSON(nil), nil }

// exportIndexes accepts an object from index pattern to options.
func exportIndexes(at *api.Loc, v *api.Value) ([]api.Entry[api.ExportIndex], *api.Error) {
	entries, err := api.Map(exportIndexFields.As(func() api.ExportIndex { return api.ExportIndex{} }))(at, v)
	for _, e := range entries {
		if !api.ValidIndexPattern(e.Name) {
			return nil, at.Invalid("the key \"" + e.Name + "\" could not be deserialized into the key type `meilisearch_types::index_uid_pattern::IndexUidPattern`")
		}
	}
	return entries, err
}

// byteSize accepts a number of bytes or a text such as "24MiB".
func byteSize(at *api.Loc, v *api.Value) (uint64, *api.Error) {
	if v.Kind() == api.KindPositive {
		return v.Uint(), nil
	}
	if v.Kind() != api.KindString {
		return 0, at.WrongType(v, api.KindPositive, api.KindString)
	}
	n, ok := parseByteSize(v.String())
	if !ok {
		return 0, at.Invalid("could not parse byte size: `" + v.String() + "`")
	}
	return n, nil
}

var byteUnits = map[string]float64{
	"": 1, "b": 1, "k": 1e3, "kb": 1e3, "kib": 1 << 10, "m": 1e6, "mb": 1e6, "mib": 1 << 20,
	"g": 1e9, "gb": 1e9, "gib": 1 << 30, "t": 1e12, "tb": 1e12, "tib": 1 << 40,
}

func parseByteSize(text string) (uint64, bool) {
	text = strings.TrimSpace(text)
	digits := strings.TrimRight(text, "bBkKmMgGtTiI ")
	unit, known := byteUnits[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	f, err := strconv.ParseFloat(digits, 64)
	if !known || err != nil || !(f >= 0) || f*unit >= 1<<63 {
		return 0, false
	}
	return uint64(f * unit), true
}

func serveExport(x *exchange) error {
	var r api.ExportRequest
	if err := readBody(x, exportFields, &r); err != nil {
		return err
	}
	if r.Indexes == nil {
		r.Indexes = []api.Entry[api.ExportIndex]{{Name: "*"}}
	}
	return x.enqueued(http.StatusOK)(x.server.ports.Tasks.Export(x.context(), &r))
}
