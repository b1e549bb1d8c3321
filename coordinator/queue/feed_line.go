package queue

import (
	"slices"

	"shoal/wire"
)

// feedLine holds the events of one kind that some stream has not read yet.
type feedLine struct {
	streams map[*Stream]struct{}
	first   uint64 // number of events[0]
	events  []feedEvent
	bytes   int
	// shown is the number of the first event that streams may not read yet, because its effect
	// is not visible on every node.
	shown uint64
	more  chan struct{} // closed when shown grows or a stream is lost
}

// feedEvent is one change, ready to be sent.
type feedEvent struct {
	body []byte
	uid  uint32
	// shows is the task whose end must be visible on all nodes first.
	shows *uint32
	task  *wire.Task // nil for batches
}

func (l *feedLine) add(events []feedEvent) {
	if len(l.streams) == 0 {
		return
	}
	for i := range events {
		l.bytes += len(events[i].body)
	}
	l.events = append(l.events, events...)
	drop := 0
	for bytes := l.bytes; drop < len(l.events) && (len(l.events)-drop > feedEvents || bytes > feedBytes); drop++ {
		bytes -= len(l.events[drop].body)
	}
	if drop > 0 {
		l.drop(drop)
		l.signal() // a stream that has not read the dropped events is lost
	}
}

// drop removes the first n events.
func (l *feedLine) drop(n int) {
	for i := range n {
		l.bytes -= len(l.events[i].body)
	}
	l.events = slices.Delete(l.events, 0, n)
	l.first += uint64(n)
	l.shown = max(l.shown, l.first)
}

// show lets streams read up to the first event that is not visible everywhere. waits: there is
// such an event.
func (l *feedLine) show(visible func(task uint32) bool) (waits bool) {
	before := l.shown
	for l.shown < l.first+uint64(len(l.events)) {
		if e := &l.events[l.shown-l.first]; e.shows != nil && !visible(*e.shows) {
			waits = true
			break
		}
		l.shown++
	}
	if l.shown > before {
		l.signal()
	}
	return waits
}

func (l *feedLine) signal() {
	close(l.more)
	l.more = make(chan struct{})
}

// trim drops the events that all streams have read.
func (l *feedLine) trim() {
	least := l.first + uint64(len(l.events))
	for s := range l.streams {
		if !s.lost && s.next >= l.first {
			least = min(least, s.next)
		}
	}
	l.drop(int(least - l.first))
}
