package span

import (
	"context"
	"fmt"
	"testing"
)

func TestSpansAreSummedByName(t *testing.T) {
	line := new(Timeline)
	ctx := Watched(context.Background(), line)
	for range 3 {
		Charge(ctx, "rule", "words")()
	}
	_, s := Start(ctx, "plan")
	s.End()
	steps := line.Steps()
	if len(steps) != 2 || steps[0].Name != "rule words" || steps[0].Times != 3 || steps[0].Took <= 0 || steps[1].Name != "plan" || steps[1].Times != 1 {
		t.Errorf("%+v", steps)
	}
}

func TestAPartIsMeasuredBesideTheWhole(t *testing.T) {
	whole := new(Timeline)
	ctx, first := Within(Watched(context.Background(), whole))
	Charge(ctx, "rank", "")()
	_, second := Within(Watched(context.Background(), whole))
	inner, third := Within(Watched(context.Background(), second))
	Charge(inner, "rank", "")()
	for _, c := range []struct {
		line  *Timeline
		times int
	}{{whole, 2}, {first, 1}, {second, 1}, {third, 1}} {
		if steps := c.line.Steps(); len(steps) != 1 || steps[0].Times != c.times {
			t.Errorf("%+v instead of %d spans", steps, c.times)
		}
	}
	if _, alone := Within(context.Background()); alone.outer != nil {
		t.Error("work that nobody watches has an outer timeline")
	}
}

func TestATimelineIsBounded(t *testing.T) {
	line := new(Timeline)
	ctx := Watched(context.Background(), line)
	for i := range 10 * most {
		Charge(ctx, fmt.Sprint(i), "")()
	}
	steps := line.Steps()
	if last := steps[len(steps)-1]; len(steps) > most+1 || last.Name != "other" || last.Times < 9*most {
		t.Errorf("%d steps, the last %+v", len(steps), last)
	}
}

func TestUnwatchedSpansTakeNoMemory(t *testing.T) {
	ctx := context.Background()
	if n := testing.AllocsPerRun(100, func() {
		Charge(ctx, "a", "b")()
		_, s := Start(ctx, "b")
		s.End()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
