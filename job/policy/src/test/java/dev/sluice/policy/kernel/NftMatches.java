package dev.sluice.policy.kernel;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Matches of nftables, drawn at random, each with the packets that tests aim at. */
final class NftMatches {
    private final ValuePool four;
    private final ValuePool six;
    private final ValuePool pool;
    private final boolean tracks;
    private final String family;
    private final List<String> sets = new ArrayList<>();

    /**
     * Match of a rule.
     *
     * @param version of the packets that can meet it; 0: both
     * @param aim what its packets have
     */
    record Drawn(String text, int version, Formula aim) {}

    /** Part of a match: what is loaded, and how to draw values of it. */
    private record Key(String text, int version, Formula needs, Supplier<Value> value) {}

    private record Value(String text, Formula aim) {}

    NftMatches(String family, ValuePool four, ValuePool six, boolean tracks) {
        this.family = family;
        this.four = four;
        this.six = six;
        this.pool = four;
        this.tracks = tracks;
    }

    /** Returns the named sets that matches use, as a table holds them. */
    List<String> sets() {
        return sets;
    }

    private boolean takes(int version) {
        return !family.equals(version == 4 ? "ip6" : "ip");
    }

    private List<Key> keys(boolean arriving) {
        List<Key> keys = new ArrayList<>();
        for (int version : new int[] {4, 6}) {
            if (takes(version)) {
                String ip = version == 4 ? "ip" : "ip6";
                keys.add(
                        new Key(
                                ip + " saddr",
                                version,
                                Formula.ALWAYS,
                                () -> address(version, true)));
                keys.add(
                        new Key(
                                ip + " daddr",
                                version,
                                Formula.ALWAYS,
                                () -> address(version, false)));
                keys.add(new Key(ip + " dscp", version, Formula.ALWAYS, this::dscp));
                keys.add(
                        new Key(
                                version == 4 ? "ip ttl" : "ip6 hoplimit",
                                version,
                                Formula.ALWAYS,
                                () -> number(ProbeField.TTL, 2, 200)));
            }
        }
        if (takes(4)) {
            keys.add(new Key("ip protocol", 4, Formula.ALWAYS, this::protocol));
            keys.add(new Key("icmp type", 4, is(1), () -> number(ProbeField.ICMP_TYPE, 0, 18)));
            keys.add(new Key("icmp code", 4, is(1), () -> number(ProbeField.ICMP_CODE, 0, 4)));
        }
        if (takes(6)) {
            keys.add(
                    new Key(
                            "icmpv6 type",
                            6,
                            is(58),
                            () -> number(ProbeField.ICMP_TYPE, 128, 143)));
            keys.add(new Key("icmpv6 code", 6, is(58), () -> number(ProbeField.ICMP_CODE, 0, 4)));
        }
        keys.add(new Key("meta l4proto", 0, Formula.ALWAYS, this::protocol));
        keys.add(new Key("tcp dport", 0, is(6), () -> port(ProbeField.DESTINATION_PORT)));
        keys.add(new Key("tcp sport", 0, is(6), () -> port(ProbeField.SOURCE_PORT)));
        keys.add(new Key("udp dport", 0, is(17), () -> port(ProbeField.DESTINATION_PORT)));
        keys.add(new Key("udp sport", 0, is(17), () -> port(ProbeField.SOURCE_PORT)));
        keys.add(
                new Key(
                        "th dport",
                        0,
                        is(pool.chance(2) ? 6 : 17),
                        () -> port(ProbeField.DESTINATION_PORT)));
        keys.add(new Key("meta mark", 0, Formula.ALWAYS, () -> number(ProbeField.MARK, 0, 3)));
        keys.add(new Key("iifname", 0, Formula.ALWAYS, () -> device(ProbeField.IN, true)));
        keys.add(new Key("oifname", 0, Formula.ALWAYS, () -> device(ProbeField.OUT, true)));
        keys.add(new Key("iif", 0, Formula.ALWAYS, () -> device(ProbeField.IN, false)));
        keys.add(new Key("oif", 0, Formula.ALWAYS, () -> device(ProbeField.OUT, false)));
        if (arriving) {
            keys.add(new Key("ether saddr", 0, Formula.ALWAYS, this::mac));
        }
        return keys;
    }

