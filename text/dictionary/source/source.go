package source

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	ko "github.com/ikawaha/kagome-dict-ko"
	"github.com/ikawaha/kagome-dict/dict"
	"github.com/ikawaha/kagome-dict/uni"

	"shoal/text/dictionary"
)

// Of returns one dictionary from its module.
func Of(one dictionary.Set) (*dict.Dict, error) {
	switch one {
	case dictionary.Japanese:
		return uni.DictShrink(), nil
	case dictionary.Korean:
		return ko.DictShrink(), nil
	}
	return nil, fmt.Errorf("there is no one dictionary %s", one)
}

// Notice returns the notice in the dictionary's module. It runs the go command to find the
// module.
func Notice(one dictionary.Set) ([]byte, error) {
	module := map[dictionary.Set]string{dictionary.Japanese: "github.com/ikawaha/kagome-dict/uni", dictionary.Korean: "github.com/ikawaha/kagome-dict-ko"}[one]
	if module == "" {
		return nil, fmt.Errorf("there is no one dictionary %s", one)
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m %s: %w", module, err)
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "NOTICE.txt"))
}
