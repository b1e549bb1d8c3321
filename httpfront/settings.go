package httpfront

import (
	"net/http"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/embed/prompt"
)

// settingsRoutes are the rows of all settings and of each (spec write-api 12.1),
// generated from the table of settings.
func (h *indexHandlers) settingsRoutes() []route {
	const all = "/indexes/{index_uid}/settings"
	rows := []route{
		{Method: "PATCH", Pattern: all, Actions: []string{"settings.update"}, Serve: h.serveUpdateSettings, OnIndex: true, Leased: true, Enqueues: true, Schema: settingsSchema},
		{Method: "GET", Pattern: all, Actions: []string{"settings.get"}, Serve: h.serveSettings, OnIndex: true},
		{Method: "DELETE", Pattern: all, Actions: []string{"settings.update"}, Serve: h.serveResetSettings, OnIndex: true, Leased: true, Enqueues: true},
	}
	for _, s := range settings.Table() {
		path := all + "/" + s.Path
		rows = append(rows,
			route{Method: "GET", Pattern: path, Actions: []string{"settings.get"}, Serve: h.showSetting(s), OnIndex: true},
			route{Method: s.Verb, Pattern: path, Actions: []string{"settings.update"}, Serve: h.updateSetting(s), OnIndex: true, Leased: true, Enqueues: true,
				Schema: func() jsonvalue.Value { return settingSchema(s) }},
			route{Method: "DELETE", Pattern: path, Actions: []string{"settings.update"}, Serve: h.resetSetting(s), OnIndex: true, Leased: true, Enqueues: true})
	}
	return rows
}

// settings are those of the index of the path.
func (h *indexHandlers) settings(x *exchange) (*settings.Settings, error) {
	uid, err := x.indexUID()
	if err != nil {
		return nil, err
	}
	return h.Indexes.IndexSettings(x.context(), uid)
}

// changeSettings enqueues a patch for the index of the path.
func (h *indexHandlers) changeSettings(x *exchange, patch *settings.Patch, deletion bool) error {
	uid, err := x.indexUID()
	if err != nil {
		return err
	}
	if err := patch.CheckSync(x.features(), prompt.Check()); err != nil {
		return err
	}
	create := !deletion && x.auth.mayCreate(uid)
	return x.enqueued(http.StatusAccepted)(h.Writes.UpdateSettings(x.context(), uid, patch, deletion, create))
}

func (h *indexHandlers) serveSettings(x *exchange) error {
	s, err := h.settings(x)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, settings.Append(x.buffer(), s, x.features()))
}

func (h *indexHandlers) serveUpdateSettings(x *exchange) error {
	v, err := x.bodyValue()
	if err != nil {
		return err
	}
	patch, refused := settings.ParsePatch(decode.BodyRoot(apierr.CodeBadRequest), &v)
	if refused != nil {
		return refused
	}
	return h.changeSettings(x, patch, false)
}

func (h *indexHandlers) serveResetSettings(x *exchange) error {
	return h.changeSettings(x, settings.ResetAll(), true)
}

func (h *indexHandlers) showSetting(s *settings.Setting) handler {
	return func(x *exchange) error {
		settings, err := h.settings(x)
		if err != nil {
			return err
		}
		return x.respond(http.StatusOK, s.AppendPublic(x.buffer(), settings))
	}
}

func (h *indexHandlers) updateSetting(s *settings.Setting) handler {
	decode := func(at *decode.Loc, v *jsonvalue.Value, p *settings.Patch) *apierr.Error { return s.Decode(p, at, v) }
	return func(x *exchange) error {
		var patch settings.Patch
		if err := readBodyAs(x, s.Code, decode, &patch); err != nil {
			return err
		}
		return h.changeSettings(x, &patch, false)
	}
}

func (h *indexHandlers) resetSetting(s *settings.Setting) handler {
	return func(x *exchange) error {
		var patch settings.Patch
		s.Reset(&patch)
		return h.changeSettings(x, &patch, true)
	}
}

// settingSchema describes the body of one setting; its default is that of a fresh
// index.
func settingSchema(s *settings.Setting) jsonvalue.Value {
	d := s.Describe()
	schema := schemaOf(&d)
	if shown, err := jsonvalue.Parse(s.AppendPublic(nil, settings.Default())); err == nil {
		schema = jsonvalue.ObjectValue(append(schema.Members(), named("default", shown))...)
	}
	return schema
}

// settingsSchema describes the body of all settings.
func settingsSchema() jsonvalue.Value {
	var properties []jsonvalue.Member
	for _, s := range settings.Table() {
		properties = append(properties, named(s.Name, settingSchema(s)))
	}
	return jsonvalue.ObjectValue(named("type", jsonvalue.StringValue("object")), named("properties", jsonvalue.ObjectValue(properties...)), named("additionalProperties", jsonvalue.BoolValue(false)))
}
