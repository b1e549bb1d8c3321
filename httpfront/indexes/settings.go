package indexes

import (
	"net/http"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/prompt"
	"shoal/httpfront/openapi"
	"shoal/httpfront/routing"
)

// SettingsRoutes are the rows for all settings together and for each one (spec write-api
// 12.1), generated from the table of settings.
func (h *Handlers) SettingsRoutes() []routing.Route {
	const all = "/indexes/{index_uid}/settings"
	rows := []routing.Route{
		{Method: "GET", Pattern: all, Actions: []string{"settings.get"}, Serve: h.serveSettings, OnIndex: true},
		{Method: "PATCH", Pattern: all, Actions: []string{"settings.update"}, Serve: h.serveUpdateSettings, OnIndex: true, Leased: true, Enqueues: true, Schema: settingsSchema},
		{Method: "DELETE", Pattern: all, Actions: []string{"settings.update"}, Serve: h.serveResetSettings, OnIndex: true, Leased: true, Enqueues: true},
	}
	for _, s := range settings.Table() {
		path := all + "/" + s.Path
		rows = append(rows,
			routing.Route{Method: "GET", Pattern: path, Actions: []string{"settings.get"}, Serve: h.showSetting(s), OnIndex: true},
			routing.Route{Method: s.Verb, Pattern: path, Actions: []string{"settings.update"}, Serve: h.updateSetting(s), OnIndex: true, Leased: true, Enqueues: true,
				Schema: func() jsonvalue.Value { return settingSchema(s) }},
			routing.Route{Method: "DELETE", Pattern: path, Actions: []string{"settings.update"}, Serve: h.resetSetting(s), OnIndex: true, Leased: true, Enqueues: true})
	}
	return rows
}

// settings returns the settings of the path's index.
func (h *Handlers) settings(x *routing.Exchange) (*settings.Settings, error) {
	uid, err := x.IndexUID()
	if err != nil {
		return nil, err
	}
	return h.Indexes.IndexSettings(x.Context(), uid)
}

// changeSettings enqueues a patch for the path's index.
func (h *Handlers) changeSettings(x *routing.Exchange, patch *settings.Patch, deletion bool) error {
	uid, err := x.IndexUID()
	if err != nil {
		return err
	}
	if err := patch.CheckSync(x.Features(), prompt.Check()); err != nil {
		return err
	}
	create := !deletion && x.Auth.MayCreate(uid)
	return x.Enqueued(http.StatusAccepted)(h.Writes.UpdateSettings(x.Context(), uid, patch, deletion, create))
}

func (h *Handlers) serveSettings(x *routing.Exchange) error {
	s, err := h.settings(x)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, settings.Append(x.Buffer(), s, x.Features()))
}

func (h *Handlers) serveUpdateSettings(x *routing.Exchange) error {
	v, err := x.BodyValue()
	if err != nil {
		return err
	}
	patch, refused := settings.ParsePatch(decode.BodyRoot(apierr.CodeBadRequest), &v)
	if refused != nil {
		return refused
	}
	return h.changeSettings(x, patch, false)
}

func (h *Handlers) serveResetSettings(x *routing.Exchange) error {
	return h.changeSettings(x, settings.ResetAll(), true)
}

func (h *Handlers) showSetting(s *settings.Setting) routing.Handler {
	return func(x *routing.Exchange) error {
		settings, err := h.settings(x)
		if err != nil {
			return err
		}
		return x.Respond(http.StatusOK, s.AppendPublic(x.Buffer(), settings))
	}
}

func (h *Handlers) updateSetting(s *settings.Setting) routing.Handler {
	decode := func(at *decode.Loc, v *jsonvalue.Value, p *settings.Patch) *apierr.Error { return s.Decode(p, at, v) }
	return func(x *routing.Exchange) error {
		var patch settings.Patch
		if err := routing.ReadBodyAs(x, s.Code, decode, &patch); err != nil {
			return err
		}
		return h.changeSettings(x, &patch, false)
	}
}

func (h *Handlers) resetSetting(s *settings.Setting) routing.Handler {
	return func(x *routing.Exchange) error {
		var patch settings.Patch
		s.Reset(&patch)
		return h.changeSettings(x, &patch, true)
	}
}

// settingSchema describes the body of one setting. Its default is that of a new index.
func settingSchema(s *settings.Setting) jsonvalue.Value {
	d := s.Describe()
	schema := openapi.SchemaOf(&d)
	if shown, err := jsonvalue.Parse(s.AppendPublic(nil, settings.Default())); err == nil {
		schema = jsonvalue.ObjectValue(append(schema.Members(), openapi.Named("default", shown))...)
	}
	return schema
}

// settingsSchema describes the body of all settings.
func settingsSchema() jsonvalue.Value {
	var properties []jsonvalue.Member
	for _, s := range settings.Table() {
		properties = append(properties, openapi.Named(s.Name, settingSchema(s)))
	}
	return jsonvalue.ObjectValue(openapi.Named("type", jsonvalue.StringValue("object")), openapi.Named("properties", jsonvalue.ObjectValue(properties...)), openapi.Named("additionalProperties", jsonvalue.BoolValue(false)))
}
