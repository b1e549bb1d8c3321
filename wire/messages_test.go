package wire

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/crc32"
	"hash/fnv"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/vmihailenco/msgpack/v5"

	"shoal/query"
	"shoal/query/rule"
)

// TestMessagesKeepTheirBytes encodes one filled value of every message. Older nodes and the
// logs on disk use the bytes in the golden file. A line may grow when a member is added, but
// nothing in it may change or disappear.
func TestMessagesKeepTheirBytes(t *testing.T) {
	seen := map[string]bool{}
	datadriven.RunTest(t, "testdata/messages.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "message":
			var name string
			d.ScanArgs(t, "name", &name)
			seen[name] = true
			typ, ok := messages[name]
			if !ok {
				return "no such message"
			}
			return encoded(t, typ)
		case "numbers":
			return numbers()
		}
		t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
		return ""
	})
	for name := range messages {
		if !seen[name] {
			t.Errorf("testdata/messages.txt has no message name=%s", name)
		}
	}
}

// TestEveryMessageHasAGoldenLine finds the structs of this package in its source.
func TestEveryMessageHasAGoldenLine(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	noMessage := map[string]bool{"Crash": true, "Missing": true, "Moves": true} // these never leave their process
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() || noMessage[spec.Name.Name] {
				return true
			}
			if _, ok := spec.Type.(*ast.StructType); ok && messages[spec.Name.Name] == nil {
				t.Errorf("%s: struct %s is missing in the table of messages", name, spec.Name.Name)
			}
			return true
		})
	}
}

// encoded fills a value, encodes it and returns the bytes in readable form.
func encoded(t *testing.T, typ reflect.Type) string {
	t.Helper()
	v := reflect.New(typ)
	fill(v.Elem(), "", nil)
	data, err := Marshal(v.Interface())
	if err != nil {
		t.Fatal(err)
	}
	back := reflect.New(typ)
	if err := Unmarshal(data, back.Interface()); err != nil {
		t.Fatal(err)
	}
	again, err := Marshal(back.Interface())
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(data) {
		t.Errorf("%s: what was read back gives other bytes", typ)
	}
	var plain any
	if err := msgpack.Unmarshal(data, &plain); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(plain.(map[string]any))) {
		fmt.Fprintf(&b, "%s: ", name)
		show(&b, plain.(map[string]any)[name])
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d bytes, crc %08x\n", len(data), crc32.ChecksumIEEE(data))
	return b.String()
}

// fill gives every exported member a value derived from its type and its name on the wire. Such
// values do not change when other members are added. A type nested in itself stays empty.
func fill(v reflect.Value, path string, above []reflect.Type) {
	h := fnv.New32a()
	h.Write([]byte(path))
	n := h.Sum32()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("s" + path)
	case reflect.Int8:
		v.SetInt(int64(n%100 + 1))
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-int64(n%1000 + 1))
	case reflect.Uint8:
		v.SetUint(uint64(n%200 + 1))
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(n%60000 + 1))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(n%1000) + 0.5)
	case reflect.Pointer:
		if !slices.Contains(above, v.Type().Elem()) {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), path, above)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), fmt.Sprint(path, i), above)
		}
	case reflect.Slice:
		switch {
		case v.Type() == reflect.TypeFor[json.RawMessage]():
			v.SetBytes([]byte(`{"json":"` + path + `"}`))
		case v.Type().Elem().Kind() == reflect.Uint8:
			v.SetBytes([]byte("b" + path))
		case !slices.Contains(above, v.Type().Elem()):
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			for i := range v.Len() {
				fill(v.Index(i), fmt.Sprint(path, i), above)
			}
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, path+"k", above)
		fill(value, path+"v", above)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		above = append(slices.Clone(above), v.Type())
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("msgpack"), ",")
			if name == "" {
				name = f.Name
			}
			if f.IsExported() && name != "-" {
				fill(v.Field(i), name, above)
			}
		}
	default:
		panic("no value for " + v.Type().String())
	}
}

// show writes a decoded value, with members sorted by name and bytes as b"…".
func show(b *strings.Builder, v any) {
	switch x := v.(type) {
	case map[string]any:
		sep := "{"
		for _, name := range slices.Sorted(maps.Keys(x)) {
			fmt.Fprintf(b, "%s%s: ", sep, name)
			show(b, x[name])
			sep = ", "
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[")
		for i, e := range x {
			if i > 0 {
				b.WriteString(", ")
			}
			show(b, e)
		}
		b.WriteString("]")
	case []byte:
		fmt.Fprintf(b, "b%q", x)
	case string:
		fmt.Fprintf(b, "%q", x)
	default:
		fmt.Fprint(b, x)
	}
}

// numbers lists the constants that are encoded as numbers.
func numbers() string {
	var b strings.Builder
	line := func(name string, values ...any) {
		b.WriteString(name)
		for _, v := range values {
			fmt.Fprintf(&b, " %d", v)
		}
		b.WriteByte('\n')
	}
	line("Version", Version)
	line("NoBatch", NoBatch)
	line("AllItems", AllItems)
	line("Status Enqueued Processing Succeeded Failed Canceled =", Enqueued, Processing, Succeeded, Failed, Canceled)
	line("OpKind Replace Update DeleteIDs DeleteFilter Edit Clear =", OpReplace, OpUpdate, OpDeleteIDs, OpDeleteFilter, OpEdit, OpClear)
	line("ReplicaState Copying InSync CaughtUp =", Copying, InSync, CaughtUp)
	line("FacetOrder Text Value Count =", FacetText, FacetValue, FacetCount)
	line("FacetMatch Any Prefix Whole =", FacetAny, FacetPrefix, FacetWhole)
	line("SortKind Number String None =", SortNumber, SortString, SortNone)
	line("RuleKind Words Typo Proximity AttributeRank WordPosition ExactAttribute ExactWords Sort Geo Vector =",
		rule.Words, rule.Typo, rule.Proximity, rule.AttributeRank, rule.WordPosition, rule.ExactAttribute, rule.ExactWords,
		rule.Sort, rule.Geo, rule.Vector)
	line("Strategy Last All Frequency =", rule.Last, rule.All, rule.Frequency)
	line("Subset Zero ExactForm One Two Mandatory =", query.Zero, query.ExactForm, query.One, query.Two, query.Mandatory)
	return b.String()
}
