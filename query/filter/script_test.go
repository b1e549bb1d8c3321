package filter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"shoal/api/settings"
)

// TestFilterScript plays testdata/filters.txt: the text of a filter; out comes its
// canonical text and its tree, or the message that clients get.
//
//	filter    the text of a filter; with args: filterable=(a,b) says which fields may
//	          be filtered by, contains and foreign switch features on
//	body      the JSON of a filter as bodies have it
func TestFilterScript(t *testing.T) {
	datadriven.RunTest(t, "testdata/filters.txt", func(t *testing.T, d *datadriven.TestData) string {
		var f *Filter
		var fault *FilterError
		if d.Cmd == "body" {
			f, fault = ParseFilter([]byte(d.Input))
		} else {
			f, fault = ParseFilterText(d.Input)
		}
		if fault == nil && f != nil {
			fault = f.CheckGates(Gates{ContainsFilter: d.HasArg("contains"), ForeignKeys: d.HasArg("foreign")})
		}
		if names, ok := d.Arg("filterable"); fault == nil && f != nil && ok {
			s := settings.Default()
			s.Filterable = plain(names.Vals...)
			fault = f.CheckFilterable(s)
		}
		if fault != nil {
			return fault.Message + "\n"
		}
		if f == nil || f.Root == nil {
			return "no filter\n"
		}
		var b strings.Builder
		b.WriteString(f.String() + "\n")
		drawFilter(&b, f.Root, "  ")
		return b.String()
	})
}

// opNames are the operators without a spelling of their own.
var opNames = map[FilterOp]string{
	FilterAnd: "and", FilterOr: "or", FilterNot: "not", FilterBetween: "between", FilterVectors: "vectors", FilterForeign: "foreign",
	FilterGeoRadius: "radius", FilterGeoBox: "box", FilterGeoPolygon: "polygon", FilterObject: "object",
}

// drawFilter writes a node a line, operands below it.
func drawFilter(b *strings.Builder, n *Node, indent string) {
	name := n.Op.operator()
	if other, ok := opNames[n.Op]; ok {
		name = other
	}
	b.WriteString(indent + name)
	if n.Field.Value != "" {
		fmt.Fprintf(b, " %q", n.Field.Value)
	}
	for _, v := range n.Values {
		fmt.Fprintf(b, " %q", v.Value)
	}
	b.WriteByte('\n')
	for _, kid := range n.Kids {
		drawFilter(b, kid, indent+"  ")
	}
}
