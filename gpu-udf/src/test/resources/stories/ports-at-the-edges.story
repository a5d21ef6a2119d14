# Ranges that begin at 0 or end at 65535, of one port, and side by side.
story ports-at-the-edges
rule 1 priority 100 tp_dst=0-0
rule 2 priority 99 tp_dst=65535-65535
rule 3 priority 90 tp_src=0-1 tp_dst=65534-65535
rule 4 priority 80 tp_dst=1-1023
rule 5 priority 79 tp_dst=1024-65534
rule 6 priority 70 tp_src=65535-65535
rule 7 priority 60 nw_proto=6 tp_src=0-65535 tp_dst=0-65535
rule 8 priority 50 tp_src=1-65535
update
remove 1
remove 2
header ports_present=1 tp_src=0 tp_dst=0 -> none
header ports_present=1 tp_src=5 tp_dst=0 -> 8
header ports_present=1 tp_src=65535 tp_dst=0 -> 6
header ports_present=1 tp_src=0 tp_dst=65535 -> 3
header ports_present=1 tp_src=1 tp_dst=65534 -> 3
header ports_present=1 tp_src=2 tp_dst=65535 -> 8
header ports_present=1 tp_src=65535 tp_dst=65535 -> 6
header ports_present=1 tp_dst=1 -> 4
header ports_present=1 tp_dst=1023 -> 4
header ports_present=1 tp_dst=1024 -> 5
header ports_present=1 tp_src=9 tp_dst=65534 -> 5
header nw_proto=6 -> 7
header -> none
