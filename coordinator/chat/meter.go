package chat

import (
	"time"

	"shoal/api/jsonvalue"
)

// Use is what the model says that a round took, in tokens.
type Use struct{ Prompt, Completion, Total uint64 }

// Meter is told what conversations take. It must not block.
type Meter interface {
	// Round: the model answered once, in that time.
	Round(workspace, model string, took time.Duration, used Use)
	// Searched: a conversation searched with a tool of the model's.
	Searched(tool string)
	// Ended: a conversation is over; failed tells that an error ended it.
	Ended(workspace string, took time.Duration, failed bool)
}

// unmetered is a Meter that nobody reads.
type unmetered struct{}

func (unmetered) Round(string, string, time.Duration, Use) {}
func (unmetered) Searched(string)                          {}
func (unmetered) Ended(string, time.Duration, bool)        {}

// useOf reads the figures of use in an event; those that are not there are 0.
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
