"""Files that hold a text among other things: HTML, Markdown, Word, EPUB and PDF.

Each module turns the bytes of one format into plain text. The document's offsets are offsets into that text. The
libraries that parse these files come with the extra `files` and are imported when the first such file is read.
"""
