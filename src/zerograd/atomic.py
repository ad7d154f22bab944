"""Replace a file as a whole, or not at all, and only where it was agreed on.

    write_atomically(path, content)                   whoever named the path meant what it leads to
    write_atomically(path, content, inside=root)      no link leads out of `root`
    write_atomically(path, content, expected=before)  an edit of the very file that was read
    with replacement(path) as stream: ...             content that is written piece by piece

The new content goes into a file of an unpredictable name in the same folder, which takes the
target's place by one rename: nobody sees half of it, and whatever fails leaves what was there.
It is locked meanwhile, so that what a killed process left is told from it, and removed.
Links stay links; mode, owner and extended attributes stay as they were. Other names of the same
file (hard links) keep the old content, which an edit refuses.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from zerograd import system
from zerograd.errors import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

# What Windows lacks is 0 there.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | NO_LINK
CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | NO_LINK
# Neither follows a planted link nor waits for a planted pipe.
LEFTOVER = os.O_RDWR | getattr(os, "O_NONBLOCK", 0) | NO_LINK
# O_PATH asks for no permission to list a folder that may be written.
FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)

PARTIAL, SUFFIX = ".zerograd-", ".partial"
"""How the name of a file that is being written begins and ends: the user's own may be long."""

ATTEMPTS = 100
"""So many names are tried; each is random, so that a second one is hardly ever needed."""


