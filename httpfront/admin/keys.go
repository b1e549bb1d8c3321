package admin

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/httpfront/auth"
	"shoal/httpfront/routing"
)

// KeyRoutes are the rows of API keys.
func (h *Handlers) KeyRoutes() []routing.Route {
	return []routing.Route{
		{Method: "GET", Pattern: "/keys", Actions: []string{"keys.get"}, Serve: h.serveKeys, Query: keyListParameters},
		{Method: "POST", Pattern: "/keys", Actions: []string{"keys.create"}, Serve: h.serveCreateKey, Leased: true, Status: http.StatusCreated, Body: newKeyFields(h.Now)},
		{Method: "GET", Pattern: "/keys/{key}", Actions: []string{"keys.get"}, Serve: h.serveKey},
		{Method: "PATCH", Pattern: "/keys/{key}", Actions: []string{"keys.update"}, Serve: h.serveUpdateKey, Leased: true, Body: keyPatchFields},
		{Method: "DELETE", Pattern: "/keys/{key}", Actions: []string{"keys.delete"}, Serve: h.serveDeleteKey, Leased: true, Status: http.StatusNoContent},
	}
}

// keyPage are the parameters of the list of keys.
type keyPage struct{ Offset, Limit uint64 }

var keyListParameters = decode.NewObject(
	decode.Plain("offset", apierr.CodeInvalidAPIKeyOffset, decode.QueryUint, func(p *keyPage) *uint64 { return &p.Offset }),
	decode.Plain("limit", apierr.CodeInvalidAPIKeyLimit, decode.QueryUint, func(p *keyPage) *uint64 { return &p.Limit }),
)

func (h *Handlers) serveKeys(x *routing.Exchange) error {
	page := keyPage{Limit: 20}
	if err := routing.ReadQuery(x, keyListParameters, &page); err != nil {
		return err
	}
	keys := h.Keys.Keys()
	from := min(page.Offset, uint64(len(keys)))
	to := from + min(page.Limit, uint64(len(keys))-from)
	buf := append(x.Buffer(), `{"results":[`...)
	for i, key := range keys[from:to] {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = key.AppendJSON(buf, h.Auth.Value(key.UID))
	}
	buf = strconv.AppendUint(append(buf, `],"offset":`...), page.Offset, 10)
	buf = strconv.AppendUint(append(buf, `,"limit":`...), page.Limit, 10)
	buf = strconv.AppendInt(append(buf, `,"total":`...), int64(len(keys)), 10)
	return x.Respond(http.StatusOK, append(buf, '}'))
}

// keyOfPath finds the key of the path, which is its uid in any spelling or its value.
func (h *Handlers) keyOfPath(x *routing.Exchange) (*api.Key, error) {
	text := x.Param(0)
	var key *api.Key
	if uid, fault := auth.ParseUUID(text); fault == "" {
		text, key = uid, h.Auth.ByUID(uid)
	} else {
		key = h.Auth.ByValue(text)
	}
	if key == nil {
		return nil, keyNotFound(text)
	}
	return key, nil
}

func keyNotFound(name string) *apierr.Error {
	return apierr.New(apierr.CodeAPIKeyNotFound, "API key `"+name+"` not found.")
}

func (h *Handlers) answerKey(x *routing.Exchange, status int, key *api.Key) error {
	return x.Respond(status, key.AppendJSON(x.Buffer(), h.Auth.Value(key.UID)))
}

func (h *Handlers) serveKey(x *routing.Exchange) error {
	key, err := h.keyOfPath(x)
	if err != nil {
		return err
	}
	return h.answerKey(x, http.StatusOK, key)
}

func (h *Handlers) serveDeleteKey(x *routing.Exchange) error {
	key, err := h.keyOfPath(x)
	if err != nil {
		return err
	}
	found, err := h.Keys.Delete(x.Context(), key.UID)
	if err != nil {
		return err
	}
	if !found {
		return keyNotFound(key.UID)
	}
	return x.Empty(http.StatusNoContent)
}

var keyPatchFields = decode.NewObject(
	decode.Tristate("description", apierr.CodeInvalidAPIKeyDescription, decode.String, func(p *api.KeyPatch) *decode.Field[string] { return &p.Description }),
	decode.Tristate("name", apierr.CodeInvalidAPIKeyName, decode.String, func(p *api.KeyPatch) *decode.Field[string] { return &p.Name }),
	decode.Immutable[api.KeyPatch]("uid", apierr.CodeImmutableAPIKeyUID),
	decode.Immutable[api.KeyPatch]("actions", apierr.CodeImmutableAPIKeyActions),
	decode.Immutable[api.KeyPatch]("indexes", apierr.CodeImmutableAPIKeyIndexes),
	decode.Immutable[api.KeyPatch]("expiresAt", apierr.CodeImmutableAPIKeyExpiresAt),
	decode.Immutable[api.KeyPatch]("createdAt", apierr.CodeImmutableAPIKeyCreatedAt),
	decode.Immutable[api.KeyPatch]("updatedAt", apierr.CodeImmutableAPIKeyUpdatedAt),
)

func (h *Handlers) serveUpdateKey(x *routing.Exchange) error {
	var patch api.KeyPatch
	if err := routing.ReadBody(x, keyPatchFields, &patch); err != nil {
		return err
	}
	key, err := h.keyOfPath(x)
	if err != nil {
		return err
	}
	updated, err := h.Keys.Update(x.Context(), key.UID, &patch)
	if err != nil {
		return err
	}
	if updated == nil {
		return keyNotFound(key.UID)
	}
	return h.answerKey(x, http.StatusOK, updated)
}

// expiry is a decoded expiresAt: the text to show and the moment.
type expiry struct {
	text  string
	nanos int64
}

