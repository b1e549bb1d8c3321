// Package browser tests the console in a real headless Chromium against three
// nodes, one of which dies while the page is open. With SHOAL_PICTURES set to a
// folder, pictures of every part go there. Tests are skipped, saying so, where no
// Chromium is installed.
package browser
