// Package pods tests what an operator of Kubernetes relies on, on real processes that
// are started, moved and stopped as the pods of a StatefulSet are, with the command
// line of deploy/kubernetes/shoal.yaml: a restart pod by pod, addresses that change, a
// lost volume, more pods and fewer, while clients search and write through a service.
//
// set.go is the StatefulSet: names, volumes, addresses and the names that lead to them.
// service.go is the service: a round robin over the pods whose readiness probe
// succeeds. load.go are the clients, the test is the story.
//
// It runs as go test and builds the program itself, with -pods (make pods); -long takes
// the times of the manifest. It is no part of make test yet: in a rolling restart under
// load searches still get 503 for some seconds, from the moment on at which a pod that
// came back gets requests.
package pods
