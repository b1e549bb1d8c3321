package httpfront

import (
	"net/http"

	"shoal/api"
	"shoal/embed/prompt"
)

// settingsRoutes are the rows of all settings and of each (spec write-api 12.1),
// generated from the table of settings.
func settingsRoutes() []route {
	const all = "/indexes/{index_uid}/settings"
	rows := []route{
		row("PATCH", all, "settings.update", serveUpdateSettings),
		row("GET", all, "settings.get", serveSettings),
		row("DELETE", all, "settings.update", serveResetSettings),
	}
	for _, s := range api.SettingsTable() {
		path := all + "/" + s.Path
		rows = append(rows,
			row("GET", path, "settings.get", showSetting(s)),
			row(s.Verb, path, "settings.update", updateSetting(s)),
			row("DELETE", path, "settings.update", resetSetting(s)))
	}
	return rows
}

// settings are those of the index of the path.
func (x *exchange) settings() (*api.Settings, error) {
	uid, err := x.indexUID()
	if err != nil {
		return nil, err
	}
	return x.server.ports.Indexes.IndexSettings(x.context(), uid)
}

// changeSettings enqueues a patch for the index of the path.
func (x *exchange) changeSettings(patch *api.SettingsPatch, deletion bool) error {
	uid, err := x.indexUID()
	if err != nil {
		return err
	}
	if err := patch.CheckSync(x.features(), prompt.Check()); err != nil {
		return err
	}
	create := !deletion && x.auth.mayCreate(uid)
	return x.enqueued(http.StatusAccepted)(x.server.ports.Writes.UpdateSettings(x.context(), uid, patch, deletion, create))
}

func serveSettings(x *exchange) error {
	s, err := x.settings()
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, api.AppendSettings(x.body[:0], s, x.features()))
}

func serveUpdateSettings(x *exchange) error {
	v, err := x.bodyValue()
	if err != nil {
		return err
	}
	patch, refused := api.ParseSettingsPatch(api.BodyRoot(api.CodeBadRequest), &v)
	if refused != nil {
		return refused
	}
	return x.changeSettings(patch, false)
}

func serveResetSettings(x *exchange) error { return x.changeSettings(api.ResetAllSettings(), true) }

func showSetting(s *api.Setting) handler {
	return func(x *exchange) error {
		settings, err := x.settings()
		if err != nil {
			return err
		}
		return x.respond(http.StatusOK, s.AppendPublic(x.body[:0], settings))
	}
}

func updateSetting(s *api.Setting) handler {
	decode := func(at *api.Loc, v *api.Value, p *api.SettingsPatch) *api.Error { return s.Decode(p, at, v) }
	return func(x *exchange) error {
		var patch api.SettingsPatch
		if err := readBodyAs(x, s.Code, decode, &patch); err != nil {
			return err
		}
		return x.changeSettings(&patch, false)
	}
}

func resetSetting(s *api.Setting) handler {
	return func(x *exchange) error {
		var patch api.SettingsPatch
		s.Reset(&patch)
		return x.changeSettings(&patch, true)
	}
}
