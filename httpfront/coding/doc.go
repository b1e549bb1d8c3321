// Package coding has the content codings of HTTP: it chooses the coding of an answer
// (Negotiate), compresses answers (Compress, NewWriter) and unpacks bodies (Decode).
//
// In: the headers Accept-Encoding and Content-Encoding, and bytes. Out: bytes, and errors of
// api/apierr with the texts of the reference. It imports nothing else of ours.
package coding
