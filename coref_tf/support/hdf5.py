"""Reads HDF5 files safely: all data must be in the file itself and no larger than the file can hold.

HDF5 files can refer to other files (external links, external storage, virtual datasets) and to other places in the same
file (soft links), and can claim sizes without data behind them. `open_hdf5` rejects all of these, so it is safe for
files from untrusted sources. Checkpoints and word vectors are opened with it.
"""

import os
from typing import IO

import h5py
import numpy as np

# The newest format version that both lanes can read: h5py 3.14 cannot read everything that later versions write.
FORM = h5py.h5f.LIBVER_V110

MOST_OBJECTS = 100_000
MOST_DEEP = 20
# The highest compression ratio of gzip.
GZIP_RATIO = 1100
# Built-in, lossless HDF5 filters. HDF5 would look for any other filter among its plugins.
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}


def open_hdf5(source: str | os.PathLike | bytes) -> h5py.File:
    """Opens a file for reading, after validating everything in it without reading the data.

    Args:
        source: the name of a file, or its content.

    Raises:
        ValueError: the file contains links or external data, claims sizes that it does not have, or contains data
            of an unexpected type; the message says what, without the file name.
        OSError: the file cannot be opened or is not HDF5.

    Example:
        with open_hdf5("vectors.h5") as file:
            file["words"][()]
    """
    if isinstance(source, bytes):
        # Not through a Python file object: HDF5 would call it to close objects that are still open after Python exits.
        file = h5py.File(h5py.h5f.open_file_image(source), "r")
    else:
        # Without locking, because files are never changed in place and many network file systems do not support locks.
        file = h5py.File(source, "r", locking=False)
    try:
        _check_group(file, "", set(), 0)
    except BaseException:
        file.close()
        raise
    return file


def create_hdf5(stream: IO[bytes]) -> h5py.File:
    """Creates a new file without timestamps, so that writing the same datasets gives the same bytes.

    With some versions of HDF5, groups inside the file do have timestamps.

    Args:
        stream: an empty file, open in binary mode for reading and writing.

    Example:
        with atomic_write("vectors.h5", "w+b") as stream, create_hdf5(stream) as file:
            file.create_dataset("words", data=words)
    """
    # What h5py.File does, except that not every version of it can omit the timestamps of the root group.
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    creation.set_obj_track_times(False)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(FORM, FORM)
    access.set_fileobj_driver(h5py.h5fd.fileobj_driver, stream)
    return h5py.File(h5py.h5f.create(b"stream", h5py.h5f.ACC_TRUNC, fcpl=creation, fapl=access))


def read_dataset(file: h5py.Group, name: str, shape: tuple[int | None, ...], kind: type) -> np.ndarray:
    """Reads a dataset after checking its shape and type.

    Args:
        file: a file from `open_hdf5`, or a group in it.
        name: the name of the dataset.
        shape: the expected shape; None accepts any size.
        kind: the expected type, such as np.float32, or np.integer for any integer type.
    """
    if name not in file or not isinstance(file[name], h5py.Dataset):
        raise ValueError(f"{name} is missing")
    data = file[name]
    fits = len(shape) == len(data.shape) and all(
        expected in (None, size) for expected, size in zip(shape, data.shape, strict=True)
    )
    if not fits:
        expected = " x ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} has shape {list(data.shape)}; expected {expected or 'a single number'}")
    if not np.issubdtype(data.dtype, kind):
        raise ValueError(f"{name} has values of type {data.dtype}; expected {kind.__name__}")
    return data[()]


def _check_group(group: h5py.Group, name: str, seen: set[int], depth: int) -> None:
    if depth > MOST_DEEP:
        raise ValueError(f"groups are nested more than {MOST_DEEP} levels deep")
    for key in group:
        inside = f"{name}/{key}" if name else str(key)
        if not isinstance(group.get(key, getlink=True), h5py.HardLink):
            raise ValueError(f"{inside} is a link; expected data")
        item = group[key]
        address = h5py.h5o.get_info(item.id).addr
        if address in seen:
            raise ValueError(f"{inside} is also in the file under another name; expected each object once")
        seen.add(address)
        if len(seen) > MOST_OBJECTS:
            raise ValueError(f"more than {MOST_OBJECTS:,} objects")
        if isinstance(item, h5py.Group):
            _check_group(item, inside, seen, depth + 1)
        elif isinstance(item, h5py.Dataset):
            _check_dataset(item, inside)
        else:
            raise ValueError(f"{inside} is neither data nor a group")


def _check_dataset(data: h5py.Dataset, name: str) -> None:
    plan = data.id.get_create_plist()
    if plan.get_external_count() or data.is_virtual:
        raise ValueError(f"{name} stores its data outside the file; expected it in the file")
    filters = {plan.get_filter(number)[0] for number in range(plan.get_nfilters())}
    if filters - FILTERS:
        raise ValueError(f"{name} is compressed with an unknown filter ({min(filters - FILTERS)})")
    if data.shape is None or data.dtype.kind not in "fiub" or data.dtype.itemsize > 8:
        raise ValueError(f"{name} has data of type {data.dtype}; expected numbers")
    # Python integers do not overflow.
    size = data.dtype.itemsize
    for length in data.shape:
        size *= int(length)
    ratio = GZIP_RATIO if h5py.h5z.FILTER_DEFLATE in filters else 1
    stored = min(data.id.get_storage_size(), data.file.id.get_filesize())
    if size > ratio * stored:
        raise ValueError(f"{name} claims {size:,} bytes, but the file stores only {stored:,}")
