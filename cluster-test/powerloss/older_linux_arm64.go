package powerloss

// older: this architecture has only the newer forms.
var older map[uint64]func(c *calls, a [6]uint64, result int64) error
