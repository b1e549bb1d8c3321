package settings

import (
	"bytes"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// row is one setting whose value has type T. It holds everything that is known about the
// setting, beside the functions that only it needs. Members that most settings lack may be
// nil.
type row[T any] struct {
	Name string      // in bodies and answers
	Path string      // of its route, after /settings/
	Verb string      // of its update: PUT or PATCH
	Code apierr.Code // of errors in its value

	// decode reads the value from a body, where null means a reset.
	decode decode.Decoder[T]
	// write appends a value as patches and details show it. reset is the text for a reset
	// ("" for null).
	write func(dst []byte, v T, masked bool) []byte
	reset string
	// slot points to the value in settings, pointer to the pointer to it (nil while unset), for
	// settings that are kept as they are sent. show and apply follow from it unless they are
	// given. A reset restores the value of Default.
	slot    func(s *Settings) *T
	pointer func(s *Settings) **T
	// show appends the effective value that clients see. clear does the same with secrets
	// in clear, for dumps (nil means show).
	show  func(dst []byte, s *Settings) []byte
	clear func(dst []byte, s *Settings) []byte
	// unset tells, for a setting that the reference lacks, that it has its default. Then answers
	// of all settings do not show it.
	unset func(s *Settings) bool

	// gate refuses the setting while its feature is off, and hides it. parts refuses values
	// that need a feature.
	gate  func(f Features) *apierr.Error
	parts func(v T, f Features) *apierr.Error
	// check validates a value before there is a task.
	check func(v T, t Templates) *apierr.Error

	// apply lays a value, or a reset, over s. Its error is that of the task.
	apply func(s *Settings, f decode.Field[T], env *Env) *apierr.Error
	// fits validates s after all patches. given are the values in the patches.
	fits func(s *Settings, given []T, env *Env) *apierr.Error
	// merge joins the values of two patches for display (nil means the later one).
	merge func(earlier, later T) T
	// rebuilt is what a change of the shown value rewrites in an index with documents. effect
	// tells it where that is more difficult (nil means nothing).
	rebuilt rewrites
	effect  func(old, new *Settings) rewrites
}

// Setting is a row of the table without its type parameter. The routes, bodies, details and
// answers of settings, and the rewrites after changes, all come from the table. Rows are
// immutable.
type Setting struct {
	Name string      // in bodies and answers
	Path string      // of its route, after /settings/
	Verb string      // of its update: PUT or PATCH
	Code apierr.Code // of errors in its value

	place  int // in the table, and in patches
	decode func(p *Patch, at *decode.Loc, v *jsonvalue.Value) *apierr.Error
	clear  func(p *Patch)
	write  func(dst []byte, p *Patch, masked bool) []byte
	show   func(dst []byte, s *Settings, secrets bool) []byte
	hidden func(f Features) bool
	// added: the reference lacks the setting. unset tells that it has its default.
	added  bool
	unset  func(s *Settings) bool
	resets func(p *Patch) bool
	check  checks
	apply  func(s *Settings, p *Patch, env *Env) *apierr.Error
	fits   func(s *Settings, patches []*Patch, env *Env) *apierr.Error
	merge  func(p, later *Patch)
	effect func(old, new *Settings) rewrites
}

// checks are the checks of a patch before there is a task, in this order: first gate of all
// rows, then parts of all rows, then value.
type checks struct {
	gate  func(p *Patch, f Features) *apierr.Error
	parts func(p *Patch, f Features) *apierr.Error
	value func(p *Patch, t Templates) *apierr.Error
}

// Env is what Apply needs from other packages.
type Env struct {
	// Normalize returns the indexed form of a word. It is used for disableOnWords.
	Normalize func(word string) string
	// StopWord returns the form in which a stop word is kept and shown.
	StopWord  func(word string) string
	Templates Templates
}

// rewrites names groups of an index's tables: words and positions, facets and geographic
// structures, vectors.
type rewrites struct{ text, facet, vector bool }

// of is the patch's value for the setting.
func of[T any](p *Patch, s *Setting) decode.Field[T] {
	if s.place >= len(p.values) {
		return decode.Field[T]{}
	}
	f, _ := p.values[s.place].(decode.Field[T]) // nil: absent
	return f
}

// setting makes a Setting of the row.
func (r row[T]) setting() *Setting {
	s := &Setting{Name: r.Name, Path: r.Path, Verb: r.Verb, Code: r.Code}
	r.complete()
	if r.reset == "" {
		r.reset = "null"
	}
	s.decode = func(p *Patch, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		if v.IsNull() {
			s.clear(p)
			return nil
		}
		value, err := r.decode(at, v)
		if err == nil {
			p.put(s.place, decode.Set(value))
		}
		return err
	}
	s.clear = func(p *Patch) { p.put(s.place, decode.Null[T]()) }
	s.write = func(dst []byte, p *Patch, masked bool) []byte {
		if f := of[T](p, s); f.IsSet() {
			return r.write(dst, f.Value, masked)
		}
		return append(dst, r.reset...)
	}
	s.show = func(dst []byte, of *Settings, secrets bool) []byte {
		if secrets && r.clear != nil {
			return r.clear(dst, of)
		}
		return r.show(dst, of)
	}
	s.added, s.unset = r.unset != nil, func(of *Settings) bool { return r.unset != nil && r.unset(of) }
	s.resets = func(p *Patch) bool { return s.given(p) && !of[T](p, s).IsSet() }
	s.hidden = func(f Features) bool { return r.gate != nil && r.gate(f) != nil }
	s.check = r.checks(s)
	s.apply = func(to *Settings, p *Patch, env *Env) *apierr.Error { return r.apply(to, of[T](p, s), env) }
	s.fits = func(all *Settings, patches []*Patch, env *Env) *apierr.Error {
		if r.fits == nil {
			return nil
		}
		var given []T
		for _, p := range patches {
			if f := of[T](p, s); f.IsSet() {
				given = append(given, f.Value)
			}
		}
		return r.fits(all, given, env)
	}
	s.merge = func(p, later *Patch) {
		a, b := of[T](p, s), of[T](later, s)
		if r.merge != nil && a.IsSet() && b.IsSet() {
			b = decode.Set(r.merge(a.Value, b.Value))
		}
		p.put(s.place, b)
	}
	s.effect = func(old, new *Settings) rewrites {
		if r.effect == nil {
			return rewrites{}
		}
		return r.effect(old, new)
	}
	return s
}

// complete fills in the functions that follow from slot or pointer, and from rebuilt.
func (r *row[T]) complete() {
	show, apply := r.show, r.apply
	switch slot, pointer, write := r.slot, r.pointer, r.write; {
	case slot != nil:
		r.show = func(dst []byte, s *Settings) []byte { return write(dst, *slot(s), true) }
		r.apply = func(s *Settings, f decode.Field[T], _ *Env) *apierr.Error {
			*slot(s) = f.Or(*slot(Default()))
			return nil
		}
	case pointer != nil:
		r.show = func(dst []byte, s *Settings) []byte {
			if *pointer(s) == nil {
				return append(dst, "null"...)
			}
			return write(dst, **pointer(s), true)
		}
		r.apply = func(s *Settings, f decode.Field[T], _ *Env) *apierr.Error {
			*pointer(s) = nil
			if f.IsSet() {
				*pointer(s) = &f.Value
			}
			return nil
		}
	}
	if show != nil {
		r.show = show
	}
	if apply != nil {
		r.apply = apply
	}
	if show, rebuilt := r.show, r.rebuilt; rebuilt != (rewrites{}) {
		r.effect = func(old, new *Settings) rewrites {
			if bytes.Equal(show(nil, old), show(nil, new)) {
				return rewrites{}
			}
			return rebuilt
		}
	}
}

func (r row[T]) checks(s *Setting) checks {
	return checks{
		gate: func(p *Patch, f Features) *apierr.Error {
			if r.gate == nil || !of[T](p, s).IsSet() {
				return nil
			}
			return r.gate(f)
		},
		parts: func(p *Patch, f Features) *apierr.Error {
			if v := of[T](p, s); r.parts != nil && v.IsSet() {
				return r.parts(v.Value, f)
			}
			return nil
		},
		value: func(p *Patch, t Templates) *apierr.Error {
			if v := of[T](p, s); r.check != nil && v.IsSet() {
				return r.check(v.Value, t)
			}
			return nil
		},
	}
}

// Decode reads the setting's value (or null) from a body into p.
func (s *Setting) Decode(p *Patch, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
	return s.decode(p, at, v)
}

// Reset makes p reset the setting.
func (s *Setting) Reset(p *Patch) { s.clear(p) }

// AppendPublic appends the effective value as GET shows it, secrets masked.
func (s *Setting) AppendPublic(dst []byte, settings *Settings) []byte {
	return s.show(dst, settings, false)
}

func (s *Setting) given(p *Patch) bool { return s.place < len(p.values) && p.values[s.place] != nil }

// Describe describes the setting as tables describe their members.
func (s *Setting) Describe() decode.Described {
	return decode.DescribeBy(s.Name, s.Code, func(at *decode.Loc, v *jsonvalue.Value) *apierr.Error { return s.Decode(new(Patch), at, v) })
}