// newKey is the body of POST /keys.
type newKey struct {
	Name, Description *string
	UID               string // empty for a new one
	Actions, Indexes  []string
	Expires           *expiry
}

// newKeyFields is the table of the body of POST /keys. now is the server's clock.
func newKeyFields(now func() time.Time) *decode.Object[newKey] {
	expires := func(at *decode.Loc, v *jsonvalue.Value) (expiry, *apierr.Error) { return expiresAt(at, v, now()) }
	return decode.NewObject(
		decode.Optional("description", apierr.CodeInvalidAPIKeyDescription, decode.String, func(k *newKey) **string { return &k.Description }),
		decode.Optional("name", apierr.CodeInvalidAPIKeyName, decode.String, func(k *newKey) **string { return &k.Name }),
		decode.Plain("uid", apierr.CodeInvalidAPIKeyUID, keyUID, func(k *newKey) *string { return &k.UID }),
		decode.Plain("actions", apierr.CodeInvalidAPIKeyActions, decode.List(decode.OneOf(api.Actions...)), func(k *newKey) *[]string { return &k.Actions }).Required(apierr.CodeMissingAPIKeyActions),
		decode.Plain("indexes", apierr.CodeInvalidAPIKeyIndexes, decode.List(indexPattern), func(k *newKey) *[]string { return &k.Indexes }).Required(apierr.CodeMissingAPIKeyIndexes),
		decode.Optional("expiresAt", apierr.CodeInvalidAPIKeyExpiresAt, expires, func(k *newKey) **expiry { return &k.Expires }).Required(apierr.CodeMissingAPIKeyExpiresAt),
	)
}

func (h *Handlers) serveCreateKey(x *routing.Exchange) error {
	var body newKey
	if err := routing.ReadBody(x, newKeyFields(h.Now), &body); err != nil {
		return err
	}
	if err := refuseGlobalActions(&body); err != nil {
		return err
	}
	key := &api.Key{UID: body.UID, Name: body.Name, Description: body.Description, Actions: body.Actions, Indexes: body.Indexes}
	if key.UID == "" {
		key.UID = uuid.NewString()
	}
	if body.Expires != nil {
		key.ExpiresAt, key.ExpiresAtNanos = &body.Expires.text, body.Expires.nanos
	}
	created, err := h.Keys.Create(x.Context(), key)
	if err != nil {
		return err
	}
	return h.answerKey(x, http.StatusCreated, created)
}

// refuseGlobalActions refuses a key that is limited to some indexes but holds an action on
// the whole instance (spec tasks-auth-ops-api 7.5).
func refuseGlobalActions(k *newKey) error {
	if len(k.Indexes) == 0 || slices.Contains(k.Indexes, "*") {
		return nil
	}
	for _, action := range k.Actions {
		if api.GlobalAction(action) {
			return apierr.New(apierr.CodeIndexScopedAPIKeyWithGlobalAction, "cannot create index-scoped API key with global action `\""+action+
				"\"`\n  - Hint: remove action `\""+action+"\"` from the action list, or remove `indexes` to make the key global")
		}
	}
	return nil
}

// keyUID accepts a UUID and returns its normal form.
func keyUID(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	text, err := decode.String(at, v)
	if err != nil {
		return "", err
	}
	uid, reason := auth.ParseUUID(text)
	if reason != "" {
		return "", at.Invalid(reason)
	}
	return uid, nil
}

func indexPattern(at *decode.Loc, v *jsonvalue.Value) (string, *apierr.Error) {
	text, err := decode.String(at, v)
	if err == nil && !api.ValidIndexPattern(text) {
		return "", at.Invalid("`" + strings.TrimSuffix(text, "*") + "` is not a valid index uid pattern. Index uid patterns can be an integer or a string containing only alphanumeric characters, hyphens (-), underscores (_), and optionally end with a star (*).")
	}
	return text, err
}

// expiresAt accepts a date in the future. An RFC 3339 date keeps its offset; dates without one
// are read as UTC.
func expiresAt(at *decode.Loc, v *jsonvalue.Value, now time.Time) (expiry, *apierr.Error) {
	text, err := decode.String(at, v)
	if err != nil {
		return expiry{}, err
	}
	t, ok := jsonvalue.ParseRFC3339(text)
	if !ok {
		t, ok = jsonvalue.ParseDay(text)
	}
	if n := len(time.DateOnly); !ok && len(text) == len(time.DateTime) && (text[n] == 'T' || text[n] == ' ') {
		t, ok = jsonvalue.ParseRFC3339(text + "Z")
	}
	if !ok || !t.After(now) {
		return expiry{}, at.Invalid("`" + text + "` is not a valid date. It should follow the RFC 3339 format to represents a date or datetime in the future or specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n")
	}
	return expiry{text: t.Format(time.RFC3339Nano), nanos: jsonvalue.Nanos(t)}, nil
}

// Keys stores API keys.
type Keys interface {
	// Keys lists all keys, newest first. The slice is immutable. Successive calls return
	// the same slice while no key changes.
	Keys() []*api.Key
	// Create stores a new key and sets its dates. It fails with api_key_already_exists if
	// the uid is taken.
	Create(ctx context.Context, k *api.Key) (*api.Key, error)
	// Update changes name and description. It returns nil if there is no such key.
	Update(ctx context.Context, uid string, p *api.KeyPatch) (*api.Key, error)
	// Limit changes the limits of a key. It returns nil if there is no such key.
	Limit(ctx context.Context, uid string, p *api.KeyLimitsPatch) (*api.KeyLimits, error)
	// Delete returns whether there was such a key.
	Delete(ctx context.Context, uid string) (bool, error)
}
