package httpfront

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/payload"
	"shoal/api/settings"
)

// fakeStore implements the ports of the routes in this file: indexes with settings that
// change at once, and a record of the last call.
type fakeStore struct {
	settings map[string]*settings.Settings
	fields   []string
	last     string
	list     *api.DocumentsRequest
}

func (f *fakeStore) ports() DocumentPorts { return DocumentPorts{Indexes: f, Documents: f, Writes: f} }

func (f *fakeStore) front(features settings.Features) *Server {
	base := &fake{features: features}
	return base.front(Config{}, func(p *Ports) { p.DocumentPorts = f.ports() })
}

func (f *fakeStore) done(kind, uid string) (*api.TaskSummary, error) {
	summary := &api.TaskSummary{Type: kind, EnqueuedAt: 1e9}
	if uid != "" {
		summary.IndexUID = &uid
	}
	return summary, nil
}

func (f *fakeStore) Indexes(_ context.Context, _ []string, offset, limit uint64) ([]api.Index, uint64, error) {
	var page []api.Index
	for uid := range f.settings {
		page = append(page, api.Index{UID: uid, CreatedAt: 1e9, UpdatedAt: 2e9})
	}
	return page, uint64(len(page)), nil
}

func (f *fakeStore) Index(_ context.Context, uid string) (*api.Index, error) {
	if f.settings[uid] == nil {
		return nil, apierr.IndexNotFound(uid)
	}
	return &api.Index{UID: uid, CreatedAt: 1e9, UpdatedAt: 2e9}, nil
}

func (f *fakeStore) IndexSettings(_ context.Context, uid string) (*settings.Settings, error) {
	if f.settings[uid] == nil {
		return nil, apierr.IndexNotFound(uid)
	}
	return f.settings[uid], nil
}

func (f *fakeStore) IndexFields(ctx context.Context, uid string) ([]string, *settings.Settings, error) {
	s, err := f.IndexSettings(ctx, uid)
	return f.fields, s, err
}

func (f *fakeStore) Documents(_ context.Context, _ string, r *api.DocumentsRequest) (*api.DocumentsPage, error) {
	f.list = r
	return &api.DocumentsPage{Documents: [][]byte{[]byte(`{"id":1}`), []byte(`{}`)}, Total: 9}, nil
}

func (f *fakeStore) Document(_ context.Context, _, id string, fields []string, vectors bool) ([]byte, error) {
	if id == "none" {
		return nil, apierr.DocumentNotFound(id)
	}
	shown, err := json.Marshal(map[string]any{"id": id, "fields": fields, "vectors": vectors})
	return shown, err
}

func (f *fakeStore) note(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte(err.Error())
	}
	f.last = string(text)
}

func (f *fakeStore) AddDocuments(_ context.Context, up *payload.Upload) (*api.TaskSummary, error) {
	n, err := payload.Read(up.Format, up.Delimiter, up.Body, func(*payload.Document) error { return nil })
	if err != nil {
		return nil, err
	}
	f.note([]any{n, up.Format.String(), up.Update, up.PrimaryKey, up.SkipCreation, up.CreateIndex, up.Metadata})
	f.make(up.IndexUID)
	return f.done("documentAdditionOrUpdate", up.IndexUID)
}

func (f *fakeStore) make(uid string) {
	if f.settings[uid] == nil {
		f.settings[uid] = settings.Default()
	}
}

func (f *fakeStore) DeleteDocuments(_ context.Context, uid string, ids []string, metadata *string) (*api.TaskSummary, error) {
	f.note([]any{ids, metadata})
	return f.done("documentDeletion", uid)
}

func (f *fakeStore) DeleteByFilter(_ context.Context, uid string, filter []byte, metadata *string) (*api.TaskSummary, error) {
	f.note([]any{string(filter), metadata})
	return f.done("documentDeletion", uid)
}

func (f *fakeStore) ClearDocuments(_ context.Context, uid string, metadata *string) (*api.TaskSummary, error) {
	f.note([]any{"clear", metadata})
	return f.done("documentDeletion", uid)
}

func (f *fakeStore) EditDocuments(_ context.Context, uid, function string, contextObject, filter json.RawMessage, metadata *string) (*api.TaskSummary, error) {
	f.note([]any{function, contextObject, filter, metadata})
	return f.done("documentEdition", uid)
}

func (f *fakeStore) CreateIndex(_ context.Context, uid string, primaryKey *string) (*api.TaskSummary, error) {
	f.note([]any{uid, primaryKey})
	f.make(uid)
	return f.done("indexCreation", uid)
}

func (f *fakeStore) UpdateIndex(_ context.Context, uid string, primaryKey, newUID *string) (*api.TaskSummary, error) {
	f.note([]any{uid, primaryKey, newUID})
	return f.done("indexUpdate", uid)
}

func (f *fakeStore) DeleteIndex(_ context.Context, uid string) (*api.TaskSummary, error) {
	delete(f.settings, uid)
	return f.done("indexDeletion", uid)
}

func (f *fakeStore) CompactIndex(_ context.Context, uid string) (*api.TaskSummary, error) {
	return f.done("indexCompaction", uid)
}

func (f *fakeStore) SwapIndexes(_ context.Context, swaps []api.SwapPair) (*api.TaskSummary, error) {
	f.note(swaps)
	return f.done("indexSwap", "")
}

func (f *fakeStore) UpdateSettings(_ context.Context, uid string, patch *settings.Patch, deletion, createIndex bool) (*api.TaskSummary, error) {
	f.note([]any{string(patch.AppendJSON(nil, true)), deletion, createIndex})
	if !deletion {
		f.make(uid)
	}
	if old := f.settings[uid]; old != nil {
		if changed, err := settings.Apply(old, []*settings.Patch{patch}, settings.Env{}); err == nil {
			f.settings[uid] = changed
		}
	}
	return f.done("settingsUpdate", uid)
}

// send answers one request; JSON is the default content type of a body.
func send(s *Server, method, url, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(url, "?")
	r.URL.RawPath = ""
	if method != http.MethodGet && method != http.MethodDelete {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func newStore(t *testing.T) *fakeStore {
	t.Helper()
	return &fakeStore{settings: map[string]*settings.Settings{"i": settings.Default()}}
}
