package dump

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"shoal/api/jsonvalue"
	"shoal/wire"
)

// keyLine is one line of keys.jsonl (spec tasks-auth-ops-api 14.2).
type keyLine struct {
	Description *string  `json:"description,omitempty"`
	Name        *string  `json:"name,omitempty"`
	UID         string   `json:"uid"`
	Actions     []string `json:"actions"`
	Indexes     []string `json:"indexes"`
	ExpiresAt   *string  `json:"expires_at"`
	CreatedAt   date     `json:"created_at"`
	UpdatedAt   date     `json:"updated_at"`
}

func writeKey(k *wire.Key) *keyLine {
	line := &keyLine{
		Description: k.Description, Name: k.Name, UID: k.UID, Actions: notNil(k.Actions), Indexes: notNil(k.Indexes),
		CreatedAt: date(k.CreatedAt), UpdatedAt: date(k.UpdatedAt),
	}
	if k.ExpiresAt != nil {
		// Use the reference's form, and keep the client's offset if the reference can read it.
		at := time.Unix(0, *k.ExpiresAt).UTC()
		if shown, ok := jsonvalue.ParseRFC3339(k.ExpiresShown); ok && jsonvalue.Nanos(shown) == *k.ExpiresAt {
			at = shown
		}
		text := at.Format(time.RFC3339Nano)
		line.ExpiresAt = &text
	}
	return line
}

func readKey(data []byte) (*wire.Key, error) {
	var line keyLine
	if err := json.Unmarshal(data, &line); err != nil {
		return nil, damaged("key: %w", err)
	}
	return line.key()
}

func (l *keyLine) key() (*wire.Key, error) {
	uid, err := uuid.Parse(l.UID)
	if err != nil {
		return nil, damaged("key: uid %q: %w", l.UID, err)
	}
	k := &wire.Key{
		UID: uid.String(), Name: l.Name, Description: l.Description, Actions: notNil(l.Actions), Indexes: notNil(l.Indexes),
		CreatedAt: int64(l.CreatedAt), UpdatedAt: int64(l.UpdatedAt),
	}
	if l.ExpiresAt != nil {
		at, err := parseDate(*l.ExpiresAt)
		if err != nil {
			return nil, damaged("key %s: expires_at: %w", uid, err)
		}
		nanos := jsonvalue.Nanos(at)
		k.ExpiresAt, k.ExpiresShown = &nanos, at.Format(time.RFC3339Nano)
	}
	return k, nil
}

func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
