"""The identity of a release: the version of CMakeLists.txt, and the commit that it is made from.

A commit with the tag v<version> is the release itself. Every other one gets a version that sorts before it, by time:
0.1.0~git20260131120000.1a2b3c4. An archive of a release has no repository around it; its file COMMIT tells instead.
"""
import dataclasses
import datetime
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass(frozen=True)
class Identity:
    version: str
    commit: str
    epoch: int  # [s] time of the commit: the only time that goes into archives and packages
    is_release: bool
    is_changed: bool  # files differ from those of the commit

    @property
    def date(self):
        return datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc)


def git(*words, root=ROOT):
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout.strip()


def has_repository(root=ROOT):
    """Returns False for an archive, also for one that lies within some other repository."""
    try:
        return pathlib.Path(git("rev-parse", "--show-toplevel", root=root)).samefile(root)
    except (OSError, subprocess.CalledProcessError):
        return False


def project_version(root=ROOT):
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(clearance VERSION ([\d.]+)", text).group(1)


def identify(root=ROOT):
    """Returns the identity. Raises ValueError if there is neither a repository nor a file COMMIT."""
    root = pathlib.Path(root)
    version, is_changed = project_version(root), False
    if has_repository(root):
        commit, epoch = git("log", "-1", "--format=%H %ct", root=root).split()
        is_release = f"v{version}" in git("tag", "--points-at", "HEAD", root=root).split()
        is_changed = bool(git("status", "--porcelain", root=root))
    else:
        try:
            commit, epoch, kind = (root / "COMMIT").read_text(encoding="utf-8").split()
        except (OSError, ValueError):
            raise ValueError("neither a git repository nor an archive with a file COMMIT: its version is unknown") from None
        is_release = kind == "release"
    identity = Identity(version, commit, int(epoch), is_release, is_changed)
    if not is_release:
        identity = dataclasses.replace(identity, version=f"{version}~git{identity.date:%Y%m%d%H%M%S}.{commit[:7]}")
    return identity