    private static Formula is(long protocol) {
        return Formula.is(ProbeField.PROTOCOL, protocol);
    }

    /** Draws a match. */
    Drawn draw(boolean arriving) {
        int kind = pool.below(20);
        if (kind == 0) {
            return flags();
        }
        if (kind == 1 && tracks) {
            return state();
        }
        if (kind == 2) {
            return special();
        }
        List<Key> keys = keys(arriving);
        Key key = pool.one(keys);
        if (kind < 6) {
            return concatenation(keys);
        }
        return compared(key);
    }

    private Drawn compared(Key key) {
        boolean negated = pool.chance(3);
        List<Value> values = new ArrayList<>();
        for (int i = pool.chance(2) ? 0 : pool.below(4); i >= 0; i--) {
            values.add(key.value().get());
        }
        Formula among = Formula.any(values.stream().map(Value::aim).toList());
        Formula aim = Formula.all(key.needs(), negated ? among.not() : among);
        String text = key.text();
        if (values.size() == 1 && pool.chance(2)) {
            return new Drawn(
                    text + (negated ? " != " : " ") + values.get(0).text(), key.version(), aim);
        }
        boolean named = pool.chance(3) && !text.equals("th dport");
        String set = named ? named(text, values) : braces(values, Value::text);
        return new Drawn(text + (negated ? " != " : " ") + set, key.version(), aim);
    }

    private static String braces(List<Value> values, Function<Value, String> text) {
        return values.stream().map(text).distinct().collect(Collectors.joining(", ", "{ ", " }"));
    }

    /** Declares a set of values and returns its reference. */
    private String named(String key, List<Value> values) {
        String name = "s" + sets.size();
        boolean ranges = !key.matches("iif|oif");
        String merge = key.contains(" . ") ? "" : "auto-merge;";
        sets.add(
                "set %s { typeof %s; %s elements = %s; }"
                        .formatted(
                                name,
                                key,
                                ranges ? "flags interval; " + merge : "",
                                braces(values, Value::text)));
        return "@" + name;
    }

    private Drawn concatenation(List<Key> keys) {
        Key first = pool.one(keys);
        Key second = pool.one(keys);
        boolean fits =
                !first.text().equals(second.text())
                        && !(first.text() + second.text()).contains("dscp")
                        && (first.version() == 0
                                || second.version() == 0
                                || first.version() == second.version())
                        && protocol(first) * protocol(second) == 0;
        if (!fits) {
            return compared(first);
        }
        List<Value> values = new ArrayList<>();
        for (int i = pool.below(3); i >= 0; i--) {
            Value one = first.value().get();
            Value two = second.value().get();
            boolean apart =
                    values.stream().noneMatch(v -> v.text().startsWith(one.text() + " "))
                            && one.text().matches("[^-/*]+");
            if (!values.isEmpty() && (!apart || values.get(0).text().matches("\\S*[-/*].*"))) {
                continue; // the kernel refuses keys that overlap
            }
            values.add(
                    new Value(one.text() + " . " + two.text(), Formula.all(one.aim(), two.aim())));
        }
        boolean negated = pool.chance(3);
        String both = first.text() + " . " + second.text();
        boolean named = pool.chance(3) && !both.matches(".*(?:th dport|\\b[io]if\\b).*");
        Formula among = Formula.any(values.stream().map(Value::aim).toList());
        return new Drawn(
                "%s %s%s"
                        .formatted(
                                both,
                                negated ? "!= " : "",
                                named ? named(both, values) : braces(values, Value::text)),
                Math.max(first.version(), second.version()),
                Formula.all(first.needs(), second.needs(), negated ? among.not() : among));
    }

    /** Returns a number of the protocol that a key is of, 0 for none. */
    private static int protocol(Key key) {
        return switch (key.text().split(" ")[0]) {
            case "tcp", "udp", "icmp", "icmpv6", "th" -> 1;
            default -> key.text().matches("meta l4proto|ip protocol") ? 1 : 0;
        };
    }

