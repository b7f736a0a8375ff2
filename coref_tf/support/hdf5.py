"""HDF5 files that are what they seem: everything in them stands in them, and is no larger than they can hold.

HDF5 can make a file point elsewhere: to other files (external links, external storage, virtual datasets), to other
places in it (soft links), and can claim sizes that nothing backs. Whoever opens a file that came from somebody else
with `open_hdf5` needs to think of none of that: checkpoints and word vectors do, and so may every other file of ours.
"""

import os
from typing import IO

import h5py
import numpy as np

# The newest form that the HDF5 of either lane reads: that of h5py 3.14 can't read all that later ones write.
FORM = h5py.h5f.LIBVER_V110

MOST_OBJECTS = 100_000
MOST_DEEP = 20
# How many bytes a byte of gzip can stand for, at the very most.
GZIP_RATIO = 1100
# Filters that come with HDF5; others would be looked for in plugins. None changes a number.
FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32}


def open_hdf5(source: str | os.PathLike | bytes) -> h5py.File:
    """Opens a file for reading and looks at everything that it holds, before any of that is read.

    Args:
        source: the name of a file, or its content.

    Raises:
        ValueError: the file holds links or data that stand elsewhere, claims sizes that it doesn't have, or has
            data of a kind that none of our files have; the message says what, without the file's name.
        OSError: the file can't be opened or isn't HDF5.

    Example:
        with open_hdf5("vectors.h5") as file:
            file["words"][()]
    """
    if isinstance(source, bytes):
        # Not through a Python file: HDF5 would call it when it closes what is still open, after Python has ended.
        file = h5py.File(h5py.h5f.open_file_image(source), "r")
    else:
        # Without locking, since nothing changes a file in place and many network disks can't lock.
        file = h5py.File(source, "r", locking=False)
    try:
        _check_group(file, "", set(), 0)
    except BaseException:
        file.close()
        raise
    return file


def create_hdf5(stream: IO[bytes]) -> h5py.File:
    """Begins a new file, without the time in it: datasets that are written twice are the same file, to the byte.

    Groups in it have times with some versions of HDF5.

    Args:
        stream: an empty file, open in binary mode for reading and writing.

    Example:
        with atomic_write("vectors.h5", "w+b") as stream, create_hdf5(stream) as file:
            file.create_dataset("words", data=words)
    """
    # As h5py.File does, which has no argument for the times of the first group in every version.
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    creation.set_obj_track_times(False)
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(FORM, FORM)
    access.set_fileobj_driver(h5py.h5fd.fileobj_driver, stream)
    return h5py.File(h5py.h5f.create(b"stream", h5py.h5f.ACC_TRUNC, fcpl=creation, fapl=access))


def read_dataset(file: h5py.Group, name: str, shape: tuple[int | None, ...], kind: type) -> np.ndarray:
    """A dataset, read once its shape and type are known to be what is expected.

    Args:
        file: of `open_hdf5`.
        name: of the dataset.
        shape: what is expected; None stands for any number.
        kind: of numbers, such as np.float32, or np.integer for any whole ones.
    """
    if name not in file or not isinstance(file[name], h5py.Dataset):
        raise ValueError(f"{name} is missing")
    data = file[name]
    fits = len(shape) == len(data.shape) and all(
        expected in (None, size) for expected, size in zip(shape, data.shape, strict=True)
    )
    if not fits:
        expected = " x ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} has shape {list(data.shape)}; expected {expected or 'one number'}")
    if not np.issubdtype(data.dtype, kind):
        raise ValueError(f"{name} has numbers of type {data.dtype}; expected {kind.__name__}")
    return data[()]


def _check_group(group: h5py.Group, name: str, seen: set[int], depth: int) -> None:
    if depth > MOST_DEEP:
        raise ValueError(f"groups stand more than {MOST_DEEP} deep")
    for key in group:
        inside = f"{name}/{key}" if name else str(key)
        if not isinstance(group.get(key, getlink=True), h5py.HardLink):
            raise ValueError(f"{inside} is a link to somewhere else; expected data")
        item = group[key]
        address = h5py.h5o.get_info(item.id).addr
        if address in seen:
            raise ValueError(f"{inside} stands in the file under another name, too; expected each once")
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
        raise ValueError(f"{name} has its data elsewhere; expected it in the file")
    filters = {plan.get_filter(number)[0] for number in range(plan.get_nfilters())}
    if filters - FILTERS:
        raise ValueError(f"{name} is packed in an unknown way (filter {min(filters - FILTERS)})")
    if data.shape is None or data.dtype.kind not in "fiub" or data.dtype.itemsize > 8:
        raise ValueError(f"{name} has data of type {data.dtype}; expected numbers")
    # In Python's numbers, which don't overflow.
    size = data.dtype.itemsize
    for length in data.shape:
        size *= int(length)
    ratio = GZIP_RATIO if h5py.h5z.FILTER_DEFLATE in filters else 1
    stored = min(data.id.get_storage_size(), data.file.id.get_filesize())
    if size > ratio * stored:
        raise ValueError(f"{name} claims {size:,} bytes, and the file has {stored:,} for it")
