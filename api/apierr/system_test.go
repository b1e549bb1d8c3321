package apierr

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestAFullDiskIsNotAnInternalError(t *testing.T) {
	for errno, want := range map[error]string{
		syscall.ENOSPC: "no_space_left_on_device", syscall.EIO: "io_error", syscall.EMFILE: "too_many_open_files",
	} {
		err := fmt.Errorf("stage: %w", &fs.PathError{Op: "write", Path: "/x", Err: errno})
		got, ok := SystemFault("Index `a`: ", err)
		if !ok || got.Code.Name != want || got.Message != "Index `a`: "+err.Error()+"." {
			t.Errorf("%v: %+v", errno, got)
		}
	}
	if _, ok := SystemFault("", errors.New("anything else")); ok {
		t.Error("any error is the system's")
	}
}
