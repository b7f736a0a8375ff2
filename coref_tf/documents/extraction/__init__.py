"""Text extraction from HTML, Markdown, Word, EPUB and PDF files.

Each module converts the bytes of one format to plain text, which the offsets of the document refer to. The libraries
that parse these files are in the extra `files`, and are imported when the first such file is read.
"""
