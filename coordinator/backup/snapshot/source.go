package snapshot

import (
	"context"
	"fmt"
	"io"
	"time"

	"shoal/coordinator/backup/repository"
)

// Source is a snapshot to be restored. File and Deposited return one.
type Source interface {
	fmt.Stringer
	// verify reads it whole and returns the time at which it was taken. Errors: ErrDamaged, and
	// those of the place where it is stored.
	verify(ctx context.Context) (time.Time, error)
	// walk calls visit with every stream in the order in which they are needed. It skips what
	// visit does not read.
	walk(ctx context.Context, visit func(name string, content io.Reader) error) error
}

// File returns the snapshot in a file.
func File(path string) Source { return file(path) }

type file string

func (f file) String() string { return string(f) }

func (f file) verify(ctx context.Context) (time.Time, error) {
	m, err := verify(ctx, string(f))
	if err != nil {
		return time.Time{}, err
	}
	return m.Taken, nil
}

func (f file) walk(ctx context.Context, visit func(string, io.Reader) error) error {
	_, err := walk(ctx, string(f), visit)
	return err
}

// Deposited returns a snapshot in a repository, by its name.
func Deposited(r *repository.Repository, name string) Source { return &deposited{r: r, name: name} }

type deposited struct {
	r        *repository.Repository
	name     string
	manifest *repository.Manifest
}

func (d *deposited) String() string { return d.name + " of " + d.r.String() }

func (d *deposited) verify(ctx context.Context) (time.Time, error) {
	m, err := d.r.Read(ctx, d.name)
	if err != nil {
		return time.Time{}, err
	}
	d.manifest = m
	return m.Taken, d.r.Verify(ctx, m)
}

func (d *deposited) walk(ctx context.Context, visit func(string, io.Reader) error) error {
	return d.r.Walk(ctx, d.manifest, visit)
}
