"""The pages of the site: the files of docs/, and others of the repository that they link to.

MkDocs knows one folder of documents. Here every file is named by its path in the repository, so that relative links
between docs/ and the rest work in the site as they do on a code host. README.md is the site's home page.
"""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Renames the files of docs/, and adds those that `extra.beside_docs` of mkdocs.yml lists."""
    root = Path(config.config_file_path).parent
    patterns = config.extra["beside_docs"]
    beside = [path for pattern in patterns for path in sorted(root.glob(pattern)) if path.is_file()]
    found = [_name_by_repository(file, config) for file in files]
    found += [
        File(path.relative_to(root).as_posix(), str(root), config.site_dir, config.use_directory_urls)
        for path in beside
    ]
    return Files(found)


def _name_by_repository(file: File, config: MkDocsConfig) -> File:
    """Returns a file of docs/ under its path in the repository. Its address stays; files of the theme do, too."""
    if file.src_dir != config.docs_dir:
        return file
    docs = Path(config.docs_dir)
    return File(
        f"{docs.name}/{file.src_uri}",
        str(docs.parent),
        config.site_dir,
        config.use_directory_urls,
        dest_uri=file.dest_uri,
        inclusion=file.inclusion,
    )