    private Value address(int version, boolean source) {
        ValuePool own = version == 4 ? four : six;
        ProbeField field = source ? ProbeField.SOURCE : ProbeField.DESTINATION;
        BigInteger low = own.address();
        if (pool.chance(3)) {
            int free = pool.below(own.bits() - 1);
            BigInteger begin = low.shiftRight(free).shiftLeft(free);
            BigInteger rest = BigInteger.ONE.shiftLeft(free).subtract(BigInteger.ONE);
            return new Value(
                    own.text(begin) + "/" + (own.bits() - free),
                    Formula.range(field, begin, begin.or(rest)));
        }
        if (pool.chance(3)) {
            BigInteger high = low.add(BigInteger.valueOf(1 + pool.below(1000)));
            if (high.bitLength() <= own.bits()) {
                return new Value(
                        own.text(low) + "-" + own.text(high), Formula.range(field, low, high));
            }
        }
        return new Value(own.text(low), Formula.range(field, low, low));
    }

    private Value number(ProbeField field, int low, int high) {
        int value = low + pool.below(high - low + 1);
        return new Value(String.valueOf(value), Formula.is(field, value));
    }

    private Value dscp() {
        int value = pool.below(63); // nft lists a set that ends with 63 as one up to 255
        return new Value("0x%02x".formatted(value), Formula.bits(ProbeField.TOS, value << 2, 0xfc));
    }

    private Value protocol() {
        int value = pool.one(List.of(1, 6, 17, 50, 58, 103));
        return new Value(String.valueOf(value), is(value));
    }

    private Value port(ProbeField field) {
        int low = pool.port();
        if (pool.chance(3) && low < 60000) {
            int high = low + 1 + pool.below(2000);
            return new Value(low + "-" + high, Formula.range(field, low, high));
        }
        return new Value(String.valueOf(low), Formula.is(field, low));
    }

    private Value mac() {
        long value = 0x020000000100L | pool.below(4);
        return new Value(
                "%012x".formatted(value).replaceAll("..(?!$)", "$0:"),
                Formula.is(ProbeField.SOURCE_MAC, value));
    }

    private Value device(ProbeField field, boolean prefix) {
        int number = pool.below(ValuePool.DEVICES.size());
        String name = ValuePool.DEVICES.get(number);
        boolean wide = prefix && pool.chance(4);
        return new Value(
                "\"" + (wide ? name.substring(0, 3) + "*" : name) + "\"",
                Formula.is(field, number));
    }

    private Drawn flags() {
        int bit = pool.below(5); // fin, syn, rst, psh, ack
        String some = List.of("fin", "syn", "rst", "psh", "ack").get(bit);
        long one = 1L << bit;
        List<Drawn> all =
                List.of(
                        flags("tcp flags " + some, one, one),
                        flags("tcp flags != " + some, one ^ 2, 0xff),
                        flags("tcp flags == syn,ack", 0x12, 0xff),
                        flags("tcp flags ! fin,rst", 0, 5),
                        flags("tcp flags & (fin|syn|rst|ack) == " + some, one & 0x17, 0x17),
                        flags("tcp flags & (fin|syn|rst|ack) != syn", 0x10, 0x17),
                        flags("tcp flags syn,ack", 0x10, 0x10),
                        flags("tcp flags syn / syn,ack", 2, 0x12),
                        flags("tcp flags { syn, syn|ack, ack }", pool.chance(2) ? 2 : 0x10, 0xff),
                        flags("tcp flags != { syn, syn|ack, ack }", 4, 0xff),
                        flags("tcp flags & (fin|syn) == (fin|syn)", 3, 3));
        return pool.one(all);
    }

    private static Drawn flags(String text, long value, long mask) {
        Formula aim = Formula.bits(ProbeField.TCP_FLAGS, value, mask);
        return new Drawn(text, 0, Formula.all(is(6), aim));
    }

