#!/usr/bin/env bash
# Records server.pcapng.gz, and dumps server.save and server6.save: a small server with a firewall in one network
# namespace, clients and strangers in another one. Needs root and Debian's iproute2, iptables, ipset, python3 and
# wireshark-common. Nothing leaves the machine: every address lies in a namespace.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
out=${1:-$here}
work=$(mktemp -d)
pids=()
clean() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for n in sl-server sl-outside; do ip netns del $n 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean EXIT
on_server() { ip netns exec sl-server "$@"; }

# outside -- server
for n in sl-outside sl-server; do ip netns add $n; ip -n $n link set lo up; done
ip link add out0 netns sl-outside type veth peer name eth0 netns sl-server
ip -n sl-server addr add 198.51.100.10/24 dev eth0
ip -n sl-server addr add 2001:db8:2::10/64 dev eth0 nodad
ip -n sl-outside addr add 198.51.100.1/24 dev out0
ip -n sl-outside addr add 2001:db8:2::1/64 dev out0 nodad
for address in 192.0.2.10 192.0.2.44 203.0.113.7 203.0.113.66 203.0.113.129; do ip -n sl-outside addr add $address/32 dev out0; done
ip -n sl-server link set eth0 up
ip -n sl-outside link set out0 up
ip -n sl-server route add default via 198.51.100.1

# The firewall.
on_server ipset restore <<'SETS'
create banned hash:net family inet
add banned 203.0.113.128/25
SETS
on_server iptables-restore <<'RULES'
*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
:LOGDROP - [0:0]
-A INPUT -i lo -j ACCEPT
-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A INPUT -m set --match-set banned src -j LOGDROP
-A INPUT -p icmp -m icmp --icmp-type 8 -m limit --limit 5/sec -j ACCEPT
-A INPUT -s 192.0.2.0/24 -p tcp -m tcp --dport 22 -m comment --comment administrators -j ACCEPT
-A INPUT -p tcp -m multiport --dports 80,443 -j ACCEPT
-A INPUT -j LOGDROP
-A LOGDROP -m limit --limit 5/min -j LOG --log-prefix "dropped: "
-A LOGDROP -j DROP
COMMIT
RULES
on_server ip6tables-restore <<'RULES'
*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
-A INPUT -i lo -j ACCEPT
-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A INPUT -p ipv6-icmp -j ACCEPT
-A INPUT -p tcp -m multiport --dports 80,443 -j ACCEPT
COMMIT
RULES

ip netns exec sl-server dumpcap -q -i eth0 -f inbound -w "$work/server.pcapng" >/dev/null 2>&1 & pids+=($!) dump=$!
ip netns exec sl-server python3 "$here/talk.py" serve & pids+=($!)
sleep 2
ip netns exec sl-outside python3 "$here/talk.py" talk
sleep 1
kill -INT $dump
wait $dump 2>/dev/null || true

gzip -9n <"$work/server.pcapng" >"$out/server.pcapng.gz"
(on_server ipset save; on_server iptables-save -c) >"$out/server.save"
on_server ip6tables-save -c >"$out/server6.save"
echo "recorded $out/server.pcapng.gz"
