package dev.sluice.policy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Draws flow lines of every field, number form and shorthand, right and wrong. */
final class FlowLines {
    private static final List<String> ACTIONS =
            List.of(
                    "actions=drop",
                    "actions = drop",
                    "actions=",
                    "action=output:3",
                    "actions=NORMAL,2",
                    "actions=resubmit(,1)",
                    "actions=mod_vlan_vid:5,output:1",
                    "actions=load:0x1->NXM_NX_REG0[0..3],output:1",
                    "actions=learn(table=1,NXM_OF_VLAN_TCI[0..11]),flood");
    private static final List<String> WRONG_ACTIONS =
            List.of(
                    "actions=dorp",
                    "actions=drop,2",
                    "actions=2,drop",
                    "actions=drop priority=5,udp actions=NORMAL",
                    "actions=70000",
                    "actions:drop",
                    "actions==drop");
    private static final List<String> FLAGS =
            List.of(
                    "syn",
                    "ack",
                    "fin|syn",
                    "+syn-ack",
                    "+[200]",
                    "-[800]+fin",
                    "[400]",
                    "0x012/0x012",
                    "2",
                    "010",
                    "022/077",
                    "0x600/0x700",
                    "+ns+cwr-ece",
                    "*",
                    "0",
                    "psh|[200]");
    private static final List<String> WRONG_FLAGS =
            List.of(
                    "+syn-syn",
                    "SYN",
                    "+[0x200]",
                    "0x1000",
                    "018",
                    "syn+ack",
                    "+",
                    "syn|foo",
                    "-ack+ack");
    private static final List<String> PORTS =
            List.of(
                    "1",
                    "010",
                    "08",
                    "LOCAL",
                    "local",
                    "4294967294",
                    "4294967040",
                    "65279",
                    "any",
                    "*");
    private static final List<String> WRONG_PORTS =
            List.of("0x3", "70000", "4294967296", "-1", "eth0", "3/0xffff", "\"1\"");

    private final Random random;

    FlowLines(Random random) {
        this.random = random;
    }

    /** A line that everybody takes. */
    String plain() {
        return line(false);
    }

    /** A line that may be wrong in any way. */
    String odd() {
        return line(true);
    }

    private String line(boolean odd) {
        List<String> fields = new ArrayList<>();
        boolean six = random.nextBoolean();
        int protocol = random.nextInt(6);
        fields.addAll(protocol(six, protocol));
        if (one(3)) {
            fields.add(field("in_port", pick(PORTS, WRONG_PORTS, odd)));
        }
        for (String mac : List.of("dl_src", "eth_dst")) {
            if (one(4)) {
                fields.add(field(mac, mac() + (one(3) ? "/" + mac() : "")));
            }
        }
        vlan(fields, odd);
        if (protocol > 0) {
            addresses(fields, six);
            tos(fields, odd);
            if (one(4)) {
                fields.add(
                        field(
                                of("nw_frag", "ip_frag"),
                                pick(
                                        List.of("no", "yes", "first", "not_later", "NO", "*"),
                                        List.of("later", "no/yes", "maybe"),
                                        odd)));
            }
        }
        ports(fields, six, protocol, odd);
        if (protocol > 0 && one(4)) {
            fields.add(field("nw_ttl", of("1", "064", "0x40", "255", "3/255", "3/0", "*")));
        }
        if (one(5)) {
            fields.add(field("pkt_mark", of("0", "5", "0xffffffff", "07", "5/0xf", "0/1", "*")));
        }
        if (one(3)) {
            fields.add(field("priority", number(0xffff, odd)));
        }
        if (one(6)) {
            fields.add(field("idle_timeout", number(0xffff, odd)));
        }
        if (one(6)) {
            fields.add(field("cookie", number(0xffffff, odd)));
        }
        if (one(8)) {
            fields.add(of("table=0", "table=010", "send_flow_rem", "check_overlap", "eth"));
        }
        if (one(2)) {
            Collections.shuffle(fields, random);
        }
        if (odd && one(4)) {
            fields.add(fields.get(random.nextInt(fields.size())));
        }
        if (odd && one(5)) {
            fields.add(
                    of(
                            "ip",
                            "tcp",
                            "udp6",
                            "arp",
                            "dl_type=*",
                            "nw_proto=0/0",
                            "dl_type=04000",
                            "dl_type=5",
                            "vlan_tci=0x1000/0x1000",
                            "dl_vlan=*",
                            "nw_proto=6",
                            "tp_src=300",
                            "nw_ttl=3",
                            "nw_ttl=3/3",
                            "arp_op=1",
                            "arp_op=1/0xff",
                            "arp_spa=10.0.0.1",
                            "pkt_mark=0x100000000",
                            "tp_dst=1/1",
                            "dl_type=0x800/0xff00",
                            "ipv4",
                            "igmp"));
        }
        String between = of(",", " ", ", ", ",,");
        return String.join(between, fields)
                + of(" ", ",")
                + pick(ACTIONS, WRONG_ACTIONS, odd && one(2));
    }

