package api

import "time"

// Reply is what a server outside answered to a call of ours. Body belongs to the
// receiver.
type Reply struct {
	Status int
	Body   []byte
	// RetryAfter is how long the server asks to be left alone, 0 when it does not say.
	RetryAfter time.Duration
}
