# Nested prefixes from /0 to /32, the longest not always the best, at addresses whose top bit is set.
story prefixes-of-all-lengths
rule 1 priority 1 nw_dst=0.0.0.0/0
rule 2 priority 2 nw_dst=128.0.0.0/1
rule 3 priority 3 nw_dst=255.0.0.0/8
rule 4 priority 4 nw_dst=255.255.255.0/24
rule 5 priority 9 nw_dst=255.255.255.128/25
rule 6 priority 6 nw_dst=255.255.255.254/31
rule 7 priority 7 nw_dst=255.255.255.255/32
rule 8 priority 8 nw_dst=127.255.255.255/32
update
remove 5
update
remove 1
remove 7
header nw_dst=255.255.255.255 -> 6
header nw_dst=255.255.255.254 -> 6
header nw_dst=255.255.255.253 -> 4
header nw_dst=255.255.254.255 -> 3
header nw_dst=254.255.255.255 -> 2
header nw_dst=128.0.0.0 -> 2
header nw_dst=127.255.255.255 -> 8
header nw_dst=127.255.255.254 -> none
header nw_dst=0.0.0.0 -> none
