//go:build !japanese

package segment

// Without the tag japanese there is no Japanese dictionary.
const hasJapanese = false

// segmentJapanese is never reached: [Segmenters.of] asks hasJapanese first.
func segmentJapanese(stretch string, emit func(int) bool) bool { return emit(len(stretch)) }
