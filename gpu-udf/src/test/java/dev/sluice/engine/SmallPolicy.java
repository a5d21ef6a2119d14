package dev.sluice.engine;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Rule sets that every algorithm serves, from few values, so that rules overlap. */
final class SmallPolicy {
    private SmallPolicy() {}

    /** Rules that an algorithm serves: prefixes of one address for routes, else 5-tuples. */
    static RuleSet of(Algorithm algorithm, long seed, int size) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        boolean routes = algorithm.label().equals("routes");
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Match match = routes ? route(random) : tuple(random);
            rules.add(new Rule(i + 1, random.nextInt(size), match, "to " + i % 3, i + 1));
        }
        return RuleSet.of("small", 1, RuleSet.DROP, rules);
    }

    private static Match route(SplittableRandom random) {
        return address(new Match.Builder(), Field.IPV4_DST, random).build();
    }

    private static Match tuple(SplittableRandom random) {
        Match.Builder match = new Match.Builder().field(Field.IP_VERSION, 1);
        address(match, Field.IPV4_SRC, random);
        address(match, Field.IPV4_DST, random);
        match.field(Field.IP_PROTO, random.nextBoolean() ? 6 : 17);
        if (random.nextBoolean()) {
            match.ports(Field.DST_PORT, 0, 255);
        }
        return match.build();
    }

    private static Match.Builder address(
            Match.Builder match, Field field, SplittableRandom random) {
        int length = 4 * random.nextInt(1, 8);
        int mask = -1 << 32 - length;
        int value = random.nextInt() & 0x33333333;
        return match.field(field, value & mask, mask);
    }
}
