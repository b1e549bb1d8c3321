package mcp

import (
	"crypto/rand"
	"sync"
	"time"

	"shoal/api/apierr"
	"shoal/httpfront/routing"
)

const (
	// maxSessions is how many sessions a node holds.
	maxSessions = 64
	// maxOfKey is how many of them one API key holds, with all its tenant tokens.
	maxOfKey = maxSessions / 4
	// maxUnread is how many answers of a session may wait for its client.
	maxUnread = 16
	// sessionBeat is the longest silence of a session.
	sessionBeat = 30 * time.Second
)

// sessions are the sessions that get their answers as server-sent events. Safe for
// concurrent use.
type sessions struct {
	mu     sync.Mutex
	open   map[string]*session
	closed chan struct{} // when the node stops
}

// session is one listening client. It belongs to the key or token that began it.
type session struct {
	key           string // uid of the API key, "" for none
	authorization string
	answers       chan []byte
}

func newSessions() *sessions {
	return &sessions{open: map[string]*session{}, closed: make(chan struct{})}
}

// begin adds a session under an unguessable id. key is the uid of the API key, "" for none.
func (t *sessions) begin(key, authorization string) (id string, s *session, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) >= maxSessions {
		return "", nil, apierr.TooManySessions(maxSessions, maxUnread)
	}
	if key != "" && t.of(key) >= maxOfKey {
		return "", nil, apierr.TooManySessionsOfKey(maxOfKey)
	}
	id, s = rand.Text(), &session{key, authorization, make(chan []byte, maxUnread)}
	t.open[id] = s
	return id, s, nil
}

// of counts the sessions of a key. The caller holds mu.
func (t *sessions) of(key string) (n int) {
	for _, s := range t.open {
		if s.key == key {
			n++
		}
	}
	return n
}

// find returns a session of the same key, or nil if this node has none.
func (t *sessions) find(id, authorization string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.open[id]; s != nil && s.authorization == authorization {
		return s
	}
	return nil
}

func (t *sessions) end(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
}

// serveSession sends the answers of a session until its client leaves, its key becomes
// invalid or the node stops.
func (h *Handlers) serveSession(x *routing.Exchange) error {
	if x.HTTP.Header.Get("Mcp-Protocol-Version") != "" {
		// A client of streamable HTTP asks for messages from this server, which sends none.
		x.AllowOnly("POST")
		return nil
	}
	c, err := h.caller(x)
	if err != nil {
		return err
	}
	id, s, err := h.sessions.begin(c.key, x.HTTP.Header.Get("Authorization"))
	if err != nil {
		return err
	}
	defer h.sessions.end(id)
	events := x.Events()
	if events.SendAs("endpoint", []byte(x.HTTP.URL.Path+"?sessionId="+id)) != nil {
		return nil // the client has left
	}
	beat := time.NewTicker(sessionBeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case <-x.Context().Done():
			return nil
		case <-h.sessions.closed:
			return nil
		case answer := <-s.answers:
			err = events.SendAs("message", answer)
		case <-beat.C:
			err = events.Beat()
		}
		if err == nil {
			_, err = h.caller(x)
		}
		if err != nil {
			return nil // the client has left, or its key is no longer valid
		}
	}
}