def write_atomically(
    path: Path, content: bytes, *, expected: bytes | None = None, inside: Path | None = None
) -> None:
    """Write a file so that nobody ever sees half of it.

    With `expected` it is an edit, refused when the file holds anything else by now or would lose
    its owner or its other names. With `inside` it is refused when a link leads out of that folder.
    """
    try:
        if inside is None and expected is None and path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or a device, which nothing can take the place of
            return
        # What would end the program now would leave a file behind.
        with (
            system.delayed(*system.ENDINGS),
            replacement(path, expected=expected, inside=inside) as stream,
        ):
            stream.write(content)
    except OSError as error:
        raise UnreadableError(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def replacement(
    path: Path, *, expected: bytes | None = None, inside: Path | None = None
) -> Iterator[BinaryIO]:
    """Yield a stream whose content takes the place of a file when the block ends well."""
    target = real_place(path, inside)
    with held(target.parent, inside) as folder:
        old = folder.status(target.name)
        if expected is not None:
            refuse_foreign(path, folder.read(target.name), expected, old)
        # The content of a private file is never readable by others, not even for a moment.
        temporary, descriptor = folder.create(0o600 if old else 0o666)
        stream = os.fdopen(descriptor, "w+b")
        try:
            yield stream
            stream.flush()
            if old:
                keep_attributes(descriptor, folder, target.name)
                keep_owner(descriptor, old, path, is_edit=expected is not None)
            os.fsync(descriptor)
            if not system.has_locks():
                stream.close()  # Windows renames no open file; elsewhere its lock is kept
            folder.rename(temporary, target.name)
        except BaseException:
            _close(stream)
            with suppress(OSError):
                folder.remove(temporary)
            raise
        _close(stream)
        folder.sync()


def _close(stream: BinaryIO) -> None:
    with suppress(OSError):  # what could not be written is still in its buffer
        stream.close()


def real_place(path: Path, inside: Path | None) -> Path:
    """Return what a path leads to through all links, if that is where it may lead."""
    target = Path(os.path.realpath(path))
    if inside is not None and not target.is_relative_to(os.path.realpath(inside)):
        raise UnreadableError(
            f"{path} leads to {target}, outside of {inside}, and is left as it is; "
            "name that file itself"
        )
    return target


class Folder(NamedTuple):
    """A folder that is held open: who puts a link in its place meanwhile moves nothing of ours."""

    path: Path
    descriptor: int | None
    """None on Windows, where files are reached by their paths instead."""

    def at(self, name: str) -> str:
        """Return how to name a file of this folder beside its descriptor."""
        return str(self.path / name) if self.descriptor is None else name

    def open(self, name: str, flags: int, mode: int = 0) -> int:
        """Open a file, never through a link."""
        return os.open(self.at(name), flags, mode, dir_fd=self.descriptor)

    def create(self, mode: int) -> tuple[str, int]:
        """Return a new file, locked, so that nobody takes it for left over; remove what is."""
        for _ in range(ATTEMPTS):
            name = f"{PARTIAL}{os.urandom(8).hex()}{SUFFIX}"
            try:
                descriptor = self.open(name, CREATE, mode)
            except FileExistsError:
                continue
            if not system.has_locks():
                return name, descriptor
            try:
                system.lock(descriptor)
                is_ours = True
            except BlockingIOError:  # somebody takes it for left over, and is about to remove it
                is_ours = False
            except OSError:  # a file system without locks
                return name, descriptor
            if is_ours and self._is_at(name, descriptor):
                self._sweep()
                return name, descriptor
            os.close(descriptor)
            with suppress(OSError):
                self.remove(name)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))

    def _is_at(self, name: str, descriptor: int) -> bool:
        try:
            found = os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return os.path.samestat(found, os.fstat(descriptor))

    def _sweep(self) -> None:
        """Remove what killed processes left: files that no process holds locked."""
        with suppress(OSError):  # a folder that may be written and not listed
            for leftover in self.path.glob(f"{PARTIAL}*{SUFFIX}"):
                with suppress(OSError):  # locked, somebody else's, or gone by now
                    self._remove_unlocked(leftover.name)

    def _remove_unlocked(self, name: str) -> None:
        descriptor = self.open(name, LEFTOVER)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                system.lock(descriptor)
                self.remove(name)
        finally:
            os.close(descriptor)

    def status(self, name: str) -> os.stat_result | None:
        """Return what is known of a file, None if there is none."""
        try:
            found = os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableError(f"{self.path / name} is no file and is left as it is")
        return found

    def read(self, name: str) -> bytes:
        """Return what is in a file."""
        with os.fdopen(self.open(name, READ), "rb") as stream:
            return stream.read()

    def rename(self, old: str, new: str) -> None:
        """Put one file in the place of another."""
        os.replace(
            self.at(old), self.at(new), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor
        )

    def remove(self, name: str) -> None:
        """Delete a file."""
        os.unlink(self.at(name), dir_fd=self.descriptor)

    def sync(self) -> None:
        """Have the new name on the disk too, as far as the file system knows how."""
        if self.descriptor is None:
            return
        with suppress(OSError):
            descriptor = self.open(".", os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@contextmanager
def held(path: Path, inside: Path | None) -> Iterator[Folder]:
    """Hold a folder open whose path has no link in it, step by step from `inside`."""
    if os.open not in os.supports_dir_fd:
        yield Folder(path, None)
        return
    root = path if inside is None else Path(os.path.realpath(inside))
    descriptor = os.open(root, FOLDER)
    try:
        for name in path.relative_to(root).parts:
            outer, descriptor = descriptor, os.open(name, FOLDER | NO_LINK, dir_fd=descriptor)
            os.close(outer)
        yield Folder(path, descriptor)
    finally:
        os.close(descriptor)


def refuse_foreign(
    path: Path, content: bytes, expected: bytes, status: os.stat_result | None
) -> None:
    """Refuse to edit a file that is not the one that was read, or not the only one."""
    if content != expected:
        raise UnreadableError(f"{path} was changed meanwhile and is left as it is; run again")
    if status and status.st_nlink > 1:
        raise UnreadableError(
            f"{path} has {status.st_nlink} names (hard links), which a repair would part, and is "
            "left as it is; copy it to repair the copy"
        )


def keep_attributes(descriptor: int, folder: Folder, name: str) -> None:
    """Give a new file the extended attributes, such as access lists, of the one it replaces."""
    with suppress(OSError):
        old = folder.open(name, READ)
        try:
            system.copy_attributes(old, descriptor)
        finally:
            os.close(old)


def keep_owner(descriptor: int, old: os.stat_result, path: Path, *, is_edit: bool) -> None:
    """Give a new file the owner and the permissions of the one it replaces."""
    mode = old.st_mode & 0o7777
    try:
        system.give_file(descriptor, old.st_uid, old.st_gid)
    except OSError as error:  # only root may give files away
        if is_edit:
            raise UnreadableError(
                f"{path} would change its owner or group and is left as it is; "
                "repair it as the user that it belongs to"
            ) from error
        mode &= 0o1777  # nobody else's program may run with our rights
        try:
            system.give_file(descriptor, -1, old.st_gid)
        except OSError:
            mode &= ~0o070  # it was another group that might read it
    system.set_mode(descriptor, mode)
