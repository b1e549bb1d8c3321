package routing

import (
	"errors"
	"testing"
	"time"

	"shoal/api"
	"shoal/api/apierr"
)

// limited is a table on a clock of its own.
func limited() (t *keyTable, pass func(time.Duration)) {
	t = newKeyTable()
	at := time.Unix(1000, 0)
	t.now = func() time.Time { return at }
	return t, func(d time.Duration) { at = at.Add(d) }
}

// It may send the requests of one second at once, then as many as its limit in any second.
// Other keys and the master key are not affected.
func TestTheRequestsOfAKeyStayWithinItsLimit(t *testing.T) {
	table, pass := limited()
	five, free := &api.Key{UID: "a", Limits: api.KeyLimits{RequestsPerSecond: 5}}, &api.Key{UID: "b"}
	sent := func(k *api.Key, n int) (passed int) {
		for range n {
			err := table.request(k)
			var known *apierr.Error
			switch {
			case err == nil:
				passed++
			case !errors.As(err, &known) || known.Code != apierr.CodeTooManyRequests:
				t.Fatal(err)
			}
		}
		return passed
	}
	if n := sent(five, 9); n != 5 {
		t.Errorf("%d requests at once, want 5", n)
	}
	if n := sent(free, 100) + sent(nil, 100); n != 200 {
		t.Errorf("%d of 200 requests without a limit", n)
	}
	pass(400 * time.Millisecond)
	if n := sent(five, 9); n != 2 {
		t.Errorf("%d requests after 0.4 s, want 2", n)
	}
	pass(time.Hour) // nothing is saved up
	if n := sent(five, 9); n != 5 {
		t.Errorf("%d requests after an hour, want 5", n)
	}
	slower := &api.Key{UID: "a", Limits: api.KeyLimits{RequestsPerSecond: 1}}
	pass(time.Second)
	if n := sent(slower, 9); n != 1 {
		t.Errorf("%d requests after the limit was lowered, want 1", n)
	}
}

func TestTheSearchesOfAKeyAtOnceStayWithinItsLimit(t *testing.T) {
	table, pass := limited()
	two := &api.Key{UID: "a", Limits: api.KeyLimits{SearchesAtOnce: 2}}
	var ended []func()
	for range 2 {
		end, err := table.search(two)
		if err != nil {
			t.Fatal(err)
		}
		ended = append(ended, end)
	}
	pass(time.Hour) // a search that runs is not forgotten
	if _, err := table.search(two); err == nil || err.Error() != "This API key may have 2 searches at once on a node. Retry after 1s." {
		t.Errorf("the third: %v", err)
	}
	ended[0]()
	if _, err := table.search(two); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

func TestKeysThatSendNothingAreForgotten(t *testing.T) {
	table, pass := limited()
	for i := range 100 {
		if err := table.request(&api.Key{UID: string(rune('a' + i)), Limits: api.KeyLimits{RequestsPerSecond: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	pass(2 * time.Minute)
	if err := table.request(&api.Key{UID: "new", Limits: api.KeyLimits{RequestsPerSecond: 1}}); err != nil || len(table.uses) != 1 {
		t.Errorf("%v, %d keys are remembered", err, len(table.uses))
	}
}
