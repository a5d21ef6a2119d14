package dev.sluice.policy.questions;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.questions.MatchEntry.Hidden;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Headers of few bits, all of them, and random rules on these bits. */
final class SmallDomain {
    private static final int[] PROTOCOLS = {6, 17, 1, 58, 47, 132};
    private static final int PORTS = 4;

    /** Ports beyond those that rules bound, with the second bit and without. */
    private static final int[] OTHERS = {300, 302};

    private static final int[] OTHER_TYPES = {4, 6};

    private SmallDomain() {}

    /** A list, and the outcome of each owner; the last one has the default. */
    record Rules(List<MatchEntry> entries, List<String> outcomes) {}

    /** All headers that rules can tell apart. */
    static List<int[]> headers() {
        List<int[]> all = new ArrayList<>();
        all.add(new int[HeaderWord.COUNT]);
        for (int version = Field.VERSION_4; version <= Field.VERSION_6; version++) {
            for (int protocol : PROTOCOLS) {
                for (int fragment : new int[] {0, 1, 3}) {
                    for (int source = 0; source < 4; source++) {
                        for (int destination = 0; destination < 4; destination++) {
                            int[] header = new int[HeaderWord.COUNT];
                            Field.IP_VERSION.put(header, version);
                            Field.IP_PROTO.put(header, protocol);
                            Field.FRAGMENT.put(header, fragment);
                            boolean v6 = version == Field.VERSION_6;
                            header[v6 ? HeaderWord.IPV6_SRC : HeaderWord.IPV4_SRC] = source << 30;
                            header[v6 ? HeaderWord.IPV6_DST + 3 : HeaderWord.IPV4_DST] =
                                    destination << 30;
                            addTransport(all, header, protocol, v6, fragment);
                        }
                    }
                }
            }
        }
        return all;
    }

    private static void addTransport(
            List<int[]> all, int[] header, int protocol, boolean v6, int fragment) {
        boolean ported =
                protocol == 6 || protocol == 17 || protocol == 132 || protocol == (v6 ? 58 : 1);
        if (!ported || fragment == Field.FRAGMENT_LATER) {
            all.add(header);
            return;
        }
        int[] others = protocol == 1 || protocol == 58 ? OTHER_TYPES : OTHERS;
        for (int source = 0; source <= PORTS; source++) {
            for (int destination = 0; destination <= PORTS + 1; destination++) {
                for (int flags = 0; flags < (protocol == 6 ? 4 : 1); flags++) {
                    int[] one = header.clone();
                    Field.SRC_PORT.put(one, source < PORTS ? source : others[0]);
                    Field.DST_PORT.put(
                            one, destination < PORTS ? destination : others[destination - PORTS]);
                    Field.TCP_FLAGS.put(one, flags << 1);
                    all.add(one);
                }
            }
        }
    }

    /** Random rules: broad ones cut at a bound, so that several together cover others. */
    static Rules rules(Random random) {
        List<MatchEntry> entries = new ArrayList<>();
        List<String> outcomes = new ArrayList<>();
        int owners = 3 + random.nextInt(14);
        boolean plain = random.nextInt(3) > 0;
        boolean v6 = random.nextBoolean();
        boolean holes = random.nextInt(4) == 0;
        if (random.nextInt(4) == 0) {
            entries.add(new MatchEntry(match(random, v6, holes), MatchEntry.NOBODY, true, true));
        }
        boolean chains = random.nextInt(3) == 0;
        Hidden hidden = null;
        for (int owner = 0; owner < owners; owner++) {
            outcomes.add(random.nextBoolean() ? "permit" : "deny");
            boolean decides = plain || random.nextInt(8) > 0;
            for (int box = random.nextInt(4); box < 4; box += 2) {
                boolean certain = plain || random.nextInt(6) > 0;
                Match match = match(random, v6, holes);
                entries.add(new MatchEntry(match, owner, decides, certain, hidden));
            }
            if (chains && random.nextInt(3) == 0) {
                Match left = match(random, v6, holes);
                boolean certain = plain || random.nextInt(4) > 0;
                hidden = new Hidden(left, random.nextInt(owner + 1), certain, hidden);
            } else if (random.nextInt(3) == 0) {
                hidden = null; // the chain ends
            }
            if (random.nextInt(5) == 0) { // one that two of its own parts cover
                entries.addAll(halves(random, entries.get(entries.size() - 1)));
            }
        }
        outcomes.add(random.nextBoolean() ? "permit" : "deny");
        entries.add(new MatchEntry(new Match.Builder().build(), owners, true, true));
        return new Rules(entries, outcomes);
    }

    /** The boxes of a chain that is called again, later in the list. */
    private static List<MatchEntry> halves(Random random, MatchEntry of) {
        List<MatchEntry> halves = new ArrayList<>();
        for (int half = 0; half < 2; half++) {
            Match.Builder match = new Match.Builder().field(Field.IP_VERSION, Field.VERSION_4);
            match.word(HeaderWord.IPV4_SRC, half << 31, 1 << 31);
            Match both = of.match().and(match.build());
            if (both != null) {
                halves.add(
                        new MatchEntry(both, of.owner(), of.decides(), of.certain(), of.hidden()));
            }
        }
        return random.nextBoolean() ? halves : List.of();
    }

    private static Match match(Random random, boolean v6, boolean holes) {
        Match.Builder match = new Match.Builder();
        boolean six = v6 && random.nextInt(3) == 0;
        if (!v6 || random.nextInt(5) > 0) {
            match.field(Field.IP_VERSION, six ? Field.VERSION_6 : Field.VERSION_4);
            int bits = random.nextInt(3);
            int mask = holes ? random.nextInt(4) << 30 : bits == 0 ? 0 : -1 << 32 - bits;
            int source = random.nextInt(4) << 30 & mask;
            match.word(six ? HeaderWord.IPV6_SRC : HeaderWord.IPV4_SRC, source, mask);
            bits = random.nextInt(3);
            mask = holes ? random.nextInt(4) << 30 : bits == 0 ? 0 : -1 << 32 - bits;
            match.word(
                    six ? HeaderWord.IPV6_DST + 3 : HeaderWord.IPV4_DST,
                    random.nextInt(4) << 30 & mask,
                    mask);
        }
        int protocol = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
        if (random.nextInt(3) == 0) {
            match.field(Field.IP_PROTO, protocol);
            if (protocol == 6 && random.nextBoolean()) {
                int mask = 1 + random.nextInt(3);
                match.field(Field.PORTS_PRESENT, 1);
                match.field(Field.TCP_FLAGS, random.nextInt(4) << 1 & mask << 1, mask << 1);
            }
        }
        if (random.nextInt(6) == 0) {
            match.field(Field.FRAGMENT, random.nextInt(2) * 2, 2);
        }
        port(random, match, Field.SRC_PORT);
        port(random, match, Field.DST_PORT);
        if (holes && random.nextBoolean()) {
            match.field(Field.PORTS_PRESENT, 1).field(Field.DST_PORT, random.nextInt(2) * 2, 2);
        }
        return match.build();
    }

    private static void port(Random random, Match.Builder match, Field field) {
        if (random.nextInt(3) > 0) {
            return;
        }
        int bound = random.nextInt(PORTS);
        boolean below = random.nextBoolean();
        match.ports(
                field,
                below ? 0 : bound,
                below ? bound : random.nextBoolean() ? 0xffff : PORTS - 1);
    }
}
