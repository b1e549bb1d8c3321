package mcp

import (
	"errors"
	"fmt"
	"testing"

	"shoal/api/apierr"
)

func TestSessionsAreBounded(t *testing.T) {
	all, last := newSessions(), ""
	for range maxSessions {
		id, _, err := all.begin("", "Bearer a")
		if err != nil {
			t.Fatal(err)
		}
		last = id
	}
	var refused *apierr.Error
	if _, _, err := all.begin("", "Bearer a"); !errors.As(err, &refused) || refused.Code.Status != 503 {
		t.Errorf("one more: %v", err)
	}
	if all.find(last, "Bearer b") != nil || all.find(last, "Bearer a") == nil {
		t.Error("a session is not that of its key")
	}
	all.end(last)
	if _, _, err := all.begin("", "Bearer a"); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

// One key leaves room for others, also when it signs a tenant token for each session.
func TestOneKeyHoldsAQuarterOfTheSessions(t *testing.T) {
	all, last := newSessions(), ""
	for i := range maxOfKey {
		id, _, err := all.begin("k", fmt.Sprint("Bearer ", i))
		if err != nil {
			t.Fatal(err)
		}
		last = id
	}
	var refused *apierr.Error
	if _, _, err := all.begin("k", "Bearer x"); !errors.As(err, &refused) || refused.Code.Status != 429 {
		t.Errorf("one more: %v", err)
	}
	for range maxSessions - maxOfKey {
		if _, _, err := all.begin("", "Bearer master"); err != nil {
			t.Fatalf("the master key: %v", err)
		}
	}
	all.end(last)
	if _, _, err := all.begin("k", "Bearer x"); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}
