package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"shoal/api/jsonvalue"
	"shoal/cluster-test/differ/purpose"
	"shoal/cluster-test/life"
)

// kindOf names what a difference has in common with others: the route, the states, where
// the answers part, and the messages there without what they name.
func kindOf(r *life.Request, a, b purpose.Answer) string {
	kind := r.Method + " " + routeOf(r.Path)
	if a.Status != b.Status {
		return fmt.Sprintf("%s %d/%d %s", kind, a.Status, b.Status, messages(a.Body, b.Body))
	}
	kind += fmt.Sprintf(" %d", a.Status)
	return kind + " " + parting(a.Body, b.Body)
}

// parting tells where two answers part first: in the answer itself, or in the task that
// follows it.
func parting(a, b []byte) string {
	as, bs := bytes.Split(a, []byte{'\n'}), bytes.Split(b, []byte{'\n'})
	for i := range min(len(as), len(bs)) {
		x, err := jsonvalue.Parse(as[i])
		y, err2 := jsonvalue.Parse(bs[i])
		prefix := [...]string{"answer", "task", "more"}[min(i, 2)]
		if err != nil || err2 != nil {
			if !bytes.Equal(as[i], bs[i]) {
				return prefix + " is no JSON"
			}
			continue
		}
		if at, p, q := part(prefix, &x, &y); at != "" {
			if strings.HasSuffix(at, ".message") || strings.HasSuffix(at, ".code") || strings.HasSuffix(at, ".status") || strings.HasSuffix(at, ".error") {
				return at + " " + messages(as[i], bs[i])
			}
			if p != nil && q != nil && p.Kind() != q.Kind() {
				return fmt.Sprintf("%s kind %d/%d", at, p.Kind(), q.Kind())
			}
			return at
		}
	}
	return "number of parts"
}

// part returns the path of the first value that differs, "" when none does.
func part(at string, a, b *jsonvalue.Value) (string, *jsonvalue.Value, *jsonvalue.Value) {
	if a.JSON() == b.JSON() {
		return "", nil, nil
	}
	if a.Kind() != b.Kind() || a.Kind() != jsonvalue.KindObject && a.Kind() != jsonvalue.KindArray {
		return at, a, b
	}
	if a.Kind() == jsonvalue.KindArray {
		for i := range min(a.Len(), b.Len()) {
			if where, x, y := part(at+"[]", &a.Members()[i].Value, &b.Members()[i].Value); where != "" {
				return where, x, y
			}
		}
		return at + " (length)", nil, nil
	}
	for _, m := range a.Members() {
		other := b.Get(m.Name)
		if other == nil {
			return at + "." + shown(at, m.Name) + " (in one)", nil, nil
		}
		if where, x, y := part(at+"."+shown(at, m.Name), &m.Value, other); where != "" {
			return where, x, y
		}
	}
	if a.Len() != b.Len() {
		return at + " (members)", nil, nil
	}
	return at + " (order)", nil, nil
}

// shown leaves out names that are data: those of fields, indexes, embedders.
func shown(at, name string) string {
	if strings.HasPrefix(name, "_") {
		return name
	}
	for _, holder := range []string{"hits[]", "results[]", "acetDistribution", "acetStats", ".distribution", ".stats", "fieldDistribution", "indexes", "acetsByIndex"} {
		if strings.HasSuffix(at, holder) || holder != "indexes" && holder != "results[]" && strings.Contains(at, holder+".") {
			return "*"
		}
	}
	return name
}

var (
	messageText = regexp.MustCompile(`"message":"((?:[^"\\]|\\.)*)"`)
	quoted      = regexp.MustCompile("`[^`]*`|'[^']*'|\\\\\"[^\"]*\\\\\"")
	numerals    = regexp.MustCompile(`[0-9]+`)
)

// messages are those of two answers, without names and numbers.
func messages(a, b []byte) string {
	one := func(body []byte) string {
		m := messageText.FindSubmatch(body)
		if m == nil {
			return "-"
		}
		text := numerals.ReplaceAllString(quoted.ReplaceAllString(string(m[1]), "`_`"), "0")
		return fmt.Sprintf("%.160s", text)
	}
	x, y := one(a), one(b)
	if x == y {
		return x
	}
	return x + " / " + y
}

// fixed are the segments of paths that name no index, document or key.
var fixed = map[string]bool{}

func init() {
	for _, s := range strings.Fields(`indexes documents search facet-search similar settings stats tasks batches keys dumps snapshots multi-search swap-indexes health version
		experimental-features network fetch delete delete-batch edit fields chats workspaces cancel webhooks export compact metrics`) {
		fixed[s] = true
	}
}

// routeOf is a path without what it names.
func routeOf(path string) string {
	path, query, _ := strings.Cut(path, "?")
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		if !fixed[s] && (i == 0 || segments[i-1] != "settings") {
			segments[i] = "{}"
		}
	}
	route := "/" + strings.Join(segments, "/")
	if query != "" {
		route += "?"
	}
	return route
}
