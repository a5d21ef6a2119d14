#!/usr/bin/env bash
# Records the logs of this folder: a gateway in a network namespace of its own logs what packets.py sends to it, by
# iptables (host.*), then by nft (gateway.*). Needs root and Debian's iproute2, iptables, nftables, tcpdump and python3.
# The kernel's switch nf_log_all_netns is set meanwhile. Nothing leaves the machine.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
switch=/proc/sys/net/netfilter/nf_log_all_netns
before=$(cat "$switch")
trap 'echo "$before" >"$switch"' EXIT
echo 1 >"$switch"

cat >"$here/.inside" <<'INSIDE'
set -euo pipefail
here=$1 name=$2
for device in eth0 eth1; do
  ip link add name $device type veth peer name ${device}x
  ip link set $device up
  ip link set ${device}x up
done
ip link set eth0 address 02:00:00:00:00:01
ip addr add 10.0.0.1/24 dev eth0
ip addr add 10.1.0.1/24 dev eth1
ip -6 addr add 2001:db8::1/64 dev eth0 nodad
ip -6 addr add 2001:db8:1::1/64 dev eth1 nodad
ip neigh add 10.1.0.9 lladdr 02:00:00:00:00:09 dev eth1
ip -6 neigh add 2001:db8:1::9 lladdr 02:00:00:00:00:09 dev eth1
sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.eth0.rp_filter=0
if [ "$name" = host ]; then
  iptables-legacy-restore <"$here/host.save"
  ip6tables-legacy-restore <"$here/host6.save"
else
  nft -f "$here/gateway.nft"
fi
timeout 4 tcpdump -i nflog:5 -U -w "$here/$name.nflog.pcap" 2>/dev/null &
sleep 1
python3 "$here/packets.py" 1 70
wait || true
for device in eth0 eth1; do echo "$(cat /proc/net/dev_mcast | awk -v d=$device '$2 == d {print $1; exit}') $device"; done >"$here/$name.interfaces"
INSIDE

for name in host gateway; do
  echo "record $name $$" >/dev/kmsg
  unshare --net bash "$here/.inside" "$here" $name
  dmesg | sed "1,/record $name $$/d" | grep 'IN=' | sed 's/^/Nov 29 03:20:00 gw kernel: /' >"$here/$name.log"
  gzip -nf "$here/$name.nflog.pcap"
done
rm "$here/.inside"
