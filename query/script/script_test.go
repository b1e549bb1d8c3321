package script

import (
	"errors"
	"strings"
	"testing"

	"shoal/query/script/value"
)

// TestOutcome checks what functions do with documents.
func TestOutcome(t *testing.T) {
	const doc = `{"id":1,"title":"Batman","tags":["a","b"],"price":9.90,"meta":{"z":1,"b":[1,2.50]}}`
	for _, c := range []struct{ name, source, want string }{
		{"nothing", ``, ""},
		{"same value", `doc.id = 1`, ""},
		{"upper", `doc.title = doc.title.to_upper()`, `{"id":1,"title":"BATMAN","tags":["a","b"],"price":9.90,"meta":{"b":[1,2.50],"z":1}}`},
		{"template", "doc.title = `✨ ${doc.title.to_upper()} ✨`;", `{"id":1,"title":"✨ BATMAN ✨","tags":["a","b"],"price":9.90,"meta":{"b":[1,2.50],"z":1}}`},
		{"delete", `doc = ()`, "deleted"},
		{"remove", `doc.remove("meta"); doc.remove("price")`, `{"id":1,"title":"Batman","tags":["a","b"]}`},
		{"new members by name", `doc = #{id: doc.id, zeta: true, alpha: ()};`, `{"id":1,"alpha":null,"zeta":true}`},
		{"missing is unit", `doc = #{id: 1, x: doc.nope == (), y: doc.nope?.deep, z: doc.nope ?? 3}`, `{"id":1,"x":true,"y":null,"z":3}`},
		{"context", `doc = #{id: doc.id, c: context.by * 2}`, `{"id":1,"c":14}`},
		{"in place", `doc.tags.push("c"); doc.meta.b[0] += 5; doc.remove("price")`, `{"id":1,"title":"Batman","tags":["a","b","c"],"meta":{"b":[6,2.50],"z":1}}`},
		{"copies", `let t = doc.tags; t.push("x"); doc = #{id: 1, t: t, tags: doc.tags}`, `{"id":1,"tags":["a","b"],"t":["a","b","x"]}`},
		{"return", `if doc.id == 1 { doc = (); return; } doc.x = 1`, "deleted"},
		{"shadowed", `let doc = 5; doc = #{id: 9};`, `{"id":9}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Compile(c.source)
			if err != nil {
				t.Fatal(err)
			}
			context, err := ParseContext([]byte(`{"by":7}`))
			if err != nil {
				t.Fatal(err)
			}
			out, deleted, err := p.Run([]byte(doc), context, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if want == "" {
				want = doc
			}
			if deleted != (want == "deleted") || !deleted && string(out) != want {
				t.Errorf("got %s (deleted %v)\nwant %s", out, deleted, want)
			}
		})
	}
}

// evaluate runs `doc = #{r: expression}` and returns r as JSON.
func evaluate(t *testing.T, source string) (string, error) {
	t.Helper()
	p, err := Compile(source)
	if err != nil {
		return "", err
	}
	out, _, err := p.Run([]byte(`{"n":null}`), Context{}, Limits{})
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(out), `{"r":`), "}"), nil
}

// TestExpressions: values of expressions, statement by statement.
func TestExpressions(t *testing.T) {
	for source, want := range map[string]string{
		`1 + 2 * 3 ** 2`:              `19`,
		`2 ** 3 ** 2`:                 `512`,
		`7 / 2`:                       `3`,
		`7 / 2.0`:                     `3.5`,
		`-7 % 3`:                      `-1`,
		`1 + 2.5`:                     `3.5`,
		`2.0`:                         `2.0`,
		`0xff + 0b11 + 0o17 + 1_000`:  `1273`,
		`1 << 4 | 3`:                  `19`,
		`!true || 1 < 2 && "a" < "b"`: `true`,
		`1 == 1.0`:                    `true`,
		`"1" == 1`:                    `false`,
		`"a" + 1 + 'c' + 2.0 + true`:  `"a1c2.0true"`,
		`"x" + [1, "a", ()]`:          `"x[1, \"a\", ()]"`,
		`"" + #{b: 1, a: 'q'}`:        `"#{\"a\": q, \"b\": 1}"`,
		`"a\tb\x41\u00e9""q"""`:       `"a\tbAé\"q\""`,
		"`a${1 + 1}b${`c${3}`}`":      `"a2bc3"`,
		`[1, 2] + [3] + [4]`:          `[1,2,3,4]`,
		`#{a: 1} + #{b: 2}`:           `{"a":1,"b":2}`,
		`2 in [1, 2]`:                 `true`,
		`"b" !in #{a: 1}`:             `true`,
		`3 in 0..3`:                   `false`,
		`3 in 0..=3`:                  `true`,
		`[10, 20, 30][-1]`:            `30`,
		`"héllo"[1]`:                  `"é"`,
		`#{a: #{b: [1, 2]}}.a.b[1]`:   `2`,
		`if 1 > 2 { "x" } else if 2 > 1 { "y" } else { "z" }`:               `"y"`,
		`{ let a = 3; a * a }`:                                              `9`,
		`switch 3 { 1 => "a", 2 | 3 if true => "b", _ => "c" }`:             `"b"`,
		`switch 7 { 0..5 => "low", 5..=9 => "mid", _ => "high" }`:           `"mid"`,
		`switch "k" { "k" => { 5 } _ => 6 }`:                                `5`,
		`let s = 0; for i in 0..5 { if i == 3 { continue; } s += i; } s`:    `7`,
		`let s = ""; for (c, i) in "abc" { s += "" + c + i; } s`:            `"a0b1c2"`,
		`let i = 0; while i < 10 { i += 1; if i == 4 { break; } } i`:        `4`,
		`let i = 0; let v = loop { i += 1; if i == 5 { break i * 2; } }; v`: `10`,
		`let i = 0; do { i += 1 } while i < 3; i`:                           `3`,
		`let i = 0; do { i += 1 } until i >= 3; i`:                          `3`,
		`let f = |a, b| a * b; f.call(6, 7)`:                                `42`,
		`let n = 1; let add = |x| n += x; add.call(4); n`:                   `5`,
		`[1, 2, 3].map(|x| x * 2)`:                                          `[2,4,6]`,
		`[1, 2, 3].map(|x, i| x * i)`:                                       `[0,2,6]`,
		`[1, 2, 3, 4].filter(|x| x % 2 == 0)`:                               `[2,4]`,
		`[1, 2, 3].reduce(|s, x| s + x, 10)`:                                `16`,
		`[1, 2, 3].reduce(|s, x| (s ?? 0) + x)`:                             `6`,
		`[3, 1, 2].order()`:                                                 `[1,2,3]`,
		`let a = [3, 1, 2]; a.sort(|x, y| y - x); a`:                        `[3,2,1]`,
		`let a = [1, 1, 2, 1]; a.dedup(); a`:                                `[1,2,1]`,
		`let a = [1, 2, 3, 4]; a.retain(|x| x > 2); a`:                      `[3,4]`,
		`let a = [1, 2, 3, 4]; a.drain(1..3)`:                               `[2,3]`,
		`let a = [1, 2, 3, 4]; a.splice(1, 2, [9]); a`:                      `[1,9,4]`,
		`let a = [1, 2]; a.insert(1, 5); a.shift(); a`:                      `[5,2]`,
		`[1, 2, 3].some(|x| x == 2) && [1].all(|x| x > 0)`:                  `true`,
		`[5, 6].index_of(6)`:                                                `1`,
		`[1, 2].zip(["a", "b"], |x, y| [x, y])`:                             `[[1,"a"],[2,"b"]]`,
		`let a = [1, 2]; a.for_each(|| this += 1); a`:                       `[2,3]`,
		`let a = [[1]]; let b = a; b[0].push(2); a`:                         `[[1]]`,
		`let a = [1]; fn grow(x) { x.push(2); x } let b = grow(a); [a, b]`:  `[[1],[1,2]]`,
		`fn double() { this *= 2; } let x = 4; x.double(); x`:               `8`,
		`fn fact(n) { if n < 2 { 1 } else { n * fact(n - 1) } } fact(10)`:   `3628800`,
		`fn f(a) { return a; 5 } f(3)`:                                      `3`,
		`Fn("fact").type_of() + type_of(1) + type_of([]) + type_of(#{}) + type_of(()) + type_of('a') + type_of(1.0)`: `"Fni64arraymap()charf64"`,
		`"a,b,,c".split(",")`:                                                        `["a","b","","c"]`,
		`"a b  c".split()`:                                                           `["a","b","c"]`,
		`"abc".split(1)`:                                                             `["a","bc"]`,
		`"abc".split("")`:                                                            `["","a","b","c",""]`,
		`"a-b-c".split("-", 2)`:                                                      `["a","b-c"]`,
		`"a-b-c".split_rev("-", 2)`:                                                  `["c","a-b"]`,
		`"hello".sub_string(1, 3)`:                                                   `"ell"`,
		`"hello".sub_string(-3)`:                                                     `"llo"`,
		`"hello".sub_string(1..=2)`:                                                  `"el"`,
		`let s = "  x "; s.trim(); s`:                                                `"x"`,
		`let s = "aXbX"; s.replace("X", "-"); s`:                                     `"a-b-"`,
		`let s = "abc"; s.crop(1, 1); s`:                                             `"b"`,
		`let s = "ab"; s.pad(4, '.'); s`:                                             `"ab.."`,
		`let s = "abc"; [s.pop(), s]`:                                                `["c","ab"]`,
		`"héllo".len() + "héllo".bytes()`:                                            `11`,
		`"hello".index_of("l") + "x".index_of('y')`:                                  `1`,
		`"12".parse_int() + "ff".parse_int(16) + "1.5".parse_float()`:                `268.5`,
		`"Abc".to_lower() + "abc".to_upper()`:                                        `"abcABC"`,
		`"Straße ΑΣ".to_upper() + " ΑΣ İ".to_lower()`:                                "\"STRASSE ΑΣ ας i\u0307\"",
		`'ß'.to_upper() + "" + 'İ'.to_lower() + 'é'.to_upper()`:                      `"ßİÉ"`,
		`"abc".contains("bc") && "abc".starts_with('a') && "abc".ends_with("c")`:     `true`,
		`#{b: 2, a: 1}.keys() + #{b: 2, a: 1}.values()`:                              `["a","b",1,2]`,
		`let m = #{a: 1}; m.mixin(#{a: 2, b: 3}); m.fill_with(#{b: 0, c: 4}); m`:     `{"a":2,"b":3,"c":4}`,
		`let m = #{a: 1}; m["x y"] = 2; m.contains("x y")`:                           `true`,
		`#{a: 1, b: 2}.filter(|k, v| v > 1)`:                                         `{"b":2}`,
		`#{a: [1, 2.5]}.to_json()`:                                                   `"{\"a\":[1,2.5]}"`,
		`parse_json("{\"a\":[1]}").a[0]`:                                             `1`,
		`(-5).abs() + (2.5).floor() + 7.max(9)`:                                      `16.0`,
		`3.7.to_int() + (0 - 2).sign()`:                                              `2`,
		`let x = 1; try { throw "boom"; } catch (e) { x = e; } x`:                    `"boom"`,
		`try { 1 / 0 } catch (e) { e.message }`:                                      `"Division by zero: 1 / 0"`,
		`try { 1 / 0 } catch (e) { e }`:                                              `{"error":"ErrorArithmetic","message":"Division by zero: 1 / 0"}`,
		`try { foo(1) } catch (e) { e }`:                                             `{"error":"ErrorFunctionNotFound","function":"foo (i64)","line":1,"message":"Function not found: foo (i64)","position":18}`,
		`try { !3 } catch (e) { e.function }`:                                        `"! (i64)"`,
		`try { nope } catch (e) { [e.error, e.variable] }`:                           `["ErrorVariableNotFound","nope"]`,
		`try { [1][5] } catch (e) { [e.error, e.index, e.length] }`:                  `["ErrorArrayBounds",5,1]`,
		`try { "a"[9] } catch (e) { [e.error, e.index, e.length] }`:                  `["ErrorStringBounds",9,1]`,
		`try { 1.5[0] } catch (e) { [e.error, e.type] }`:                             `["ErrorIndexingType","f64 [i64]"]`,
		`try { let x = 1; x.a } catch (e) { [e.error, e.property == e.message] }`:    `["ErrorDotExpr",true]`,
		`try { let x = (); x.a = 1 } catch (e) { e.error }`:                          `"ErrorDotExpr"`,
		`try { let x = 1; for i in x {} } catch (e) { e.error }`:                     `"ErrorFor"`,
		`try { let x = 1; if x {} } catch (e) { [e.error, e.requested, e.actual] }`:  `["ErrorMismatchDataType","bool","i64"]`,
		`try { parse_int("x") } catch (e) { e.error }`:                               `"ErrorArithmetic"`,
		`let f = Fn("nope"); try { f.call() } catch (e) { e.function }`:              `"nope ()"`,
		`let o = #{a: #{b: [1]}}; try { [1][o.a.b] } catch (e) { e.position }`:       `47`,
		`let o = #{a: #{b: [1]}}; try { if o.a.b { 1 } } catch (e) { e.position }`:   `47`,
		`let o = #{a: #{b: 1}}; try { for x in o.a.b { } } catch (e) { e.position }`: `50`,
		`let x = 1; [2 in { x = [x]; x }, x]`:                                        `[false,[1]]`,
		`let f = || { try { this } catch (e) { e.error } }; f.call()`:                `"ErrorUnboundThis"`,
		`try { throw } catch (e) { e == () }`:                                        `true`,
		`let x = #{f: |y| y + 1}; x.f(2)`:                                            `3`,
		`1e3.to_int() + 1.5e1`:                                                       `1015.0`,
		`"" + 1e20 + " " + 0.00000001 + " " + 100.0`:                                 `"1e20 1e-8 100.0"`,
		`let a = []; for i in range(0, 10, 3) { a.push(i); } a`:                      `[0,3,6,9]`,
		`/* a /* b */ c */ 1 // x`:                                                   `1`,
	} {
		var body string
		if i := strings.LastIndex(source, ";"); i >= 0 && !strings.Contains(source[i:], "}") && !strings.HasPrefix(source, "try") {
			body = source[:i+1] + " doc = #{r: {" + source[i+1:] + "}};"
		} else {
			body = "let r__ = {" + source + "\n}; doc = #{r: r__};"
			if strings.HasPrefix(source, "fn ") {
				end := strings.LastIndex(source, "} ") + 1
				body = source[:end] + "doc = #{r: {" + source[end:] + "}};"
			}
		}
		got, err := evaluate(t, body)
		if err != nil || got != want {
			t.Errorf("%s\n got %s, %v\nwant %s", source, got, err, want)
		}
	}
}

// TestCompileErrors: texts and places of syntax errors.
func TestCompileErrors(t *testing.T) {
	for source, want := range map[string]string{
		`doc.`:                       "Expecting name of a property (line 1, position 5)",
		`if 3 {}`:                    "Expecting a boolean expression, not a number (line 1, position 4)",
		`while "x" {}`:               "Expecting a boolean expression, not a string (line 1, position 7)",
		`do {} until #{}`:            "Expecting a boolean expression, not an object map (line 1, position 13)",
		`true && ()`:                 "Expecting a boolean expression, not () (line 1, position 9)",
		`switch 1 { 1 if 2.5 => 3 }`: "Expecting a boolean expression, not a floating-point number (line 1, position 17)",
		`for i in 5 {}`:              "Expecting an iterable value, not a number (line 1, position 10)",
		`for i in true {}`:           "Expecting an iterable value, not a boolean (line 1, position 10)",
		`doc.if`:                     "Expecting name of a property (line 1, position 5)",
		`#{if: 1}`:                   "Expecting '}' to end this object map literal (line 1, position 3)",
		`#{a: 1, if: 1}`:             "Expecting name of a property (line 1, position 9)",
		`doc.5`:                      "Expecting name of a property (line 1, position 5)",
		`let = 5`:                    "Expecting name of a variable (line 1, position 5)",
		`let x = ;`:                  "Unexpected ';' (line 1, position 9)",
		"let a = 1;\n a b":           "Expecting ';' to terminate this statement (line 2, position 4)",
		`if true { 1`:                "Expecting '}' to terminate this block (line 1, position 12)",
		`if true 1`:                  "Expecting '{' to start a statement block (line 1, position 9)",
		`"abc`:                       "Open string is not terminated (line 1, position 5)",
		`f(1, 2`:                     "Expecting ')' to close the arguments list of this function call 'f' (line 1, position 7)",
		`[1 2]`:                      "Expecting ',' to separate the items of this array literal (line 1, position 4)",
		`#{a 1}`:                     "Expecting ':' to follow the property 'a' in this object map literal (line 1, position 5)",
		`#{a: 1, a: 2}`:              "Duplicated property for object map literal: a (line 1, position 9)",
		`const x = 1; x = 2`:         "Cannot assign to constant x (line 1, position 14)",
		`1 = 2`:                      "Expression cannot be assigned to (line 1, position 1)",
		`break`:                      "Break statement should only be used inside a loop (line 1, position 1)",
		`var x = 1`:                  "'var' is a reserved keyword (line 1, position 1)",
		`{ fn a() {} }`:              "Function definitions must be at global level and cannot be inside a block or another function (line 1, position 3)",
		`fn a() {} fn a() {}`:        "Function a with no parameters already exists (line 1, position 11)",
		`fn a(x, x) {}`:              "Duplicated parameter x for function 'a' (line 1, position 9)",
		`a === b`:                    "'===' is not a valid operator. This is not JavaScript! Should it be '=='? (line 1, position 3)",
		`"\q"`:                       `Invalid escape sequence: '\q' (line 1, position 2)`,
		strings.Repeat("(", 200):     "Expression exceeds maximum complexity (line 1, position 100)",
		strings.Repeat("|| 1;", 31):  "Number of functions defined exceeds maximum limit (line 1, position 151)",
	} {
		if _, err := Compile(source); err == nil || err.Error() != want {
			t.Errorf("%.40s\n got %v\nwant %s", source, err, want)
		}
	}
}

// TestRuntimeErrors: texts and places of failures, and limits.
func TestRuntimeErrors(t *testing.T) {
	for source, want := range map[string]string{
		`nope`:                            "Variable not found: nope (line 1, position 1)",
		`doc.x = context.y`:               "Variable not found: context (line 1, position 9)",
		"\n  1 + true":                    "Function not found: + (i64, bool) (line 2, position 5)",
		`doc.title.to_upper()`:            "Function not found: to_upper (()) (line 1, position 11)",
		`foo("a", 1)`:                     "Function not found: foo (&str | ImmutableString | String, i64) (line 1, position 1)",
		`doc.a.b = 1`:                     "No writable property 'b' - a setter is not registered for type '()' to handle 'i64' (line 1, position 7)",
		`doc.a.b`:                         "Unknown property 'b' - a getter is not registered for type '()' (line 1, position 7)",
		`[1][3]`:                          "Array index 3 out of bounds: only 1 element in array (line 1, position 5)",
		`9223372036854775807 + 1`:         "Addition overflow: 9223372036854775807 + 1", // no place for two integers
		`[doc.n / 0]`:                     "Function not found: / ((), i64) (line 1, position 8)",
		`let a = 1; [a % 0]`:              "Modulo division by zero or overflow: 1 % 0",
		`let a = 1; a /= 0`:               "Division by zero: 1 / 0 (line 1, position 14)",
		`3 ** 41`:                         "Exponential overflow: 3 ** 41",
		`fn f(x) { x / 0 } f(1)`:          "Division by zero: 1 / 0\nin call to function 'f' (line 1, position 19)",
		`let y = 1; if y { }`:             "Data type incorrect: i64 (expecting bool) (line 1, position 15)",
		`let y = 5; for x in y { }`:       "For loop expects iterable type (line 1, position 21)",
		`throw "no"`:                      "Runtime error: no (line 1, position 1)",
		`loop { }`:                        "Too many operations",
		`fn f() { f() } f()`:              "Stack overflow",
		`let s = "x"; loop { s += s; }`:   "Length of string too large (line 1, position 23)",
		`let a = []; loop { a.push(1); }`: "Size of array too large",
		`fn f() { g(1) } f()`:             "Function not found: g (i64) (line 1, position 10)\nin call to function 'f' (line 1, position 17)",
	} {
		p, err := Compile(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		_, _, err = p.Run([]byte(`{"id":1}`), Context{}, Limits{})
		if err == nil || err.Error() != want && !(strings.HasPrefix(err.Error(), want) && !strings.Contains(want, "line")) {
			t.Errorf("%s\n got %v\nwant %s", source, err, want)
		}
	}
	p, _ := Compile(`doc = 5`)
	if _, _, err := p.Run([]byte(`{}`), Context{}, Limits{}); !errors.Is(err, ErrNotObject) {
		t.Errorf("got %v", err)
	}
}

// TestContextIsConstant: no run can change what the next one sees.
func TestContextIsConstant(t *testing.T) {
	context, err := ParseContext([]byte(`{"list":[1,[2]]}`))
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		`context = 1`:          "Cannot modify constant context (line 1, position 1)",
		`context.list[0] = 5`:  "Cannot modify constant context (line 1, position 1)",
		`context.list.push(5)`: "Non-pure method 'push' cannot be called on constant (line 1, position 14)",
		`let c = context.list; c[1].push(3); c.push(4); doc.c = c;`: "",
	} {
		p, err := Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			out, _, err := p.Run([]byte(`{}`), context, Limits{})
			if want != "" && (err == nil || err.Error() != want) || want == "" && string(out) != `{"c":[1,[2,3],4]}` {
				t.Errorf("%s: %s %v", source, out, err)
			}
		}
	}
}

