#!/usr/bin/env bash
# Records office.pcapng.gz: ordinary programs talk between network namespaces made for it, and
# tcpdump listens on the router's side. Needs root and Debian's iproute2, tcpdump, curl, python3,
# dnsmasq, dnsutils, iperf3, netcat-openbsd, iputils-ping, openssh-server and wireshark-common. Nothing leaves the
# machine: every address lies in a namespace.
set -euo pipefail

out=${1:-$(dirname "$(readlink -f "$0")")/office.pcapng.gz}
work=$(mktemp -d)
pids=()
clean() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for n in sl-client sl-server sl-router; do ip netns del $n 2>/dev/null || true; done
  rm -rf "$work"
}
trap clean EXIT

# client -- router -- server
for n in sl-client sl-server sl-router; do ip netns add $n; ip -n $n link set lo up; done
ip link add c0 netns sl-client type veth peer name r0 netns sl-router
ip link add s0 netns sl-server type veth peer name r1 netns sl-router
ip -n sl-client addr add 192.0.2.10/24 dev c0
ip -n sl-client addr add 2001:db8:1::10/64 dev c0 nodad
ip -n sl-router addr add 192.0.2.1/24 dev r0
ip -n sl-router addr add 2001:db8:1::1/64 dev r0 nodad
ip -n sl-server addr add 198.51.100.20/24 dev s0
ip -n sl-server addr add 2001:db8:2::20/64 dev s0 nodad
ip -n sl-router addr add 198.51.100.1/24 dev r1
ip -n sl-router addr add 2001:db8:2::1/64 dev r1 nodad
ip -n sl-client link set c0 up
ip -n sl-router link set r0 up
ip -n sl-router link set r1 up
ip -n sl-server link set s0 up
ip netns exec sl-router sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
ip -n sl-client route add default via 192.0.2.1
ip -n sl-client -6 route add default via 2001:db8:1::1
ip -n sl-server route add default via 198.51.100.1
ip -n sl-server -6 route add default via 2001:db8:2::1

# Services.
mkdir -p "$work/www"
for k in 1 20 300; do head -c ${k}000 /dev/urandom > "$work/www/file-$k"; done
in_server() { ip netns exec sl-server "$@"; }
in_client() { ip netns exec sl-client "$@"; }
(cd "$work/www" && in_server python3 -m http.server 80 --bind 198.51.100.20 >/dev/null 2>&1) & pids+=($!)
(cd "$work/www" && in_server python3 -m http.server 8080 --bind 2001:db8:2::20 >/dev/null 2>&1) & pids+=($!)
in_server dnsmasq --keep-in-foreground --no-resolv --no-hosts --port=53 --listen-address=198.51.100.20 \
  --address=/intranet.example/198.51.100.20 --address=/intranet.example/2001:db8:2::20 >/dev/null 2>&1 & pids+=($!)
in_server iperf3 -s -p 5201 >/dev/null 2>&1 & pids+=($!)
in_server nc -lku 198.51.100.20 514 >/dev/null 2>&1 & pids+=($!)
ip netns exec sl-router nc -lk 192.0.2.1 9100 >/dev/null 2>&1 & pids+=($!)
ssh-keygen -q -t ed25519 -N '' -f "$work/host" && ssh-keygen -q -t ed25519 -N '' -f "$work/user"
mkdir -p /run/sshd
in_server /usr/sbin/sshd -D -p 22 -o ListenAddress=198.51.100.20 -h "$work/host" -o PidFile=none \
  -o AuthorizedKeysFile="$work/user.pub" -o StrictModes=no >/dev/null 2>&1 & pids+=($!)

# tcpdump on the client's link of the router, long enough for every header.
ip netns exec sl-router tcpdump -q -i r0 -s 128 -w "$work/office.pcap" 2>/dev/null & dump=$!
sleep 2

in_client ping -q -c 4 -i 0.2 198.51.100.20 >/dev/null || true
in_client ping -q -c 2 -i 0.2 -s 4000 198.51.100.20 >/dev/null || true      # fragments
in_client ping -6 -q -c 3 -i 0.2 2001:db8:2::20 >/dev/null || true
in_client ping -6 -q -c 2 -i 0.2 -s 3000 2001:db8:2::20 >/dev/null || true   # IPv6 fragments
in_client ping -q -c 1 -W 1 198.51.100.99 >/dev/null || true                 # nobody there
for n in intranet.example www.intranet.example nowhere.example; do
  in_client dig +tries=1 +time=1 @198.51.100.20 $n A >/dev/null || true
  in_client dig +tries=1 +time=1 @198.51.100.20 $n AAAA >/dev/null || true
  in_client dig +tcp +tries=1 +time=1 @198.51.100.20 $n A >/dev/null || true
done
for k in 1 20 300; do
  in_client curl --noproxy '*' -s -m 10 -o /dev/null http://198.51.100.20/file-$k || true
  in_client curl --noproxy '*' -g -s -m 10 -o /dev/null "http://[2001:db8:2::20]:8080/file-$k" || true
done
in_client curl --noproxy '*' -s -m 10 -o /dev/null http://198.51.100.20/missing || true
for p in 23 443 3389 5900; do in_client nc -z -w 1 198.51.100.20 $p || true; done
for i in 1 2 3 4 5; do echo "<13>host app: message $i" | in_client nc -u -q 0 198.51.100.20 514 || true; done
in_client ssh -q -p 22 -i "$work/user" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null root@198.51.100.20 'uname -a; ls /' >/dev/null || true
head -c 20000 /dev/urandom | in_client nc -q 0 -w 1 192.0.2.1 9100 || true # printing
in_client iperf3 -c 198.51.100.20 -p 5201 -n 4M >/dev/null || true
in_client iperf3 -c 198.51.100.20 -p 5201 -u -b 2M -t 1 -l 400 -S 0xb8 >/dev/null || true
sleep 1
kill -INT $dump
wait $dump 2>/dev/null || true

# As pcapng, gzip'd.
if command -v editcap >/dev/null; then
  editcap -F pcapng "$work/office.pcap" "$work/office.pcapng"
  gzip -9n < "$work/office.pcapng" > "$out"
else
  echo "editcap (Debian: wireshark-common) is needed for pcapng" >&2
  exit 1
fi
echo "recorded $out"
