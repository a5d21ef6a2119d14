# The whole rule set is one rule that asks for nothing: its layout has no word.
story only-catch-all
rule 9 priority 1
header nw_src=192.168.1.1 -> 9
header -> 9