    private Drawn state() {
        Formula fresh = state(ConnectionStates.NEW);
        Formula invalid = state(ConnectionStates.INVALID);
        return pool.one(
                List.of(
                        new Drawn("ct state new", 0, fresh),
                        new Drawn("ct state established,related", 0, Formula.ALWAYS),
                        new Drawn("ct state invalid,untracked", 0, invalid),
                        new Drawn("ct state != new", 0, invalid),
                        new Drawn("ct state ! established,invalid", 0, fresh),
                        new Drawn("ct state { new, untracked }", 0, fresh),
                        new Drawn("ct state != { new, untracked }", 0, invalid),
                        new Drawn("ct state & (invalid|new) != 0", 0, fresh)));
    }

    private static Formula state(int state) {
        return ConnectionStates.is(4, state);
    }

    private Drawn special() {
        List<Drawn> all = new ArrayList<>();
        all.add(new Drawn("limit rate 1000000/second burst 1000 packets", 0, Formula.ALWAYS));
        all.add(new Drawn("counter", 0, Formula.ALWAYS));
        all.add(new Drawn("meta mark & 0x0f == 2", 0, Formula.bits(ProbeField.MARK, 2, 0x0f)));
        all.add(new Drawn("meta mark & 0x30 != 0x10", 0, Formula.ALWAYS));
        all.add(
                new Drawn(
                        "tcp dport & 0x00ff == 80",
                        0,
                        Formula.all(is(6), Formula.is(ProbeField.DESTINATION_PORT, 80))));
        all.add(
                new Drawn(
                        "udp dport < 1024",
                        0,
                        Formula.all(is(17), Formula.is(ProbeField.DESTINATION_PORT, 53))));
        all.add(new Drawn("tcp sport >= 1024", 0, is(6)));
        all.add(new Drawn("meta length 100-200", 0, Formula.range(ProbeField.LENGTH, 100, 200)));
        all.add(new Drawn("meta length != 100", 0, Formula.range(ProbeField.LENGTH, 101, 999)));
        all.add(new Drawn("meta pkttype multicast", 0, Formula.is(ProbeField.PACKET_TYPE, 2)));
        all.add(new Drawn("meta pkttype != broadcast", 0, Formula.is(ProbeField.PACKET_TYPE, 1)));
        if (family.equals("inet")) {
            all.add(new Drawn("meta nfproto ipv4", 4, Formula.ALWAYS));
            all.add(new Drawn("meta nfproto != ipv4", 6, Formula.ALWAYS));
            all.add(new Drawn("meta protocol ip6", 6, Formula.ALWAYS));
            all.add(new Drawn("meta protocol != ip6", 4, Formula.ALWAYS));
        }
        if (takes(4)) {
            all.add(new Drawn("ip frag-off & 0x1fff != 0", 4, Formula.is(ProbeField.FRAGMENT, 1)));
            all.add(new Drawn("ip frag-off & 0x3fff == 0", 4, Formula.ALWAYS));
            all.add(
                    new Drawn(
                            "ip saddr & 255.0.0.1 == 10.0.0.1",
                            4,
                            Formula.bits(ProbeField.SOURCE, 0x0a000001L, 0xff000001L)));
            all.add(new Drawn("ip ttl > 100", 4, Formula.range(ProbeField.TTL, 99, 103)));
            all.add(new Drawn("ip length > 100", 4, Formula.range(ProbeField.LENGTH, 101, 999)));
            all.add(
                    new Drawn(
                            "ip length != 100-700", 4, Formula.range(ProbeField.LENGTH, 701, 999)));
            all.add(new Drawn("ip ecn ce", 4, Formula.bits(ProbeField.TOS, 3, 3)));
            all.add(new Drawn("ip ecn != not-ect", 4, Formula.bits(ProbeField.TOS, 1, 1)));
        }
        if (takes(6)) {
            all.add(new Drawn("exthdr frag exists", 6, Formula.is(ProbeField.FRAGMENT, 1)));
            all.add(new Drawn("exthdr frag missing", 6, Formula.ALWAYS));
            all.add(new Drawn("ip6 nexthdr tcp", 6, is(6)));
            all.add(new Drawn("ip6 nexthdr 44", 6, Formula.is(ProbeField.FRAGMENT, 1)));
            all.add(new Drawn("exthdr hbh missing", 6, Formula.ALWAYS));
            all.add(new Drawn("ip6 nexthdr != udp", 6, is(6)));
        }
        return pool.one(all);
    }
}
