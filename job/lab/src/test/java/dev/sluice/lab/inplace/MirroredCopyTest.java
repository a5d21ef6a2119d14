package dev.sluice.lab.inplace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The copy that follows has what the other one got, word for word, and changes only when left. */
class MirroredCopyTest {
    private static final RuleDelta NOTHING = new RuleDelta(List.of(), List.of());

    /** What becomes of one classifier's two copies; after each update they are compared. */
    private static final class TwoCopies implements Subject.Session {
        private final InPlaceClassifier live;
        private int updates;
        private int grown;

        TwoCopies(Algorithm algorithm, RuleSet rules) {
            live =
                    new InPlaceClassifier(
                            rules, HeaderLayout.complete(), algorithm, CompileContext.DEFAULTS);
        }

        @Override
        public void apply(RuleDelta delta) {
            int before = words().length;
            if (updates++ % 4 == 3) {
                beside(delta);
            } else {
                live.apply(delta);
            }
            int[] one;
            MutableImage memory;
            try (InPlaceClassifier.Lease lease = live.lease()) {
                memory = lease.memory();
                one = Arrays.copyOf(memory.words(), memory.size());
            }
            live.apply(NOTHING);
            try (InPlaceClassifier.Lease lease = live.lease()) {
                assertNotSame(memory, lease.memory());
            }
            assertArrayEquals(one, words(), "words of the two copies");
            grown += one.length > before ? 1 : 0;
        }

        /**
         * A delta while somebody holds the version before: it stays as it is until it is given
         * back.
         */
        private void beside(RuleDelta delta) {
            try (InPlaceClassifier.Lease lease = live.lease()) {
                int[] held = Arrays.copyOf(lease.memory().words(), lease.memory().size());
                live.apply(delta);
                assertEquals(held.length, lease.memory().size());
                assertArrayEquals(held, Arrays.copyOf(lease.memory().words(), held.length));
            }
        }

        private int[] words() {
            try (InPlaceClassifier.Lease lease = live.lease()) {
                return Arrays.copyOf(lease.memory().words(), lease.memory().size());
            }
        }

        @Override
        public long[] answers(List<int[]> headers) {
            return InPlaceSubject.answers(live, headers);
        }
    }

    private static Subject copies(Algorithm algorithm, List<TwoCopies> opened) {
        return new Subject() {
            @Override
            public String label() {
                return algorithm.label() + "-in-two-copies";
            }

            @Override
            public Session open(RuleSet rules, HeaderLayout layout) {
                opened.add(new TwoCopies(algorithm, rules));
                return opened.get(opened.size() - 1);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"tuple", "merged-tuple", "bloom", "mask-filter"})
    void bothMemoriesAreTheSame(Algorithm algorithm) {
        ChangingRules changing = new ChangingRules(TestSeed.of(29), Shape.FIREWALL, 20);
        for (int step = 0; step < 120; step++) {
            // Few changes, or so many that memory is copied as a whole.
            int most = step % 20 == 19 ? 2000 : 12;
            changing.replace(changing.below(most), changing.below(most));
        }
        List<TwoCopies> opened = new ArrayList<>();
        SameVerdicts.assertServed(changing.story("two-copies", 40), copies(algorithm, opened));
        int grown = opened.get(0).grown;
        assertTrue(grown > 3, "memory grew only " + grown + " times");
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesLeaveBothMemoriesTheSame(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        for (String label : List.of("tuple", "merged-tuple", "bloom", "mask-filter")) {
            SameVerdicts.assertServed(story, copies(Algorithm.of(label), new ArrayList<>()));
        }
    }
}
