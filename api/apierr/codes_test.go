package apierr

import "testing"

func TestCodes(t *testing.T) {
	if len(codesByName) < 268 {
		t.Errorf("%d codes", len(codesByName))
	}
	for name, c := range codesByName {
		if c.Name != name || c.Status < 400 || c.Status > 599 {
			t.Errorf("%+v", c)
		}
	}
	if c, ok := CodeByName("nope"); ok || c != CodeInternal {
		t.Error("an unknown code must read as internal")
	}
}
