# An OpenFlow table: ingress port, MAC addresses (words 5 to 7), VLAN with its presence, EtherType,
# TCP flags, SPI, all beside rules that name one field alone.
story flow-table
rule 1 priority 40 in_port_present=1 in_port=1 dl_src_present=1 word5=0x00163e00/0xffffff00
rule 2 priority 30 dl_dst_present=1 word6=0x0000ffff/0x0000ffff word7=0xffffffff/0xffffffff
rule 3 priority 20 vlan_present=1 dl_vlan=0
rule 4 priority 19 vlan_present=0 dl_type=2048
rule 5 priority 18 dl_type=2048 dl_vlan_pcp=7
rule 6 priority 10 tcp_flags=2/18 nw_proto=6
rule 7 priority 9 spi_present=1 spi=0xffffffff
header in_port_present=1 in_port=1 dl_src_present=1 word5=0x00163eff -> 1
header in_port_present=1 in_port=2 dl_src_present=1 word5=0x00163eff vlan_present=1 -> 3
header dl_dst_present=1 word6=0x1234ffff word7=0xffffffff -> 2
header dl_type=2048 -> 4
header dl_type=2048 vlan_present=1 dl_vlan=5 dl_vlan_pcp=7 -> 5
header vlan_present=1 dl_vlan=5 tcp_flags=2 nw_proto=6 -> 6
header vlan_present=1 dl_vlan=5 tcp_flags=18 nw_proto=6 -> none
header spi_present=1 spi=0xffffffff -> 7
header -> none
