package score

import (
	"slices"
	"strconv"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/query/rule"
	"shoal/wire"
)

// AppendJSON appends the object `_rankingScoreDetails` (spec ranking 5.10).
func (ds Details) AppendJSON(dst []byte, settings *settings.Settings) []byte {
	w := detailWriter{buf: dst, settings: settings, unified: unifiedAttribute(settings)}
	w.buf = append(w.buf, '{')
	for i := 0; i < len(ds); i++ {
		d := &ds[i]
		var next *Detail
		if i+1 < len(ds) {
			next = &ds[i+1]
		}
		if d.Rule.Kind == rule.Geo && !d.Skipped && w.repeated(ds, i) {
			continue
		}
		if w.detail(d, next) {
			i++
		}
	}
	return append(w.buf, '}')
}

// repeated writes a geo rule that the request has several times as one member: at the place of
// the first of them, with the values of the last. It returns false for other rules.
func (w *detailWriter) repeated(ds Details, at int) bool {
	key := geoKey(&ds[at])
	same := func(d Detail) bool { return d.Rule.Kind == rule.Geo && !d.Skipped && geoKey(&d) == key }
	if slices.ContainsFunc(ds[:at], same) {
		w.order++
		return true
	}
	last, order := at, w.order
	for i, n := at+1, w.order+1; i < len(ds); i, n = i+1, n+1 {
		if same(ds[i]) {
			last, order = i, n
		}
		if i+1 < len(ds) && w.joined(&ds[i], &ds[i+1]) {
			i++
		}
	}
	if last == at {
		return false
	}
	w.openAs(key, order)
	w.geo(&ds[last])
	w.close()
	w.order++
	return true
}

// unifiedAttribute tells whether the two halves of the rule attribute are shown as one. They
// are, unless the settings name a half.
func unifiedAttribute(settings *settings.Settings) bool {
	return !slices.Contains(settings.RankingRules, "attributeRank") && !slices.Contains(settings.RankingRules, "wordPosition")
}

type detailWriter struct {
	buf      []byte
	settings *settings.Settings
	unified  bool
	order    int
}

// open begins the object of a rule with its order.
func (w *detailWriter) open(key string) {
	w.openAs(key, w.order)
	w.order++
}

// openAs is open with a given order.
func (w *detailWriter) openAs(key string, order int) {
	if w.order > 0 {
		w.buf = append(w.buf, ',')
	}
	w.buf = jsonvalue.AppendString(w.buf, key)
	w.buf = append(w.buf, `:{"order":`...)
	w.buf = strconv.AppendInt(w.buf, int64(order), 10)
}

// joined tells whether two details are the halves of one rule and are shown as one.
func (w *detailWriter) joined(d, next *Detail) bool {
	switch {
	case d.Skipped || next == nil || next.Skipped:
		return false
	case d.Rule.Kind == rule.AttributeRank:
		return w.unified && next.Rule.Kind == rule.WordPosition
	}
	return d.Rule.Kind == rule.ExactAttribute && next.Rule.Kind == rule.ExactWords
}

func (w *detailWriter) member(name string) {
	w.buf = append(w.buf, ',', '"')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, '"', ':')
}

func (w *detailWriter) float(name string, v float64) {
	w.member(name)
	w.buf = jsonvalue.AppendFloat(w.buf, v)
}

func (w *detailWriter) count(name string, v uint32) {
	w.member(name)
	w.buf = strconv.AppendUint(w.buf, uint64(v), 10)
}

func (w *detailWriter) close() { w.buf = append(w.buf, '}') }

