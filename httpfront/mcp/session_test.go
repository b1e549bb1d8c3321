package mcp

import (
	"errors"
	"testing"

	"shoal/api/apierr"
)

func TestSessionsAreBounded(t *testing.T) {
	all, last := newSessions(), ""
	for range maxSessions {
		id, _, err := all.begin("Bearer a")
		if err != nil {
			t.Fatal(err)
		}
		last = id
	}
	var refused *apierr.Error
	if _, _, err := all.begin("Bearer a"); !errors.As(err, &refused) || refused.Code.Status != 503 {
		t.Errorf("one more: %v", err)
	}
	if all.find(last, "Bearer b") != nil || all.find(last, "Bearer a") == nil {
		t.Error("a session is not that of its key")
	}
	all.end(last)
	if _, _, err := all.begin("Bearer a"); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}
