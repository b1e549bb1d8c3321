package peer

import (
	"context"
	"errors"
	"syscall"

	"shoal/api/apierr"
	"shoal/wire"
)

// status is the form of an error between nodes.
type status struct {
	Code      string `msgpack:"c"` // apierr.Error: code name
	Message   string `msgpack:"m"`
	Place     int    `msgpack:"p"` // apierr.Error
	Condition uint8  `msgpack:"k"` // 1 + index into conditions
}

// conditions are the sentinels that keep their identity across a link. Only
// append: the index is part of the contract.
var conditions = []error{
	wire.ErrNoLeader, wire.ErrNotLeader, wire.ErrBehind, wire.ErrGone, wire.ErrUnavailable,
	wire.ErrNoShard, wire.ErrFenced, wire.ErrClosed, context.Canceled, context.DeadlineExceeded,
	syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EMFILE, syscall.ENFILE,
	wire.ErrTooLarge, wire.ErrNoBlob, wire.ErrCrashed, wire.ErrDied, wire.ErrDamaged,
}

// remoteError is an error of another node: its text, and the condition that it wraps, if
// any.
type remoteError struct {
	message   string
	condition error
}

func (e *remoteError) Error() string { return e.message }
func (e *remoteError) Unwrap() error { return e.condition }

func encodeError(err error) []byte {
	s := status{Message: err.Error()}
	var ae *apierr.Error
	if errors.As(err, &ae) {
		s.Code, s.Message, s.Place = ae.Code.Name, ae.Message, ae.Place
	}
	for i, c := range conditions {
		if errors.Is(err, c) {
			s.Condition = uint8(i + 1)
			break
		}
	}
	b, merr := wire.Marshal(&s)
	if merr != nil {
		return nil
	}
	return b
}

func decodeError(b []byte) error {
	var s status
	if err := wire.Unmarshal(b, &s); err != nil {
		return &remoteError{message: "unreadable error of a peer", condition: wire.ErrUnavailable}
	}
	if s.Code != "" {
		code, ok := apierr.CodeByName(s.Code)
		if !ok {
			code = apierr.CodeInternal // a newer node's code: keep its words
		}
		return apierr.New(code, s.Message).At(s.Place)
	}
	e := &remoteError{message: s.Message}
	if i := int(s.Condition); i >= 1 && i <= len(conditions) {
		e.condition = conditions[i-1]
		if e.message == e.condition.Error() {
			return e.condition
		}
	}
	return e
}
