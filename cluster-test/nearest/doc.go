// Command nearest compares searches by vector with brute force (make nearest). It gives
// random documents to clusters of several shapes, changes and deletes some of them between
// the searches, and computes from its own copy which hits a search must have. Hits, order
// and scores must be the same bytes on every cluster. It ends at the first difference.
//
// Some vectors are equal, zero, tiny, huge or of one large number, and documents have
// between none and three, so that ties, bounds of codes and missing vectors are met. All
// requests follow from the seed.
//
// corpus.go has the documents, brute.go finds the hits, lab.go runs the clusters.
package main
