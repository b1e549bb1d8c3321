package httpfront

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/apierr"
)

// authorization is what the caller of one request may do. The zero value may do
// nothing.
type authorization struct {
	// everything: the master key, or a server without one.
	everything bool
	key        *api.Key
	// rules are the search rules of a tenant token, nil without one.
	rules *searchRules
}

// allows tells whether the caller may touch the index.
func (a *authorization) allows(uid string) bool {
	if a.everything {
		return true
	}
	return a.key != nil && api.MatchesIndex(a.key.Indexes, uid) && (a.rules == nil || a.rules.allow(uid))
}

// indexes are the index patterns of the caller, nil for all.
func (a *authorization) indexes() []string {
	if a.everything || a.key != nil && slices.Contains(a.key.Indexes, "*") {
		return nil
	}
	if a.key == nil {
		return []string{}
	}
	return a.key.Indexes
}

// may tells whether the caller holds an action, apart from that of the route.
func (a *authorization) may(action string) bool {
	return a.everything || a.key != nil && holds(a.key, action)
}

// mayCreate tells whether a write of the caller may create the index (spec
// write-api 1.8).
func (a *authorization) mayCreate(uid string) bool { return a.may("indexes.create") && a.allows(uid) }

// restrict joins the filter of a query with that of the tenant token's rule for
// the index: both hold (spec search-api 1.5).
func (a *authorization) restrict(uid string, filter json.RawMessage) json.RawMessage {
	if a.rules == nil {
		return filter
	}
	return joinFilters(filter, a.rules.filter(uid))
}

// holds tells whether the key permits the action, expiry aside.
func holds(k *api.Key, action string) bool {
	return slices.ContainsFunc(k.Actions, func(granted string) bool { return api.Grants(granted, action) })
}

// Refusals (spec tasks-auth-ops-api 6.3).
var (
	errMissingHeader    = apierr.New(apierr.CodeMissingAuthorizationHeader, "The Authorization header is missing. It must use the bearer authorization method.")
	errMissingMasterKey = apierr.New(apierr.CodeMissingMasterKey, "Meilisearch is running without a master key. To access this API endpoint, you must have set a master key at launch.")
	errInvalidKey       = apierr.New(apierr.CodeInvalidAPIKey, "The provided API key is invalid.")
)

func invalidKey(message string) *apierr.Error { return apierr.New(apierr.CodeInvalidAPIKey, message) }

// bearer extracts the token: the text after "Bearer " up to the end. given is
// false without a header.
func bearer(r *http.Request) (token string, given bool, err *apierr.Error) {
	values := r.Header["Authorization"]
	if len(values) == 0 {
		return "", false, nil
	}
	scheme, token, found := strings.Cut(values[0], " ")
	if scheme != "Bearer" {
		return "", true, errMissingHeader
	}
	if !found {
		return "", true, errInvalidKey
	}
	return token, true, nil
}

// need is what a route asks of its caller: all of the actions, on an index if it has
// one.
type need struct {
	actions []string
	index   *string
}

// authorize checks the caller of a request.
func (a *authenticator) authorize(r *http.Request, need need) (granted authorization, _ error) {
	token, given, err := bearer(r)
	if err != nil {
		return granted, err
	}
	index, hasIndex := "", need.index != nil
	if hasIndex {
		index = *need.index
	}
	for _, action := range need.actions {
		if granted, err = a.check(token, action, index, hasIndex && given); err != nil {
			if !given && err != errMissingMasterKey {
				return granted, errMissingHeader
			}
			return granted, err
		}
	}
	return granted, nil
}

// check decides one action (spec tasks-auth-ops-api 6.3, in that order).
func (a *authenticator) check(token, action, index string, hasIndex bool) (authorization, *apierr.Error) {
	if a.master == "" {
		if strings.HasPrefix(action, "keys.") {
			return authorization{}, errMissingMasterKey
		}
		return authorization{everything: true}, nil
	}
	if a.isMaster(token) {
		return authorization{everything: true}, nil
	}
	key, rules, err := a.resolve(token, action)
	if err != nil {
		return authorization{}, err
	}
	granted := authorization{key: key, rules: rules}
	if hasIndex {
		if err := granted.refuse(index); err != nil {
			return authorization{}, err
		}
	}
	if !permitted(key, action, a.now()) {
		return authorization{}, errInvalidKey
	}
	return granted, nil
}

// refuse explains why an index is out of reach, nil when it is not. Which
// indexes the parent key of a tenant token holds is never told.
func (a *authorization) refuse(index string) *apierr.Error {
	if a.rules != nil && !a.rules.allow(index) {
		return invalidKey("The provided tenant token cannot acces the index `" + index +
			"`, allowed indexes are " + debugList(a.rules.patterns()) + ".")
	}
	if a.key == nil || api.MatchesIndex(a.key.Indexes, index) {
		return nil
	}
	if a.rules != nil {
		return invalidKey("The API key used to generate this tenant token cannot acces the index `" + index + "`.")
	}
	return invalidKey("The API key cannot acces the index `" + index + "`, authorized indexes are " + debugList(a.key.Indexes) + ".")
}

// permitted tells whether the key may perform the action at all: it is not
// expired, holds the action, and is not limited to some indexes when the action
// concerns the whole instance.
func permitted(key *api.Key, action string, now time.Time) bool {
	if key.ExpiresAtNanos != 0 && key.ExpiresAtNanos <= now.UnixNano() {
		return false
	}
	if len(key.Indexes) == 0 || !holds(key, action) {
		return false
	}
	return slices.Contains(key.Indexes, "*") || action != "*" && !api.GlobalAction(action)
}
