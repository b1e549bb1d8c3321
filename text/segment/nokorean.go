//go:build !korean

package segment

// Without the tag korean there is no Korean dictionary.
const hasKorean = false

// segmentKorean is never reached: [Segmenters.of] asks hasKorean first.
func segmentKorean(stretch string, emit func(int) bool) bool { return emit(len(stretch)) }
