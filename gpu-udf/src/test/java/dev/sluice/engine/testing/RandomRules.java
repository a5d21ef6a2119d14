package dev.sluice.engine.testing;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/**
 * Rules and headers from a seed: over small domains, so that rules overlap and headers hit, and in
 * the shapes that access lists, firewalls, flow tables and routers have. The same seed gives the
 * same ones. Not thread-safe.
 */
public final class RandomRules {
    private static final int[] SERVICES = {0, 22, 25, 53, 80, 123, 443, 3306, 8080, 65_535};

    private final Random random;

    /** Rules of a seed. */
    public RandomRules(long seed) {
        random = new Random(seed);
    }

    /** What kind of fields the rules use. */
    public enum Shape {
        /** Addresses under any mask, protocol, port ranges. */
        IPV4_5_TUPLE,
        /**
         * As {@link #IPV4_5_TUPLE}, and MAC addresses, VLAN, EtherType, ingress port, tunnel id.
         */
        OPENFLOW,
        IPV6,
        MIXED,
        /** IPv4 5-tuples whose masks are prefixes and whose ranges are few. */
        PREFIXES,
        /** Destination prefixes of any length. */
        IPV4_ROUTES,
        /** Destination prefixes of any length. */
        IPV6_ROUTES,
        /** Pairs of long prefixes and well-known ports, with a last rule that takes all. */
        ACCESS_LIST,
        /** Wildcards, short prefixes and wide port ranges; later fragments; TCP flags. */
        FIREWALL,
        /** Destination prefixes of a backbone's lengths, nested in each other. */
        BACKBONE,
        /** IPv4 prefixes and single ports, and no word beside: no IP version, no protocol. */
        ADDRESSES_AND_PORTS,
        /**
         * Prefixes of IPv4 and of IPv6, rules of protocol and ports for any packet, and some that
         * name one bit of the IP version or that there is none.
         */
        DUAL_STACK,
        /** Many hosts, few destinations, and for nearly each rule a range of ports of its own. */
        HOSTS_AND_RANGES;

        /** Name in stories. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Whether rules name a destination prefix and nothing else. */
        public boolean routes() {
            return this == IPV4_ROUTES || this == IPV6_ROUTES || this == BACKBONE;
        }
    }

    /** A rule set of a shape; positions of equal priority are frequent. */
    public RuleSet ruleSet(Shape shape, int size) {
        List<Rule> rules = new ArrayList<>();
        RuleIds ids = new RuleIds();
        int priorities = 1 + random.nextInt(2 * size + 1);
        for (int i = 0; i < size; i++) {
            Match match = i > 0 && i == size - 1 ? last(shape) : match(shape);
            rules.add(
                    new Rule(
                            ids.next(match, "a" + i % 3),
                            random.nextInt(priorities),
                            match,
                            "a" + i % 3,
                            i + 1));
        }
        return RuleSet.of("random", 1, RuleSet.DROP, rules);
    }

    /** One more rule. */
    public Rule rule(Shape shape, long id, int priorities) {
        return new Rule(id, random.nextInt(priorities), match(shape), "a", 0);
    }

    /** A delta: mostly one change, at times up to 40. */
    public RuleDelta delta(Shape shape, List<Rule> there, long nextId) {
        return changes(shape, there, nextId, random.nextInt(4) == 0 ? 1 + random.nextInt(40) : 1);
    }

    /**
     * A delta in which rules go, come, or are changed under their id.
     *
     * @param there rules that may go
     * @param nextId ids of rules that come: from this one on
     * @param count most changes
     */
    public RuleDelta changes(Shape shape, List<Rule> there, long nextId, int count) {
        Set<Long> removes = new LinkedHashSet<>();
        List<Rule> inserts = new ArrayList<>();
        long id = nextId;
        for (int k = 0; k < count; k++) {
            int kind = random.nextInt(9);
            if (kind < 5 && !there.isEmpty()) {
                Rule rule = there.get(random.nextInt(there.size()));
                if (removes.add(rule.id()) && kind == 4) {
                    inserts.add(rule(shape, rule.id(), 50));
                }
            } else {
                inserts.add(rule(shape, id++, 50));
            }
        }
        return new RuleDelta(List.copyOf(removes), inserts);
    }

