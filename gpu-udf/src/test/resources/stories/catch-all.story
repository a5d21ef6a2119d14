# A rule that asks for nothing takes what better rules leave; below it nothing is reached.
story catch-all
rule 1 priority 10 nw_src=192.168.0.0/16
rule 2 priority 5
rule 3 priority 4 nw_src=172.16.0.0/12
rule 4 priority 0
update
remove 2
update
remove 4
update
rule 5 priority 20
header nw_src=192.168.1.1 -> 5
header nw_src=172.16.1.1 -> 5
header nw_src=8.8.8.8 -> 5
header -> 5
header word3=0xffffffff word8=0xffffffff -> 5
