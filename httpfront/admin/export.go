package admin

import (
	"net/http"

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
	entries, err := decode.Map(exportIndexFields.Read)(at, v)
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
	n, fault := parseByteSize(v.String())
	if fault != "" {
		return 0, at.Invalid(fault)
	}
	return n, nil
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
