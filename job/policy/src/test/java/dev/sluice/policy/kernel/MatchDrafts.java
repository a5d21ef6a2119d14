package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.MatchKind.MatchDraft;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Drawn values of each {@link MatchKind}: the option as users write it, and what it asks. */
final class MatchDrafts {
    static final Formula NO_LATER_FRAGMENT =
            Formula.all(
                            Formula.is(ProbeField.FRAGMENT, 1),
                            Formula.is(ProbeField.FRAGMENT_OFFSET, 0).not())
                    .not();

    private MatchDrafts() {}

    static MatchDraft source(ValuePool pool) {
        return prefix(pool, "-s", ProbeField.SOURCE);
    }

    static MatchDraft destination(ValuePool pool) {
        return prefix(pool, "-d", ProbeField.DESTINATION);
    }

    private static MatchDraft prefix(ValuePool pool, String option, ProbeField field) {
        int bits = pool.bits();
        int length = pool.chance(3) ? bits : bits / 8 + pool.below(bits * 7 / 8);
        BigInteger ones = BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
        BigInteger mask = ones.shiftLeft(bits - length).and(ones);
        String text = "/" + length;
        if (pool.version() == 4 && pool.chance(8)) {
            mask = BigInteger.valueOf(pool.chance(2) ? 0xff0000ffL : 0xffff00fcL);
            text = "/" + pool.text(mask);
        }
        BigInteger value = pool.address().and(mask);
        return new MatchDraft(
                "", option + " " + pool.text(value) + text, Formula.bits(field, value, mask));
    }

    static MatchDraft inDevice(ValuePool pool) {
        return device(pool, "-i", ProbeField.IN);
    }

    static MatchDraft outDevice(ValuePool pool) {
        return device(pool, "-o", ProbeField.OUT);
    }

    private static MatchDraft device(ValuePool pool, String option, ProbeField field) {
        String name = pool.one(List.of("lan0", "lan1", "wan0", "lan+", "wan+", "tun0"));
        List<Formula> devices = new ArrayList<>();
        for (int i = 0; i < ValuePool.DEVICES.size(); i++) {
            String device = ValuePool.DEVICES.get(i);
            if (device.equals(name)
                    || name.endsWith("+")
                            && device.startsWith(name.substring(0, name.length() - 1))) {
                devices.add(Formula.is(field, i));
            }
        }
        return new MatchDraft("", option + " " + name, Formula.any(devices));
    }

    static MatchDraft protocol(ValuePool pool) {
        int icmp = pool.version() == 4 ? ProbePacket.ICMP : ProbePacket.ICMP6;
        int number = pool.one(List.of(ProbePacket.TCP, ProbePacket.UDP, icmp, 50, 103, 132, 136));
        return new MatchDraft("", "-p " + number, Formula.is(ProbeField.PROTOCOL, number));
    }

    static MatchDraft fragment(ValuePool pool) {
        return new MatchDraft("", "-f", NO_LATER_FRAGMENT.not());
    }

    static MatchDraft tcpSourcePort(ValuePool pool) {
        return ports(pool, "tcp", "--sport", ProbeField.SOURCE_PORT);
    }

    static MatchDraft tcpDestinationPort(ValuePool pool) {
        return ports(pool, "tcp", "--dport", ProbeField.DESTINATION_PORT);
    }

    static MatchDraft udpSourcePort(ValuePool pool) {
        return ports(pool, "udp", "--sport", ProbeField.SOURCE_PORT);
    }

    static MatchDraft udpDestinationPort(ValuePool pool) {
        return ports(pool, "udp", "--dport", ProbeField.DESTINATION_PORT);
    }

    private static MatchDraft ports(
            ValuePool pool, String module, String option, ProbeField field) {
        int one = pool.port();
        int other = pool.port();
        int low = Math.min(one, other);
        int high = Math.max(one, other);
        String text =
                switch (pool.below(5)) {
                    case 0 -> ":" + high;
                    case 1 -> low + ":";
                    case 2, 3 -> low + ":" + high;
                    default -> "" + one;
                };
        Formula range =
                text.startsWith(":")
                        ? Formula.range(field, 0, high)
                        : text.endsWith(":")
                                ? Formula.range(field, low, 65535)
                                : text.contains(":")
                                        ? Formula.range(field, low, high)
                                        : Formula.is(field, one);
        return new MatchDraft(module, option + " " + text, range, NO_LATER_FRAGMENT);
    }

    static MatchDraft tcpFlags(ValuePool pool) {
        if (pool.chance(4)) {
            return new MatchDraft(
                    "tcp", "--syn", Formula.bits(ProbeField.TCP_FLAGS, 2, 0x17), NO_LATER_FRAGMENT);
        }
        List<String> names = List.of("FIN", "SYN", "RST", "PSH", "ACK", "URG");
        int mask = 1 + pool.below(63);
        int value = mask & pool.below(64);
        String option = "--tcp-flags " + flags(names, mask) + " " + flags(names, value);
        Formula inner = Formula.bits(ProbeField.TCP_FLAGS, value, mask);
        return new MatchDraft("tcp", option, inner, NO_LATER_FRAGMENT);
    }

