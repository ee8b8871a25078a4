"""A Debian of its own in a folder: it uses nothing of this machine but its kernel, and its mirror as long as one wants.

Every command runs in namespaces of its own, which end with it: no mount and no process is left behind.
"""
import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

USER, HOME = 1000, "/srv/user"  # the ordinary user, and the home folder of that user
SUITE = re.search(r"^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text(encoding="utf-8"), re.MULTILINE)


def debian_archives():
    """Returns (address, release, component) of Debian's archives that this machine's own apt uses."""
    try:
        lines = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE)|$(RELEASE)|$(COMPONENT)|$(ORIGIN)",
                                "Created-By: Packages"], check=True, capture_output=True, text=True).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):
        return []
    return [tuple(line.split("|")[:3]) for line in lines if line.split("|")[-1] == "Debian"]


def apt_settings():
    """Returns the settings by which this machine's apt reaches them: proxies, and whether it minds old indices."""
    dump = subprocess.run(["apt-config", "dump"], check=True, capture_output=True, text=True).stdout
    return "".join(line + "\n" for line in dump.split("\n")
                   if re.match(r"Acquire::(https?::Proxy|Check-Valid-Until|Check-Date)", line))


def reason_to_skip():
    if os.geteuid() != 0:
        return "only root can make a Debian of its own"
    for tool in ("debootstrap", "unshare", "chroot"):
        if not shutil.which(tool):
            return f"{tool} is missing"
    if SUITE is None or not debian_archives():
        return "apt of this machine knows no archive of Debian"
    if subprocess.run(["unshare", "--mount", "--pid", "--fork", "--net", "true"], capture_output=True).returncode:
        return "no namespaces here (unshare)"
    return None


class CleanRoot:
    """A clean system in work/root, made from work/base.tar, which the first call makes with debootstrap and later
    ones use again."""

    def __init__(self, work):
        self.work, self.path = Path(work).resolve(), Path(work).resolve() / "root"
        self.work.mkdir(parents=True, exist_ok=True)
        # Only one at a time may use the folder; the lock ends with this process.
        self.lock = open(self.work / "lock", "w", encoding="utf-8")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        base = self.work / "base.tar"
        shutil.rmtree(self.path, ignore_errors=True)
        if not base.exists():
            self._bootstrap(base)
        self.path.mkdir()
        subprocess.run(["tar", "-xf", base, "-C", self.path, "--numeric-owner"], check=True)
        (self.path / "etc/apt/sources.list").write_text(
            "".join(f"deb {site} {release} {component}\n" for site, release, component in debian_archives()))
        (self.path / "etc/apt/apt.conf.d/00machine").write_text(apt_settings())
        for name in ("resolv.conf", "hosts"):
            shutil.copy(Path("/etc") / name, self.path / "etc" / name)
        home = self.path / HOME.strip("/")
        home.mkdir()
        os.chown(home, USER, USER)

    def _bootstrap(self, base):
        first = self.work / "base"
        shutil.rmtree(first, ignore_errors=True)
        mirror = next(site for site, release, _ in debian_archives() if release == SUITE.group(1))
        with open(self.work / "debootstrap.log", "w", encoding="utf-8") as log:
            subprocess.run(["debootstrap", "--variant=minbase", SUITE.group(1), first, mirror], check=True, stdout=log, stderr=log)
        subprocess.run(["tar", "-cf", f"{base}.new", "-C", first, "--numeric-owner", "."], check=True)
        shutil.rmtree(first)
        Path(f"{base}.new").rename(base)

    def run(self, command, as_root=False, network=False, folder=HOME, status=0, binds=(), environment=None):
        """Returns the output of the shell command. Raises AssertionError with all of it unless it ends with this
        status."""
        words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *([] if network else ["--net"]), "sh", "-c",
                 'root=$1; mount -t proc proc "$root/proc"; shift; '
                 'while [ "$1" != -- ]; do mkdir -p "$root/$2"; mount --bind "$1" "$root/$2"; shift 2; done; shift; exec "$@"',
                 "sh", self.path, *(str(word) for bind in binds for word in bind), "--",
                 "chroot", *([] if as_root else [f"--userspec={USER}:{USER}"]), self.path,
                 "sh", "-c", f"cd {folder} && {command}"]
        variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                     "HOME": "/root" if as_root else HOME, "DEBIAN_FRONTEND": "noninteractive",
                     **{name: value for name, value in os.environ.items() if network and name.lower().endswith("_proxy")},
                     **(environment or {})}
        done = subprocess.run([str(word) for word in words], env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, errors="replace")
        if done.returncode != status:
            raise AssertionError(f"`{command}` ended with {done.returncode}, not {status}:\n{done.stdout}")
        return done.stdout

    def install(self, *names):
        """Installs packages of Debian, or files within the root, with their dependencies and nothing else."""
        return self.run("apt-get install -y -q --no-install-recommends " + " ".join(names), as_root=True, network=True, folder="/")

    def paths(self):
        """Returns every path of the system, except those that are no part of it."""
        found = set()
        for folder, folders, files in os.walk(self.path):
            if folder == str(self.path):
                folders[:] = [name for name in folders if name not in ("proc", "sys", "dev", "tmp", "srv", "root", "packages")]
            found.update(os.path.relpath(os.path.join(folder, name), self.path) for name in folders + files)
        return found

    def used_megabytes(self):
        return int(subprocess.run(["du", "-sm", self.path], check=True, capture_output=True, text=True).stdout.split()[0])
