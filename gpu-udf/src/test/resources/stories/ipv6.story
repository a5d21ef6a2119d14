# IPv6 addresses lie in words 11 to 14 (source) and 15 to 18 (destination): prefixes that end within
# each word, at the borders of words, and none at all.
story ipv6
rule 1 priority 90 ip_version=2 word15=0x20010db8/0xffffffff word16=0x00010000/0xffff0000
rule 2 priority 80 ip_version=2 word15=0x20010db8/0xffffffff
rule 3 priority 70 ip_version=2 word15=0x20000000/0xe0000000
rule 4 priority 95 ip_version=2 word15=0x20010db8/0xffffffff word16=0x00010002/0xffffffff word17=0x80000000/0x80000000
rule 5 priority 99 ip_version=2 word15=0x20010db8/0xffffffff word16=0x00010002/0xffffffff word17=0x80000000/0xffffffff word18=0x00000001/0xffffffff
rule 6 priority 10 ip_version=2
rule 7 priority 1 ip_version=1
update
remove 2
header ip_version=2 word15=0x20010db8 word16=0x00010002 word17=0x80000000 word18=1 -> 5
header ip_version=2 word15=0x20010db8 word16=0x00010002 word17=0x80000000 word18=2 -> 4
header ip_version=2 word15=0x20010db8 word16=0x00010002 word17=0x7fffffff word18=1 -> 1
header ip_version=2 word15=0x20010db8 word16=0x00020000 -> 3
header ip_version=2 word15=0x3fffffff -> 3
header ip_version=2 word15=0x40000000 -> 6
header ip_version=1 word15=0x20010db8 -> 7
header word15=0x20010db8 -> none
