package dev.sluice.engine;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Rule sets and headers drawn from small domains, so that rules overlap and headers hit. */
public final class RandomRules {
    private final Random random;

    public RandomRules(long seed) {
        random = new Random(seed);
    }

    /** What kind of fields the rules use. */
    public enum Shape {
        IPV4_5_TUPLE,
        OPENFLOW,
        IPV6,
        MIXED,
        /** IPv4 5-tuples whose masks are prefixes and whose ranges are few. */
        PREFIXES,
        IPV4_ROUTES,
        IPV6_ROUTES
    }

    public RuleSet ruleSet(Shape shape, int size) {
        List<Rule> rules = new ArrayList<>();
        RuleIds ids = new RuleIds();
        int priorities = 1 + random.nextInt(2 * size + 1);
        for (int i = 0; i < size; i++) {
            Match match = match(shape);
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

    public int below(int bound) {
        return random.nextInt(bound);
    }

    private Match match(Shape shape) {
        Match.Builder b = new Match.Builder();
        if (shape == Shape.IPV4_ROUTES) {
            b.field(Field.IP_VERSION, Field.VERSION_4);
            return b.field(Field.IPV4_DST, address(), prefix()).build();
        }
        if (shape == Shape.IPV6_ROUTES) {
            b.field(Field.IP_VERSION, Field.VERSION_6);
            ipv6(b, Field.IPV6_DST);
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
