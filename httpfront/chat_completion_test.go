package httpfront

import (
	"context"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
)

// echo is a conversation that sends back what it can see and find.
type echo struct{ filter string }

func (e echo) Begin(ctx context.Context, workspace string, r *api.ChatRequest, desk api.ChatDesk) (func(context.Context, func([]byte) error) error, error) {
	if workspace != "a" {
		return nil, api.ChatSettingsNotFound(workspace)
	}
	indexes, err := desk.Indexes(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, send func([]byte) error) error {
		for _, x := range indexes {
			if err := send([]byte(x.UID + " " + x.Description)); err != nil {
				return err
			}
		}
		q, filter := "q", e.filter
		for _, uid := range []string{"movies", "missing"} {
			found, err := desk.Search(ctx, uid, &q, &filter)
			text := "found " + uid
			if err != nil {
				text = err.Error()
			} else {
				text += " " + found.Text
			}
			if err := send([]byte(text)); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func TestChatCompletions(t *testing.T) {
	f := &fake{}
	s := f.front(Config{}, func(p *Ports) {
		p.Completions, p.DocumentPorts = echo{filter: "t = 1"}, (&fakeStore{settings: map[string]*settings.Settings{"movies": settings.Default()}}).ports()
	})
	const path = "/chats/a/chat/completions"
	expectError(t, call(t, s, "POST", path, `{}`), 400, apierr.CodeBadRequest, "Json deserialize error: missing field `messages` at line 1 column 2")
	expectError(t, call(t, s, "POST", path, "{\n\"messages\":[]\n}\n"), 400, apierr.CodeBadRequest, "Json deserialize error: missing field `model` at line 3 column 1")
	expectError(t, call(t, s, "POST", path, `{"messages":1}`), 400, apierr.CodeBadRequest, "Json deserialize error: invalid type: integer `1`, expected a sequence at line 1 column 14")
	f.features.ChatCompletions = true
	expectError(t, call(t, s, "POST", "/chats/b/chat/completions", `{"model":"m","messages":[],"stream":true}`), 404, apierr.CodeChatNotFound, "Chat `b` not found")
	w := call(t, s, "POST", path, `{"model":"m","messages":[],"stream":true}`)
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if want := "retry: 10000\n\ndata: movies \n\ndata: found movies id: 1\nt: <a>\n\n\n\ndata: Index `missing` not found.\n\n"; w.Body.String() != want {
		t.Errorf("%q", w.Body.String())
	}
	if string(f.searched.Filter) != `"t = 1"` || *f.searched.Q != "q" || f.searched.Limit != api.DefaultSearchLimit {
		t.Errorf("searched %+v", f.searched)
	}
}
