package jsonvalue

import (
	"errors"
	"strings"
	"testing"
)

func TestAJSONTextOfManyValuesIsRefusedBeforeItIsKept(t *testing.T) {
	const room = 1 << 20
	filler := strings.Repeat(" ", smallText)
	for name, text := range map[string]string{
		"empty arrays": "[" + strings.Repeat("[],", 100_000) + "[]]",
		"numbers":      "[" + strings.Repeat("1,", 100_000) + "1]",
		"members":      `{"a":[` + strings.Repeat(`{"b":1},`, 100_000) + `{}]}`,
		"broken":       strings.Repeat("[1,", 100_000),
	} {
		text = filler + text
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := ParseWithin([]byte(text), room); name != "broken" && !errors.Is(err, ErrTreeTooLarge) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if allocated > 200 {
			t.Errorf("%s: %v allocations", name, allocated)
		}
	}
}

// FuzzJSONWithin: a text that fits within the bound is read as without a bound, whatever
// was counted before.
func FuzzJSONWithin(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{},[],"x,]"],"b":{"c":null}}`, `[[[[`, `["\"]",1`, `{"a":1,"a":2}`, `]`, `,`, "[\"\\", `[1,]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		long := []byte(strings.Repeat(" ", smallText) + text)
		want, wantErr := Parse(long)
		got, err := ParseWithin(long, 1<<30)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("%q: %v, want %v", text, err, wantErr)
		}
		if err == nil && got.JSON() != want.JSON() {
			t.Fatalf("%q: %s, want %s", text, got.JSON(), want.JSON())
		}
	})
}