// FuzzScript: no program makes the interpreter panic or run for ever, and a resulting
// document is an object that can be the input again.
func FuzzScript(f *testing.F) {
	for _, s := range []string{
		"doc.title = `a${doc.x}`", `for x in [1,2] { doc.a += x; }`, `let f = |x| x + 1; doc.n = f.call(2);`,
		`switch doc { _ => 1 }`, `try { throw 1 } catch (e) { }`, `fn a(b) { this.c = b } doc.a(3)`, `doc.a?.b?[0] ?? 'x'`,
		`#"raw"# + 0x1F ** -2`, `[3,1].sort(|a,b| a-b)`, `"a".split("")`, `do { break } until true`,
	} {
		f.Add(s)
	}
	f.Add(`let a = [1,2,3]; a.retain(|x| { a = 5; true }); a.find(|x| { a.clear(); x == 2 }); doc.a.drain(|x| { doc = (); true })`)
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Compile(source)
		if err != nil {
			return
		}
		doc := []byte(`{"id":1,"title":"Batman","a":[1,2.0,{"b":null}]}`)
		limits := Limits{Steps: 5000, Calls: 50, Items: 500, StringBytes: 1 << 16, Memory: 1 << 20}
		out, deleted, err := p.Run(doc, Context{}, limits)
		if err != nil || deleted {
			return
		}
		if again, err := value.Decode(out); err != nil || again.Kind != value.KindObject {
			t.Fatalf("%q made %q: %v", source, out, err)
		}
		if twice, _, err := p.Run(doc, Context{}, limits); err != nil || string(twice) != string(out) {
			t.Fatalf("%q is not deterministic: %q, then %q %v", source, out, twice, err)
		}
	})
}