    private List<String> arp() {
        List<String> fields = new ArrayList<>(List.of(of("arp", "rarp", "dl_type=0x806")));
        if (one(2)) {
            fields.add(field("arp_op", of("1", "02", "0x3", "4/0xffff", "5/0", "*", "0")));
        }
        for (String address : List.of("arp_spa", "arp_tpa")) {
            if (one(2)) {
                fields.add(
                        field(address, of("10.0.0.1", "10.1.0.0/16", "1.0.3.0/255.0.255.0", "*")));
            }
        }
        return fields;
    }

    private List<String> protocol(boolean six, int protocol) {
        String type =
                six
                        ? of(
                                "ipv6",
                                "ip6",
                                "dl_type=0x86dd",
                                "dl_type=0x86dd/0xffff",
                                "eth_type=34525")
                        : of(
                                "ip",
                                "ip4",
                                "ipv4",
                                "dl_type=0x800",
                                "dl_type=04000",
                                "eth_type(2048)",
                                "dl_type:0x0800/0xffff");
        int number = List.of(0, 6, 17, 132, six ? 58 : 1, 47).get(protocol);
        String word = List.of("", "tcp", "udp", "sctp", "icmp", "").get(protocol);
        if (protocol == 0) {
            if (one(3)) {
                return arp();
            }
            return one(2)
                    ? List.of(
                            of(
                                    "eth",
                                    "mpls",
                                    "mplsm",
                                    "dl_type=0x88cc",
                                    "dl_type=0x05ff",
                                    "dl_type=*"))
                    : List.of(type);
        }
        if (!word.isEmpty() && one(2)) {
            return List.of(six ? word + "6" : word);
        }
        return List.of(type, field(of("nw_proto", "ip_proto"), form(number)));
    }

    private void vlan(List<String> fields, boolean odd) {
        switch (random.nextInt(odd ? 12 : 9)) {
            case 0 -> fields.add(field("dl_vlan", number(4095, odd)));
            case 1 ->
                    fields.add(
                            field(
                                    "dl_vlan",
                                    of("0xffff", "65535", "0177777", "*", "7/0xffff", "7/0")));
            case 2 ->
                    fields.add(
                            field(
                                    of("dl_vlan_pcp", "vlan_pcp"),
                                    of("0", "3", "07", "0x5", "*", "2/0xff")));
            case 3 ->
                    fields.addAll(
                            List.of(
                                    field("dl_vlan", number(4095, odd)),
                                    field("dl_vlan_pcp", "3")));
            case 4 ->
                    fields.add(
                            field(
                                    "vlan_tci",
                                    of(
                                            "0",
                                            "0x1005",
                                            "0xf005/0x1fff",
                                            "0/0x1000",
                                            "0x2005/0x2fff",
                                            "*")));
            case 5 ->
                    fields.add(
                            field(
                                    "vlan_vid",
                                    of("0x1005", "4097", "0x1000/0x1000", "0", "5/0xf", "010007")));
            case 9 ->
                    fields.addAll(
                            List.of(
                                    field(
                                            of("dl_vlan", "vlan_vid"),
                                            of("*", "5", "0x1006/0xfff", "0xffff", "4098")),
                                    field(
                                            of("dl_vlan_pcp", "vlan_tci"),
                                            of("0", "1", "0x1005", "*", "0x2000/0x2000"))));
            case 10 ->
                    fields.addAll(
                            List.of(
                                    field(
                                            of("dl_vlan_pcp", "vlan_tci"),
                                            of("0", "1", "0x1005", "*")),
                                    field(
                                            of("dl_vlan", "vlan_vid"),
                                            of("*", "5", "0x1006/0xfff", "0xffff", "4098"))));
            case 11 ->
                    fields.add(
                            field(
                                    of("dl_vlan", "vlan_vid", "dl_vlan_pcp", "vlan_tci"),
                                    of(
                                            "8", "5000", "5", "0x2005", "0xffff", "5/0xfff", "08",
                                            "0x10005", "3/7")));
            default -> {}
        }
    }

