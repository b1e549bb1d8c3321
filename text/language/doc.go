// Package language tells scripts and languages apart: the script of a character, the main
// script of a run of characters, and the language of such a run where a script has several
// languages that are cut or normalised differently (spec ranking 1.2 and 1.3).
//
// In: text, and the languages that a request or a setting allows. Out: a Script, a
// Language, a Census of a text. Imports nothing of ours; it cuts nothing.
package language
