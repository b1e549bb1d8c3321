// Command make writes the files of the Japanese and the Korean dictionary into a folder
// (make dictionaries), with the notices that go along with them. The same modules give the
// same bytes.
package main
