# Ports under a mask that are to lie in a range, too: some of the range, one of it, none.
story ports-masked-and-in-a-range
rule 1 priority 9 tp_src=1/1 ports_present=1 tp_src=7-20
rule 2 priority 8 tp_src=9 ports_present=1 tp_src=7-20 tp_dst=3-9
rule 3 priority 7 tp_src=37096 ports_present=1 tp_src=7-20
rule 4 priority 6 tp_dst=37096 ports_present=1 tp_dst=3-9
rule 5 priority 5 tp_dst=2/3 ports_present=1 tp_dst=3-9
header ports_present=1 tp_src=7 tp_dst=50 -> 1
header ports_present=1 tp_src=8 tp_dst=50 -> none
header ports_present=1 tp_src=19 tp_dst=50 -> 1
header ports_present=1 tp_src=20 tp_dst=50 -> none
header ports_present=1 tp_src=21 tp_dst=50 -> none
header ports_present=1 tp_src=37096 tp_dst=37096 -> none
header ports_present=1 tp_src=10 tp_dst=37096 -> none
header ports_present=1 tp_src=10 tp_dst=3 -> none
header ports_present=1 tp_src=10 tp_dst=6 -> 5
header ports_present=1 tp_src=10 tp_dst=2 -> none
header ports_present=1 tp_src=10 tp_dst=10 -> none
header ports_present=1 tp_src=9 tp_dst=4 -> 1
