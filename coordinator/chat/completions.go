package chat

import (
	"context"
	"io"
	"time"

	"shoal/api"
	"shoal/api/decode"
)

// Workspaces holds the settings of chats. Settings returns nil for an unknown workspace.
type Workspaces interface {
	Settings(workspace string) *api.ChatSettings
}

// Outbound sends requests to the outside. It refuses addresses of private networks unless they
// are allowed.
type Outbound interface {
	// Open posts body and returns the answer as a stream. The caller closes it.
	Open(ctx context.Context, url string, headers []decode.Entry[string], body []byte) (status int, contentType string, answer io.ReadCloser, err error)
}

// Limits bound one conversation. The zero value of a field means its default.
type Limits struct {
	// Rounds bounds the requests to the model, Searches the searches in one round.
	Rounds, Searches int
	// RoundBytes bounds the model's output in a round, FoundBytes the text of a search that it
	// gets.
	RoundBytes, FoundBytes int64
	// Silence bounds a pause of the model, Whole the whole conversation.
	Silence, Whole time.Duration
}

func (l Limits) orDefault() Limits {
	set(&l.Rounds, 20)
	set(&l.Searches, 16)
	set(&l.RoundBytes, 16<<20)
	set(&l.FoundBytes, 1<<20)
	set(&l.Silence, 2*time.Minute)
	set(&l.Whole, 15*time.Minute)
	return l
}

func set[T int | int64 | time.Duration](v *T, otherwise T) {
	if *v == 0 {
		*v = otherwise
	}
}

// Completions begins conversations. Safe for concurrent use.
type Completions struct {
	workspaces Workspaces
	out        Outbound
	limits     Limits
	meter      Meter
}

// New returns a Completions for the workspaces. It reaches models through out. meter may be
// nil.
func New(workspaces Workspaces, out Outbound, limits Limits, meter Meter) *Completions {
	if meter == nil {
		meter = unmetered{}
	}
	return &Completions{workspaces: workspaces, out: out, limits: limits.orDefault(), meter: meter}
}

// Begin prepares a conversation. Errors, before anything is sent: the request wants several
// answers or no stream, the workspace does not exist, or the client defines a function that it
// must not define.
func (c *Completions) Begin(ctx context.Context, workspace string, r *api.ChatRequest, desk api.ChatDesk) (run func(ctx context.Context, send func(event []byte) error) error, err error) {
	if fault := r.CheckStream(); fault != nil {
		return nil, fault
	}
	settings := c.workspaces.Settings(workspace)
	if settings == nil {
		return nil, api.ChatSettingsNotFound(workspace)
	}
	if fault := r.CheckTools(); fault != nil {
		return nil, fault
	}
	indexes, err := desk.Indexes(ctx)
	if err != nil {
		return nil, err
	}
	conversation := &Conversation{completions: c, workspace: workspace, settings: settings, request: r, desk: desk, tool: searchTool(&settings.Prompts, indexes)}
	conversation.messages = append(conversation.messages, systemMessage(settings, r.Model))
	for i := range r.Messages {
		conversation.messages = append(conversation.messages, r.Messages[i].Value.AppendJSON(nil))
	}
	return conversation.Run, nil
}
