package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes, read as "1048576", "100 MB", "1GiB".
type Size int64

var sizeUnits = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}, {"b", 1},
}

// UnmarshalText reads a size. Units are decimal (KB, MB ...) or binary (KiB ...), in upper
// or lower case.
func (s *Size) UnmarshalText(text []byte) error {
	v := strings.ToLower(strings.TrimSpace(string(text)))
	unit := 1.0
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(v, u.suffix); ok {
			v, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || n < 0 || n*unit > 1<<62 {
		return fmt.Errorf("%q is no size: use bytes or a unit, like 104857600, 100MB or 1GiB", text)
	}
	*s = Size(n * unit)
	return nil
}

// leastMemory is the smallest memory limit that a node can work with.
const leastMemory = 64 << 20

// checkMemory refuses limits that can only be mistakes, such as 10 for 10 GiB.
func checkMemory(limit int64) error {
	if limit > 0 && limit < leastMemory {
		return fmt.Errorf("--memory-limit is %d bytes, at least 64 MiB are needed: give a unit, like 2GiB", limit)
	}
	return nil
}