    /**
     * A delta in which so many rules go, if there are as many, and so many come.
     *
     * @param there rules that may go
     * @param nextId ids of rules that come: from this one on
     */
    public RuleDelta replacing(
            Shape shape, List<Rule> there, long nextId, int removes, int inserts) {
        List<Rule> left = new ArrayList<>(there);
        List<Long> gone = new ArrayList<>();
        while (gone.size() < removes && !left.isEmpty()) {
            Rule last = left.remove(left.size() - 1);
            int at = random.nextInt(left.size() + 1);
            gone.add(at == left.size() ? last.id() : left.set(at, last).id());
        }
        List<Rule> come = new ArrayList<>();
        for (int i = 0; i < inserts; i++) {
            come.add(rule(shape, nextId + i, 50));
        }
        return new RuleDelta(gone, come);
    }

    /** A number from 0 up to a bound, which it does not reach. */
    public int below(int bound) {
        return random.nextInt(bound);
    }

    /** The last rule of a list: of access lists, one that takes every IPv4 packet. */
    private Match last(Shape shape) {
        return shape == Shape.ACCESS_LIST
                ? new Match.Builder().field(Field.IP_VERSION, Field.VERSION_4).build()
                : match(shape);
    }

    private Match match(Shape shape) {
        Match.Builder b = new Match.Builder();
        if (shape == Shape.ACCESS_LIST) {
            return accessList(b);
        }
        if (shape == Shape.FIREWALL) {
            return firewall(b);
        }
        if (shape == Shape.DUAL_STACK) {
            return dualStack(b);
        }
        if (shape == Shape.HOSTS_AND_RANGES) {
            return hostAndRange(b);
        }
        if (shape == Shape.BACKBONE) {
            b.field(Field.IP_VERSION, Field.VERSION_4);
            int length = Math.max(8, 24 - (int) (random.nextDouble() * random.nextInt(16)));
            length = random.nextInt(30) == 0 ? 25 + random.nextInt(8) : length;
            return b.field(Field.IPV4_DST, network(), -1 << 32 - length).build();
        }
        if (shape == Shape.IPV4_ROUTES) {
            b.field(Field.IP_VERSION, Field.VERSION_4);
            return b.field(Field.IPV4_DST, address(), prefix()).build();
        }
        if (shape == Shape.IPV6_ROUTES) {
            b.field(Field.IP_VERSION, Field.VERSION_6);
            ipv6(b, Field.IPV6_DST);
            return b.build();
        }
        if (shape == Shape.ADDRESSES_AND_PORTS) {
            b.field(Field.IPV4_SRC, address(), prefix());
            b.field(Field.IPV4_DST, address(), prefix());
            maybe(b, Field.SRC_PORT, 3, -1);
            maybe(b, Field.DST_PORT, 8, -1);
            return b.build();
        }
        if (shape == Shape.PREFIXES) {
            b.field(Field.IP_VERSION, Field.VERSION_4);
            b.field(Field.IPV4_SRC, address(), prefix());
            b.field(Field.IPV4_DST, address(), prefix());
            maybe(b, Field.IP_PROTO, 3, -1);
            if (random.nextInt(3) == 0) {
                b.ports(Field.DST_PORT, 10, 10 + random.nextInt(5));
            }
            if (random.nextInt(3) == 0) {
                b.ports(Field.SRC_PORT, 1024, 0xffff);
            }
            return b.build();
        }
        boolean v6 = shape == Shape.IPV6 || shape == Shape.MIXED && random.nextBoolean();
        if (shape == Shape.OPENFLOW) {
            maybe(b, Field.IN_PORT, 3, -1);
            if (random.nextInt(3) == 0) {
                b.mac(Field.ETH_SRC, random.nextInt(3), 0xffffffffffffL);
            }
            if (random.nextInt(3) == 0) {
                b.mac(Field.ETH_DST, (long) random.nextInt(3) << 40, 0xffffff000000L);
            }
            if (random.nextInt(3) == 0) {
                b.field(Field.VLAN_PRESENT, 1).field(Field.VLAN_ID, random.nextInt(3));
            }
            maybe(b, Field.ETH_TYPE, 2, -1);
            maybe(b, Field.TOS, 4, 0xfc);
            maybe(b, Field.TUNNEL_ID, 3, random.nextInt(3) == 0 ? 0xff : -1);
            maybe(b, Field.TTL, 3, -1);
            maybe(b, Field.MARK, 3, random.nextInt(3) == 0 ? 1 : -1);
        }
        if (v6) {
            b.field(Field.IP_VERSION, Field.VERSION_6);
            ipv6(b, Field.IPV6_SRC);
            ipv6(b, Field.IPV6_DST);
        } else {
            b.field(Field.IP_VERSION, Field.VERSION_4);
            b.field(Field.IPV4_SRC, address(), mask());
            b.field(Field.IPV4_DST, address(), mask());
        }
        maybe(b, Field.IP_PROTO, 3, -1);
        ports(b, Field.SRC_PORT);
        ports(b, Field.DST_PORT);
        return b.build();
    }

