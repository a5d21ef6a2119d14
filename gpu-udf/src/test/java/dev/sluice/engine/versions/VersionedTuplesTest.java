package dev.sluice.engine.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every tick that is in use gets the answers of its rules, whatever was written since. */
class VersionedTuplesTest {
    private static final int BASE = 40;
    private static final int HEADERS = 300;

    /** A rule as the simplest reader knows it. */
    private static final class Known {
        final Match match;
        final int precede;
        final long sub;
        final int slot;
        final int from;
        int to = VersionedTuplesLayout.NEVER;

        Known(Match match, int precede, long sub, int slot, int from) {
            this.match = match;
            this.precede = precede;
            this.sub = sub;
            this.slot = slot;
            this.from = from;
        }
    }

    /** A tick in use, and what its readers have. */
    private record Tick(int number, int[] words, int directory) {}

    /** Rules that come and go by a seed, looked up at every tick in use. */
    private static final class History {
        final Random random;
        final HeaderLayout layout;
        final VersionedTuples tuples;
        final List<Known> known = new ArrayList<>();
        final List<Known> live = new ArrayList<>();
        final List<Tick> open = new ArrayList<>();
        final List<int[]> headers;
        final HeaderBatch batch;
        final int[] base;
        int tick;
        int hits;

        History(HeaderLayout layout, List<int[]> headers, Random random) {
            this.layout = layout;
            this.random = random;
            this.tuples = new VersionedTuples(layout, 64 << 20);
            this.headers = headers;
            this.batch = new HeaderBatch(layout, headers.size() + 3);
            headers.forEach(batch::add);
            this.base = new int[headers.size()];
            for (int i = 0; i < base.length; i++) {
                base[i] = random.nextInt(BASE + 20) - 20;
                base[i] = Math.max(VerdictBatch.MISS, base[i]);
            }
        }

        void begin() {
            tick++;
            tuples.oldestTick(open.isEmpty() ? tick - 1 : open.get(0).number);
        }

        void insert(Match match) {
            int precede = random.nextInt(BASE + 1);
            long sub = random.nextLong() & Long.MAX_VALUE - 1;
            Known rule = new Known(match, precede, sub, known.size(), tick);
            known.add(rule);
            live.add(rule);
            tuples.insert(tick, rule.slot, match, precede, sub);
        }

        void remove() {
            if (!live.isEmpty()) {
                Known rule = live.remove(random.nextInt(live.size()));
                rule.to = tick;
                tuples.remove(tick, rule.slot);
            }
        }

        void publish() {
            open.add(new Tick(tick, tuples.words(), tuples.directory()));
        }

        int expected(int i, int at) {
            int best = base[i];
            Known winner = null;
            for (Known rule : known) {
                if (rule.from > at || rule.to <= at) {
                    continue;
                }
                boolean better =
                        winner == null
                                ? best == VerdictBatch.MISS || rule.precede <= best
                                : rule.precede < winner.precede
                                        || rule.precede == winner.precede && rule.sub < winner.sub;
                if (better && rule.match.matches(headers.get(i))) {
                    winner = rule;
                }
            }
            return winner == null ? best : BASE + winner.slot;
        }

        void check(Tick at) {
            int[] verdicts = base.clone();
            VersionedSearch.get().search(at.words, at.directory, at.number, batch, verdicts, BASE);
            for (int i = 0; i < verdicts.length; i++) {
                int header = i;
                assertEquals(
                        expected(i, at.number),
                        verdicts[i],
                        () -> "header " + header + " at tick " + at.number + " seen at " + tick);
                hits += verdicts[i] >= BASE ? 1 : 0;
            }
        }
    }

    private static History history(Shape shape, long seed) {
        RandomRules random = new RandomRules(seed);
        RuleSet like = random.ruleSet(shape, 400);
        List<int[]> headers = new ArrayList<>();
        for (int i = 0; i < HEADERS; i++) {
            headers.add(random.header(like));
        }
        return new History(like.layout(), headers, new Random(seed));
    }

    private static List<Match> matches(Shape shape, long seed, int count) {
        return new RandomRules(seed)
                .ruleSet(shape, count).rules().stream().map(Rule::match).toList();
    }