    private static String flags(List<String> names, int bits) {
        List<String> named = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if ((bits >> i & 1) == 1) {
                named.add(names.get(i));
            }
        }
        return named.isEmpty() ? "NONE" : String.join(",", named);
    }

    static MatchDraft tcpOption(ValuePool pool) {
        int option = 2 + pool.below(6);
        Formula inner = Formula.is(ProbeField.TCP_OPTION, option);
        return new MatchDraft("tcp", "--tcp-option " + option, inner, NO_LATER_FRAGMENT);
    }

    static MatchDraft icmpType(ValuePool pool) {
        return icmp(pool, "icmp", "--icmp-type", List.of(0, 3, 5, 8, 11, 13));
    }

    static MatchDraft icmp6Type(ValuePool pool) {
        return icmp(pool, "icmp6", "--icmpv6-type", List.of(1, 3, 128, 129, 133, 135, 143));
    }

    private static MatchDraft icmp(
            ValuePool pool, String module, String option, List<Integer> types) {
        int type = pool.one(types);
        Formula inner = Formula.is(ProbeField.ICMP_TYPE, type);
        String text = option + " " + type;
        if (pool.chance(2)) {
            int code = pool.below(4);
            inner = Formula.all(inner, Formula.is(ProbeField.ICMP_CODE, code));
            text += "/" + code;
        }
        return new MatchDraft(module, text, inner, NO_LATER_FRAGMENT);
    }

    static MatchDraft multiport(ValuePool pool) {
        String option = pool.one(List.of("--sports", "--dports", "--ports"));
        List<String> texts = new ArrayList<>();
        List<Formula> ranges = new ArrayList<>();
        for (int i = 1 + pool.below(4); i > 0; i--) {
            int low = pool.port();
            int high = pool.chance(3) ? low + pool.below(65536 - low) : low;
            texts.add(high > low ? low + ":" + high : "" + low);
            for (ProbeField field : List.of(ProbeField.SOURCE_PORT, ProbeField.DESTINATION_PORT)) {
                boolean other =
                        field == ProbeField.SOURCE_PORT
                                ? option.equals("--dports")
                                : option.equals("--sports");
                if (!other) {
                    ranges.add(Formula.range(field, low, high));
                }
            }
        }
        String text = option + " " + String.join(",", texts);
        return new MatchDraft("multiport", text, Formula.any(ranges), NO_LATER_FRAGMENT);
    }

    static MatchDraft addressRange(ValuePool pool) {
        boolean source = pool.chance(2);
        BigInteger one = pool.address();
        BigInteger other =
                pool.chance(2) ? pool.address() : one.xor(new BigInteger(7, pool.random()));
        BigInteger low = one.min(other);
        BigInteger high = one.max(other);
        String option = source ? "--src-range " : "--dst-range ";
        return new MatchDraft(
                "iprange",
                option + pool.text(low) + "-" + pool.text(high),
                Formula.range(source ? ProbeField.SOURCE : ProbeField.DESTINATION, low, high));
    }

    static MatchDraft set(ValuePool pool) {
        return pool.sets().match(pool);
    }

    static MatchDraft conntrack(ValuePool pool) {
        return states(pool, "conntrack", "--ctstate");
    }

    static MatchDraft state(ValuePool pool) {
        return states(pool, "state", "--state");
    }

    private static MatchDraft states(ValuePool pool, String module, String option) {
        TreeSet<String> names = new TreeSet<>();
        List<Formula> states = new ArrayList<>();
        for (int i = 1 + pool.below(2); i > 0; i--) {
            int state = pool.below(3);
            if (names.add(ConnectionStates.NAMES.get(state))) {
                states.add(ConnectionStates.is(pool.version(), state));
            }
        }
        if (pool.chance(3)) {
            names.add("ESTABLISHED");
        }
        String text = option + " " + String.join(",", names);
        return new MatchDraft(module, text, Formula.any(states));
    }

    static MatchDraft mac(ValuePool pool) {
        int last = pool.below(4);
        return new MatchDraft(
                "mac",
                "--mac-source 02:00:00:00:01:0" + last,
                Formula.is(ProbeField.SOURCE_MAC, 0x020000000100L | last));
    }

    static MatchDraft mark(ValuePool pool) {
        int mask = pool.chance(2) ? 0xffffffff : 1 + pool.below(127);
        int value = pool.below(8) & mask;
        String text = "--mark 0x%x".formatted(value) + (mask < 0 ? "" : "/0x%x".formatted(mask));
        return new MatchDraft(
                "mark", text, Formula.bits(ProbeField.MARK, value, Integer.toUnsignedLong(mask)));
    }

    static MatchDraft addressType(ValuePool pool) {
        boolean source = pool.chance(2);
        ProbeField field = source ? ProbeField.SOURCE : ProbeField.DESTINATION;
        List<String> types = List.of("LOCAL", "UNICAST", "MULTICAST", "BROADCAST");
        String type = pool.one(types.subList(0, pool.version() == 4 ? 4 : 3));
        String text = (source ? "--src-type " : "--dst-type ") + type;
        return new MatchDraft("addrtype", text, addressType(pool, field, type));
    }

    private static Formula addressType(ValuePool pool, ProbeField field, String type) {
        List<Formula> found = new ArrayList<>();
        boolean four = pool.version() == 4;
        switch (type) {
            case "LOCAL" -> {
                for (int i = 0; i < ValuePool.DEVICES.size(); i++) {
                    BigInteger own = pool.hostAddress(i);
                    found.add(Formula.range(field, own, own));
                }
            }
            case "BROADCAST" -> {
                for (int i = 0; i < ValuePool.DEVICES.size(); i++) {
                    BigInteger broadcast = pool.hostAddress(i).or(BigInteger.valueOf(255));
                    found.add(Formula.range(field, broadcast, broadcast));
                }
                found.add(Formula.is(field, 0xffffffffL));
            }
            case "MULTICAST" -> {
                if (four) {
                    found.add(Formula.bits(field, 0xe0000000L, 0xf0000000L));
                } else {
                    BigInteger first = BigInteger.valueOf(255).shiftLeft(120);
                    found.add(Formula.bits(field, first, first));
                }
            }
            default -> {
                // In IPv6 an address of this host is unicast, too.
                for (String other :
                        four ? List.of("LOCAL", "BROADCAST", "MULTICAST") : List.of("MULTICAST")) {
                    found.add(addressType(pool, field, other));
                }
                return Formula.any(found).not();
            }
        }
        return Formula.any(found);
    }

    static MatchDraft packetType(ValuePool pool) {
        int type = pool.below(3);
        return new MatchDraft(
                "pkttype",
                "--pkt-type " + ProbePacket.PACKET_TYPES.get(type),
                Formula.is(ProbeField.PACKET_TYPE, type));
    }

    static MatchDraft comment(ValuePool pool) {
        String text = "--comment \"rule \\\"" + pool.below(100) + "\\\" ! -j DROP\"";
        return new MatchDraft("comment", text, Formula.ALWAYS);
    }

    static MatchDraft dscp(ValuePool pool) {
        int value = pool.below(64);
        String text = "--dscp 0x%02x".formatted(value);
        return new MatchDraft("dscp", text, Formula.bits(ProbeField.TOS, value << 2, 0xfc));
    }

    static MatchDraft tos(ValuePool pool) {
        int mask = pool.chance(2) ? 0xff : 1 + pool.below(255);
        int value = pool.below(256) & mask;
        String text = "--tos 0x%02x/0x%02x".formatted(value, mask);
        return new MatchDraft("tos", text, Formula.bits(ProbeField.TOS, value, mask));
    }

    static MatchDraft ttl(ValuePool pool) {
        int value = pool.one(List.of(1, 2, 63, 64, 128, 255));
        boolean four = pool.version() == 4;
        return new MatchDraft(
                four ? "ttl" : "hl",
                (four ? "--ttl-eq " : "--hl-eq ") + value,
                Formula.is(ProbeField.TTL, value));
    }

    static MatchDraft ttlBorder(ValuePool pool) {
        int value = pool.one(List.of(2, 32, 63, 64, 128));
        boolean four = pool.version() == 4;
        boolean less = pool.chance(2);
        String text = (four ? "--ttl-" : "--hl-") + (less ? "lt " : "gt ") + value;
        Formula inner =
                less
                        ? Formula.range(ProbeField.TTL, 0, value - 1)
                        : Formula.range(ProbeField.TTL, value + 1, 255);
        return new MatchDraft(four ? "ttl" : "hl", text, inner);
    }

    static MatchDraft length(ValuePool pool) {
        int low = pool.one(List.of(0, 101, 200, 576, 1000));
        int high = pool.one(List.of(low, low + 1, low + 300, 65535));
        String text = high == low ? "" + low : low + ":" + high;
        return new MatchDraft(
                "length", "--length " + text, Formula.range(ProbeField.LENGTH, low, high));
    }

    static MatchDraft fragmentHeader(ValuePool pool) {
        Formula header = Formula.is(ProbeField.FRAGMENT, 1);
        Formula more = Formula.is(ProbeField.MORE_FRAGMENTS, 1);
        Formula first = Formula.is(ProbeField.FRAGMENT_OFFSET, 0);
        return switch (pool.below(3)) {
            case 0 -> new MatchDraft("frag", "--fragfirst", first, header);
            case 1 -> new MatchDraft("frag", "--fragmore", more, header);
            default -> new MatchDraft("frag", "--fraglast", more.not(), header);
        };
    }

    static MatchDraft fragmentId(ValuePool pool) {
        int low = pool.below(4);
        int high = low + pool.below(3);
        return new MatchDraft(
                "frag",
                "--fragid " + low + ":" + high,
                Formula.range(ProbeField.FRAGMENT_ID, low, high),
                Formula.is(ProbeField.FRAGMENT, 1));
    }

    static MatchDraft physicalDevice(ValuePool pool) {
        return new MatchDraft("physdev", "--physdev-in lan0", Formula.ALWAYS.not());
    }
}
