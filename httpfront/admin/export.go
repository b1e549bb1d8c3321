package admin

import (
	"net/http"
	"strconv"
	"strings"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/routing"
)

// BackupRoutes are the rows of dumps, snapshots and exports.
func (h *Handlers) BackupRoutes() []routing.Route {
	return []routing.Route{
		{Method: "POST", Pattern: "/dumps", Actions: []string{"dumps.create"}, Serve: h.serveDump, Leased: true, Enqueues: true, NoBody: true},
		{Method: "POST", Pattern: "/snapshots", Actions: []string{"snapshots.create"}, Serve: h.serveSnapshot, Leased: true, Enqueues: true, NoBody: true},
		{Method: "POST", Pattern: "/export", Actions: []string{"export"}, Serve: h.serveExport, Leased: true, Body: exportFields},
	}
}

var exportFields = decode.NewObject(
	decode.Plain("url", apierr.CodeInvalidExportURL, decode.String, func(r *api.ExportRequest) *string { return &r.URL }),
	decode.Optional("apiKey", apierr.CodeInvalidExportAPIKey, decode.String, func(r *api.ExportRequest) **string { return &r.APIKey }),
	decode.Optional("payloadSize", apierr.CodeInvalidExportPayloadSize, byteSize, func(r *api.ExportRequest) **uint64 { return &r.PayloadSize }),
	decode.Nullable("indexes", apierr.Code{}, exportIndexes, func(r *api.ExportRequest) *[]decode.Entry[api.ExportIndex] { return &r.Indexes }),
)

var exportIndexFields = decode.NewObject(
	decode.Nullable("filter", apierr.CodeInvalidExportIndexFilter, rawBytes, func(e *api.ExportIndex) *[]byte { return &e.Filter }),
	decode.Plain("overrideSettings", apierr.CodeInvalidExportIndexOverrideSettings, decode.Bool, func(e *api.ExportIndex) *bool { return &e.OverrideSettings }),
)

func rawBytes(_ *decode.Loc, v *jsonvalue.Value) ([]byte, *apierr.Error) {
	return v.AppendJSON(nil), nil
}

// exportIndexes accepts an object from index pattern to options.
func exportIndexes(at *decode.Loc, v *jsonvalue.Value) ([]decode.Entry[api.ExportIndex], *apierr.Error) {
	entries, err := decode.Map(exportIndexFields.As(func() api.ExportIndex { return api.ExportIndex{} }))(at, v)
	for _, e := range entries {
		if !api.ValidIndexPattern(e.Name) {
			return nil, at.Invalid("the key \"" + e.Name + "\" could not be deserialized into the key type `meilisearch_types::index_uid_pattern::IndexUidPattern`")
		}
	}
	return entries, err
}

// byteSize accepts a number of bytes or a text such as "24MiB".
func byteSize(at *decode.Loc, v *jsonvalue.Value) (uint64, *apierr.Error) {
	if v.Kind() == jsonvalue.KindPositive {
		return v.Uint(), nil
	}
	if v.Kind() != jsonvalue.KindString {
		return 0, at.WrongType(v, jsonvalue.KindPositive, jsonvalue.KindString)
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

func (h *Handlers) serveExport(x *routing.Exchange) error {
	var r api.ExportRequest
	if err := routing.ReadBody(x, exportFields, &r); err != nil {
		return err
	}
	if r.Indexes == nil {
		r.Indexes = []decode.Entry[api.ExportIndex]{{Name: "*"}}
	}
	return x.Enqueued(http.StatusOK)(h.Tasks.Export(x.Context(), &r))
}
