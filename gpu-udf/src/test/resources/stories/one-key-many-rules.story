# Rules of one hash key that port ranges and priorities tell apart, while some of them go: tables that
# keep a list a key must keep its order.
story one-key-many-rules
rule 1 priority 1 nw_src=10.0.0.1/32 tp_dst=0-9
rule 2 priority 2 nw_src=10.0.0.1/32 tp_dst=1-10
rule 3 priority 3 nw_src=10.0.0.1/32 tp_dst=2-11
rule 4 priority 3 nw_src=10.0.0.1/32 tp_dst=3-12
rule 5 priority 2 nw_src=10.0.0.1/32 tp_src=3-12 tp_dst=0-14
rule 6 priority 9 nw_src=10.0.0.2/32 tp_dst=0-9
update
remove 3
update
rule 3 priority 3 nw_src=10.0.0.1/32 tp_dst=2-11
update
remove 2
update
remove 6
header nw_src=10.0.0.1 ports_present=1 tp_dst=0 -> 1
header nw_src=10.0.0.1 ports_present=1 tp_dst=2 -> 3
header nw_src=10.0.0.1 ports_present=1 tp_dst=3 -> 4
header nw_src=10.0.0.1 ports_present=1 tp_dst=12 -> 4
header nw_src=10.0.0.1 ports_present=1 tp_src=4 tp_dst=13 -> 5
header nw_src=10.0.0.1 ports_present=1 tp_src=4 tp_dst=15 -> none
header nw_src=10.0.0.2 ports_present=1 tp_dst=1 -> none
