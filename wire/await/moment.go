package await

import "time"

// Until returns how long to sleep until the next multiple of every. The result is
// positive and at most every. A multiple of a longer period is also one of every shorter
// period that divides it. So periodic work shares its moments: an idle process pays for each
// wake-up, not for the checks that follow.
func Until(every time.Duration) time.Duration {
	return every - time.Duration(time.Now().UnixNano()%int64(every))
}
