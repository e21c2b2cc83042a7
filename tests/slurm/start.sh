#!/usr/bin/env bash
# A Slurm of one node on this machine, for the tests: needs root and the Debian packages
# slurm-wlm, slurm-client and munge (Slurm 22.05 or later).
#
#   tests/slurm/start.sh FOLDER        writes FOLDER/slurm.conf and starts the daemons
#   tests/slurm/start.sh FOLDER stop   stops them
#
# Everything is in FOLDER but a link to its slurm.conf in /etc/slurm: within a job Snakemake's
# plugin takes all variables SLURM_* away, SLURM_CONF with them. No accounting, as on a plain
# installation: `sacct` has nothing to say.
set -euo pipefail
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

folder=$(realpath -m "$1")
link=/etc/slurm/slurm.conf
port=${SLURM_TEST_PORT:-26817}

if [ "${2:-start}" = stop ]; then
    for daemon in slurmd slurmctld munged; do
        [ -f "$folder/$daemon.pid" ] && kill "$(cat "$folder/$daemon.pid")" 2>/dev/null || true
    done
    [ "$(readlink "$link")" != "$folder/slurm.conf" ] || rm "$link"
    exit 0
fi

for tool in munged slurmctld slurmd sbatch; do
    command -v "$tool" >/dev/null || { echo "no $tool here" >&2; exit 2; }
done
if [ -e "$link" ]; then
    echo "this machine has a Slurm of its own ($link)" >&2
    exit 2
fi
host=$(hostname -s)
getent hosts "$host" >/dev/null || { echo "$host has no address" >&2; exit 2; }
mkdir -p "$folder/state" "$folder/spool"

dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none
chmod 400 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
    --seed-file="$folder/munged.seed" 2>/dev/null

memory=$(($(awk '/MemTotal/ {print $2}' /proc/meminfo) / 1024 - 500))
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MpiDefault=none
ReturnToService=2
MinJobAge=600
SlurmctldTimeout=60
SlurmdTimeout=60
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP DefMemPerCPU=500
END

mkdir -p "$(dirname "$link")"
ln -sfn "$folder/slurm.conf" "$link"
slurmctld -f "$folder/slurm.conf"
slurmd -f "$folder/slurm.conf"
for _ in $(seq 100); do
    SLURM_CONF="$folder/slurm.conf" sinfo --noheader --format=%T 2>/dev/null | grep -q idle && exit 0
    sleep 0.2
done
echo "no node became idle; see $folder/slurmctld.log and slurmd.log" >&2
exit 1
