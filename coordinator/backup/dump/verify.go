package dump

import (
	"context"
	"errors"
	"io"

	"shoal/api/payload"
)

// Summary counts the contents of a dump.
type Summary struct {
	Indexes   int
	Documents uint64
	Tasks     uint64
	Pending   int // unfinished imports
	Keys      int
}

// Verify reads a dump from its first to its last byte and changes nothing. Errors other than
// those of the file system and of ctx are ErrDamaged, or report an older format.
func Verify(ctx context.Context, file string) (*Summary, error) {
	c, err := verify(ctx, file)
	if err != nil {
		return nil, err
	}
	s := &Summary{Indexes: len(c.indexes()), Tasks: c.tasks, Pending: len(c.imports), Keys: len(c.keys)}
	for _, x := range c.indexes() {
		s.Documents += x.documents
	}
	return s, nil
}

func verify(ctx context.Context, file string) (*contents, error) {
	c, err := survey(ctx, file)
	if err != nil {
		return nil, err
	}
	return c, walk(ctx, file, func(e *entry) error {
		if x, ok := c.documentsOf(e.name); ok {
			return x.verify(e)
		}
		if _, ok := c.importOf(e.name); ok {
			return e.chunks(func(piece io.Reader) error {
				_, err := payload.ReadNDJSON(piece, func(doc *payload.Document) error { return faultOf(doc) })
				return asDamaged(err)
			})
		}
		return nil
	})
}

// verify checks that each document of an index is an object with a valid id.
func (x *indexContents) verify(e *entry) error {
	key := ""
	if x.PrimaryKey != nil {
		key = *x.PrimaryKey
	}
	return e.chunks(func(piece io.Reader) error {
		_, err := payload.ReadNDJSON(piece, func(doc *payload.Document) error {
			if key == "" {
				inferred, refused := payload.InferPrimaryKey(doc.Members)
				if refused != nil {
					return refused
				}
				key = inferred
			}
			if _, refused := payload.StoredID(doc, key); refused != nil {
				return refused
			}
			x.documents++
			return faultOf(doc)
		})
		return asDamaged(err)
	})
}

// faultOf returns an error for a document that could not be indexed.
func faultOf(doc *payload.Document) error {
	if doc.Fault == "" {
		return nil
	}
	return errors.New(doc.Fault)
}

func asDamaged(err error) error {
	if err == nil || errors.Is(err, ErrDamaged) {
		return err
	}
	return damaged("%w", err)
}
