# Both versions in one rule set: what an address word holds for the other version does not matter.
story ipv6-and-ipv4
rule 1 priority 9 ip_version=2 word11=0xfe800000/0xffc00000 nw_proto=58
rule 2 priority 8 ip_version=1 nw_src=169.254.0.0/16 nw_proto=1
rule 3 priority 7 nw_proto=58
rule 4 priority 6 ip_version=1 nw_dst=255.255.255.255/32
header ip_version=2 word11=0xfebfffff word14=1 nw_proto=58 -> 1
header ip_version=2 word11=0xfec00000 nw_proto=58 -> 3
header ip_version=1 nw_src=169.254.9.9 nw_proto=1 word11=0xfe800000 -> 2
header ip_version=1 nw_src=169.255.9.9 nw_proto=1 nw_dst=255.255.255.255 -> 4
header ip_version=2 nw_dst=255.255.255.255 -> none
