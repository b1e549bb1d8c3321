// Package segment cuts stretches of text of the scripts and languages whose words are
// not set apart by separators: Chinese, Thai, Khmer, German compounds, the Arabic
// article, and by the files of package dictionary Japanese and Korean.
//
// In: a stretch of one script and language (Of). Out: the lengths of its
// segments. Imports language and dictionary; it normalises nothing.
//
// Dictionaries are loaded on first use, once per process; the folder words has those
// that are ours to embed.
package segment
