package api

import (
	"slices"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// Key is an API key. ExpiresAt is the text to show, with the client's UTC offset;
// ExpiresAtNanos is the moment (0 = never). Keys are immutable.
type Key struct {
	UID            string
	Name           *string
	Description    *string
	Actions        []string
	Indexes        []string
	ExpiresAt      *string
	ExpiresAtNanos int64
	CreatedAt      int64 // UnixNano
	UpdatedAt      int64
	// Limits is ours: the routes of the reference neither show nor take it.
	Limits KeyLimits
}

// KeyLimits bound what one node serves for a key, including all tenant tokens made from it.
// 0 means no bound.
type KeyLimits struct {
	RequestsPerSecond uint64 `json:"requestsPerSecond,omitempty"`
	SearchesAtOnce    uint64 `json:"searchesAtOnce,omitempty"`
}

// KeyLimitsPatch changes limits; absent members stay, null clears.
type KeyLimitsPatch struct {
	RequestsPerSecond, SearchesAtOnce decode.Field[uint64]
}

// Apply returns the limits as the patch leaves them.
func (l KeyLimits) Apply(p *KeyLimitsPatch) KeyLimits {
	if p.RequestsPerSecond.Given() {
		l.RequestsPerSecond = p.RequestsPerSecond.Value
	}
	if p.SearchesAtOnce.Given() {
		l.SearchesAtOnce = p.SearchesAtOnce.Value
	}
	return l
}

// AppendJSON appends the limits of a key. A missing limit is null.
func (l KeyLimits) AppendJSON(dst []byte, uid string) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.Text("uid", uid)
	for _, m := range []struct {
		name  string
		value uint64
	}{{"requestsPerSecond", l.RequestsPerSecond}, {"searchesAtOnce", l.SearchesAtOnce}} {
		o.Member(m.name)
		if m.value == 0 {
			o.Buf = append(o.Buf, "null"...)
			continue
		}
		o.Buf = strconv.AppendUint(o.Buf, m.value, 10)
	}
	return o.End()
}

// KeyPatch changes a key; absent members stay, null clears.
type KeyPatch struct {
	Name, Description decode.Field[string]
}

// AppendJSON appends the key with its value, in the order of spec
// tasks-auth-ops-api 7.2.
func (k *Key) AppendJSON(dst []byte, value string) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	o.NullableText("name", k.Name)
	o.NullableText("description", k.Description)
	o.Text("key", value)
	o.Text("uid", k.UID)
	o.Member("actions")
	o.Buf = decode.WriteStrings(o.Buf, k.Actions, false)
	o.Member("indexes")
	o.Buf = decode.WriteStrings(o.Buf, k.Indexes, false)
	o.NullableText("expiresAt", k.ExpiresAt)
	o.Time("createdAt", k.CreatedAt)
	o.Time("updatedAt", k.UpdatedAt)
	return o.End()
}

// Actions are all actions a key may hold, in the order of error texts (spec
// tasks-auth-ops-api 8.1).
var Actions = []string{
	"*", "search", "documents.*", "documents.add", "documents.get", "documents.delete",
	"indexes.*", "indexes.create", "indexes.get", "indexes.update", "indexes.delete", "indexes.swap",
	"tasks.*", "tasks.cancel", "tasks.delete", "tasks.get", "settings.*", "settings.get", "settings.update",
	"stats.*", "stats.get", "metrics.*", "metrics.get", "dumps.*", "dumps.create", "snapshots.*", "snapshots.create",
	"version", "keys.create", "keys.get", "keys.update", "keys.delete", "experimental.get", "experimental.update",
	"export", "network.get", "network.update", "chatCompletions", "chats.*", "chats.get", "chats.delete",
	"chatsSettings.*", "chatsSettings.get", "chatsSettings.update", "*.get",
	"webhooks.get", "webhooks.update", "webhooks.delete", "webhooks.create", "webhooks.*",
	"indexes.compact", "fields.post", "tasks.compact",
	"dynamicSearchRules.get", "dynamicSearchRules.create", "dynamicSearchRules.update", "dynamicSearchRules.delete",
	"dynamicSearchRules.*",
}

