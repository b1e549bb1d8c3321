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
	// Put stores an object durably and replaces one with the same name. It does not keep
	// content after the call.
	Put(ctx context.Context, name string, content []byte) error
	// Get reads a whole object. It returns ErrNotFound if there is none, ErrTooLarge if it has
	// more than limit bytes.
	Get(ctx context.Context, name string, limit int64) ([]byte, error)
	// List yields the objects whose names begin with prefix, in any order. An error ends it.
	List(ctx context.Context, prefix string) iter.Seq2[Object, error]
	// Delete removes an object. A missing object is no error.
	Delete(ctx context.Context, name string) error
	// String returns the place of the bucket, without secrets.
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
	// ErrNoBucket: the bucket or folder does not exist.
	ErrNoBucket = errors.New("no such bucket")
	// ErrDenied: the bucket refuses the credentials or the request.
	ErrDenied = errors.New("access denied")
	// ErrFull: there is no space left.
	ErrFull = errors.New("no space left")
	// ErrTooLarge: an object has more bytes than the reader expects.
	ErrTooLarge = errors.New("object too large")
	// ErrUnavailable: the bucket did not answer completely. A retry may succeed.
	ErrUnavailable = errors.New("backup storage unavailable")
)

// fault returns the error of one request.
func fault(kind error, where, op, name string, cause error) error {
	if name != "" {
		op += " " + name
	}
	return fmt.Errorf("%s: %s: %w: %w", where, op, kind, cause)
}

// ValidName tells whether a name can be an object's: parts separated by slashes, none of which
// begins with a dot. It guards paths against names from listings and manifests.
func ValidName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.ContainsAny(part, "\\\x00") {
			return false
		}
	}
	return true
}