    private void addresses(List<String> fields, boolean six) {
        for (String side : List.of("src", "dst")) {
            if (one(3)) {
                fields.add(
                        six
                                ? field(
                                        "ipv6_" + side,
                                        of(
                                                "::1",
                                                "2001:db8::/32",
                                                "2001:DB8:0::1/048",
                                                "::ffff:1.2.3.4",
                                                "*",
                                                "1:2:3:4:5:6:7:8",
                                                "fe80::/ffc0::",
                                                "::/0",
                                                "2001:db8::"
                                                        + Integer.toHexString(
                                                                random.nextInt(0x10000))
                                                        + "/"
                                                        + random.nextInt(129)))
                                : field(
                                        of("nw_", "ip_") + side,
                                        of(
                                                "*",
                                                "010.1.2.08",
                                                "1.2.3.4/08",
                                                "1.2.3.4/255.0.255.0",
                                                random.nextInt(256)
                                                        + "."
                                                        + random.nextInt(256)
                                                        + ".0.1/"
                                                        + random.nextInt(33))));
            }
        }
    }

    private void tos(List<String> fields, boolean odd) {
        switch (random.nextInt(8)) {
            case 0 ->
                    fields.add(
                            field(
                                    "nw_tos",
                                    of("20", "024", "0x14", "*", "20/0xff", odd ? "21" : "0")));
            case 1 ->
                    fields.add(
                            field("ip_dscp", of("5", "075", "*", "5/0xff", odd ? "64" : "0x3f")));
            case 2 ->
                    fields.add(
                            field(
                                    of("nw_ecn", "ip_ecn"),
                                    of("1", "03", "*", "2/0xff", odd ? "4" : "0")));
            default -> {}
        }
    }

    private void ports(List<String> fields, boolean six, int protocol, boolean odd) {
        String name = List.of("", "tcp_", "udp_", "sctp_", "", "").get(protocol);
        if (protocol >= 1 && protocol <= 3) {
            for (String side : List.of("src", "dst")) {
                if (one(3)) {
                    fields.add(
                            field(
                                    of("tp_", name) + side,
                                    of(
                                            "*",
                                            number(0xffff, odd),
                                            number(0xffff, odd),
                                            number(0xffff, odd) + "/" + number(0xffff, odd))));
                }
            }
        }
        if (protocol == 1 && one(3)) {
            fields.add(field("tcp_flags", pick(FLAGS, WRONG_FLAGS, odd)));
        }
        if (protocol == 4 && one(2)) {
            fields.add(
                    field(
                            of("tp_src", "icmp_type", six ? "icmpv6_type" : "tp_src"),
                            of("8", "010", "0x80", "128/0xff", "*", odd ? "300" : "255")));
        }
        if (protocol == 4 && one(4)) {
            fields.add(
                    field(
                            of("tp_dst", "icmp_code"),
                            of("0", "03", "0x3", "*", odd ? "256" : "255")));
        }
    }

    /** One of three ways to give a field its value. */
    private String field(String key, String value) {
        return switch (random.nextInt(6)) {
            case 0 -> key + ":" + value;
            case 1 -> key + "(" + value + ")";
            default -> key + "=" + value;
        };
    }

    private String number(int max, boolean odd) {
        String number = form(random.nextInt(max + 1));
        return odd && one(4)
                ? of(
                        "0" + random.nextInt(max + 1),
                        "0b1",
                        "-1",
                        "+1",
                        "5x",
                        "",
                        String.valueOf(max + 1))
                : number;
    }

    private String form(int value) {
        return switch (random.nextInt(5)) {
            case 0 -> "0x" + Integer.toHexString(value);
            case 1 -> "0" + Integer.toOctalString(value);
            case 2 -> "0X00" + Integer.toHexString(value).toUpperCase(Locale.ROOT);
            default -> String.valueOf(value);
        };
    }

    private String mac() {
        StringBuilder mac = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            mac.append(i == 0 ? "" : ":")
                    .append(one(3) ? of("ff", "0", "FF") : "%02x".formatted(random.nextInt(256)));
        }
        return mac.toString();
    }

    private String pick(List<String> right, List<String> wrong, boolean odd) {
        List<String> from = odd && one(3) ? wrong : right;
        return from.get(random.nextInt(from.size()));
    }

    private boolean one(int in) {
        return random.nextInt(in) == 0;
    }

    private String of(String... words) {
        return words[random.nextInt(words.length)];
    }
}
