package task

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// The ways to merge two values of one member when the details of a batch's tasks are merged
// (spec tasks-auth-ops-api 5.2).
const (
	mergeFirst = iota
	mergeSum
	mergeLast
	mergeJoin
	mergeList
	mergeEmbedders
)

func mergeOf(name string) int {
	switch name {
	case "receivedDocuments", "indexedDocuments", "editedDocuments", "providedIds", "deletedDocuments",
		"matchedTasks", "canceledTasks", "deletedTasks", "movedDocuments", "updatedRules":
		return mergeSum
	case "originalFilter":
		return mergeJoin
	case "swaps":
		return mergeList
	case "embedders":
		return mergeEmbedders
	case "primaryKey", "dumpUid", "context", "function", "upgradeFrom", "url", "apiKey", "payloadSize", "indexes",
		"oldIndexUid", "newIndexUid", "preCompactionSize", "postCompactionSize", "message", "rule":
		return mergeFirst
	}
	return mergeLast // settings, upgradeTo
}

// MergeDetails merges the details of a batch's tasks in order: it sums counters, joins filters
// with "&", and merges settings with the last value winning. When stored is true (the batch is
// finished), counters that are null are removed. A settings value that is null means "reset"
// and stays.
func MergeDetails(all [][]byte, stored bool) []byte {
	var sum object
	for _, d := range all {
		for _, m := range parseObject(d) {
			i := sum.find(m.name)
			if i < 0 {
				sum = append(sum, m)
				continue
			}
			sum[i].value = mergeValue(m.name, sum[i].value, m.value)
		}
	}
	if stored {
		sum = slices.DeleteFunc(sum, func(m member) bool { return isNull(m.value) && mergeOf(m.name) != mergeLast })
	}
	slices.SortStableFunc(sum, func(a, b member) int { return rank(a.name) - rank(b.name) })
	return sum.encode()
}

func isNull(v []byte) bool { return string(v) == "null" }

func mergeValue(name string, a, b []byte) []byte {
	how := mergeOf(name)
	switch {
	case how == mergeLast:
		return b
	case isNull(a):
		return b
	case isNull(b):
		return a
	}
	switch how {
	case mergeSum:
		x, err1 := strconv.ParseUint(string(a), 10, 64)
		y, err2 := strconv.ParseUint(string(b), 10, 64)
		if err1 != nil || err2 != nil {
			return a
		}
		return strconv.AppendUint(nil, x+y, 10)
	case mergeJoin:
		var x, y string
		if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
			return a
		}
		return quoted(x + "&" + y)
	case mergeList:
		a, b = bytes.TrimSuffix(a, []byte("]")), bytes.TrimPrefix(b, []byte("["))
		if len(a) <= 1 {
			return append([]byte{'['}, b...)
		}
		if string(b) == "]" {
			return append(slices.Clone(a), ']')
		}
		return slices.Concat(a, []byte(","), b)
	case mergeEmbedders:
		return mergeObjects(a, b)
	}
	return a
}

// mergeObjects overlays b on a, member by member.
func mergeObjects(a, b []byte) []byte {
	sum := parseObject(a)
	for _, m := range parseObject(b) {
		if i := sum.find(m.name); i >= 0 {
			sum[i].value = m.value
		} else {
			sum = append(sum, m)
		}
	}
	slices.SortFunc(sum, func(a, b member) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return sum.encode()
}
