# Bitwise masks: single bits, holes, and two rules whose masks differ but whose values do not.
story masks-with-holes
rule 1 priority 9 nw_src=0x0a000001/0xff0000ff nw_dst=0x00000000/0x80000001
rule 2 priority 8 nw_src=0x0a000001/0xff00ffff
rule 3 priority 7 nw_src=0x00000001/0x00000001
rule 4 priority 6 nw_src=0x00000000/0x00000001 nw_dst=0x55555555/0x55555555
rule 5 priority 6 nw_src=0x00000000/0x80000000 nw_tos=0x10/0xfc
update
remove 2
rule 2 priority 9 nw_src=0x0a000001/0xff00ffff
header nw_src=10.1.2.1 nw_dst=1.1.1.2 -> 1
header nw_src=10.1.0.1 nw_dst=1.1.1.2 -> 1
header nw_src=10.1.0.1 nw_dst=1.1.1.1 -> 2
header nw_src=10.1.9.1 nw_dst=1.1.1.1 -> 3
header nw_src=10.1.9.2 nw_dst=255.255.255.255 -> 4
header nw_src=10.1.9.2 nw_tos=0x13 -> 5
header nw_src=138.1.9.2 nw_tos=0x13 -> none
