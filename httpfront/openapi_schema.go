package httpfront

import (
	"slices"

	"shoal/api"
)

var stringSchema = objectOf(named("type", textOf("string")))

func arraySchema(items api.Value) api.Value {
	return objectOf(named("type", textOf("array")), named("items", items))
}

// objectSchema is that of an object with these members and no others.
func objectSchema(list []api.Described) api.Value {
	members := []api.Member{named("type", textOf("object"))}
	return objectOf(append(members, objectMembers(list)...)...)
}

func objectMembers(list []api.Described) []api.Member {
	var properties []api.Member
	var required []string
	for i := range list {
		properties = append(properties, named(list[i].Name, schemaOf(&list[i])))
		if list[i].Required {
			required = append(required, list[i].Name)
		}
	}
	members := []api.Member{named("properties", objectOf(properties...)), named("additionalProperties", api.BoolValue(false))}
	if required != nil {
		members = append(members, named("required", api.ArrayOfStrings(required)))
	}
	return members
}

// schemaOf is the schema of one value.
func schemaOf(d *api.Described) api.Value {
	var types []string
	for _, k := range d.Kinds {
		if name := schemaTypes[k]; !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(types, func(name string) bool { return name == "integer" })
	}
	var members []api.Member
	switch {
	case len(types) == 1:
		members = append(members, named("type", textOf(types[0])))
	case len(types) < len(schemaNames): // else anything goes
		members = append(members, named("type", api.ArrayOfStrings(types)))
	}
	if slices.Contains(d.Kinds, api.KindPositive) && !slices.Contains(d.Kinds, api.KindNegative) {
		members = append(members, named("minimum", api.UintValue(0)))
	}
	if d.Words != nil {
		var words []api.Value
		for _, word := range d.Words {
			words = append(words, textOf(word))
		}
		if slices.Contains(d.Kinds, api.KindNull) {
			words = append(words, api.Value{})
		}
		members = append(members, named("enum", api.ArrayValue(words...)))
	}
	if d.Item != nil && slices.Contains(d.Kinds, api.KindArray) {
		members = append(members, named("items", schemaOf(d.Item)))
	}
	switch {
	case d.Members != nil:
		members = append(members, objectMembers(d.Members)...)
	case d.Item != nil && slices.Contains(d.Kinds, api.KindObject):
		members = append(members, named("additionalProperties", schemaOf(d.Item)))
	}
	return objectOf(members...)
}

// schemaTypes are the names of kinds in schemas, schemaNames all there are.
var (
	schemaTypes = [...]string{
		api.KindNull: "null", api.KindBool: "boolean", api.KindPositive: "integer", api.KindNegative: "integer",
		api.KindFloat: "number", api.KindString: "string", api.KindArray: "array", api.KindObject: "object",
	}
	schemaNames = []string{"null", "boolean", "number", "string", "array", "object"}
)

// uploadContent offers the formats of documents.
func uploadContent(document api.Value) api.Member {
	one := func(media string, schema api.Value) api.Member {
		return named(media, objectOf(named("schema", schema)))
	}
	return named("content", objectOf(one("application/json", arraySchema(document)), one("application/x-ndjson", stringSchema), one("text/csv", stringSchema)))
}
