package httpfront

// documentRoutes are the rows of indexes, documents and settings.
func documentRoutes() []route { return nil }
