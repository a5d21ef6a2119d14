package dev.sluice.engine.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.RulesSinceBase;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.engine.testing.VersionedSession;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every tick that is in use gets the answers of its rules, whatever was written since. */
class VersionedTuplesTest {
    /** A tick in use, and what its readers have. */
    private record Tick(int number, int[] words, int directory) {}

    /** A base that is looked through, and tuples of what changed since. */
    private static final class Ticks extends VersionedSession<Tick> {
        final RuleSet base;
        final HeaderLayout layout;
        final RulesSinceBase since;
        final VersionedTuples tuples;
        final int[] removedAt;
        final TreeMap<Integer, Integer> inUse = new TreeMap<>();
        int tick;
        int hits;
        int live;

        Ticks(RuleSet base, HeaderLayout layout) {
            this.base = base;
            this.layout = layout;
            since = new RulesSinceBase(base);
            tuples = new VersionedTuples(layout, 64 << 20);
            removedAt = new int[base.size()];
            Arrays.fill(removedAt, VersionedTuplesLayout.NEVER);
        }

        @Override
        protected void change(RuleDelta delta) {
            tick++;
            tuples.oldestTick(inUse.isEmpty() ? tick - 1 : inUse.firstKey());
            for (long id : delta.removes()) {
                int verdict = since.remove(id);
                if (verdict < base.size()) {
                    removedAt[verdict] = tick;
                } else {
                    tuples.remove(tick, verdict - base.size());
                    live--;
                }
            }
            for (Rule rule : delta.inserts()) {
                RulesSinceBase.Came came = since.insert(rule);
                tuples.insert(tick, came.slot(), rule.match(), came.precede(), came.sub());
                live++;
            }
        }

        @Override
        protected Tick acquire() {
            inUse.merge(tick, 1, Integer::sum);
            return new Tick(tick, tuples.words(), tuples.directory());
        }

        @Override
        protected void release(Tick at) {
            inUse.computeIfPresent(at.number, (t, users) -> users == 1 ? null : users - 1);
        }

        @Override
        protected LookUp submit(Tick at, List<int[]> headers) {
            return () -> {
                HeaderBatch batch = new HeaderBatch(layout, headers.size() + 3);
                headers.forEach(batch::add);
                int[] verdicts = headers.stream().mapToInt(h -> ofBase(h, at.number)).toArray();
                VersionedSearch search = VersionedSearch.get();
                search.search(at.words, at.directory, at.number, batch, verdicts, base.size());
                for (int verdict : verdicts) {
                    hits += verdict >= base.size() ? 1 : 0;
                }
                return since.ids(verdicts);
            };
        }

        private int ofBase(int[] header, int at) {
            for (int r = 0; r < base.size(); r++) {
                if (removedAt[r] > at && base.rules().get(r).match().matches(header)) {
                    return r;
                }
            }
            return VerdictBatch.MISS;
        }
    }

    /** Every session that is opened is put into a list. */
    private static Subject ticks(List<Ticks> opened) {
        return Subject.ofSessions("versioned-tuples", opened, Ticks::new);
    }

    @ParameterizedTest
    @EnumSource
    void everyTickInUseAnswersAsItsRules(Shape shape) {
        ChangingRules changing = new ChangingRules(TestSeed.of(60 + shape.ordinal()), shape, 40);
        for (int step = 0; step < 160; step++) {
            int most = changing.below(6) == 0 ? 40 : 4;
            // Grows, then shrinks.
            int more = step < 110 ? most : most / 2;
            int fewer = step < 110 ? most / 2 : most;
            changing.replace(changing.below(1 + fewer), changing.below(1 + more));
        }
        List<Ticks> opened = new ArrayList<>();
        SameVerdicts.assertServed(changing.story("ticks", 300), ticks(opened));
        Ticks ticks = opened.get(0);
        assertTrue(ticks.hits > 500, ticks.hits + " hits");
        assertTrue(ticks.tuples.tuples() > 1, "one tuple");
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredAtEveryTick(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), ticks(new ArrayList<>()));
    }

    @Test
    void manyRulesOfOneKeyAreFoundAndTheDeadLeave() {
        Match same = new Match.Builder().field(Field.IPV4_DST, 1 << 24).build();
        List<int[]> headers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int[] header = new int[HeaderWord.COUNT];
            header[Field.IPV4_DST.word()] = i < 35 ? 1 << 24 : 7;
            headers.add(header);
        }
        Random random = TestSeed.random(71);
        List<Long> there = new ArrayList<>();
        List<RuleDelta> updates = new ArrayList<>();
        for (int step = 0; step < 70; step++) {
            updates.add(ofOneKey(same, step, there, random));
        }
        List<Ticks> opened = new ArrayList<>();
        SameVerdicts.assertServed(
                RuleStory.of(
                        "one-key", TestSeed.of(71), List.of(), updates.subList(0, 60), headers),
                ticks(opened));
        Ticks ticks = opened.get(0);
        // Nobody looks into what was any more.
        updates.subList(60, 70).forEach(ticks::change);
        assertEquals(there.size(), ticks.live);
        assertEquals(there.size(), ticks.tuples.live());
        int linked = chain(ticks.tuples);
        assertTrue(linked < 2 * there.size(), linked + " entries in chains");
        assertTrue(linked >= there.size(), linked + " entries in chains");
    }

    /** Rules of one key come, and as many go once there are enough. */
    private static RuleDelta ofOneKey(Match key, int step, List<Long> there, Random random) {
        List<Rule> inserts = new ArrayList<>();
        List<Long> removes = new ArrayList<>();
        for (int c = 0; c < 40; c++) {
            if (step > 4) {
                removes.add(there.remove(random.nextInt(there.size())));
            }
            inserts.add(new Rule(40L * step + c, random.nextInt(50), key, "a", 0));
        }
        inserts.forEach(rule -> there.add(rule.id()));
        return new RuleDelta(removes, inserts);
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
    void roomThatWasMadeBeforehandIsNotMadeAgain() {
        HeaderLayout layout = HeaderLayout.of(Field.IPV4_DST.word());
        VersionedTuples before = new VersionedTuples(layout, 1 << 24);
        int[] small = before.words();
        VersionedTuples after = new VersionedTuples(layout, 1 << 24);
        insertMany(before);
        assertNotSame(small, before.words());
        after.reserve(before.spentWords(), 1000);
        int[] words = after.words();
        insertMany(after);
        assertSame(words, after.words());
        assertEquals(before.spentWords(), after.spentWords());
    }

    private static void insertMany(VersionedTuples tuples) {
        for (int i = 0; i < 1000; i++) {
            Match match = new Match.Builder().field(Field.IPV4_DST, i << 8).build();
            tuples.insert(1, i, match, 0, i);
        }
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
        Arrays.fill(verdicts, VerdictBatch.MISS);
        VersionedSearch.get().search(tuples.words(), tuples.directory(), 1, batch, verdicts, 0);
        for (int i = 0; i < inserted; i++) {
            assertEquals(i, verdicts[i]);
        }
        int missing = inserted;
        assertThrows(IllegalStateException.class, () -> tuples.remove(2, missing));
    }
}
