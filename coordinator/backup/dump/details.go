package dump

import (
	"encoding/json"
	"fmt"

	"shoal/coordinator/task"
	"shoal/wire"
)

// A detailForm says how the details of some tasks are written: under a tag, with
// members in snake case (spec tasks-auth-ops-api 14.2), against the public
// object. The order is the public one.
type detailForm struct {
	tag     string
	members []detailMember
}

type detailMember struct {
	stored, public string
	// fixed members are public only; optional ones are left out when null.
	fixed    string
	optional bool
}

var detailForms = map[string]*detailForm{}

func addForm(tag string, members ...detailMember) *detailForm {
	f := &detailForm{tag, members}
	detailForms[tag] = f
	return f
}

var (
	formAddition = addForm("DocumentAdditionOrUpdate",
		detailMember{stored: "received_documents", public: "receivedDocuments"}, detailMember{stored: "indexed_documents", public: "indexedDocuments"})
	formEdition = addForm("DocumentEdition",
		detailMember{stored: "edited_documents", public: "editedDocuments"}, detailMember{stored: "deleted_documents", public: "deletedDocuments"},
		detailMember{stored: "original_filter", public: "originalFilter"}, detailMember{stored: "context", public: "context"}, detailMember{stored: "function", public: "function"})
	formDeletion = addForm("DocumentDeletion",
		detailMember{stored: "provided_ids", public: "providedIds"}, detailMember{stored: "deleted_documents", public: "deletedDocuments"},
		detailMember{public: "originalFilter", fixed: "null"})
	formFilterDeletion = addForm("DocumentDeletionByFilter",
		detailMember{public: "providedIds", fixed: "0"}, detailMember{stored: "deleted_documents", public: "deletedDocuments"},
		detailMember{stored: "original_filter", public: "originalFilter"})
	formClear     = addForm("ClearAll", detailMember{stored: "deleted_documents", public: "deletedDocuments"})
	formIndexInfo = addForm("IndexInfo", detailMember{stored: "primary_key", public: "primaryKey"},
		detailMember{stored: "old_index_uid", public: "oldIndexUid", optional: true}, detailMember{stored: "new_index_uid", public: "newIndexUid", optional: true})
	formCancelation = addForm("TaskCancelation", detailMember{stored: "matched_tasks", public: "matchedTasks"},
		detailMember{stored: "canceled_tasks", public: "canceledTasks"}, detailMember{stored: "original_filter", public: "originalFilter"})
	formTaskDeletion = addForm("TaskDeletion", detailMember{stored: "matched_tasks", public: "matchedTasks"},
		detailMember{stored: "deleted_tasks", public: "deletedTasks"}, detailMember{stored: "original_filter", public: "originalFilter"})
	formDump       = addForm("Dump", detailMember{stored: "dump_uid", public: "dumpUid"})
	formSwap       = addForm("IndexSwap", detailMember{stored: "swaps", public: "swaps"})
	formCompaction = addForm("IndexCompaction", detailMember{stored: "pre_compaction_size", public: "preCompactionSize", optional: true},
		detailMember{stored: "post_compaction_size", public: "postCompactionSize", optional: true})
	formTopology = addForm("NetworkTopologyChange", detailMember{stored: "moved_documents", public: "movedDocuments"}, detailMember{stored: "message", public: "message"})
	formRule     = addForm("DsrUpdate", detailMember{stored: "rule", public: "rule", optional: true}, detailMember{stored: "updated_rules", public: "updatedRules"})
)

// formOf is the form of a task's details, nil when it has none of the table.
func formOf(t *wire.Task) *detailForm {
	switch t.Kind {
	case task.DocumentAddition:
		return formAddition
	case task.DocumentEdition:
		return formEdition
	case task.DocumentDeletion:
		switch task.ShapeOf(t) {
		case task.DeleteFilter:
			return formFilterDeletion
		case task.Clear:
			return formClear
		}
		return formDeletion
	case task.IndexCreation, task.IndexUpdate:
		return formIndexInfo
	case task.IndexDeletion, task.DynamicRulesClear:
		return formClear
	case task.TaskCancelation:
		return formCancelation
	case task.TaskDeletion:
		return formTaskDeletion
	case task.DumpCreation:
		return formDump
	case task.IndexSwap:
		return formSwap
	case task.IndexCompaction:
		return formCompaction
	case task.NetworkTopology:
		return formTopology
	case task.DynamicRulesUpdate:
		return formRule
	}
	return nil
}

// write gives the stored form of public details.
func (f *detailForm) write(public json.RawMessage, extra ...member) (json.RawMessage, error) {
	if len(public) == 0 {
		return nil, nil
	}
	have, err := decodeObject(public)
	if err != nil {
		return nil, err
	}
	out := object(extra)
	for _, m := range f.members {
		if m.stored != "" {
			out = append(out, member{m.stored, orNull(have[m.public])})
		}
	}
	return tagged(f.tag, out.encode()), nil
}

// read gives the public form of stored details.
func (f *detailForm) read(stored json.RawMessage) (json.RawMessage, error) {
	have, err := decodeObject(stored)
	if err != nil {
		return nil, err
	}
	out := object{}
	for _, m := range f.members {
		switch value := orNull(have[m.stored]); {
		case m.stored == "":
			out = append(out, member{m.public, json.RawMessage(m.fixed)})
		case m.optional && string(value) == "null":
		default:
			out = append(out, member{m.public, value})
		}
	}
	return out.encode(), nil
}

// readDetails gives the public details of a task of the dump, nil when the dump
// has none.
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
	}
	f, known := detailForms[tag]
	if !known {
		return nil, fmt.Errorf("unknown details %q of a task of type %s", tag, kind)
	}
	return f.read(content)
}

// version is a release as the dump writes it: [1,49,0].
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
