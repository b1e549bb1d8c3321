package api

import (
	"strconv"

	"shoal/api/jsonvalue"
)

// SearchRuleTarget shows what pending tasks will make of a rule (1.57).
type SearchRuleTarget struct {
	// Current is the rule as it is, Target as it will be. Nil means there is none.
	Current, Target *SearchRule
	// TaskUIDs are the pending tasks that change the rule, ascending.
	TaskUIDs []uint32
}

// AppendJSON appends the target. object is as in SearchRule.AppendJSON.
func (t *SearchRuleTarget) AppendJSON(dst []byte, object bool) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	for _, r := range []struct {
		name string
		rule *SearchRule
	}{{"current", t.Current}, {"target", t.Target}} {
		o.Value(r.name, func(dst []byte) []byte {
			if r.rule == nil {
				return append(dst, "null"...)
			}
			return r.rule.AppendJSON(dst, object)
		})
	}
	appendPending(&o, t.TaskUIDs)
	return o.End()
}

// SearchRuleTargets is a page of the rules as pending tasks will make them (1.57).
type SearchRuleTargets struct {
	Page []*SearchRule
	// Changing tells, for each rule of the page, whether a pending task changes it.
	Changing []bool
	// Total is how many rules match. Rules and TargetRules are the numbers of rules now and
	// after the tasks.
	Total, Rules, TargetRules uint64
	TaskUIDs                  []uint32
}

// AppendJSON appends the page. object is as in SearchRule.AppendJSON.
func (t *SearchRuleTargets) AppendJSON(dst []byte, offset, limit uint64, object bool) []byte {
	page := AppendPage(dst, len(t.Page), func(dst []byte, i int) []byte {
		dst = t.Page[i].AppendJSON(dst, object)
		dst = strconv.AppendBool(append(dst[:len(dst)-1], `,"needsProcessing":`...), t.Changing[i])
		return append(dst, '}')
	}, offset, limit, t.Total)
	o := jsonvalue.Continued(page[:len(page)-1])
	appendPending(&o, t.TaskUIDs)
	o.Count("totalRuleCount", t.Rules)
	o.Count("targetTotalRuleCount", t.TargetRules)
	return o.End()
}

// appendPending lists the pending tasks.
func appendPending(o *jsonvalue.ObjectWriter, tasks []uint32) {
	o.Value("needsProcessing", func(dst []byte) []byte { return strconv.AppendBool(dst, len(tasks) > 0) })
	o.Value("taskUids", func(dst []byte) []byte {
		return jsonvalue.AppendList(dst, tasks, func(uid *uint32, dst []byte) []byte { return strconv.AppendUint(dst, uint64(*uid), 10) })
	})
}
