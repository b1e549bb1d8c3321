package jsonvalue

import (
	"strconv"
	"time"
)

type sizeUnit struct {
	bytes uint64
	name  string
}

// binaryUnits from large to small.
var binaryUnits = []sizeUnit{{1 << 60, "EiB"}, {1 << 50, "PiB"}, {1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}

// HumanBinarySize writes a size with at most two decimals in the largest binary unit that
// fits ("436 KiB", "1.99 KiB", "12 B").
func HumanBinarySize(bytes uint64) string {
	for _, u := range binaryUnits {
		if bytes >= u.bytes {
			return trimDecimals(float64(bytes)/float64(u.bytes)) + " " + u.name
		}
	}
	return strconv.FormatUint(bytes, 10) + " B"
}

// trimDecimals formats with two decimals and drops trailing zeros.
func trimDecimals(f float64) string {
	s := strconv.FormatFloat(f, 'f', 2, 64)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// MaskSecret hides a secret, except a few first bytes of a long one (spec
// tasks-auth-ops-api 2.4).
func MaskSecret(secret string) string {
	keep, dots := 0, "XXX..."
	switch n := len(secret); {
	case n < 10:
	case n < 20:
		keep, dots = 2, "XXXX..."
	case n < 30:
		keep, dots = 3, "XXXXX..."
	default:
		keep, dots = 5, "XXXXXX..."
	}
	for keep > 0 && keep < len(secret) && secret[keep]&0xC0 == 0x80 {
		keep++
	}
	return secret[:keep] + dots
}

// HumanDuration writes a duration with two decimals in the largest fitting unit of ns, µs,
// ms and s ("619.36ms"), as progress traces and performance details do.
func HumanDuration(d time.Duration) string {
	switch {
	case d >= time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
	case d >= time.Millisecond:
		return strconv.FormatFloat(float64(d)/1e6, 'f', 2, 64) + "ms"
	case d >= time.Microsecond:
		return strconv.FormatFloat(float64(d)/1e3, 'f', 2, 64) + "µs"
	}
	return strconv.FormatInt(int64(d), 10) + ".00ns"
}

// sizeUnits mixes decimal and binary units, the largest first.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"EiB", 1 << 60}, {"EB", 1e18}, {"PiB", 1 << 50}, {"PB", 1e15}, {"TiB", 1 << 40}, {"TB", 1e12},
	{"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"KB", 1e3},
}

// HumanSize writes a number of bytes in binary units if it is a multiple of 1024, otherwise
// in decimal units: "100 MB", "24 MiB", "1.5 GB", "512 B".
func HumanSize(n int64) string {
	binary := n%1024 == 0
	for _, u := range sizeUnits {
		if isBinary := len(u.name) == 3; isBinary != binary || float64(n) < u.bytes {
			continue
		}
		return strconv.FormatFloat(float64(n)/u.bytes, 'f', -1, 64) + " " + u.name
	}
	return strconv.FormatInt(n, 10) + " B"
}
