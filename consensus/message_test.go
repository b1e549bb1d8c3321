package consensus

import (
	"reflect"
	"testing"
	"time"

	"shoal/consensus/lease"
)

func TestEveryMemberOfAnAnswerIsSent(t *testing.T) {
	answer := lease.Answer{Leased: true, Barred: true, Watermark: 1, Left: 2, Clock: 3, Term: 4, Applied: 5, Hash: 6, Carried: 7, Held: 8}
	given, sent := reflect.ValueOf(answer), reflect.ValueOf(*replyTo(answer, time.Unix(0, 9)))
	for i := range given.NumField() {
		name := given.Type().Field(i).Name
		if given.Field(i).IsZero() {
			t.Errorf("this test lacks %s", name)
		}
		if there := sent.FieldByName(name); !there.IsValid() || !there.Equal(given.Field(i)) {
			t.Errorf("%s is not sent", name)
		}
	}
	if wall := sent.FieldByName("Wall").Int(); wall != 9 {
		t.Errorf("it is sent with the time %d", wall)
	}
}
