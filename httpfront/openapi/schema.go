package openapi

import (
	"slices"

	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

var StringSchema = jsonvalue.ObjectValue(Named("type", jsonvalue.StringValue("string")))

func ArraySchema(items jsonvalue.Value) jsonvalue.Value {
	return jsonvalue.ObjectValue(Named("type", jsonvalue.StringValue("array")), Named("items", items))
}

// ObjectSchema is the schema of an object with exactly these members.
func ObjectSchema(list []decode.Described) jsonvalue.Value {
	members := []jsonvalue.Member{Named("type", jsonvalue.StringValue("object"))}
	return jsonvalue.ObjectValue(append(members, objectMembers(list)...)...)
}

func objectMembers(list []decode.Described) []jsonvalue.Member {
	var properties []jsonvalue.Member
	var required []string
	for i := range list {
		properties = append(properties, Named(list[i].Name, SchemaOf(&list[i])))
		if list[i].Required {
			required = append(required, list[i].Name)
		}
	}
	members := []jsonvalue.Member{Named("properties", jsonvalue.ObjectValue(properties...)), Named("additionalProperties", jsonvalue.BoolValue(false))}
	if required != nil {
		members = append(members, Named("required", jsonvalue.ArrayOfStrings(required)))
	}
	return members
}

// SchemaOf is the schema of one value.
func SchemaOf(d *decode.Described) jsonvalue.Value {
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
		members = append(members, Named("type", jsonvalue.StringValue(types[0])))
	case len(types) < len(schemaNames): // otherwise any value is accepted
		members = append(members, Named("type", jsonvalue.ArrayOfStrings(types)))
	}
	if slices.Contains(d.Kinds, jsonvalue.KindPositive) && !slices.Contains(d.Kinds, jsonvalue.KindNegative) {
		members = append(members, Named("minimum", jsonvalue.UintValue(0)))
	}
	if d.Words != nil {
		var words []jsonvalue.Value
		for _, word := range d.Words {
			words = append(words, jsonvalue.StringValue(word))
		}
		if slices.Contains(d.Kinds, jsonvalue.KindNull) {
			words = append(words, jsonvalue.Value{})
		}
		members = append(members, Named("enum", jsonvalue.ArrayValue(words...)))
	}
	if d.Item != nil && slices.Contains(d.Kinds, jsonvalue.KindArray) {
		members = append(members, Named("items", SchemaOf(d.Item)))
	}
	switch {
	case d.Members != nil:
		members = append(members, objectMembers(d.Members)...)
	case d.Item != nil && slices.Contains(d.Kinds, jsonvalue.KindObject):
		members = append(members, Named("additionalProperties", SchemaOf(d.Item)))
	}
	return jsonvalue.ObjectValue(members...)
}

// schemaTypes are the names of kinds in schemas, schemaNames all such names.
var (
	schemaTypes = [...]string{
		jsonvalue.KindNull: "null", jsonvalue.KindBool: "boolean", jsonvalue.KindPositive: "integer", jsonvalue.KindNegative: "integer",
		jsonvalue.KindFloat: "number", jsonvalue.KindString: "string", jsonvalue.KindArray: "array", jsonvalue.KindObject: "object",
	}
	schemaNames = []string{"null", "boolean", "number", "string", "array", "object"}
)

// uploadContent lists the formats of documents.
func uploadContent(document jsonvalue.Value) jsonvalue.Member {
	one := func(media string, schema jsonvalue.Value) jsonvalue.Member {
		return Named(media, jsonvalue.ObjectValue(Named("schema", schema)))
	}
	return Named("content", jsonvalue.ObjectValue(one("application/json", ArraySchema(document)), one("application/x-ndjson", StringSchema), one("text/csv", StringSchema)))
}

// AnyObject is the schema of an object with any members.
func AnyObject() jsonvalue.Value {
	return jsonvalue.ObjectValue(Named("type", jsonvalue.StringValue("object")))
}
