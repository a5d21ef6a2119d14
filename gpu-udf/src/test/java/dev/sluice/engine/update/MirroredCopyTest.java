package dev.sluice.engine.update;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The copy that follows has what the other one got, word for word, and changes only when left. */
class MirroredCopyTest {
    private static final RuleDelta NOTHING = new RuleDelta(List.of(), List.of());

    private final Random random = TestSeed.random(29);
    private final ChangingRules changing = new ChangingRules(random, this::match);

    private Match match() {
        Match.Builder match = new Match.Builder();
        match.field(Field.IPV4_SRC, random.nextInt(200) << 16, -1 << random.nextInt(20));
        if (random.nextBoolean()) {
            match.field(Field.IPV4_DST, random.nextInt() << 16, -1 << 16 + random.nextInt(16));
        }
        if (random.nextInt(4) == 0) {
            match.field(Field.IP_PROTO, random.nextInt(20));
        }
        return match.build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tuple", "merged-tuple", "bloom", "mask-filter"})
    void bothMemoriesAreTheSame(Algorithm algorithm) {
        RuleSet set = RuleSet.of("r", 1, RuleSet.DROP, changing.rules(20));
        int grown = 0;
        try (LiveClassifier live =
                Engine.live(set, HeaderLayout.complete(), EngineOptions.of(algorithm))) {
            int before = words(live).length;
            for (int step = 0; step < 120; step++) {
                if (random.nextInt(4) == 0) {
                    beside(live);
                } else {
                    live.apply(delta(step));
                }
                int[] one;
                MutableImage memory;
                try (LiveClassifier.Lease lease = live.lease()) {
                    memory = lease.memory();
                    one = Arrays.copyOf(memory.words(), memory.size());
                }
                live.apply(NOTHING);
                try (LiveClassifier.Lease lease = live.lease()) {
                    assertNotSame(memory, lease.memory());
                }
                assertArrayEquals(one, words(live), algorithm + " step " + step);
                grown += one.length > before ? 1 : 0;
                before = one.length;
            }
        }
        assertTrue(grown > 3, "memory grew only " + grown + " times");
    }

    /**
     * A delta while somebody holds the version before: it stays as it is until it is given back.
     */
    private void beside(LiveClassifier live) {
        try (LiveClassifier.Lease lease = live.lease()) {
            int[] held = Arrays.copyOf(lease.memory().words(), lease.memory().size());
            live.apply(delta(1));
            assertEquals(held.length, lease.memory().size());
            assertArrayEquals(held, Arrays.copyOf(lease.memory().words(), held.length));
        }
        live.apply(delta(1));
    }

    /** Few changes, or so many that memory is copied as a whole. */
    private RuleDelta delta(int step) {
        int most = step % 20 == 19 ? 2000 : 12;
        return changing.delta(random.nextInt(most), random.nextInt(most));
    }

    private static int[] words(LiveClassifier live) {
        try (LiveClassifier.Lease lease = live.lease()) {
            return Arrays.copyOf(lease.memory().words(), lease.memory().size());
        }
    }
}
