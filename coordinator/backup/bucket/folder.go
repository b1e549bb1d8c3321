package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// unfinished begins the names of files that are still being written.
const unfinished = ".put-"

// folder is a bucket in a folder, which may be on a shared disk.
type folder struct{ dir string }

// OpenFolder returns the bucket in a folder. The first Put creates the folder.
func OpenFolder(dir string) (Bucket, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("folder of backups %q: %w", dir, err)
	}
	return &folder{path}, nil
}

func (f *folder) String() string { return f.dir }

func (f *folder) path(name string) (string, error) {
	if !ValidName(name) {
		return "", fault(ErrNotFound, f.dir, "open", name, errors.New("not a name of an object"))
	}
	return filepath.Join(f.dir, filepath.FromSlash(name)), nil
}

func (f *folder) fault(op, name string, err error) error {
	kind := ErrUnavailable
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		kind = ErrNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		kind = ErrDenied
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		kind = ErrFull
	}
	return fault(kind, f.dir, op, name, err)
}

// Put implements Bucket.
func (f *folder) Put(ctx context.Context, name string, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := f.path(name)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return f.fault("write", name, err)
	}
	file, err := os.CreateTemp(dir, unfinished+"*")
	if err != nil {
		return f.fault("write", name, err)
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(f.fault("write", name, err), os.Remove(file.Name()))
	}
	return f.fault("write", name, syncFolder(dir))
}

// Get implements Bucket.
func (f *folder) Get(ctx context.Context, name string, limit int64) (_ []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, f.fault("read", name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, f.fault("read", name, err)
	}
	if int64(len(content)) > limit {
		return nil, fault(ErrTooLarge, f.dir, "read", name, fmt.Errorf("more than %d bytes", limit))
	}
	return content, nil
}

// List implements Bucket. It skips files of interrupted calls of Put.
func (f *folder) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		top, _, _ := strings.Cut(prefix, "/")
		root := filepath.Join(f.dir, filepath.FromSlash(top))
		if top != "" && !ValidName(top) {
			return
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(f.dir, path)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(rel)
			if d.IsDir() || !strings.HasPrefix(name, prefix) || !ValidName(name) {
				return nil
			}
			info, err := d.Info()
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil // deleted meanwhile
			case err != nil:
				return err
			case !yield(Object{Name: name, Bytes: info.Size(), Written: info.ModTime()}, nil):
				return fs.SkipAll
			}
			return nil
		})
		switch {
		case err == nil, errors.Is(err, fs.ErrNotExist): // nothing was ever stored there
		case ctx.Err() != nil:
			yield(Object{}, ctx.Err())
		default:
			yield(Object{}, f.fault("list", prefix, err))
		}
	}
}

// Delete implements Bucket.
func (f *folder) Delete(_ context.Context, name string) error {
	path, err := f.path(name)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotFound) {
		return nil
	}
	return f.fault("delete", name, err)
}
