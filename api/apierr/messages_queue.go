package apierr

// TaskStoreFull refuses new tasks while the queue is full (spec write-api 1.7).
func TaskStoreFull() *Error {
	return New(CodeNoSpaceLeftOnDevice, "Meilisearch cannot receive write operations because the limit of the task database has been reached. Please delete tasks to continue performing write operations.")
}
