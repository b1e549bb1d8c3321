package api

import (
	"encoding/json"
	"math"
	"slices"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

// ruleActions reads the actions of a rule: an object of pins and scales, or a list of pins,
// the form of 1.50.
func ruleActions(at *decode.Loc, v *jsonvalue.Value) (RuleActions, *apierr.Error) {
	if v.Kind() != jsonvalue.KindObject {
		pins, err := decode.List(listedPin)(at, v)
		return RuleActions{Pins: pins}, err
	}
	a := RuleActions{Object: true}
	return a, ruleActionFields.Decode(at, v, &a)
}

var ruleActionFields = decode.NewObject(
	decode.Nullable("pin", apierr.Code{}, decode.List(rulePin), func(a *RuleActions) *[]RulePin { return &a.Pins }),
	decode.Nullable("scale", apierr.Code{}, decode.List(ruleScale), func(a *RuleActions) *[]RuleScale { return &a.Scales }),
)

type pinBody struct {
	RulePin
	position uint64
}

var pinFields = decode.NewObject(
	decode.Plain("id", apierr.Code{}, decode.String, func(p *pinBody) *string { return &p.ID }).Required(apierr.Code{}),
	decode.Plain("position", apierr.Code{}, decode.UintUpTo(math.MaxUint32), func(p *pinBody) *uint64 { return &p.position }).Required(apierr.Code{}),
	decode.Optional("indexUid", apierr.Code{}, decode.IndexUID, func(p *pinBody) **string { return &p.IndexUID }),
)

func rulePin(at *decode.Loc, v *jsonvalue.Value) (RulePin, *apierr.Error) {
	var p pinBody
	err := pinFields.Decode(at, v, &p)
	p.Position = uint32(p.position)
	return p.RulePin, err
}

var scaleFields = decode.NewObject(
	decode.Plain("weight", apierr.Code{}, scaleWeight, func(s *RuleScale) *float64 { return &s.Weight }).Required(apierr.Code{}),
	decode.Custom("ids", apierr.Code{}, func(s *RuleScale, at *decode.Loc, v *jsonvalue.Value) (err *apierr.Error) {
		if s.HasIDs = !v.IsNull(); s.HasIDs {
			s.IDs, err = decode.List(decode.String)(at, v)
		}
		return err
	}),
	decode.Custom("filter", apierr.Code{}, func(s *RuleScale, _ *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		if s.Filter = nil; !v.IsNull() {
			s.Filter = json.RawMessage(v.AppendJSON(nil))
		}
		return nil
	}),
	decode.Optional("indexUid", apierr.Code{}, decode.IndexUID, func(s *RuleScale) **string { return &s.IndexUID }),
)

// ruleScale reads a scale. Package filter checks later whether its filter can be parsed.
func ruleScale(at *decode.Loc, v *jsonvalue.Value) (RuleScale, *apierr.Error) {
	var s RuleScale
	if err := scaleFields.Decode(at, v, &s); err != nil {
		return s, err
	}
	if !s.HasIDs && s.Filter == nil {
		return s, at.Invalid("either `filter` or `ids` must be given")
	}
	return s, nil
}

// maxScaleWeight keeps products of weights far from infinity.
const maxScaleWeight = 1e6

func scaleWeight(at *decode.Loc, v *jsonvalue.Value) (float64, *apierr.Error) {
	w, err := decode.Float(at, v)
	if err == nil && (w < 0 || w > maxScaleWeight) {
		return 0, at.Invalid("the value of `weight` must be between `0.0` and `1000000.0`")
	}
	return w, err
}

// actionBody is an element of the list of actions of 1.50.
type actionBody struct {
	selector struct {
		indexUID *string
		id       string
	}
	position uint64
}

var selectorFields = decode.NewObject(
	decode.Optional("indexUid", apierr.Code{}, decode.IndexUID, func(a *actionBody) **string { return &a.selector.indexUID }),
	decode.Plain("id", apierr.Code{}, decode.String, func(a *actionBody) *string { return &a.selector.id }).Required(apierr.Code{}),
)

var listedPinFields = decode.NewObject(
	decode.Plain("position", apierr.Code{}, decode.UintUpTo(math.MaxUint32), func(a *actionBody) *uint64 { return &a.position }).Required(apierr.Code{}),
)

var actionFields = decode.NewObject(
	decode.Custom("selector", apierr.Code{}, func(a *actionBody, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
		return selectorFields.Decode(at, v, a)
	}).Required(apierr.Code{}),
	decode.Custom("action", apierr.Code{}, taggedAction).Required(apierr.Code{}),
)

// listedPin reads an element of the list of actions of 1.50.
func listedPin(at *decode.Loc, v *jsonvalue.Value) (RulePin, *apierr.Error) {
	var a actionBody
	if err := actionFields.Decode(at, v, &a); err != nil {
		return RulePin{}, err
	}
	return RulePin{IndexUID: a.selector.indexUID, ID: a.selector.id, Position: uint32(a.position)}, nil
}

// taggedAction reads `{"type":"pin", ...}`: the type says which members follow.
func taggedAction(a *actionBody, at *decode.Loc, v *jsonvalue.Value) *apierr.Error {
	if v.Kind() != jsonvalue.KindObject {
		return at.WrongType(v, jsonvalue.KindObject)
	}
	tag := v.Get("type")
	if tag == nil {
		return at.MissingField("type", apierr.Code{})
	}
	loc := at.Member("type", apierr.Code{})
	if name, err := decode.String(&loc, tag); err != nil {
		return err
	} else if name != "pin" {
		return at.Invalid("Incorrect tag value")
	}
	rest := jsonvalue.ObjectValue(slices.DeleteFunc(slices.Clone(v.Members()), func(m jsonvalue.Member) bool { return m.Name == "type" })...)
	return listedPinFields.Decode(at, &rest, a)
}
