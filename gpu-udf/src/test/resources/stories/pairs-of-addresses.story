# Rules between networks that contain each other on both sides: a pair's best rule may come from the
# shorter prefix of either.
story pairs-of-addresses
rule 1 priority 10 nw_src=10.0.0.0/8 nw_dst=10.0.0.0/8
rule 2 priority 20 nw_src=10.1.0.0/16 nw_dst=10.0.0.0/8 nw_proto=6
rule 3 priority 30 nw_src=10.0.0.0/8 nw_dst=10.1.0.0/16 nw_proto=17
rule 4 priority 5 nw_src=10.1.1.0/24 nw_dst=10.1.1.0/24
rule 5 priority 40 nw_src=10.1.1.1/32 nw_dst=10.1.1.1/32 tp_dst=80-90
rule 6 priority 1 nw_dst=10.1.1.0/24
rule 7 priority 1 nw_src=10.1.1.0/24
update
remove 1
header nw_src=10.1.1.1 nw_dst=10.1.1.1 nw_proto=6 -> 2
header nw_src=10.1.1.1 nw_dst=10.1.1.1 nw_proto=17 -> 3
header nw_src=10.1.1.1 nw_dst=10.1.1.1 nw_proto=1 -> 4
header nw_src=10.1.1.1 nw_dst=10.1.1.1 nw_proto=17 ports_present=1 tp_dst=90 -> 5
header nw_src=10.1.1.1 nw_dst=10.1.1.1 nw_proto=1 ports_present=1 tp_dst=91 -> 4
header nw_src=9.0.0.1 nw_dst=10.1.1.9 -> 6
header nw_src=10.1.1.9 nw_dst=9.0.0.1 -> 7
header nw_src=10.2.0.1 nw_dst=10.2.0.1 -> none
