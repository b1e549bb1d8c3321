package fanout

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/wire"
)

// spoken is a session that records when it is asked and received. far ones are Senders.
type spoken struct {
	name string
	log  *[]string
	err  error
}

func (s *spoken) say(what string) { *s.log = append(*s.log, s.name+" "+what) }

func (s *spoken) Step(context.Context, *wire.SearchStep) (*wire.SearchReply, error) {
	s.say("works")
	return &wire.SearchReply{}, s.err
}

func (s *spoken) Close() error { return nil }

type spokenFar struct{ spoken }

func (s *spokenFar) Send(context.Context, *wire.SearchStep) (bool, error) {
	s.say("is sent")
	return true, nil
}

func (s *spokenFar) Receive(context.Context) (*wire.SearchReply, error) {
	s.say("is heard")
	return &wire.SearchReply{}, s.err
}

func asked(errs map[int]error, silent ...int) (log []string, err error) {
	sessions := []wire.Session{
		&spoken{"a", &log, errs[0]}, &spokenFar{spoken{"b", &log, errs[1]}}, &spokenFar{spoken{"c", &log, errs[2]}},
	}
	step := func(i int) *wire.SearchStep {
		for _, s := range silent {
			if s == i {
				return nil
			}
		}
		return &wire.SearchStep{}
	}
	err = Ask(context.Background(), sessions, step, func(i int, _ *wire.SearchReply) error {
		log = append(log, fmt.Sprint("take ", i))
		return nil
	})
	return log, err
}

func TestOtherNodesAreAskedFirstAndReceivedLast(t *testing.T) {
	for _, c := range []struct {
		silent []int
		want   string
	}{
		{nil, "b is sent, c is sent, a works, take 0, b is heard, take 1, c is heard, take 2"},
		{[]int{1}, "c is sent, a works, take 0, c is heard, take 2"},
		{[]int{0, 2}, "b is sent, b is heard, take 1"},
		{[]int{0, 1, 2}, ""},
	} {
		log, err := asked(nil, c.silent...)
		if got := strings.Join(log, ", "); got != c.want || err != nil {
			t.Errorf("without %v: %s, %v", c.silent, got, err)
		}
	}
}

func TestTheErrorOfAnAskIsThatOfOneShard(t *testing.T) {
	away, second, first := errors.New("away"), refusal("second", 2), refusal("first", 1)
	for _, c := range []struct {
		errs  map[int]error
		want  error
		heard int // answers that were received
	}{
		{map[int]error{0: second, 2: first}, first, 2},
		{map[int]error{0: second, 1: refusal("of b", 2)}, second, 2},
		{map[int]error{0: away}, away, 0},
		{map[int]error{0: first, 1: away, 2: second}, away, 1},
	} {
		log, err := asked(c.errs)
		if err == nil || err.Error() != c.want.Error() {
			t.Errorf("%v give %v", c.errs, err)
		}
		if n := strings.Count(strings.Join(log, ","), "heard"); n != c.heard {
			t.Errorf("%v: %d were heard, %v", c.errs, n, log)
		}
	}
	var client *apierr.Error
	if _, err := asked(map[int]error{1: first}); !errors.As(err, &client) {
		t.Error(err)
	}
}

type panics struct{ spoken }

func (*panics) Step(context.Context, *wire.SearchStep) (*wire.SearchReply, error) { panic("boom") }

func TestAPanicOfASourceFailsTheStep(t *testing.T) {
	var log []string
	sessions := []wire.Session{&spoken{name: "a", log: &log}, &panics{spoken{log: &log}}}
	err := Ask(context.Background(), sessions, func(int) *wire.SearchStep { return &wire.SearchStep{} }, func(int, *wire.SearchReply) error { return nil })
	var crash *wire.Crash
	if !errors.As(err, &crash) || crash.Value != "boom" {
		t.Errorf("%v", err)
	}
}
