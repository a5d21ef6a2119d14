# Sets up the network namespace in which tests ask the kernel, for the devices that are its arguments.
# The packets' last chains (nftables, priority 2000) log what came through and drop it, so that nothing leaves,
# no connection is confirmed, and each packet finds the same kernel.
set -e
cd /proc/sys/net
for setting in \
  ipv4/ip_forward=1 ipv6/conf/all/forwarding=1 \
  ipv4/conf/all/rp_filter=0 ipv4/conf/default/rp_filter=0 ipv4/conf/all/send_redirects=0 ipv4/conf/all/accept_local=1 ipv4/conf/all/route_localnet=1 \
  netfilter/nf_conntrack_checksum=0 \
  ipv4/ipfrag_low_thresh=0 ipv4/ipfrag_high_thresh=0 ipv6/ip6frag_low_thresh=0 ipv6/ip6frag_high_thresh=0 \
  netfilter/nf_conntrack_frag6_low_thresh=0 netfilter/nf_conntrack_frag6_high_thresh=0; do
  echo "${setting#*=}" >"${setting%=*}" # thresholds of 0: where the kernel reassembles, a fragment goes nowhere
done

# The mark's uppermost four bits choose the way after PREROUTING: 15 to this host, N to the Nth device.
# The kernel's own table of local addresses is asked later.
ip link set lo up
for family in -4 -6; do
  ip $family rule add pref 32000 lookup local
  ip $family rule del pref 0
  ip $family rule add pref 15 fwmark 0xf0000000/0xf0000000 lookup 115
  ip $family route add local default dev lo table 115
done
number=0
for device in "$@"; do
  number=$((number + 1))
  echo 0 >ipv4/conf/"$device"/rp_filter
  echo 0 >ipv4/conf/"$device"/send_redirects
  ip link set "$device" addrgenmode none
  ip link set "$device" address 02:00:00:00:00:0$number
  ip link set "$device" up
  ip addr add 10.77.$number.1/24 brd + dev "$device"
  ip addr add fd77:$number::1/64 nodad dev "$device"
  for family in -4 -6; do
    ip $family rule add pref $number fwmark 0x${number}0000000/0xf0000000 lookup $((100 + number))
    ip $family route add default dev "$device" table $((100 + number))
    ip $family route add default dev "$device" metric $number
  done
done

# The kernel's own packets (answers of REJECT, multicast reports) leave, too: priority 7:7 marks those of the tests.
# A packet's identification (IPv6: its flow label) holds its way in four bits and its mark in the lowest seven.
ways() {
  for way in 1 2 3 4 5 6 7 15; do
    printf '  chain way%d { meta mark set meta mark or 0x%x0000000\n }\n' $way $way
  done
}
verdicts() { for way in 1 2 3 4 5 6 7 15; do printf '%d : jump way%d, ' $way $way; done; }
nft -f - <<RULES
table ip sluice {
$(ways)
  chain begin { type filter hook prerouting priority -1000
    meta mark set @nh,41,7
  }
  chain way { type filter hook prerouting priority 1000
    @nh,32,4 vmap { $(verdicts) }
  }
}
table ip6 sluice {
$(ways)
  chain begin { type filter hook prerouting priority -1000
    meta mark set @nh,25,7
  }
  chain way { type filter hook prerouting priority 1000
    @nh,16,4 vmap { $(verdicts) }
  }
}
table arp sluice {
  chain begin { type filter hook input priority -1000
    meta nftrace set 1
  }
  chain delivered { type filter hook input priority 2000
    log group 7
    drop
  }
}
table inet sluice {
  chain arrives { type filter hook prerouting priority -1000
    iifname != "lo" meta nftrace set 1
  }
  chain leaves { type filter hook output priority -1000
    meta skuid 0 meta nftrace set 1 meta priority set 7:7
  }
  chain input { type filter hook input priority -1000
    meta mark set meta mark and 0x0fffffff
  }
  chain forward { type filter hook forward priority -1000
    meta mark set meta mark and 0x0fffffff
    meta priority set 7:7
  }
  chain delivered { type filter hook input priority 2000
    iifname != "lo" log group 7
    drop
  }
  chain sent { type filter hook postrouting priority 2000
    meta priority 7:7 log group 7
    drop
  }
}
RULES