    private Match accessList(Match.Builder b) {
        b.field(Field.IP_VERSION, Field.VERSION_4);
        b.field(Field.IPV4_SRC, network(), random.nextInt(4) == 0 ? 0 : -1 << random.nextInt(9));
        b.field(Field.IPV4_DST, network(), random.nextInt(8) == 0 ? 0 : -1 << random.nextInt(9));
        boolean udp = random.nextInt(3) == 0;
        if (random.nextInt(10) > 0) {
            b.field(Field.IP_PROTO, udp ? 17 : 6);
            int port = SERVICES[random.nextInt(SERVICES.length)];
            switch (random.nextInt(6)) {
                case 0 -> {}
                case 1 -> b.ports(Field.DST_PORT, 1024, 0xffff);
                case 2 -> b.ports(Field.DST_PORT, port, Math.min(0xffff, port + 9));
                default -> b.ports(Field.DST_PORT, port, port);
            }
        }
        return b.build();
    }

    private Match hostAndRange(Match.Builder b) {
        b.field(Field.IP_VERSION, Field.VERSION_4);
        if (random.nextInt(20) > 0) {
            b.field(Field.IPV4_SRC, 10 << 24 | random.nextInt(1 << 14) << 4, -1);
        }
        b.field(Field.IPV4_DST, 11 << 24 | random.nextInt(3), random.nextInt(8) == 0 ? 0 : -1);
        maybe(b, Field.IP_PROTO, 3, -1);
        int one = random.nextInt(1 << 16);
        int other = random.nextInt(1 << 16);
        if (random.nextInt(10) > 0) {
            b.ports(Field.DST_PORT, Math.min(one, other), Math.max(one, other));
        }
        return b.build();
    }

    private Match dualStack(Match.Builder b) {
        switch (random.nextInt(10)) {
            case 0 -> maybe(b, Field.TOS, 3, -1);
            case 1 ->
                    b.field(
                            Field.IP_VERSION,
                            random.nextInt(4),
                            random.nextBoolean() ? -1 : 1 + random.nextInt(2));
            case 2, 3, 4, 5 -> {
                b.field(Field.IP_VERSION, Field.VERSION_6);
                ipv6(b, Field.IPV6_SRC);
                ipv6(b, Field.IPV6_DST);
            }
            default -> {
                b.field(Field.IP_VERSION, Field.VERSION_4);
                b.field(Field.IPV4_SRC, address(), prefix());
                b.field(Field.IPV4_DST, address(), prefix());
            }
        }
        maybe(b, Field.IP_PROTO, 3, -1);
        if (random.nextInt(3) == 0) {
            b.ports(Field.DST_PORT, 10, 10 + random.nextInt(5));
        }
        return b.build();
    }

