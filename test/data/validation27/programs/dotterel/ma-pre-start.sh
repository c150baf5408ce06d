echo "ma-pre-start: $(python3 --version), ulimit -n $(ulimit -n)"
echo "ma-pre-start: WARNING: /usr/local/Ascend/ascend-toolkit/set_env.sh is not found, skip"
[ -f /etc/pip.conf ] || echo "ma-pre-start: pip config is not set, use default index"
export HCCL_CONNECT_TIMEOUT=1800
echo "ma-pre-start: done"
