"""One module per format, each with a function `read`; `memsum.document.formats` lists them."""