    private Match firewall(Match.Builder b) {
        b.field(Field.IP_VERSION, Field.VERSION_4);
        if (random.nextInt(20) == 0) {
            return b.field(Field.FRAGMENT, Field.FRAGMENT_LATER).build();
        }
        if (random.nextInt(2) == 0) {
            b.field(Field.IPV4_SRC, network(), -1 << 16 + random.nextInt(9));
        }
        if (random.nextInt(2) == 0) {
            b.field(Field.IPV4_DST, network(), -1 << random.nextInt(17));
        }
        b.field(Field.IP_PROTO, random.nextInt(3) == 0 ? 17 : 6);
        if (random.nextInt(2) == 0) {
            b.ports(Field.SRC_PORT, random.nextInt(2) * 1024, random.nextBoolean() ? 0xffff : 5000);
        }
        int low = SERVICES[random.nextInt(SERVICES.length)];
        if (random.nextInt(3) > 0) {
            b.ports(Field.DST_PORT, low, low + random.nextInt(0x10000 - low));
        }
        if (random.nextInt(8) == 0) {
            b.field(Field.TCP_FLAGS, 0x02, 0x12);
        }
        return b.build();
    }

    /** An address of few networks, so that prefixes nest. */
    private int network() {
        return 10 + random.nextInt(3) << 24
                | random.nextInt(4) << 20
                | random.nextInt(16) << 12
                | random.nextInt(1 << 12);
    }

    private void maybe(Match.Builder b, Field field, int values, int mask) {
        if (random.nextInt(3) > 0) {
            b.field(field, random.nextInt(values), mask);
        }
    }

    private void ports(Match.Builder b, Field field) {
        switch (random.nextInt(4)) {
            case 0 -> {
                int low = port();
                b.ports(field, low, Math.min(0xffff, low + random.nextInt(12)));
            }
            case 1 -> {
                int port = port();
                b.ports(field, port, port);
            }
            case 2 -> b.ports(field, 1024, 0xffff);
            default -> {}
        }
    }

    private int port() {
        return random.nextInt(4) == 0 ? random.nextInt(0x10000) : random.nextInt(24);
    }

    private int address() {
        return random.nextInt(4) << 30 | random.nextInt(4) << 15 | random.nextInt(8);
    }

    private int mask() {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> random.nextBoolean() ? 0xc0000000 | 7 : 0xffff0000; // bitwise, too
            default -> -1 << random.nextInt(32);
        };
    }

    private int prefix() {
        int length = random.nextInt(33);
        return length == 0 ? 0 : -1 << 32 - length;
    }

    private void ipv6(Match.Builder b, Field field) {
        byte[] value = new byte[16];
        byte[] mask = new byte[16];
        int length = random.nextInt(9) * 16;
        for (int i = 0; i < length / 8; i++) {
            mask[i] = -1;
        }
        value[0] = (byte) random.nextInt(2);
        value[7] = (byte) random.nextInt(2);
        value[15] = (byte) random.nextInt(3);
        b.ipv6(field, value, mask);
    }

    /** A header: within a rule, one bit beside it, or random. */
    public int[] header(RuleSet rules) {
        int[] h = new int[HeaderWord.COUNT];
        for (int w = 0; w < h.length; w++) {
            h[w] = random.nextInt();
        }
        int kind = random.nextInt(4);
        if (kind < 3 && rules.size() > 0) {
            Match match = rules.rules().get(random.nextInt(rules.size())).match();
            for (int w = 0; w < h.length; w++) {
                h[w] = h[w] & ~match.mask(w) | match.value(w);
            }
            int src = inRange(match.srcPorts(), h[HeaderWord.PORTS] >>> 16);
            int dst = inRange(match.dstPorts(), h[HeaderWord.PORTS] & 0xffff);
            h[HeaderWord.PORTS] = src << 16 | dst;
            if (kind == 2) {
                h[random.nextInt(h.length)] ^= 1 << random.nextInt(32);
            }
        }
        return h;
    }

    private int inRange(int range, int otherwise) {
        int low = range >>> 16;
        int high = range & 0xffff;
        if (range == 0xffff) {
            return otherwise;
        }
        return switch (random.nextInt(4)) {
            case 0 -> low;
            case 1 -> high;
            case 2 -> high == 0xffff ? low : high + 1;
            default -> low + random.nextInt(high - low + 1);
        };
    }
}
