package auth

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/apierr"
)

// Rights are the permissions of the caller of one request. The zero value permits nothing.
type Rights struct {
	// everything: the caller has the master key, or the server has none.
	everything bool
	Key        *api.Key
	// rules are the search rules of a tenant token, nil without one.
	rules *searchRules
}

// Allows tells whether the caller may touch the index.
func (a *Rights) Allows(uid string) bool {
	if a.everything {
		return true
	}
	return a.Key != nil && api.MatchesIndex(a.Key.Indexes, uid) && (a.rules == nil || a.rules.allow(uid))
}

// Indexes are the index patterns of the caller, nil for all indexes.
func (a *Rights) Indexes() []string {
	if a.everything || a.Key != nil && slices.Contains(a.Key.Indexes, "*") {
		return nil
	}
	if a.Key == nil {
		return []string{}
	}
	return a.Key.Indexes
}

// patterns are those of the indexes that the caller may touch.
func (a *Rights) patterns() []string {
	if a.rules != nil {
		return a.rules.patterns()
	}
	if some := a.Indexes(); some != nil {
		return some
	}
	return []string{"*"}
}

// May tells whether the caller holds an action other than the one of the route.
func (a *Rights) May(action string) bool {
	return a.everything || a.Key != nil && holds(a.Key, action)
}

// MayCreate tells whether a write of the caller may create the index (spec write-api 1.8).
func (a *Rights) MayCreate(uid string) bool { return a.May("indexes.create") && a.Allows(uid) }

// Restrict joins the filter of a query with the filter of the tenant token's rule for the
// index. A document must pass both (spec search-api 1.5).
func (a *Rights) Restrict(uid string, filter json.RawMessage) json.RawMessage {
	if a.rules == nil {
		return filter
	}
	return joinFilters(filter, a.rules.filter(uid))
}

// holds tells whether the key permits the action. It ignores expiry.
func holds(k *api.Key, action string) bool {
	return slices.ContainsFunc(k.Actions, func(granted string) bool { return api.Grants(granted, action) })
}

// Refusals (spec tasks-auth-ops-api 6.3).
var (
	errMissingHeader    = apierr.New(apierr.CodeMissingAuthorizationHeader, "The Authorization header is missing. It must use the bearer authorization method.")
	errMissingMasterKey = apierr.New(apierr.CodeMissingMasterKey, "Meilisearch is running without a master key. To access this API endpoint, you must have set a master key at launch.")
	ErrInvalidKey       = apierr.New(apierr.CodeInvalidAPIKey, "The provided API key is invalid.")
)

func InvalidKey(message string) *apierr.Error { return apierr.New(apierr.CodeInvalidAPIKey, message) }

// bearer extracts the token, the text after "Bearer ". given is false without a header. A
// header with other bytes than printable ASCII counts as one of another scheme.
func bearer(r *http.Request) (token string, given bool, err *apierr.Error) {
	values := r.Header["Authorization"]
	if len(values) == 0 {
		return "", false, nil
	}
	scheme, token, found := strings.Cut(values[0], " ")
	if scheme != "Bearer" || strings.ContainsFunc(token, unprintable) {
		return "", true, errMissingHeader
	}
	if !found {
		return "", true, ErrInvalidKey
	}
	return token, true, nil
}

func unprintable(r rune) bool { return (r < ' ' && r != '\t') || r > '~' }

// Need is what a route requires of its caller: all of the actions, on the index if it has
// one.
type Need struct {
	Actions []string
	Index   *string
}

// Authorize checks the caller of a request.
func (a *Authenticator) Authorize(r *http.Request, need Need) (granted Rights, _ error) {
	token, given, err := bearer(r)
	if err != nil {
		return granted, err
	}
	index, hasIndex := "", need.Index != nil
	if hasIndex {
		index = *need.Index
	}
	for _, action := range need.Actions {
		if granted, err = a.check(token, action, index, hasIndex && given); err != nil {
			if !given && err != errMissingMasterKey {
				return granted, errMissingHeader
			}
			return granted, err
		}
	}
	return granted, nil
}

// Granted lists what the caller of a request may do: the actions of api.Actions without
// those that stand for several, but with "*", and the patterns of the indexes it may
// touch. The error is the refusal of a caller that may do nothing.
func (a *Authenticator) Granted(r *http.Request) (actions, indexes []string, err error) {
	for _, action := range api.Actions {
		if action != "*" && strings.Contains(action, "*") {
			continue
		}
		rights, refusal := a.Authorize(r, Need{Actions: []string{action}})
		if refusal == nil {
			actions, indexes = append(actions, action), rights.patterns()
		} else if err == nil {
			err = refusal
		}
	}
	if len(actions) == 0 {
		return nil, nil, err
	}
	return actions, indexes, nil
}

// check decides one action by the steps of spec tasks-auth-ops-api 6.3, in that order.
func (a *Authenticator) check(token, action, index string, hasIndex bool) (Rights, *apierr.Error) {
	if a.master == "" {
		if strings.HasPrefix(action, "keys.") {
			return Rights{}, errMissingMasterKey
		}
		return Rights{everything: true}, nil
	}
	if a.isMaster(token) {
		return Rights{everything: true}, nil
	}
	key, rules, err := a.resolve(token, action)
	if err != nil {
		return Rights{}, err
	}
	granted := Rights{Key: key, rules: rules}
	if hasIndex {
		if err := granted.refuse(index); err != nil {
			return Rights{}, err
		}
	}
	if !permitted(key, action, a.now()) {
		return Rights{}, ErrInvalidKey
	}
	return granted, nil
}

// refuse explains why an index is out of reach, or returns nil if it is not. It never
// reveals the indexes of a tenant token's parent key.
func (a *Rights) refuse(index string) *apierr.Error {
	if a.rules != nil && !a.rules.allow(index) {
		return InvalidKey("The provided tenant token cannot acces the index `" + index +
			"`, allowed indexes are " + debugList(a.rules.patterns()) + ".")
	}
	if a.Key == nil || api.MatchesIndex(a.Key.Indexes, index) {
		return nil
	}
	if a.rules != nil {
		return InvalidKey("The API key used to generate this tenant token cannot acces the index `" + index + "`.")
	}
	return InvalidKey("The API key cannot acces the index `" + index + "`, authorized indexes are " + debugList(a.Key.Indexes) + ".")
}

// permitted tells whether the key may perform the action at all: it has not expired, it
// holds the action, and it is not limited to some indexes if the action concerns the whole
// instance.
func permitted(key *api.Key, action string, now time.Time) bool {
	if key.ExpiresAtNanos != 0 && key.ExpiresAtNanos <= now.UnixNano() {
		return false
	}
	if len(key.Indexes) == 0 || !holds(key, action) {
		return false
	}
	return slices.Contains(key.Indexes, "*") || action != "*" && !api.GlobalAction(action)
}
