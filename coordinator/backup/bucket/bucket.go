package bucket

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// Bucket holds objects. Safe for concurrent use.
type Bucket interface {
	// Put stores an object durably, in place of one with the same name. content is
	// not kept after the call.
	Put(ctx context.Context, name string, content []byte) error
	// Get reads an object whole; ErrNotFound if there is none, ErrTooLarge if it has
	// more than limit bytes.
	Get(ctx context.Context, name string, limit int64) ([]byte, error)
	// List yields the objects whose names begin with prefix, in any order. An error
	// ends it.
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	// Delete removes an object; one that is not there is no error.
	Delete(ctx context.Context, name string) error
	// String says where the bucket is, without secrets.
	String() string
}

// Object is one entry of a listing.
type Object struct {
	Name    string
	Bytes   int64
	Written time.Time // by the clock of the bucket
}

var (
	// ErrNotFound: no object has the name.
	ErrNotFound = errors.New("no such object")
	// ErrNoBucket: the bucket or folder is not there.
	ErrNoBucket = errors.New("no such bucket")
	// ErrDenied: the bucket refuses these credentials, or what they ask for.
	ErrDenied = errors.New("access denied")
	// ErrFull: there is no room left.
	ErrFull = errors.New("no space left")
	// ErrTooLarge: an object has more bytes than the reader expects.
	ErrTooLarge = errors.New("object too large")
	// ErrUnavailable: the bucket does not answer, or not wholly. It may pass.
	ErrUnavailable = errors.New("backup storage unavailable")
)

// fault is an error of one request.
func fault(kind error, where, op, name string, cause error) error {
	if name != "" {
		op += " " + name
	}
	return fmt.Errorf("%s: %s: %w: %w", where, op, kind, cause)
}

// ValidName tells whether a name can be an object's: parts without dots in front,
// separated by slashes. What a listing or a manifest says is not trusted with paths.
func ValidName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.ContainsAny(part, "\\\x00") {
			return false
		}
	}
	return true
}
