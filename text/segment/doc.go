// Package segment cuts text of scripts and languages that do not separate all words:
// Chinese, Thai, Khmer, German compounds, the Arabic article, and, with the files of
// package dictionary, Japanese and Korean.
//
// In: a stretch of one script and language (Of). Out: the lengths of its segments. Imports
// language and dictionary; it normalises nothing.
//
// Dictionaries are loaded on first use, once per process. The folder words has those that
// the program embeds.
package segment
