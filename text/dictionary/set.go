package dictionary

import "strings"

// Set is a set of dictionaries. It is part of the format of an index (text.Format) and of
// the descriptions of nodes, so the bits never change their meaning.
type Set uint8

const (
	// Japanese is UniDic 2.1.2.
	Japanese Set = 1 << iota
	// Korean is mecab-ko-dic 2.1.1.
	Korean
)

// All is every dictionary there is.
const All = Japanese | Korean

// kinds describes each dictionary.
var kinds = [...]struct {
	set  Set
	name string
	// sum is the SHA-256 of the body of its file. When it changes, text.FormatVersion and
	// wire.Version must change, because the same text then gives other words.
	sum string
}{
	{Japanese, "japanese", "64decf29e98c4af07c1fed0cdff007a5e12af5f5a0964b928dd96da20216ffa3"},
	{Korean, "korean", "831483bac888862598c2ca64fc76072ccfca5b3b79be180088fbe14cd215cac4"},
}

// Has tells whether the set contains all of the dictionaries in some.
func (s Set) Has(some Set) bool { return s&some == some }

// String lists the dictionaries of a set.
func (s Set) String() string {
	var names []string
	for _, k := range kinds {
		if s.Has(k.set) {
			names = append(names, k.name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// FileName is the name of the file of one dictionary.
func FileName(one Set) string { return one.String() + ".dictionary" }

// SumOf is the checksum of the dictionary that this program accepts, in hexadecimal digits.
func SumOf(one Set) string {
	for _, k := range kinds {
		if k.set == one {
			return k.sum
		}
	}
	return ""
}
