package union

import (
	"sync/atomic"

	"shoal/api/settings"
	"shoal/shard/version"
)

// View is a handle for one reader of a State, with the settings of its request. It
// keeps the State alive until it is closed. Safe for concurrent use.
type View struct {
	*State
	version.Reading
	closed atomic.Bool
}

// View wraps the state and takes over the caller's reference.
func (s *State) View(settings *settings.Settings, primaryKey string) *View {
	s.line.shared.Views.Add(1)
	return &View{State: s, Reading: s.Space.Reading(settings, primaryKey)}
}

// Close releases the state. Further calls do nothing.
func (v *View) Close() error {
	if v.closed.Swap(true) {
		return nil
	}
	v.line.shared.Views.Add(-1)
	v.State.Release()
	return nil
}
