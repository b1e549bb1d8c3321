// Command make writes the files of the Japanese and the Korean dictionary into a folder
// (make dictionaries), together with their notices. The same modules give the same bytes.
package main
