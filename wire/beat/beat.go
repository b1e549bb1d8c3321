package beat

import "time"

// Until is the time until the next moment for those who look as often as every: at most
// that long, and more than nothing. Moments for a longer time are such for a shorter one
// that divides it, too.
func Until(every time.Duration) time.Duration {
	return every - time.Duration(time.Now().UnixNano()%int64(every))
}
