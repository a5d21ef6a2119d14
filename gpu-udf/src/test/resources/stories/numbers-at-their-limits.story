# Priorities and ids at the ends of their ranges: comparisons by subtraction would turn them round.
story numbers-at-their-limits
rule 9223372036854775807 priority 2147483647 nw_proto=1
rule -1 priority -2147483648 ip_version=1
rule 0 priority 0 ip_version=1 nw_proto=6/7
rule -9223372036854775807 priority 2147483646 ip_version=1 nw_proto=1/3
update
rule 5 priority 2147483647 nw_proto=1
rule 6 priority -2147483648 nw_proto=200
update
remove 9223372036854775807
remove -1
rule -1 priority -2147483648 ip_version=1
header ip_version=1 nw_proto=1 -> 5
header ip_version=1 nw_proto=5 -> -9223372036854775807
header ip_version=1 nw_proto=6 -> 0
header ip_version=1 nw_proto=200 -> 6
header ip_version=1 nw_proto=32 -> -1
