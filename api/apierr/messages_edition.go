package apierr

// EditionCompilation: a function that edits documents does not compile. why is the
// interpreter's message.
func EditionCompilation(why string) *Error {
	return New(CodeEditDocumentsByFunctionError, "Document edition runtime error encountered while compiling the function: "+why)
}

// EditionRuntime: a function that edits documents failed on one of them.
func EditionRuntime(why string) *Error {
	return New(CodeEditDocumentsByFunctionError, "Document edition runtime error encountered while running the function: "+why)
}

// EditionNotObject: a function turned a document into something other than an object.
func EditionNotObject() *Error {
	return New(CodeEditDocumentsByFunctionError, "Document editions must keep documents as objects")
}

// EditionPrimaryKey: a function changed the id of a document.
func EditionPrimaryKey() *Error {
	return New(CodeEditDocumentsByFunctionError, "Document editions cannot modify a document's primary key")
}
