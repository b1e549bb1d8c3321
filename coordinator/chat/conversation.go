package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Conversation is one completion. It belongs to one goroutine.
type Conversation struct {
	completions *Completions
	workspace   string
	settings    *api.ChatSettings
	request     *api.ChatRequest
	desk        api.ChatDesk
	tool        []byte
	messages    [][]byte
	send        func(event []byte) error
}

// Run sends the events of the conversation, ending with the end of the stream. It returns an
// error only when the client has left: the error of send, or the end of ctx.
func (c *Conversation) Run(ctx context.Context, send func(event []byte) error) error {
	c.send = send
	begun, failed := time.Now(), false
	defer func() { c.completions.meter.Ended(c.workspace, time.Since(begun), failed) }()
	whole, cancel := context.WithTimeout(ctx, c.completions.limits.Whole)
	defer cancel()
	for range c.completions.limits.Rounds {
		again, wrong, err := c.round(whole)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && wrong != nil {
			failed = true
			err = send(wrong.event())
		}
		if err != nil {
			return err
		}
		if !again {
			break
		}
	}
	return send(done)
}

// round asks the model once and passes on its answer. again: the model called searches and has
// their results now. wrong ends the conversation.
func (c *Conversation) round(ctx context.Context) (again bool, wrong *fault, err error) {
	begun, used := time.Now(), Use{}
	s, wrong := c.ask(ctx)
	if wrong != nil {
		return false, wrong, nil
	}
	defer s.close()
	var asked calls
	var last jsonvalue.Value
	for {
		event, over, wrong := s.next()
		if wrong != nil {
			return false, wrong, nil
		}
		choice := firstChoice(&event)
		if over || choice == nil {
			if !over { // the event contains token counts only
				used = useOf(&event)
			}
			break
		}
		last = event
		if reason := choice.Get("finish_reason"); reason != nil && reason.Kind() == jsonvalue.KindString {
			again = reason.String() == "tool_calls"
		}
		parts := toolCalls(choice)
		for i := range parts {
			if len(asked) > c.completions.limits.Searches || !asked.add(&parts[i].Value) {
				return false, transportFault("the model asked for more searches than there may be, or for none that can be read"), nil
			}
		}
		if len(parts) == 0 && len(asked) == 0 {
			if err := c.send(event.AppendJSON(nil)); err != nil {
				return false, nil, err
			}
		}
	}
	s.close()
	c.completions.meter.Round(c.workspace, c.request.Model, time.Since(begun), used)
	if searches := asked.searches(); len(searches) > 0 {
		return true, nil, c.searchAll(ctx, searches, &last)
	}
	// Without a valid search call another round would repeat this one.
	return again && len(asked) == 0, nil, nil
}

// firstChoice returns the first choice of an event, nil for none.
func firstChoice(event *jsonvalue.Value) *jsonvalue.Value {
	choices := event.Get("choices")
	if choices == nil || choices.Len() == 0 {
		return nil
	}
	return &choices.Members()[0].Value
}

// toolCalls returns the parts of calls in a choice.
func toolCalls(choice *jsonvalue.Value) []jsonvalue.Member {
	delta := choice.Get("delta")
	if delta == nil {
		return nil
	}
	if list := delta.Get("tool_calls"); list != nil {
		return list.Members()
	}
	return nil
}

// searchAll runs the searches of a round and adds the results to the conversation.
func (c *Conversation) searchAll(ctx context.Context, searches []call, like *jsonvalue.Value) error {
	c.messages = append(c.messages, callsMessage(searches))
	for i := range searches {
		if err := c.search(ctx, &searches[i], like); err != nil {
			return err
		}
	}
	return nil
}

// search runs one search and reports it to the client as requested.
func (c *Conversation) search(ctx context.Context, one *call, like *jsonvalue.Value) error {
	tell := func(wanted bool, function string, arguments []byte) error {
		if !wanted {
			return nil
		}
		return c.send(notice(like, function, arguments))
	}
	if err := tell(c.request.Progress, api.ChatFunctionProgress, progressArguments(one)); err != nil {
		return err
	}
	if err := tell(c.request.Append, api.ChatFunctionAppend, callsMessage([]call{*one})); err != nil {
		return err
	}
	text, documents, wrong, err := c.look(ctx, one)
	if err != nil {
		return err
	}
	if wrong == nil {
		if err := tell(c.request.Sources, api.ChatFunctionSources, sourcesArguments(one.id, documents)); err != nil {
			return err
		}
	}
	message := foundMessage(one.id, text)
	c.messages = append(c.messages, message)
	if err := tell(c.request.Append, api.ChatFunctionAppend, message); err != nil {
		return err
	}
	if wrong != nil {
		return c.send(wrong.event())
	}
	return nil
}

// look searches. It returns the text for the model, and the documents.
func (c *Conversation) look(ctx context.Context, one *call) (text string, documents [][]byte, wrong *fault, err error) {
	c.completions.meter.Searched("internal")
	w, unreadable := one.read()
	if unreadable != "" {
		return unreadable, nil, nil, nil
	}
	found, err := c.desk.Search(ctx, w.uid, w.q, w.filter)
	var refused *apierr.Error
	if errors.As(err, &refused) {
		return "the search tool call failed with " + refused.Message, nil, faultOf(refused), nil
	}
	if err != nil {
		return "", nil, nil, err
	}
	if limit := int(c.completions.limits.FoundBytes); len(found.Text) > limit {
		found.Text = strings.ToValidUTF8(found.Text[:limit], "")
	}
	return found.Text, found.Documents, nil, nil
}
