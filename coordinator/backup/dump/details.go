package dump

import (
	"encoding/json"
	"fmt"

	"shoal/coordinator/task"
	"shoal/wire"
)

// writeDetails returns the stored form of public details.
func writeDetails(f *task.DumpForm, public json.RawMessage, extra ...member) (json.RawMessage, error) {
	if len(public) == 0 {
		return nil, nil
	}
	have, err := decodeObject(public)
	if err != nil {
		return nil, err
	}
	out := object(extra)
	for _, m := range f.Members {
		if m.Stored != "" {
			out = append(out, member{m.Stored, orNull(have[m.Public])})
		}
	}
	return tagged(f.Tag, out.encode()), nil
}

// readForm returns the public form of stored details.
func readForm(f *task.DumpForm, stored json.RawMessage) (json.RawMessage, error) {
	have, err := decodeObject(stored)
	if err != nil {
		return nil, err
	}
	out := object{}
	for _, m := range f.Members {
		switch value := orNull(have[m.Stored]); {
		case m.Stored == "":
			out = append(out, member{m.Public, json.RawMessage(m.Fixed)})
		case m.Optional && string(value) == "null":
		default:
			out = append(out, member{m.Public, value})
		}
	}
	return out.encode(), nil
}

// readDetails returns the public details of a task of the dump, nil when the dump has none.
func readDetails(kind wire.Kind, raw json.RawMessage) (json.RawMessage, error) {
	tag, content, err := variant(raw)
	if err != nil || tag == "" {
		return nil, err
	}
	switch tag {
	case "SettingsUpdate":
		var s struct {
			Settings json.RawMessage `json:"settings"`
		}
		if err := json.Unmarshal(content, &s); err != nil {
			return nil, err
		}
		patch, err := readPatch(s.Settings)
		if err != nil {
			return nil, err
		}
		return patch.AppendJSON(nil, true), nil
	case "Export":
		return readExportDetails(content)
	case "UpgradeDatabase":
		return readUpgradeDetails(content)
	case "DsrUpdate":
		return readRuleDetails(content)
	}
	f, known := task.DumpFormOf(tag)
	if !known {
		return nil, fmt.Errorf("unknown details %q of a task of type %s", tag, kind)
	}
	return readForm(f, content)
}

// version is a release as a dump writes it: [1,49,0].
type version [3]uint32

func (v version) public() json.RawMessage {
	return quoted(fmt.Sprintf("v%d.%d.%d", v[0], v[1], v[2]))
}

func readUpgradeDetails(raw json.RawMessage) (json.RawMessage, error) {
	var d struct{ From, To version }
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, err
	}
	return object{{"upgradeFrom", d.From.public()}, {"upgradeTo", d.To.public()}}.encode(), nil
}

func writeUpgradeDetails(public json.RawMessage) (json.RawMessage, error) {
	if len(public) == 0 {
		return nil, nil // imported from a dump that had none
	}
	var d struct{ UpgradeFrom, UpgradeTo string }
	if err := json.Unmarshal(public, &d); err != nil {
		return nil, err
	}
	var from, to version
	for s, v := range map[string]*version{d.UpgradeFrom: &from, d.UpgradeTo: &to} {
		if _, err := fmt.Sscanf(s, "v%d.%d.%d", &v[0], &v[1], &v[2]); err != nil {
			return nil, fmt.Errorf("version %q: %w", s, err)
		}
	}
	encoded, err := encode(map[string]version{"from": from, "to": to})
	if err != nil {
		return nil, err
	}
	return tagged("UpgradeDatabase", encoded), nil
}
