# No rules: every header misses. Rules come, all go, one comes back.
story empty-set
update
rule 1 priority 5 nw_dst=10.0.0.0/8
rule 2 priority 6 nw_dst=10.0.0.0/16
update
remove 1
remove 2
update
update
rule 2 priority 6 nw_dst=10.0.0.0/16
header nw_dst=10.0.0.1 -> 2
header nw_dst=10.1.0.1 -> none
header -> none
