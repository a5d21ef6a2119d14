# Hosts with a range of ports each: so many groups of columns that a row of RFC's join makes its arrays longer.
story ranges-of-many-hosts
rule -8939935671865383083 priority 0 nw_src=27.209.182.121 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=36314-40559
rule -1916058625587096693 priority 0 nw_src=12.253.9.60 nw_dst=23.231.223.135 nw_proto=6 ip_version=1
rule -5969566574010113096 priority 0 nw_src=176.176.176.158 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=26765-65000
rule 451002741327990251 priority 0 nw_src=124.250.29.92 nw_dst=5.0.35.109 ip_version=1
rule 5027910564702836986 priority 0 nw_src=251.83.62.133 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=21509-35215
rule -8935867175141355792 priority 0 nw_src=18.241.254.32 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=3773-38830
rule 1242272502301421745 priority 0 nw_dst=5.0.35.109 ip_version=1
rule -7535333916100120140 priority 0 nw_src=34.223.205.37 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=36777-39692
rule 870948901924338562 priority 0 nw_src=63.228.121.128 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=25754-28369
rule -2693449797712809750 priority 0 nw_src=135.182.190.3 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=297-27779
rule -7806314777761601925 priority 0 nw_src=198.109.170.59 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=25281-33690
rule -4390575582721560642 priority 0 nw_src=58.41.216.32 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=1655-35862
rule -758710665371079809 priority 0 nw_src=240.249.158.130 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=20337-56571
rule -4790551059398394674 priority 0 nw_src=118.158.104.228 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=4623-58722
rule 7379595870115566562 priority 0 nw_src=233.92.64.251 nw_dst=23.231.223.135 nw_proto=6 ip_version=1
rule -6069882130510773116 priority 0 nw_src=55.238.24.220 nw_dst=23.231.223.135 nw_proto=6 ip_version=1
rule -5345827237563049393 priority 0 nw_src=130.55.40.17 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=45552-54752
rule -136101016154857126 priority 0 nw_src=241.32.170.44 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=3610-39253
rule 7210696947533103695 priority 0 nw_src=92.85.104.171 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=50790-52388
rule -5627508198447472310 priority 0 nw_src=34.223.205.37 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=19112-58954
rule -7632105027394205523 priority 0 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=55549-56958
rule -6929186813961965821 priority 0 nw_src=253.23.184.161 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=25399-55822
rule 4983673087602003645 priority 0 nw_src=123.111.232.61 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=19567-51994
rule 3913604637269088920 priority 0 nw_src=243.52.200.16 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=26765-65000
rule 1178847342815408654 priority 0 nw_src=215.96.191.93 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=12073-39513
rule 3922511589049365213 priority 0 nw_src=215.190.193.6 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=47288-54481
rule 1428053597473625632 priority 0 nw_src=159.120.215.82 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=34096-53403
rule 6308932617164585707 priority 0 nw_src=211.40.72.32 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=7580-31945
rule 6643461226734292955 priority 0 nw_src=168.43.55.56 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=7428-53128
rule -8964347797753007546 priority 0 nw_src=31.151.128.183 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=4587-51343
rule -2497128650076590770 priority 0 nw_src=226.127.213.243 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=10233-38154
rule 6106126639579272344 priority 0 nw_src=227.207.70.169 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=1460-2576
rule 8751249002509604369 priority 0 nw_src=74.191.42.79 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=19745-63499
rule 3614466532944950126 priority 0 nw_src=146.245.75.119 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=190-63186
rule 6547418349059090563 priority 0 nw_src=77.66.86.142 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=61865-64536
rule -8848943169835249461 priority 0 nw_src=152.84.40.18 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=24898-57977
rule -7991852415755821880 priority 0 nw_src=112.218.55.114 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=9350-30893
rule 6989470659748041881 priority 0 nw_src=183.39.215.121 nw_dst=23.231.223.135 nw_proto=1 ip_version=1
rule 2682571287252048003 priority 0 nw_src=165.174.55.31 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=297-27779
rule -4460709338468968620 priority 0 nw_src=108.115.166.187 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=48184-63286
rule 3103104376984585828 priority 0 nw_src=156.76.16.186 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=12614-13558
rule -2830637898688334908 priority 0 nw_src=249.76.103.84 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=34983-37890
rule -6011565798764474229 priority 0 nw_src=177.18.225.33 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=50225-54082
rule -8185836744467097517 priority 0 nw_src=67.176.119.230 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=29290-51667
rule 1241855064475949240 priority 0 nw_src=231.100.98.19 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=14791-42216
rule 6746540648272401522 priority 0 nw_src=182.90.160.43 nw_dst=23.231.223.135 ip_version=1
rule -5718238718419116615 priority 0 nw_src=189.45.124.8 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=40417-53941
rule 1305575811537412923 priority 0 nw_src=117.138.105.108 nw_dst=23.231.223.135 nw_proto=1 ip_version=1
rule 373899221396363808 priority 0 nw_src=252.96.168.96 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=4120-65419
rule -28009334271694230 priority 0 nw_src=62.65.208.151 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=34767-42515
rule 4738259898607394995 priority 0 nw_src=22.30.198.43 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=12189-58701
rule -6354939498193359202 priority 0 nw_src=130.214.115.218 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=12029-47246
rule -5440986405671145757 priority 0 nw_src=220.12.88.166 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=6952-35050
rule -8693555986444619932 priority 0 nw_src=95.98.220.227 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=3386-32802
rule -2849600081536985930 priority 0 nw_src=80.193.145.141 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=14761-28340
rule 6813070521007535585 priority 0 nw_src=248.171.249.157 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=10312-59101
rule 8206553543318309551 priority 0 nw_src=51.251.125.35 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=1492-3880
rule -7103759768992859146 priority 0 nw_src=175.93.63.174 nw_dst=23.231.223.135 ports_present=1 ip_version=1 tp_dst=38710-48146
rule 111200162538827392 priority 0 nw_src=213.156.254.19 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=46830-65256
rule -5815310220463038832 priority 0 nw_src=95.163.20.253 nw_dst=23.231.223.135 nw_proto=17 ports_present=1 ip_version=1 tp_dst=27449-50765
rule -1574572370316787409 priority 0 nw_src=229.215.166.231 nw_dst=23.231.223.135 nw_proto=1 ports_present=1 ip_version=1 tp_dst=57233-64972
rule 477654337296503152 priority 0 nw_src=101.82.252.80 nw_dst=23.231.223.135 nw_proto=6 ports_present=1 ip_version=1 tp_dst=55582-61374
header nw_src=101.82.252.80 nw_dst=23.231.223.135 tp_src=43626 tp_dst=60355 word3=0x61ce8806
header nw_src=101.82.252.80 nw_dst=23.231.223.135 tp_src=53995 tp_dst=60835 word3=0xbc4d0406
header nw_src=101.82.252.80 nw_dst=23.231.223.135 tp_src=50923 tp_dst=60053 word3=0x7d4c6206
header nw_src=101.82.252.80 nw_dst=23.231.223.135 tp_src=50678 tp_dst=59442 word3=0x886e8d06
header nw_src=101.82.252.80 nw_dst=23.231.223.135 tp_src=56018 tp_dst=59451 word3=0x7aae3f06
header nw_src=101.82.252.80 nw_dst=23.231.223.135 tp_src=54339 tp_dst=60901 word3=0x804fcc06
header nw_src=74.191.42.79 nw_dst=23.231.223.135 tp_src=28271 tp_dst=54696 word3=0xce0db211
header nw_src=146.245.75.119 nw_dst=23.231.223.135 tp_src=4002 tp_dst=28969 word3=0x0ccc4711
header nw_src=240.249.158.130 nw_dst=23.231.223.135 tp_src=2698 tp_dst=31275 word3=0x5b8d3a06
header nw_src=130.214.115.218 nw_dst=23.231.223.135 tp_src=13120 tp_dst=41882 word3=0xe98cf401
header nw_src=95.98.220.227 nw_dst=23.231.223.135 tp_src=29875 tp_dst=32342 word3=0xd90eb674
header nw_src=211.40.72.32 nw_dst=23.231.223.135 tp_src=37797 tp_dst=19847 word3=0xdbccbb11
header nw_src=159.120.215.210 nw_dst=23.231.223.135 tp_src=6806 tp_dst=45994 word3=0xc62e5501
header nw_src=176.176.176.158 nw_dst=23.231.223.135 tp_src=51909 tp_dst=50141 word3=0x6fae2806
header nw_src=226.127.213.243 nw_dst=23.231.223.135 tp_src=49019 tp_dst=45602 word3=0xab8d1401
header nw_src=112.249.158.130 nw_dst=23.231.223.135 tp_src=61171 tp_dst=25609 word3=0xb5af9206
header nw_src=118.158.104.228 nw_dst=23.231.223.135 tp_src=58044 tp_dst=14729 word3=0xadede201
header nw_src=165.174.55.31 nw_dst=23.231.223.135 tp_src=23435 tp_dst=14487 word3=0x846cf511
header nw_src=241.32.170.44 nw_dst=23.231.223.135 tp_src=59913 tp_dst=50245 word3=0x512e3301
header nw_src=189.45.124.8 nw_dst=23.231.95.135 tp_src=32554 tp_dst=41702 word3=0x1a4ca611
header nw_src=220.12.88.166 nw_dst=23.231.223.135 tp_src=36498 tp_dst=25387 word3=0x12af5d11
header nw_src=159.120.215.82 nw_dst=23.231.223.135 tp_src=43891 tp_dst=46540 word3=0x038c7501
header nw_src=77.66.86.142 nw_dst=22.231.223.135 tp_src=3496 tp_dst=62866 word3=0xda6f8901
header nw_src=189.45.124.8 nw_dst=23.231.223.135 tp_src=7794 tp_dst=46718 word3=0x06aecd11
header nw_src=124.250.29.92 nw_dst=5.0.35.109 tp_src=36145 tp_dst=58582 word3=0xa9eb9cae
header nw_src=168.43.55.56 nw_dst=23.231.223.135 tp_src=56436 tp_dst=35481 word3=0xa52c9011
header nw_src=248.171.249.157 nw_dst=23.231.223.7 tp_src=44167 tp_dst=29397 word3=0xa0cd3448
header nw_src=146.245.75.119 nw_dst=23.231.223.135 tp_src=45787 tp_dst=59420 word3=0x558cbc11
header nw_src=198.109.170.59 nw_dst=23.231.223.135 tp_src=55120 tp_dst=31097 word3=0xabee4911
header nw_src=112.218.55.114 nw_dst=23.231.223.135 tp_src=54114 tp_dst=19502 word3=0x4c2c2c06
header nw_src=22.30.198.43 nw_dst=23.231.223.135 tp_src=57540 tp_dst=51683 word3=0x94ec9f06
header nw_src=183.39.215.121 nw_dst=23.231.223.135 tp_src=47581 tp_dst=9439 word3=0x138b5901
header nw_src=168.43.55.56 nw_dst=23.231.223.135 tp_src=25129 tp_dst=40179 word3=0x19ecb611
header nw_src=175.93.63.174 nw_dst=23.231.223.135 tp_src=9399 tp_dst=46585 word3=0x0f8c2dab
header nw_src=22.30.198.43 nw_dst=7.231.223.135 tp_src=27767 tp_dst=39476 word3=0x950cec06
header nw_src=220.12.88.166 nw_dst=23.231.223.135 tp_src=45125 tp_dst=27954 word3=0xa72f5711
header nw_src=249.76.103.84 nw_dst=23.231.223.135 tp_src=44134 tp_dst=35279 word3=0xd08d1cdf
header nw_src=74.191.42.79 nw_dst=23.231.223.135 tp_src=58013 tp_dst=46196 word3=0x666f2811
header nw_src=124.250.29.92 nw_dst=5.0.35.109 tp_src=2722 tp_dst=42562 word3=0xefcfc601
header nw_src=22.30.198.43 nw_dst=23.231.223.135 tp_src=57057 tp_dst=17266 word3=0x2f0dcd06
