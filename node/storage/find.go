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

// Find returns the snapshot that a text names: a file, or the newest snapshot in a folder
// of backups or in s3://BUCKET/PREFIX, or a certain one there with /snapshots/NAME. The
// error is fs.ErrNotExist if there is none.
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

// missing turns a missing object of a bucket into a missing file.
func missing(err error) error {
	if errors.Is(err, bucket.ErrNotFound) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}
