package api

import (
	"strconv"

	"shoal/api/jsonvalue"
)

// Index is an index as clients see it (spec write-api 5.1). Times are UnixNano.
type Index struct {
	UID                  string
	CreatedAt, UpdatedAt int64
	PrimaryKey           *string
}

// AppendJSON appends the index object.
func (x *Index) AppendJSON(dst []byte) []byte {
	dst = jsonvalue.AppendString(append(dst, `{"uid":`...), x.UID)
	dst = jsonvalue.AppendTime(append(dst, `,"createdAt":`...), x.CreatedAt)
	dst = jsonvalue.AppendTime(append(dst, `,"updatedAt":`...), x.UpdatedAt)
	dst = append(dst, `,"primaryKey":`...)
	if x.PrimaryKey == nil {
		return append(dst, "null}"...)
	}
	return append(jsonvalue.AppendString(dst, *x.PrimaryKey), '}')
}

// AppendPage appends a page of a list that is cut by offset and limit. each appends result
// i.
func AppendPage(dst []byte, n int, each func(dst []byte, i int) []byte, offset, limit, total uint64) []byte {
	dst = append(dst, `{"results":[`...)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = each(dst, i)
	}
	dst = strconv.AppendUint(append(dst, `],"offset":`...), offset, 10)
	dst = strconv.AppendUint(append(dst, `,"limit":`...), limit, 10)
	dst = strconv.AppendUint(append(dst, `,"total":`...), total, 10)
	return append(dst, '}')
}

// SwapPair is one element of POST /swap-indexes.
type SwapPair struct {
	Indexes [2]string
	Rename  bool
}

// DocumentsRequest lists documents (spec write-api 9.3).
type DocumentsRequest struct {
	Offset, Limit uint64
	// Fields are the selectors. nil returns all members, an empty list none.
	Fields          []string
	RetrieveVectors bool
	// IDs restricts to these documents when not nil; they are valid ids.
	IDs []string
	// Filter is the JSON value the client sent, or nil. The syntax of Filter and Sort is
	// still unchecked.
	Filter []byte
	Sort   []string
}

// DocumentsPage is one page of a list of documents. Total counts all matching documents.
type DocumentsPage struct {
	Documents [][]byte
	Total     uint64
}
