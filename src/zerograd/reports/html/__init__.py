"""One file for the browser that opens offline: how it is made, part by part."""
