# makes the chroot and the data in $PIPIT_ROOT (root; Debian with debootstrap, control groups v1)
set -e
D=${PIPIT_ROOT:-/tmp/lab}; R=$D/root; H=$(cd "$(dirname "$0")"; pwd); mkdir -p $D/base
debootstrap --variant=minbase trixie $R
cp /etc/resolv.conf $R/etc/resolv.conf
printf '#!/bin/sh\nexit 101\n' > $R/usr/sbin/policy-rc.d; chmod +x $R/usr/sbin/policy-rc.d
mount -t proc proc $R/proc
chroot $R /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c 'apt-get update -q && apt-get install -y -q --no-install-recommends iproute2 procps iptables slurmctld slurmd slurm-client munge openssh-server openssh-client pdsh mount python3-numpy python3-torch; apt-get clean'
umount $R/proc
mkdir -p $R/{workspace,mnt/store,scratch,opt/rr,job,root/.ssh,etc/slurm}; chattr +i $R/mnt/store
gcc -shared -fPIC -O1 $H/skew.c -o $R/opt/rr/skew.so
sed -i 's/^hosts:.*/hosts: files/' $R/etc/nsswitch.conf; : > $R/etc/resolv.conf; chown -R root:root $R/etc/munge
ssh-keygen -q -t ed25519 -N '' -f $R/root/.ssh/id_ed25519; cp $R/root/.ssh/id_ed25519.pub $R/root/.ssh/authorized_keys
printf 'Host *\n StrictHostKeyChecking accept-new\n UserKnownHostsFile /dev/null\n LogLevel ERROR\n ConnectTimeout 6\n ServerAliveInterval 3\n ServerAliveCountMax 3\n' > $R/root/.ssh/config
chown -R root:root $R/root/.ssh; chmod 700 $R/root/.ssh; chroot $R ssh-keygen -A
# two imports at torch's start that nothing here uses
T=$R/usr/lib/python3/dist-packages/torch/__init__.py; sed -i 's/^from torch import quantization as quantization.*//; s/^    from torch import _meta_registrations$/    pass/' $T
cp $H/mkdata31.py $R/root/; chroot $R python3 /root/mkdata31.py /root/d; mv $R/root/d/data $D/base/; rm $R/root/mkdata31.py
for k in memory cpu freezer cpuacct; do mkdir -p /sys/fs/cgroup/$k/site; done
echo 4096 > /sys/fs/cgroup/cpu/site/cpu.shares
