# A later fragment has no ports: no rule on ports matches it, not even one on port 0, while a rule on
# its addresses does. The first fragment has ports.
story later-fragments
rule 1 priority 30 ip_version=1 nw_proto=17 ports_present=1 tp_dst=0
rule 2 priority 20 ip_version=1 nw_proto=17 tp_dst=0-1023
rule 3 priority 10 ip_version=1 nw_frag=3
rule 4 priority 5 ip_version=1 nw_frag=1/1 nw_proto=17
rule 5 priority 1 ip_version=1 nw_proto=17
header ip_version=1 nw_proto=17 nw_frag=3 -> 3
header ip_version=1 nw_proto=17 nw_frag=1 ports_present=1 tp_dst=0 -> 1
header ip_version=1 nw_proto=17 nw_frag=1 ports_present=1 tp_dst=53 -> 2
header ip_version=1 nw_proto=17 nw_frag=1 ports_present=1 tp_dst=2000 -> 4
header ip_version=1 nw_proto=17 ports_present=1 tp_dst=2000 -> 5
header ip_version=1 nw_proto=17 -> 5
header ip_version=1 nw_proto=6 -> none
