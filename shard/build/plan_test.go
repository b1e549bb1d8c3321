package build

import "testing"

// Symptom: a failed batch had given its new field a number that the next batch gives to
// another one.
func TestAPlanDoesNotKnowFieldsOfAFailedBatch(t *testing.T) {
	var plans Plans
	for _, name := range []string{"failed", "other", "other"} {
		plan, err := plans.of([]byte("{}"), []string{"id", name}, 0)
		if err != nil {
			t.Fatal(err)
		}
		x := plan.New()
		if err := x.Load([]byte(`{"` + name + `":"word"}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Tokens(nil); err != nil {
			t.Fatal(err)
		}
		if got := x.Unknown(); len(got) > 0 {
			t.Errorf("%q are not in the plan", got)
		}
	}
}
