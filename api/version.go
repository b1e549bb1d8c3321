package api

// Version is a version of the API. Additions of newer versions are always understood in
// requests. Where the answers of versions differ, a server answers as the version that it
// was told to speak.
type Version string

// The versions that can be spoken.
const (
	Version150 Version = "1.50.0"
	Version157 Version = "1.57.0"
)

// ParseVersion reads a version as operators write it, such as 1.57.
func ParseVersion(s string) (v Version, ok bool) {
	v = Version(s + ".0")
	return v, v == Version150 || v == Version157
}

// Newer tells whether answers have the additions made after 1.50.
func (v Version) Newer() bool { return v == Version157 }
