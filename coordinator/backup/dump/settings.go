package dump

import (
	"encoding/json"
	"slices"

	"shoal/api"
	"shoal/text"
)

// readPatch reads a settings object of a dump; members that this version does
// not know are passed over.
func readPatch(raw json.RawMessage) (*api.SettingsPatch, error) {
	patch := &api.SettingsPatch{}
	if len(raw) == 0 {
		return patch, nil
	}
	v, err := api.ParseJSON(raw)
	if err != nil {
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(v.Members()), func(m api.Member) bool {
		return !slices.ContainsFunc(api.SettingsTable(), func(s *api.Setting) bool { return s.Name == m.Name })
	})
	if v.Kind() == api.KindObject {
		v = api.ObjectValue(known...)
	}
	parsed, refused := api.ParseSettingsPatch(api.BodyRoot(api.CodeBadRequest), &v)
	if refused != nil {
		return nil, refused
	}
	return parsed, nil
}

// readSettings gives the effective settings of an index of a dump.
func readSettings(raw json.RawMessage) (*api.Settings, error) {
	patch, err := readPatch(raw)
	if err != nil {
		return nil, err
	}
	settings, refused := api.ApplySettings(api.DefaultSettings(), []*api.SettingsPatch{patch},
		api.SettingsEnv{Normalize: text.New(text.Options{}).Lemmas, StopWord: text.StopWordForm})
	if refused != nil {
		return nil, refused
	}
	// A dump spells defaults out; they are stored as such.
	fresh := api.DefaultSettings()
	for _, row := range api.SettingsTable() {
		if string(row.AppendPublic(nil, settings)) != string(row.AppendPublic(nil, fresh)) {
			continue
		}
		switch row.Name {
		case "chat":
			settings.Chat = nil
		case "foreignKeys":
			settings.ForeignKeys = nil
		}
	}
	return settings, nil
}

// everything shows settings whatever features are on.
var everything = api.Features{ForeignKeys: true, ChatCompletions: true}
