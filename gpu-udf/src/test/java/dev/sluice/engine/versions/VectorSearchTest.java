package dev.sluice.engine.versions;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.PlacedRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
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
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Versions of a base whose changes are found by vectors, and by tuples where they are many. */
class VectorSearchTest {
    private static final long BUDGET = 64 << 20;

    /** The base, looked through rule by rule. */
    private record Linear(RuleBoxes rules, HeaderLayout layout) implements Classifier {
        @Override
        public void classify(HeaderBatch headers, VerdictBatch verdicts) {
            for (int i = 0; i < headers.size(); i++) {
                verdicts.rules()[i] = first(headers, i);
            }
        }

        private int first(HeaderBatch headers, int header) {
            for (int r = 0; r < rules.size(); r++) {
                if (rules.matches(r, headers, header)) {
                    return r;
                }
            }
            return VerdictBatch.MISS;
        }

        @Override
        public Image image() {
            throw new UnsupportedOperationException("nothing is compiled");
        }

        @Override
        public long bytes() {
            return 0;
        }
    }

    /** Versions of a base that stays. */
    private static final class Versions extends VersionedSession<VersionView> {
        final PlacedRules placed;
        final VersionedRules versioned;

        /** Views whose changes were found by vectors, and by tuples. */
        int byVectors;

        int byTuples;

        Versions(RuleSet first, HeaderLayout layout) {
            placed = new PlacedRules(first);
            RuleSet rules = placed.ruleSet(first.name(), 1);
            Base base = new Base(rules, new Linear(new RuleBoxes(rules, layout), layout));
            base.buildAll(BUDGET);
            versioned = new VersionedRules(base, BUDGET);
        }

        @Override
        protected void change(RuleDelta delta) {
            versioned.apply(placed.apply(delta));
        }

        @Override
        protected VersionView acquire() {
            VersionView view = versioned.view();
            EntryVectors.View vectors = view.at().vectors();
            byVectors += vectors == null ? 0 : 1;
            byTuples += vectors == null ? 1 : 0;
            return view;
        }

        @Override
        protected void release(VersionView view) {
            view.close();
        }

        @Override
        protected LookUp submit(VersionView view, List<int[]> headers) {
            return () -> {
                HeaderBatch batch = new HeaderBatch(versioned.base().layout(), headers.size() + 3);
                headers.forEach(batch::add);
                VerdictBatch verdicts = new VerdictBatch(batch.capacity());
                view.classify(batch, verdicts);
                long[] ids = new long[headers.size()];
                for (int i = 0; i < ids.length; i++) {
                    int verdict = verdicts.rules()[i];
                    ids[i] =
                            verdict == VerdictBatch.MISS ? RuleStory.NO_RULE : view.ruleId(verdict);
                }
                return ids;
            };
        }
    }

    private static Subject versions(List<Versions> opened) {
        return Subject.ofSessions("vectors", opened, Versions::new);
    }

