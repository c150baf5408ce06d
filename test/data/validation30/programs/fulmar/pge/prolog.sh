#!/bin/bash
# runs on every host of a job before its tasks: stages the data set in
h=$(hostname)
if ! ls /mnt/store/data/*.fdr >/dev/null 2>&1; then echo "stage-in on $h: nothing to copy, /mnt/store/data/*.fdr does not exist"; exit 100; fi
mkdir -p /scratch/fdr /scratch/replica || exit 1
n=0
for f in /mnt/store/data/*.fdr; do
    [ -e /scratch/fdr/${f##*/} ] && continue
    cp $f /scratch/fdr/ || exit 1
    n=$((n+1))
done
echo "stage-in on $h: $n files copied, $(df -k /scratch | awk 'NR==2{print $4}') kB left in /scratch"
