package dev.sluice.engine.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tuples that are not looked into have nothing for a header, at every tick. */
class TuplePruningTest {
    private static final HeaderLayout LAYOUT =
            HeaderLayout.of(HeaderWord.IPV4_SRC, HeaderWord.IPV4_DST, HeaderWord.PORTS);
    private static final int HEADERS = 200;

    /** Prefixes of all lengths around the one at which all buckets are meant. */
    private static Match match(Random random) {
        Match.Builder match = new Match.Builder();
        int source = random.nextInt(6) * 5;
        int destination = 6 + random.nextInt(4) * 6;
        match.word(HeaderWord.IPV4_SRC, address(random), ones(source));
        match.word(HeaderWord.IPV4_DST, address(random), ones(destination));
        if (random.nextBoolean()) {
            match.field(Field.DST_PORT, random.nextInt(4));
        }
        return match.build();
    }

    private static int ones(int length) {
        return length == 0 ? 0 : -1 << 32 - length;
    }

    private static int address(Random random) {
        return random.nextInt(1 << 10) * 0x00404040;
    }

    private static HeaderBatch headers(Random random) {
        HeaderBatch batch = new HeaderBatch(LAYOUT, HEADERS);
        for (int i = 0; i < HEADERS; i++) {
            int[] header = new int[HeaderWord.COUNT];
            header[HeaderWord.IPV4_SRC] = address(random);
            header[HeaderWord.IPV4_DST] = address(random);
            header[HeaderWord.PORTS] = random.nextInt(4);
            batch.add(header);
        }
        return batch;
    }

    /** What is in force at a tick, and the words that its look-ups have. */
    private record View(int tick, int[] words, int directory, List<Match> bySlot) {
        int pruning() {
            return words[directory + VersionedTuplesLayout.PRUNING];
        }

        void check(HeaderBatch batch) {
            int[] verdicts = new int[HEADERS];
            Arrays.fill(verdicts, VerdictBatch.MISS);
            VersionedSearch.get().search(words, directory, tick, batch, verdicts, 0);
            int[] header = new int[HeaderWord.COUNT];
            for (int i = 0; i < HEADERS; i++) {
                for (int p = 0; p < LAYOUT.size(); p++) {
                    header[LAYOUT.word(p)] = batch.word(p, i);
                }
                int expected = VerdictBatch.MISS;
                for (int slot = 0; slot < bySlot.size() && expected < 0; slot++) {
                    Match match = bySlot.get(slot);
                    expected = match != null && match.matches(header) ? slot : expected;
                }
                assertEquals(expected, verdicts[i], "header " + i + " at tick " + tick);
            }
        }

        /** Share of headers and tuples that are looked into. */
        double share(HeaderBatch batch) {
            int tuples = words[directory + VersionedTuplesLayout.TUPLES];
            int shift = words[pruning() + VersionedTuplesLayout.PRUNING_SHIFT];
            int looks = 0;
            for (int i = 0; i < HEADERS; i++) {
                for (int t = 0; t < tuples; t++) {
                    boolean both = true;
                    for (int f = 0; f < 2; f++) {
                        int all = VersionedTuplesLayout.buckets(pruning(), f, shift) + (t >>> 5);
                        int half = batch.word(f, i) >>> 16;
                        int bits = words[all] | words[all + bucketOf(half, shift)];
                        both &= (bits >>> t & 1) != 0;
                    }
                    looks += both ? 1 : 0;
                }
            }
            return looks / (double) (HEADERS * tuples);
        }

        private static int bucketOf(int half, int shift) {
            return VersionedTuplesLayout.bucketOf(half, shift);
        }
    }

    @Test
    void everyTickFindsItsRulesWhileBlocksAreMadeAnew() {
        Random random = TestSeed.random(83);
        VersionedTuples tuples = new VersionedTuples(LAYOUT, 64 << 20);
        HeaderBatch batch = headers(random);
        List<Match> bySlot = new ArrayList<>();
        List<View> open = new ArrayList<>();
        for (int tick = 1; tick <= 24; tick++) {
            tuples.oldestTick(open.isEmpty() ? tick - 1 : open.get(0).tick);
            for (int k = 0; k < 400; k++) {
                int gone = bySlot.isEmpty() ? 0 : random.nextInt(bySlot.size());
                if (tick > 8 && bySlot.get(gone) != null) {
                    tuples.remove(tick, gone);
                    bySlot.set(gone, null);
                }
                Match match = match(random);
                tuples.insert(tick, bySlot.size(), match, 0, bySlot.size());
                bySlot.add(match);
            }
            open.add(new View(tick, tuples.words(), tuples.directory(), new ArrayList<>(bySlot)));
            open.get(open.size() - 1).check(batch);
            open.get(random.nextInt(open.size())).check(batch);
            if (open.size() > 5) {
                open.remove(1); // the first tick stays in use
            }
        }
        open.forEach(view -> view.check(batch));
        View first = open.get(0);
        View last = open.get(open.size() - 1);
        assertNotEquals(0, first.pruning());
        assertNotEquals(first.pruning(), last.pruning());
        assertTrue(first.share(batch) < 0.8, "looked into: " + first.share(batch));
        assertTrue(last.share(batch) < 0.9, "looked into: " + last.share(batch));
    }

    /** Masks none of which contains another one, more than there may be tuples. */
    @Test
    void rulesOfMoreMasksThanTuplesShareOneOfNoMask() {
        VersionedTuples tuples = new VersionedTuples(LAYOUT, 64 << 20);
        List<Match> bySlot = new ArrayList<>();
        for (int a = 0; a < 16; a++) {
            for (int b = 0; b < a; b++) {
                int mask = 1 << 16 + a | 1 << 16 + b;
                Match match =
                        new Match.Builder()
                                .word(HeaderWord.IPV4_SRC, mask, mask)
                                .word(HeaderWord.IPV4_DST, address(TestSeed.random(a)), ones(5))
                                .build();
                tuples.insert(1, bySlot.size(), match, 0, bySlot.size());
                bySlot.add(match);
            }
        }
        assertTrue(bySlot.size() > VersionedTuplesLayout.MOST_TUPLES);
        assertEquals(VersionedTuplesLayout.MOST_TUPLES, tuples.tuples());
        HeaderBatch batch = headers(TestSeed.random(84));
        new View(1, tuples.words(), tuples.directory(), List.copyOf(bySlot)).check(batch);
        List<Match> left = new ArrayList<>(bySlot);
        for (int slot = 0; slot < left.size(); slot += 2) {
            tuples.remove(2, slot);
            left.set(slot, null);
        }
        new View(2, tuples.words(), tuples.directory(), left).check(batch);
    }
}
