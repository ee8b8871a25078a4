"""A Slurm of two virtual nodes on this machine, for as long as a test needs it.

One slurmctld and two slurmd without systemd, munge or cgroups, on free ports of the loopback, with everything that they
write in a folder of their own. They are ended by their process ids. Needs root, as slurmd does, and Debian's packages
slurmctld, slurmd and slurm-client.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")

CONFIGURATION = """\
ClusterName=clearance
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
KillWait=5
MinJobAge=300
MaxArraySize={max_array_size}
SchedulerParameters=sched_interval=1,bf_interval=2,batch_sched_delay=0,sched_min_interval=200000
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldDebug=info
SlurmdDebug=info
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node_ports[0]} CPUs={cpus} RealMemory=1000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={node_ports[1]} CPUs={cpus} RealMemory=1000
PartitionName=low Nodes=n[1-2] Default=YES PriorityTier=1 PreemptMode=REQUEUE GraceTime=5 MaxTime=INFINITE State=UP
PartitionName=high Nodes=n[1-2] PriorityTier=10 PreemptMode=OFF MaxTime=INFINITE State=UP
"""


def missing():
    """Returns why there can be no Slurm here; None if there can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    lacking = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if lacking:
        return "not installed: " + ", ".join(lacking)
    if os.geteuid() != 0:
        return "slurmd needs root"
    return None


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class LocalSlurm:
    """Use it as `with LocalSlurm(folder) as slurm:`; clients find it by `slurm.environment`."""

    def __init__(self, folder, cpus=2, max_array_size=1001):
        self.folder = pathlib.Path(folder)
        self.processes = []
        ports = free_ports(3)
        self.text = CONFIGURATION.format(host=socket.gethostname(), folder=self.folder, control_port=ports[0],
                                         node_ports=ports[1:], cpus=cpus, max_array_size=max_array_size)
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"),
                                PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "state").mkdir(exist_ok=True)
        (self.folder / "slurm.conf").write_text(self.text)
        try:
            self.start("slurmctld", "-D", "-f", self.environment["SLURM_CONF"])
            for node in ("n1", "n2"):
                self.start("slurmd", "-D", "-N", node, "-f", self.environment["SLURM_CONF"])
            self.wait_for_nodes()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, *command):
        log = open(self.folder / f"{command[0]}-{len(self.processes)}.out", "wb")
        self.processes.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log,
                                               stdin=subprocess.DEVNULL, start_new_session=True))
        log.close()

    def wait_for_nodes(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            dead = [one.args[0] for one in self.processes if one.poll() is not None]
            if dead:
                raise RuntimeError(f"{dead} ended at once; see {self.folder}")
            states = self.run("sinfo", "-h", "-N", "-p", "low", "-o", "%T", check=False).stdout.split()
            if states == ["idle", "idle"]:
                return
            time.sleep(0.3)
        raise RuntimeError(f"the nodes did not come up; see {self.folder}")

    def run(self, *command, check=True):
        return subprocess.run(command, env=self.environment, check=check, capture_output=True, text=True, timeout=60)

    def __exit__(self, *_):
        if self.processes:
            subprocess.run(("scancel", "--user=root"), env=self.environment, capture_output=True, timeout=60)
            end = time.monotonic() + 20
            while time.monotonic() < end and self.run("squeue", "-h", check=False).stdout.strip():
                time.sleep(0.2)
        # Nodes end first, so that their controller still hears of it.
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