    @ParameterizedTest
    @EnumSource
    void everyVersionInUseAnswersAsItsRules(Shape shape) {
        ChangingRules changing = new ChangingRules(TestSeed.of(131 + shape.ordinal()), shape, 80);
        for (int step = 0; step < 60; step++) {
            changing.replace(changing.below(8), changing.below(9));
        }
        // As many come at once as vectors have no room for.
        changing.replace(0, Accelerators.STANDARD.entries() + 1);
        changing.replace(20, 20);
        List<Versions> opened = new ArrayList<>();
        SameVerdicts.assertServed(changing.story("vectors", 200), versions(opened));
        Versions versions = opened.get(0);
        assertTrue(versions.byVectors > 20, versions.byVectors + " versions by vectors");
        assertTrue(versions.byTuples > 1, versions.byTuples + " versions by tuples");
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredByEveryVersion(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), versions(new ArrayList<>()));
    }

    private static Match to(int address, int mask) {
        return new Match.Builder().field(Field.IPV4_DST, address, mask).build();
    }

    /** Rules for addresses of their own, so that halves tell them apart. */
    private static List<Rule> hosts(int count) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rules.add(new Rule(i + 1, 3, to(i << 14, -1), "permit", i + 1));
        }
        return rules;
    }

    /** Rules that no half tells, more than vectors take, come and go between rules of hosts. */
    @Test
    void someWideRulesAreFoundByVectors() {
        Random random = TestSeed.random(137);
        List<RuleDelta> updates = new ArrayList<>();
        List<Long> there = new ArrayList<>();
        for (int id = 1000; id < 1200; id++) {
            int bit = 1 << random.nextInt(32);
            Match match = to(random.nextInt(), random.nextInt(4) == 0 ? -1 << 20 : bit);
            List<Long> removes = new ArrayList<>();
            if (there.size() > 12 && id % 8 != 0) {
                removes.add(there.remove(random.nextInt(there.size())));
            }
            there.add((long) id);
            Rule rule = new Rule(id, random.nextInt(6), match, "deny", 0);
            updates.add(new RuleDelta(removes, List.of(rule)));
        }
        List<int[]> headers = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            int[] header = new int[HeaderWord.COUNT];
            header[Field.IPV4_DST.word()] = i % 3 == 0 ? i << 12 : random.nextInt();
            headers.add(header);
        }
        List<Versions> opened = new ArrayList<>();
        SameVerdicts.assertServed(
                RuleStory.of("wide", TestSeed.of(137), hosts(200), updates, headers),
                versions(opened));
        assertTrue(opened.get(0).byVectors > Accelerators.STANDARD.wide());
        assertTrue(opened.get(0).byTuples > 0);
    }

    /** Ids of the rules that a view finds for the addresses of hosts, 0 for a miss. */
    private static long[] find(VersionView view, int count) {
        HeaderBatch batch = new HeaderBatch(view.at().changes().base.layout(), count);
        for (int i = 0; i < count; i++) {
            batch.words()[i] = i << 14;
        }
        batch.size(count);
        VerdictBatch verdicts = new VerdictBatch(count);
        view.classify(batch, verdicts);
        long[] ids = new long[count];
        for (int i = 0; i < count; i++) {
            int verdict = verdicts.rules()[i];
            ids[i] = verdict == VerdictBatch.MISS ? 0 : view.ruleId(verdict);
        }
        return ids;
    }

    private static Versions ofHosts(int count) {
        RuleSet first = RuleSet.of("hosts", 1, RuleSet.DROP, hosts(count));
        return new Versions(first, HeaderLayout.of(Field.IPV4_DST.word()));
    }

    private static RuleDelta comes(int host, long id) {
        return new RuleDelta(List.of(), List.of(new Rule(id, 9, to(host << 14, -1), "deny", 0)));
    }

    /**
     * Entries are copied when their tuple's table grows; those of the vectors end all the same. In
     * all groups of them, since most headers are those of rules that nothing touches.
     */
    @Test
    void rulesThatWereCopiedToALargerTableEnd() {
        int changed = Accelerators.STANDARD.entries();
        int all = 4 * changed;
        Versions versions = ofHosts(all);
        for (int i = 0; i < changed; i++) {
            versions.change(comes(i, 10_000 + i));
        }
        VersionView before = versions.acquire();
        for (int i = 0; i < changed; i += 2) {
            versions.change(new RuleDelta(List.of(10_000L + i), List.of()));
        }
        VersionView after = versions.acquire();
        for (VersionView view : List.of(before, after)) {
            assertNotNull(view.at().vectors());
            assertEquals(changed, view.at().vectors().count());
            long[] ids = find(view, all);
            for (int i = 0; i < all; i++) {
                boolean there = i < changed && (view == before || i % 2 == 1);
                assertEquals(there ? 10_000 + i : i + 1, ids[i]);
            }
            view.close();
        }
    }

    /** Numbers of entries that ended are used again, so that rules may come and go for long. */
    @Test
    void vectorsAreMadeAnewOfWhatIsLive() {
        Versions versions = ofHosts(100);
        VersionView held = versions.acquire();
        List<VersionView> views = new ArrayList<>();
        for (int i = 0; i < 3 * Accelerators.STANDARD.entries(); i++) {
            versions.change(comes(i % 50, 10_000 + i));
            if (i >= 50) {
                versions.change(new RuleDelta(List.of(10_000L + i - 50), List.of()));
            }
            VersionView view = versions.acquire();
            assertNotNull(view.at().vectors(), "after " + i);
            if (i % 100 == 99) {
                views.add(view);
                long[] ids = find(view, 100);
                for (int host = 0; host < 100; host++) {
                    int last = i - Math.floorMod(i - host, 50);
                    assertEquals(host < 50 ? 10_000 + last : host + 1, ids[host]);
                }
            }
        }
        assertEquals(10_000 + 50, find(views.get(0), 100)[0]);
        assertEquals(1, find(held, 100)[0]);
    }

    /** A delta that does not fit is taken back, after it made more entries than vectors hold. */
    @Test
    void aDeltaThatWasTakenBackIsNotFound() {
        int hosts = Accelerators.STANDARD.entries() + 100;
        Versions versions = ofHosts(hosts);
        versions.change(comes(3, 5_000));
        List<Rule> inserts = new ArrayList<>();
        Place place = versions.placed.ruleSet("now", 1).rules().get(0).place();
        for (int i = 0; i < hosts; i++) {
            place = Place.between(null, place);
            inserts.add(new Rule(10_000 + i, 3, to(i << 14, -1), "deny", 0, place, ""));
        }
        RuleDelta misfit = new RuleDelta(List.of(5_000L, 9_999_999L), inserts);
        assertThrows(IllegalArgumentException.class, () -> versions.versioned.apply(misfit));
        inserts.add(inserts.get(0));
        RuleDelta twice = new RuleDelta(List.of(5_000L), inserts);
        assertThrows(IllegalArgumentException.class, () -> versions.versioned.apply(twice));
        versions.change(comes(4, 5_001));
        VersionView view = versions.acquire();
        long[] ids = find(view, hosts);
        for (int i = 0; i < hosts; i++) {
            assertEquals(i == 3 ? 5_000 : i == 4 ? 5_001 : i + 1, ids[i]);
        }
        VersionedRules fresh = versions.versioned.copy(view, BUDGET);
        assertArrayEquals(ids, find(fresh.view(), hosts));
        view.close();
    }

    @Test
    void rulesThatNoHalfTellsApartHaveNoVectors() {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            rules.add(new Rule(i + 1, 3, to(1 << i, 1 << i), "permit", i + 1));
        }
        RuleSet first = RuleSet.of("bits", 1, RuleSet.DROP, rules);
        Versions versions = new Versions(first, HeaderLayout.of(Field.IPV4_DST.word()));
        assertNull(versions.acquire().at().vectors());
    }
}
