package queue

import (
	"errors"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/coordinator"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// A full queue accepts only tasks that shrink it (spec write-api 1.7).
func TestFullQueueRefuses(t *testing.T) {
	l := coordtest.NewLog("a")
	l.State.Stored = coordinator.MaxStoredTasks
	w := NewWriter(l, coordtest.NewBlobs(), t.TempDir())
	ctx := t.Context()
	if _, err := w.CreateIndex(ctx, "movies", nil); err == nil || err.Error() != apierr.TaskStoreFull().Message {
		t.Errorf("creation: %v", err)
	}
	if _, err := w.DeleteTasks(ctx, nil, "?uids=9"); err == nil {
		t.Error("a deletion of nothing was taken in")
	}
	if _, err := w.DeleteTasks(ctx, []uint32{1}, "?uids=1"); err != nil {
		t.Errorf("deletion: %v", err)
	}
}

// A node of an older program would drop the member when it applies the settings.
func TestNewSettingsAreTakenOnceAllProgramsKnowThem(t *testing.T) {
	for _, c := range []struct {
		version int
		body    string
		refused string
	}{
		{wire.SameObjectSince - 1, `{"filterableAttributes":[{"attributePatterns":["v"],"features":{"sameObject":true}}]}`, apierr.SameObjectTextOlder},
		{wire.SameObjectSince - 1, `{"filterableAttributes":["v"]}`, ""},
		{wire.SameObjectSince - 1, `{"filterableAttributes":null}`, ""},
		{wire.SameObjectSince, `{"filterableAttributes":[{"attributePatterns":["v"],"features":{"sameObject":true}}]}`, ""},
		{wire.InfixSince - 1, `{"typoTolerance":{"infixOnAttributes":["v"]}}`, "`infixOnAttributes` can be used once all nodes of the cluster have been upgraded."},
		{wire.InfixSince - 1, `{"typoTolerance":{"infixOnAttributes":[],"enabled":true}}`, ""},
		{wire.InfixSince, `{"typoTolerance":{"infixOnAttributes":["v"]}}`, ""},
	} {
		log := coordtest.NewLog("n1")
		log.State.Members = []*wire.Node{{ID: "n1", Version: c.version}}
		_, err := NewWriter(log, coordtest.NewBlobs(), t.TempDir()).UpdateSettings(t.Context(), "docs", patchOf(t, c.body), false, true)
		var client *apierr.Error
		if (c.refused != "") != errors.As(err, &client) || c.refused == "" && err != nil {
			t.Errorf("version %d, %s: %v", c.version, c.body, err)
		}
		if client != nil && (!strings.HasPrefix(client.Code.Name, "invalid_settings_") || client.Message != c.refused) {
			t.Errorf("refused with %v", client)
		}
	}
}

// A node of an older program would drop the setting, or refuse a reset that names it.
func TestDocumentsExpireOnceAllProgramsKnowOfIt(t *testing.T) {
	for _, c := range []struct {
		version int
		patch   *settings.Patch
		refused bool
		named   bool
	}{
		{wire.ExpirySince - 1, patchOf(t, `{"expiryAttribute":"until"}`), true, false},
		{wire.ExpirySince - 1, settings.ResetAll(), false, false},
		{wire.ExpirySince, patchOf(t, `{"expiryAttribute":"until"}`), false, true},
		{wire.ExpirySince, settings.ResetAll(), false, true},
	} {
		log := coordtest.NewLog("n1")
		log.State.Members = []*wire.Node{{ID: "n1", Version: c.version}}
		accepted, err := NewWriter(log, coordtest.NewBlobs(), t.TempDir()).UpdateSettings(t.Context(), "docs", c.patch, false, true)
		var client *apierr.Error
		if c.refused {
			if !errors.As(err, &client) || client.Code.Name != "invalid_settings_expiry_attribute" || client.Message != apierr.ExpiryTextOlder {
				t.Errorf("version %d: %v", c.version, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(log.StoredTasks[accepted.TaskUID].Body), "expiryAttribute"); got != c.named {
			t.Errorf("version %d: the task names the setting: %t, want %t", c.version, got, c.named)
		}
	}
}

func patchOf(t *testing.T, body string) *settings.Patch {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	patch, refused := settings.ParsePatch(decode.BodyRoot(apierr.CodeBadRequest), &v)
	if refused != nil {
		t.Fatal(refused)
	}
	return patch
}
