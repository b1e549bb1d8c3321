package wire

import "errors"

// Conditions that cross nodes. They are compared with errors.Is on both sides
// of a link: the link carries their identity, not their text.
var (
	// ErrNoLeader: no leader is known or it cannot be reached; nothing was
	// accepted, or (for a proposal) the outcome is unknown: retry with the same
	// request id.
	ErrNoLeader = errors.New("no leader")
	// ErrNotLeader: this node is not the leader (any more).
	ErrNotLeader = errors.New("not the leader")
	// ErrBehind: the replica does not have the requested version yet.
	ErrBehind = errors.New("replica is behind the requested version")
	// ErrGone: the requested version is no longer kept; restart the request with
	// the newest catalogue.
	ErrGone = errors.New("requested version is gone")
	// ErrUnavailable: no replica answered.
	ErrUnavailable = errors.New("unavailable")
	// ErrNoShard: this node holds no such shard.
	ErrNoShard = errors.New("no such shard on this node")
	// ErrFenced: the caller's term or base version is out of date.
	ErrFenced = errors.New("fenced by a newer term")
	// ErrTooLarge: a command is larger than an entry of the log may be; it will not
	// get through later either.
	ErrTooLarge = errors.New("too large for an entry of the log")
	// ErrCrashed: the code that was to answer panicked. It would again: nothing is
	// gained by asking once more.
	ErrCrashed = errors.New("an internal error of the program")
	// ErrDied: processes of the node have ended while they did what is asked, more
	// often than the caller knows of.
	ErrDied = errors.New("the node has ended while it did this before")
	// ErrDamaged: the disk does not hold what was written, and no other node has a copy.
	ErrDamaged = errors.New("damaged on the disk of the only node that has it")
	// ErrClosed: the component is closing.
	ErrClosed = errors.New("closed")
)