// detail writes one detail. both tells that it also wrote the next one, as the second half of
// the same rule.
func (w *detailWriter) detail(d, next *Detail) (both bool) {
	switch {
	case d.Pinned:
		w.open("pin")
		w.count("position", d.Position)
		w.close()
		return false
	case d.Weight > 0:
		w.scale(d)
		return false
	case d.Skipped:
		w.open("skipped")
		w.close()
		return false
	}
	r := d.Rank
	switch d.Rule.Kind {
	case rule.AttributeRank:
		both = w.attribute(r, next, w.joined(d, next))
	case rule.ExactAttribute:
		both = w.exactness(r, next, w.joined(d, next))
	case rule.Sort:
		w.sort(d)
	case rule.Random:
		w.open(d.Rule.Field)
		w.float("value", d.Value.Number)
	case rule.Geo:
		w.open(geoKey(d))
		w.geo(d)
	case rule.Vector:
		w.open("vectorSort")
		w.member("similarity")
		if d.HasVector {
			w.buf = jsonvalue.AppendFloat(w.buf, float64(d.Similarity))
		} else {
			w.buf = append(w.buf, "null"...)
		}
	default:
		name, counts := d.Rule.Kind.Detail()
		w.open(name)
		for _, c := range counts {
			w.count(c.Name, c.Of(r.Rank, r.Max))
		}
		w.float("score", r.Score())
	}
	w.close()
	return both
}

// scale writes the dynamic search rules that scale the score, and their joint weight.
func (w *detailWriter) scale(d *Detail) {
	w.open("scale")
	w.member("rules")
	w.buf = append(w.buf, '[')
	for i, uid := range d.Rules {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = jsonvalue.AppendString(w.buf, uid)
	}
	w.buf = append(w.buf, ']')
	w.float("weight", d.Weight)
	w.close()
}

func (w *detailWriter) attribute(r Rank, next *Detail, joined bool) (both bool) {
	if !w.unified {
		w.open("attributeRank")
		w.float("score", r.Score())
		return false
	}
	w.open("attribute")
	w.float("attributeRankingOrderScore", r.Score())
	if !joined {
		return false
	}
	w.float("queryWordDistanceScore", next.Rank.Score())
	w.float("score", Rank{1, 1}.merge(r).merge(next.Rank).Score())
	return true
}

// exactness writes both halves of the rule; the second half shows only when no
// field matches the query.
func (w *detailWriter) exactness(r Rank, next *Detail, both bool) bool {
	w.open("exactness")
	w.member("matchType")
	w.buf = jsonvalue.AppendString(w.buf, [...]string{"", "noExactMatch", "matchesStart", "exactMatch"}[r.Rank])
	score := r.Score()
	if both && r.Rank == 1 {
		w.count("matchingWords", next.Rank.Rank-1)
		w.count("maxMatchingWords", next.Rank.Max-1)
		score = Rank{1, 1}.merge(r).merge(next.Rank).Score()
	}
	w.float("score", score)
	return both
}

func (w *detailWriter) sort(d *Detail) {
	if shown := w.settings.DisplayedAttributes; shown != nil && !slices.Contains(shown, d.Rule.Field) {
		w.open("<hidden-rule-" + strconv.Itoa(w.order) + ">")
		w.member("value")
		w.buf = append(w.buf, `"<hidden>"`...)
		return
	}
	w.open(d.Rule.Field + direction(d.Rule.Desc))
	w.member("value")
	switch d.Value.Kind {
	case wire.SortNumber:
		w.buf = jsonvalue.AppendFloat(w.buf, filter.ShownNumber(d.Value.Number))
	case wire.SortString:
		w.buf = jsonvalue.AppendString(w.buf, d.Value.Text)
	default:
		w.buf = append(w.buf, "null"...)
	}
}

func geoKey(d *Detail) string {
	by := filter.SortBy{Geo: true, Point: filter.GeoPoint{Lat: d.Rule.Lat, Lng: d.Rule.Lng}}
	return by.Name() + direction(d.Rule.Desc)
}

func (w *detailWriter) geo(d *Detail) {
	w.member("value")
	if !d.HasPoint {
		w.buf = append(w.buf, `null,"distance":null`...)
		return
	}
	w.buf = append(w.buf, `{"lat":`...)
	w.buf = jsonvalue.AppendFloat(w.buf, d.Point.Lat)
	w.buf = append(w.buf, `,"lng":`...)
	w.buf = jsonvalue.AppendFloat(w.buf, d.Point.Lng)
	w.buf = append(w.buf, '}')
	w.float("distance", d.Distance)
}

func direction(desc bool) string {
	if desc {
		return ":desc"
	}
	return ":asc"
}
