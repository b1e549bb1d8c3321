package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/backup/snapshot"
)

// Find returns the snapshot that a text names: a file; a folder of backups or
// s3://BUCKET/PREFIX for the newest one there; either with /snapshots/NAME for a
// certain one. An error of fs.ErrNotExist says that there is none.
func (o *Options) Find(ctx context.Context, text string) (snapshot.Source, error) {
	r, name, ok, err := o.named(text)
	if err != nil {
		return nil, err
	}
	if !ok {
		if _, err := os.Stat(text); err != nil {
			return nil, err
		}
		return snapshot.File(text), nil
	}
	if name == "" {
		e, err := r.Newest(ctx, nil)
		if err != nil {
			return nil, missing(err)
		}
		name = e.Name
	} else if _, err := r.Read(ctx, name); err != nil {
		return nil, missing(err)
	}
	return snapshot.Deposited(r, name), nil
}

// missing makes what a bucket lacks look like a missing file.
func missing(err error) error {
	if errors.Is(err, bucket.ErrNotFound) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}