// readEverything is what the action `*.get` grants.
var readEverything = []string{
	"search", "documents.get", "export", "indexes.get", "tasks.get", "settings.get", "stats.get", "metrics.get",
	"version", "experimental.get", "network.get", "chats.get", "chatsSettings.get", "webhooks.get", "fields.post",
	"dynamicSearchRules.get",
}

// grantsOfWildcard lists what each other wildcard grants.
var grantsOfWildcard = map[string][]string{
	"*.get":                readEverything,
	"documents.*":          {"documents.add", "documents.get", "documents.delete"},
	"indexes.*":            {"indexes.create", "indexes.get", "indexes.update", "indexes.delete", "indexes.swap", "indexes.compact"},
	"settings.*":           {"settings.get", "settings.update"},
	"tasks.*":              {"tasks.get", "tasks.cancel", "tasks.delete", "tasks.compact"},
	"stats.*":              {"stats.get"},
	"metrics.*":            {"metrics.get"},
	"dumps.*":              {"dumps.create"},
	"snapshots.*":          {"snapshots.create"},
	"chats.*":              {"chats.get", "chats.delete"},
	"chatsSettings.*":      {"chatsSettings.get", "chatsSettings.update"},
	"webhooks.*":           {"webhooks.get", "webhooks.update", "webhooks.delete", "webhooks.create"},
	"dynamicSearchRules.*": {"dynamicSearchRules.get", "dynamicSearchRules.create", "dynamicSearchRules.update", "dynamicSearchRules.delete"},
}

// Grants tells whether holding the action granted permits the action wanted.
// A wildcard does not permit itself as an action: the route that edits documents
// asks for `documents.*`, which only `*` permits (spec tasks-auth-ops-api 8.1).
func Grants(granted, wanted string) bool {
	if granted == "*" {
		return wanted != "*.get"
	}
	if list, wildcard := grantsOfWildcard[granted]; wildcard {
		return slices.Contains(list, wanted)
	}
	return granted == wanted
}

// deniedToScoped are the prefixes of actions that a key limited to some indexes
// can never use (spec tasks-auth-ops-api 8.2, class deny).
var deniedToScoped = []string{
	"metrics.", "dumps.", "snapshots.", "version", "keys.", "experimental.", "export", "network.", "chats.",
	"chatsSettings.", "webhooks.", "dynamicSearchRules.", "tasks.compact",
}

// GlobalAction tells whether an action concerns the whole instance and is
// therefore refused to keys limited to some indexes.
func GlobalAction(action string) bool {
	return slices.ContainsFunc(deniedToScoped, func(p string) bool {
		return action == p || p[len(p)-1] == '.' && len(action) > len(p) && action[:len(p)] == p
	})
}

// MatchesIndex tells whether an index uid matches one of the patterns: a uid, a
// prefix followed by a star, or a star.
func MatchesIndex(patterns []string, uid string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matchesPattern(p, uid) })
}

func matchesPattern(pattern, uid string) bool {
	if n := len(pattern) - 1; n >= 0 && pattern[n] == '*' {
		return len(uid) >= n && uid[:n] == pattern[:n]
	}
	return pattern == uid
}

// ValidIndexPattern tells whether s may be an index pattern: an index uid that
// may end in a star, or a star alone.
func ValidIndexPattern(s string) bool {
	if n := len(s) - 1; n >= 0 && s[n] == '*' {
		return n == 0 || apierr.ValidIndexUID(s[:n])
	}
	return apierr.ValidIndexUID(s)
}

// DefaultKeys are the keys of a fresh instance in the order of their creation,
// without uids and dates (spec tasks-auth-ops-api 7.1).
func DefaultKeys() []Key {
	key := func(name, description string, actions ...string) Key {
		return Key{Name: &name, Description: &description, Actions: actions, Indexes: []string{"*"}}
	}
	return []Key{
		key("Default Chat API Key", "Use it to chat and search from the frontend", "chatCompletions", "search"),
		key("Default Read-Only Admin API Key", "Use it to read information across the whole database. Caution! Do not expose this key on a public frontend", "*.get", "keys.get"),
		key("Default Admin API Key", "Use it for anything that is not a search operation. Caution! Do not expose it on a public frontend", "*"),
		key("Default Search API Key", "Use it to search from the frontend", "search"),
	}
}
