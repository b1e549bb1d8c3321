// Package oddity makes requests that a life (cluster-test/life) does not: odd documents, names and
// settings, sentences of many scripts, keys, search rules, and those of somebody who uses real
// documents. The same seed makes the same requests. Imports life and clustertest.
package oddity
