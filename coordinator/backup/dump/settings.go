package dump

import (
	"encoding/json"
	"slices"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/text"
)

// readPatch reads a settings object of a dump. It skips members that this version does not
// know.
func readPatch(raw json.RawMessage) (*settings.Patch, error) {
	patch := &settings.Patch{}
	if len(raw) == 0 {
		return patch, nil
	}
	v, err := jsonvalue.Parse(raw)
	if err != nil {
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(v.Members()), func(m jsonvalue.Member) bool {
		return !slices.ContainsFunc(settings.Table(), func(s *settings.Setting) bool { return s.Name == m.Name })
	})
	if v.Kind() == jsonvalue.KindObject {
		v = jsonvalue.ObjectValue(known...)
	}
	parsed, refused := settings.ParsePatch(decode.BodyRoot(apierr.CodeBadRequest), &v)
	if refused != nil {
		return nil, refused
	}
	return parsed, nil
}

// readSettings returns the effective settings of an index of a dump.
func readSettings(raw json.RawMessage) (*settings.Settings, error) {
	patch, err := readPatch(raw)
	if err != nil {
		return nil, err
	}
	current, refused := settings.Apply(settings.Default(), []*settings.Patch{patch},
		settings.Env{Normalize: text.New(text.Options{}).Lemmas, StopWord: text.StopWordForm})
	if refused != nil {
		return nil, refused
	}
	// A dump spells out defaults; store them as defaults.
	fresh := settings.Default()
	for _, row := range settings.Table() {
		if string(row.AppendPublic(nil, current)) != string(row.AppendPublic(nil, fresh)) {
			continue
		}
		switch row.Name {
		case "chat":
			current.Chat = nil
		case "foreignKeys":
			current.ForeignKeys = nil
		}
	}
	return current, nil
}

// everything shows settings whatever features are enabled.
var everything = settings.Features{ForeignKeys: true, ChatCompletions: true}
