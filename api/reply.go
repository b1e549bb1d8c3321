package api

import "time"

// Reply is an external server's answer to a call of ours. Body belongs to the receiver.
type Reply struct {
	Status int
	Body   []byte
	// RetryAfter is the pause that the server asks for, 0 if it names none.
	RetryAfter time.Duration
}