    @ParameterizedTest
    @EnumSource
    void everyTickInUseAnswersAsItsRules(Shape shape) {
        long seed = TestSeed.of(60 + shape.ordinal());
        History history = history(shape, seed);
        List<Match> matches = matches(shape, seed, 400);
        int checks = 0;
        for (int step = 0; step < 160; step++) {
            history.begin();
            int changes = history.random.nextInt(6) == 0 ? 40 : 3;
            for (int c = 0; c < changes; c++) {
                // Grows, then shrinks.
                if (history.random.nextInt(100) < (step < 110 ? 65 : 25)) {
                    history.insert(matches.get(history.random.nextInt(matches.size())));
                } else {
                    history.remove();
                }
            }
            history.publish();
            history.check(history.open.get(history.open.size() - 1));
            history.check(history.open.get(history.random.nextInt(history.open.size())));
            while (history.open.size() > 12 && history.random.nextInt(3) > 0) {
                // The first ticks stay in use for long, later ones go in any order.
                history.open.remove(step < 60 ? 1 + history.random.nextInt(11) : 0);
            }
            checks++;
        }
        history.open.forEach(history::check);
        assertTrue(checks == 160 && history.hits > 500, history.hits + " hits");
        assertTrue(history.tuples.tuples() > 1, "one tuple");
    }

    @Test
    void manyRulesOfOneKeyAreFoundAndTheDeadLeave() {
        Match same = new Match.Builder().field(Field.IPV4_DST, 1 << 24).build();
        List<int[]> headers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int[] header = new int[dev.sluice.schemas.header.HeaderWord.COUNT];
            header[Field.IPV4_DST.word()] = i < 35 ? 1 << 24 : 7;
            headers.add(header);
        }
        HeaderLayout layout = HeaderLayout.ofWordBits(same.usedWords());
        History history = new History(layout, headers, TestSeed.random(71));
        for (int step = 0; step < 60; step++) {
            history.begin();
            for (int c = 0; c < 40; c++) {
                history.insert(same);
                if (step > 4) {
                    history.remove();
                }
            }
            history.publish();
            history.check(history.open.get(history.open.size() - 1));
            if (history.open.size() > 3) {
                history.open.remove(0);
            }
            history.check(history.open.get(0));
        }
        assertEquals(history.live.size(), history.tuples.live());
        int linked = chain(history.tuples);
        assertTrue(linked < 2 * history.live.size(), linked + " entries in chains");
        assertTrue(linked >= history.live.size(), linked + " entries in chains");
    }

    /** Entries in all chains. */
    private static int chain(VersionedTuples tuples) {
        int[] w = tuples.words();
        int entries = 0;
        int directory = tuples.directory();
        for (int t = 0; t < w[directory + VersionedTuplesLayout.TUPLES]; t++) {
            int record = w[directory + VersionedTuplesLayout.RECORDS + t];
            int size = 1 << 32 - w[record + VersionedTuplesLayout.SHIFT];
            int table = w[record + VersionedTuplesLayout.TABLE];
            for (int head = table; head < table + size; head++) {
                for (int e = w[head]; e != 0; e = w[e + VersionedTuplesLayout.NEXT]) {
                    entries++;
                }
            }
        }
        return entries;
    }

    @Test
    void whatPassesTheBudgetChangesNothing() {
        HeaderLayout layout = HeaderLayout.of(Field.IPV4_DST.word());
        VersionedTuples tuples = new VersionedTuples(layout, 40_000);
        int inserted = 0;
        List<Match> matches = new ArrayList<>();
        try {
            for (; inserted < 1000; inserted++) {
                matches.add(new Match.Builder().field(Field.IPV4_DST, inserted << 8).build());
                tuples.insert(1, inserted, matches.get(inserted), 0, inserted);
            }
        } catch (MemoryBudgetException e) {
            assertTrue(e.getMessage().contains("overlay"), e.getMessage());
        }
        assertTrue(inserted > 50 && inserted < 1000, inserted + " fit");
        HeaderBatch batch = new HeaderBatch(layout, inserted);
        for (int i = 0; i < inserted; i++) {
            batch.words()[i] = i << 8;
        }
        batch.size(inserted);
        int[] verdicts = new int[inserted];
        java.util.Arrays.fill(verdicts, VerdictBatch.MISS);
        VersionedSearch.get().search(tuples.words(), tuples.directory(), 1, batch, verdicts, 0);
        for (int i = 0; i < inserted; i++) {
            assertEquals(i, verdicts[i]);
        }
        int missing = inserted;
        assertThrows(IllegalStateException.class, () -> tuples.remove(2, missing));
    }
}
