package httpfront

import (
	"slices"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

var stringSchema = jsonvalue.ObjectValue(named("type", jsonvalue.StringValue("string")))

func arraySchema(items jsonvalue.Value) jsonvalue.Value {
	return jsonvalue.ObjectValue(named("type", jsonvalue.StringValue("array")), named("items", items))
}

// objectSchema is that of an object with these members and no others.
func objectSchema(list []decode.Described) jsonvalue.Value {
	members := []jsonvalue.Member{named("type", jsonvalue.StringValue("object"))}
	return jsonvalue.ObjectValue(append(members, objectMembers(list)...)...)
}

func objectMembers(list []decode.Described) []jsonvalue.Member {
	var properties []jsonvalue.Member
	var required []string
	for i := range list {
		properties = append(properties, named(list[i].Name, schemaOf(&list[i])))
		if list[i].Required {
			required = append(required, list[i].Name)
		}
	}
	members := []jsonvalue.Member{named("properties", jsonvalue.ObjectValue(properties...)), named("additionalProperties", jsonvalue.BoolValue(false))}
	if required != nil {
		members = append(members, named("required", jsonvalue.ArrayOfStrings(required)))
	}
	return members
}

// schemaOf is the schema of one value.
func schemaOf(d *decode.Described) jsonvalue.Value {
	var types []string
	for _, k := range d.Kinds {
		if name := schemaTypes[k]; !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(types, func(name string) bool { return name == "integer" })
	}
	var members []jsonvalue.Member
	switch {
	case len(types) == 1:
		members = append(members, named("type", jsonvalue.StringValue(types[0])))
	case len(types) < len(schemaNames): // else anything goes
		members = append(members, named("type", jsonvalue.ArrayOfStrings(types)))
	}
	if slices.Contains(d.Kinds, jsonvalue.KindPositive) && !slices.Contains(d.Kinds, jsonvalue.KindNegative) {
		members = append(members, named("minimum", jsonvalue.UintValue(0)))
	}
	if d.Words != nil {
		var words []jsonvalue.Value
		for _, word := range d.Words {
			words = append(words, jsonvalue.StringValue(word))
		}
		if slices.Contains(d.Kinds, jsonvalue.KindNull) {
			words = append(words, jsonvalue.Value{})
		}
		members = append(members, named("enum", jsonvalue.ArrayValue(words...)))
	}
	if d.Item != nil && slices.Contains(d.Kinds, jsonvalue.KindArray) {
		members = append(members, named("items", schemaOf(d.Item)))
	}
	switch {
	case d.Members != nil:
		members = append(members, objectMembers(d.Members)...)
	case d.Item != nil && slices.Contains(d.Kinds, jsonvalue.KindObject):
		members = append(members, named("additionalProperties", schemaOf(d.Item)))
	}
	return jsonvalue.ObjectValue(members...)
}

// schemaTypes are the names of kinds in schemas, schemaNames all there are.
var (
	schemaTypes = [...]string{
		jsonvalue.KindNull: "null", jsonvalue.KindBool: "boolean", jsonvalue.KindPositive: "integer", jsonvalue.KindNegative: "integer",
		jsonvalue.KindFloat: "number", jsonvalue.KindString: "string", jsonvalue.KindArray: "array", jsonvalue.KindObject: "object",
	}
	schemaNames = []string{"null", "boolean", "number", "string", "array", "object"}
)

// uploadContent offers the formats of documents.
func uploadContent(document jsonvalue.Value) jsonvalue.Member {
	one := func(media string, schema jsonvalue.Value) jsonvalue.Member {
		return named(media, jsonvalue.ObjectValue(named("schema", schema)))
	}
	return named("content", jsonvalue.ObjectValue(one("application/json", arraySchema(document)), one("application/x-ndjson", stringSchema), one("text/csv", stringSchema)))
}

// anyObject is the schema of an object of any members.
func anyObject() jsonvalue.Value {
	return jsonvalue.ObjectValue(named("type", jsonvalue.StringValue("object")))
}
