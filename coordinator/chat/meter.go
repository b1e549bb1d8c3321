package chat

import (
	"time"

	"shoal/api/jsonvalue"
)

// Use is the number of tokens of a round, as the model reports it.
type Use struct{ Prompt, Completion, Total uint64 }

// Meter records the use of conversations. It must not block.
type Meter interface {
	// Round: the model answered once, within that time.
	Round(workspace, model string, took time.Duration, used Use)
	// Searched: a conversation searched with a tool of the model.
	Searched(tool string)
	// Ended: a conversation ended; failed tells whether by an error.
	Ended(workspace string, took time.Duration, failed bool)
}

// unmetered is a Meter that records nothing.
type unmetered struct{}

func (unmetered) Round(string, string, time.Duration, Use) {}
func (unmetered) Searched(string)                          {}
func (unmetered) Ended(string, time.Duration, bool)        {}

// useOf reads the token counts in an event; missing ones are 0.
func useOf(event *jsonvalue.Value) (used Use) {
	usage := event.Get("usage")
	if usage == nil {
		return used
	}
	for name, slot := range map[string]*uint64{"prompt_tokens": &used.Prompt, "completion_tokens": &used.Completion, "total_tokens": &used.Total} {
		if v := usage.Get(name); v != nil && v.Kind() == jsonvalue.KindPositive {
			*slot = v.Uint()
		}
	}
	return used
}
