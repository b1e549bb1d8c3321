// Package element names the objects that stand in arrays of documents, and keeps sets of
// them: what filters on the same object work with.
//
// A place says where an object stands in its document: a step for each object around it,
// the outermost first, and one for itself. A step is the depth of the name at which the
// object stands (the number of its dots) and how many objects stand there before it. An
// object that is in no array has a place as well, so that it counts as an array of one.
//
// A posting list of elements has a name: a field, a kind, a value, and a place. Its
// documents are those whose object at this place has the value in the field. Range tells
// which names a condition reads, and at which level: what stands deeper counts for the
// object at the level around it. The store keeps these lists for all documents; a List
// holds those of a few documents, made from their texts.
//
// In: documents by package extract, conditions by package filter. Pure; a Set and a Range
// are immutable once made, a List belongs to one goroutine. Imports docset only.
package element
