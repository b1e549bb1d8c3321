// Package lines lists every line that an operator can meet: refusals to start, fatal ends,
// warnings, and what the commands print. A test reads them from the source and compares
// them with a page, on which a person has judged each: what happened, what is safe, what
// to do.
package lines
