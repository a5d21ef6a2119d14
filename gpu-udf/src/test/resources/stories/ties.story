# Of equal priorities the rule that was added first wins; a rule that is removed and inserted in one
# update counts as added now.
story ties
rule 1 priority 10 nw_proto=6 nw_dst=10.0.0.0/8
rule 2 priority 10 nw_proto=6 nw_dst=10.1.0.0/16
rule 3 priority 10 nw_proto=6
rule 4 priority 9 nw_proto=6 nw_dst=10.1.2.3/32
rule 5 priority 11 nw_proto=17 nw_dst=10.1.2.3/32
rule 6 priority 11 nw_proto=17 nw_dst=10.1.2.3/32
update
remove 1
rule 1 priority 10 nw_proto=6 nw_dst=10.0.0.0/8
update
remove 5
update
remove 6
rule 6 priority 11 nw_proto=17 nw_dst=10.1.2.3/32
rule 7 priority 11 nw_proto=17 nw_dst=10.1.2.3/32
header nw_proto=6 nw_dst=10.1.2.3 -> 2
header nw_proto=6 nw_dst=10.2.2.3 -> 3
header nw_proto=6 nw_dst=11.2.2.3 -> 3
header nw_proto=17 nw_dst=10.1.2.3 -> 6
header nw_proto=17 nw_dst=10.1.2.4 -> none
