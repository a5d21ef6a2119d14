package dev.sluice.operators.rules.history;

import static dev.sluice.operators.rules.topic.Topic.all;
import static dev.sluice.operators.rules.topic.Topic.delta;
import static dev.sluice.operators.rules.topic.Topic.rule;
import static dev.sluice.operators.rules.topic.Topic.snapshot;
import static dev.sluice.operators.rules.topic.Topic.withoutCommit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.PlacedRules;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.operators.rules.topic.RuleBook;
import dev.sluice.operators.rules.topic.RuleRecords;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.operators.rules.topic.Topic;
import dev.sluice.operators.rules.topic.Version;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleLogTest {
    private static RuleLog fed(List<byte[]> messages) throws Exception {
        RuleLog log = new RuleLog();
        feed(log, messages);
        return log;
    }

    private static void feed(RuleLog log, List<byte[]> messages) throws Exception {
        for (byte[] message : messages) {
            log.accept(message, RuleTransaction.NO_TIME);
        }
    }

    private static void compact(RuleLog log) {
        RuleLog.Compaction compaction = log.compaction();
        if (compaction != null) {
            compaction.make().run();
        }
    }

    private static RuleLog again(RuleLog log) throws Exception {
        return restored(log.state().messages());
    }

    private static RuleLog restored(List<byte[]> state) throws Exception {
        RuleLog restored = new RuleLog();
        restored.restore(state);
        return restored;
    }

    private static List<Long> ids(@Nullable RuleSet rules) {
        return rules == null ? List.of() : rules.rules().stream().map(Rule::id).toList();
    }

    @Test
    void aNewLogIsEmptyAndSoIsItsState() throws Exception {
        assertTrue(restored(List.of()).book().isEmpty());
        assertTrue(again(new RuleLog()).book().isEmpty());
    }

    @Test
    void aRestoredLogKnowsWhatAHeartbeatHasRuledOut() throws Exception {
        RuleChange early =
                RuleChange.begin("t2", "h", 2, 1L, 100L, Kind.DELTA, "set", RuleSet.DROP);
        RuleChange open = RuleChange.begin("t2", "h", 2, 1L, null, Kind.DELTA, "set", RuleSet.DROP);
        RuleDelta delta = RuleDelta.insert(rule(2, 1, 1, 2));
        RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
        log.accept(RuleChange.heartbeat("h", 1, 100).encode(), RuleTransaction.NO_TIME);
        log.accept(RuleChange.heartbeat("other", 1, 1000).encode(), RuleTransaction.NO_TIME);
        for (RuleLog one : List.of(again(log), again(again(log)))) {
            assertEquals(100, one.book().knownNs());
            List<byte[]> messages = RuleSetMessages.delta(early, delta);
            feed(one, messages.subList(0, messages.size() - 1));
            byte[] commit = messages.get(messages.size() - 1);
            assertEquals(
                    "rules: effective time goes back",
                    assertThrows(
                                    MalformedMessageException.class,
                                    () -> one.accept(commit, RuleTransaction.NO_TIME))
                            .reason());
        }
        Version behind = null;
        for (byte[] message : RuleSetMessages.delta(open, delta)) {
            behind = log.accept(message, 50);
        }
        assertNotNull(behind);
        assertEquals(101, behind.effectiveTimeNs(), "committed at 50, ruled out up to 100");
    }

    @Test
    void aRestoredLogBeginsAtTheLastServableVersionAndKnowsTheNewest() throws Exception {
        RuleLog log =
                fed(
                        all(
                                snapshot("h", 1, rule(1, 1, 1, 1)),
                                delta("h", 2, 1, RuleDelta.insert(rule(2, 1, 1, 2))),
                                delta("h", 3, 2, RuleDelta.insert(rule(3, 1, 1, 3)))));
        log.servable("h", 2);
        for (RuleLog one : List.of(log, again(log), again(again(log)))) {
            assertEquals(List.of(1L, 2L), ids(one.servable()));
            assertEquals(2, one.servable().version());
            assertEquals(List.of(1L, 2L, 3L), ids(one.book().ruleSet()));
            assertEquals(List.of(1L), ids(one.at("h", 1)));
            assertNull(one.at("h", 9));
            assertNull(one.at("g", 1));
        }
    }

    @Test
    void whatLiesBeforeASnapshotThatIsServableIsDropped() throws Exception {
        RuleLog log = new RuleLog();
        for (int v = 1; v <= 50; v++) {
            feed(log, snapshot("h", v, rule(v, 1, 1, 1)));
            log.servable("h", v);
            assertEquals(1 + 3, log.state().messages().size());
        }
        assertNull(log.at("h", 49));
        assertEquals(List.of(50L), ids(again(log).servable()));
    }

    @Test
    void versionsThatCannotBeServedAreNotKeptBehindOneAnother() throws Exception {
        RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
        log.servable("h", 1);
        for (int v = 2; v <= 50; v++) {
            feed(log, snapshot("h", v, rule(v, 1, 1, 1)));
            log.unservable("h", v);
            assertEquals(1 + 6, log.state().messages().size());
        }
        RuleLog restored = again(log);
        assertEquals(List.of(1L), ids(restored.servable()));
        assertEquals(List.of(50L), ids(restored.book().ruleSet()));
        // A version that is still being tried is kept.
        feed(log, all(snapshot("h", 51, rule(51, 1, 1, 1)), snapshot("h", 52, rule(52, 1, 1, 1))));
        log.servable("h", 51);
        assertEquals(List.of(51L), ids(again(log).servable()));
    }

    @Test
    void deltasAreMadeASnapshotWhenTheyAreLong() throws Exception {
        RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
        String text = "x".repeat(50_000);
        int compactions = 0;
        for (int v = 2; v <= 300; v++) {
            Rule long1 = rule(1, 1, v, 1);
            Rule put = new Rule(1, 1, long1.match(), "a" + v, 1, long1.place(), text);
            feed(log, delta("h", v, v - 1, RuleDelta.insert(put)));
            log.servable("h", v);
            if (log.wantsCompaction()) {
                compact(log);
                compactions++;
                assertEquals(1 + 3, log.state().messages().size());
            }
            assertTrue(log.bytes() < 5 << 20, log.bytes() + " bytes");
        }
        assertTrue(compactions > 1);
        assertEquals("a300", again(log).servable().rules().get(0).action());
        assertEquals("a300", again(log).book().ruleSet().rules().get(0).action());
    }

    @Test
    void aStartTriesTheNewestAndFewBeforeIt() throws Exception {
        RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
        for (int v = 2; v <= 20; v++) {
            feed(log, delta("h", v, v - 1, RuleDelta.insert(rule(v, 1, 1, v))));
        }
        log.servable("h", 5);
        log.unservable("h", 18);
        log.unservable("h", 20);
        assertEquals(
                List.of(1L, 5L, 16L, 17L, 19L, 20L),
                again(log).toTry(3).stream().map(RuleLog.Held::number).toList());
        log.servable("h", 20);
        assertEquals(
                List.of(1L, 17L, 19L, 20L),
                again(log).toTry(3).stream().map(RuleLog.Held::number).toList());
    }

    /**
     * Nothing newer can be served, or was tried, for long: the log stays short all the same.
     *
     * @param everySoMany of the versions each such is said to be unservable
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1000})
    void theLogIsBoundedAlsoWhileNothingNewerCanBeServed(int everySoMany) throws Exception {
        for (long servable : new long[] {1, RuleBook.NO_VERSION}) {
            RuleLog log = fed(snapshot("h", 1, rule(1, 1, 1, 1)));
            log.servable("h", servable);
            feed(log, snapshot("h", 2, rule(1, 1, 2, 1), rule(2, 1, 2, 2)));
            log.unservable("h", 2);
            String text = "x".repeat(50_000);
            for (int v = 3; v <= 500; v++) {
                Rule put =
                        new Rule(
                                1,
                                1,
                                rule(1, 1, v).match(),
                                "a" + v,
                                1,
                                Place.of(new byte[] {1}),
                                text);
                feed(log, delta("h", v, v - 1, RuleDelta.insert(put)));
                if (v % everySoMany == 0) {
                    log.unservable("h", v);
                }
                if (log.wantsCompaction()) {
                    compact(log);
                }
                assertTrue(log.bytes() < 10 << 20, log.bytes() + " bytes");
            }
            RuleLog again = again(log);
            assertEquals("a500", again.book().ruleSet().rules().get(0).action());
            assertEquals(servable == 1 ? List.of(1L) : List.of(), ids(again.servable()));
            assertEquals("a499", again.at("h", 499).rules().get(0).action(), "it may be tried");
        }
    }

    /** The issue's own case: a start that meets an unfinished transaction says nothing of it. */
    @Test
    void anOpenTransactionGoesOnAfterARestoreWhereverTheTopicIsReadFrom() throws Exception {
        List<byte[]> first = snapshot("h", 1, rule(1, 1, 1, 1));
        List<byte[]> second = snapshot("h", 2, rule(2, 1, 1, 1));
        List<byte[]> topic = all(first, second);
        RuleLog log = fed(withoutCommit(topic));
        for (int from = 0; from < topic.size(); from++) {
            RuleLog restored = again(log);
            feed(restored, topic.subList(from, topic.size()));
            assertEquals(List.of(2L), ids(restored.book().ruleSet()), "from " + from);
        }
    }

    @Test
    void aTopicThatWasMadeAnewMeanwhileIsTaken() throws Exception {
        RuleLog restored = again(fed(snapshot("old", 9, rule(1, 1, 1, 1))));
        Version update = null;
        for (byte[] message : snapshot("new", 1, rule(2, 1, 1, 1))) {
            update = restored.accept(message, RuleTransaction.NO_TIME);
        }
        assertTrue(update.newHistory());
        assertEquals(List.of(2L), ids(restored.book().ruleSet()));
    }

    @Test
    void aTimeThatTheCommitGaveIsKept() throws Exception {
        RuleLog log = new RuleLog();
        for (byte[] message : snapshot("h", 1)) {
            log.accept(message, 500);
        }
        RuleLog restored = again(log);
        assertEquals(500, restored.book().effectiveTimeNs());
        log.servable("h", 1);
        for (byte[] message : delta("h", 2, 1, RuleDelta.insert(rule(1, 1, 1, 1)))) {
            log.accept(message, 700);
        }
        log.servable("h", 2);
        compact(log);
        assertEquals(700, again(log).book().effectiveTimeNs());
    }

    @Test
    void aStateThatIsNoneIsRefused() throws Exception {
        List<byte[]> state = fed(snapshot("h", 1, rule(1, 1, 1, 1))).state().messages();
        byte[] cut = Arrays.copyOf(state.get(0), state.get(0).length - 3);
        List<byte[]> shortHead = new ArrayList<>(state);
        shortHead.set(0, cut);
        assertThrows(MalformedMessageException.class, () -> restored(shortHead));
        assertThrows(MalformedMessageException.class, () -> restored(state.subList(0, 2)));
    }

    /** A topic of random transactions, good and bad, and what the rules are after each message. */
    private static final class Story {
        private final Random random;
        private final List<byte[]> messages = new ArrayList<>();
        private final List<@Nullable RuleSet> contents = new ArrayList<>();
        private final List<Boolean> refusals = new ArrayList<>();

        /** What the history says, by the simplest rules that there are. */
        private @Nullable RuleSet content;

        private boolean waits;
        private String history = "h0";
        private int histories = 1;
        private String pendingHistory = history;
        private long version;
        private int transactions;
        private long nextId = 1;

        Story(long seed) {
            random = new Random(seed);
        }

        private void say(byte[] message, boolean refused) {
            if (random.nextInt(15) == 0) {
                byte[] garbage = new byte[random.nextInt(40)];
                random.nextBytes(garbage);
                messages.add(random.nextBoolean() ? garbage : cut(message));
                contents.add(messages.size() == 1 ? null : contents.get(contents.size() - 1));
                refusals.add(true);
            }
            messages.add(message);
            contents.add(content);
            refusals.add(refused);
        }

        private byte[] cut(byte[] message) {
            return Arrays.copyOf(message, random.nextInt(message.length));
        }

        private RuleChange begin(Kind kind, @Nullable Long base) {
            return RuleChange.begin(
                    "t" + transactions++,
                    pendingHistory,
                    ++version,
                    base,
                    null,
                    kind,
                    "set",
                    "drop");
        }

        private List<Rule> newRules(int count) {
            List<Rule> rules = new ArrayList<>();
            Place last = null;
            for (int i = 0; i < count; i++) {
                last = Place.between(last, null);
                rules.add(rule(nextId, random.nextInt(3), (int) nextId++ % 60_000).at(last));
            }
            return rules;
        }

        void go(int steps) {
            for (int step = 0; step < steps; step++) {
                int kind = random.nextInt(12);
                if (kind == 0) {
                    pendingHistory = "h" + histories++;
                    version = 0;
                    good(begin(Kind.SNAPSHOT, null));
                } else if (kind <= 2 || content == null) {
                    good(begin(Kind.SNAPSHOT, null));
                } else if (kind <= 8) {
                    boolean right = random.nextInt(8) > 0;
                    long base = content.version() + (right ? 0 : 1 + random.nextInt(3));
                    RuleChange begin = begin(Kind.DELTA, base);
                    if (right && !waits) {
                        good(begin);
                    } else {
                        bad(RuleSetMessages.delta(begin, new RuleDelta(List.of(), List.of())));
                    }
                } else if (kind == 9) {
                    // A chunk is missing.
                    List<byte[]> cut =
                            new ArrayList<>(
                                    RuleSetMessages.snapshot(
                                            begin(Kind.SNAPSHOT, null), newRules(3)));
                    cut.remove(1);
                    bad(cut);
                } else if (kind == 10) {
                    // A publisher dies; the BEGIN of the next one says so.
                    List<byte[]> cut =
                            RuleSetMessages.snapshot(begin(Kind.SNAPSHOT, null), newRules(2));
                    for (byte[] message : withoutCommit(cut)) {
                        say(message, false);
                    }
                    waits = true;
                    List<byte[]> next =
                            RuleSetMessages.snapshot(begin(Kind.SNAPSHOT, null), newRules(2));
                    say(next.get(0), true);
                    finish(next, null);
                } else {
                    // It goes back.
                    RuleChange back =
                            RuleChange.begin(
                                    "t" + transactions++,
                                    history,
                                    version,
                                    null,
                                    null,
                                    Kind.SNAPSHOT,
                                    "set",
                                    "drop");
                    waits = true;
                    say(back.encode(), true);
                    say(RuleChange.commit(back, 0).encode(), false);
                }
            }
        }

        /** The refusal comes with the last message. */
        private void bad(List<byte[]> cut) {
            waits = true;
            for (int i = 0; i < cut.size(); i++) {
                say(cut.get(i), i == cut.size() - 1);
            }
        }

        private void good(RuleChange begin) {
            RuleSet before = content;
            if (begin.kind() == Kind.SNAPSHOT || before == null) {
                List<byte[]> messages =
                        RuleSetMessages.snapshot(begin, newRules(random.nextInt(12)));
                say(messages.get(0), false);
                finish(messages, null);
                return;
            }
            List<Rule> rules = new ArrayList<>(before.rules());
            List<Long> removes = new ArrayList<>();
            while (!rules.isEmpty() && random.nextInt(2) == 0) {
                removes.add(rules.remove(random.nextInt(rules.size())).id());
            }
            List<LineShift> shifts =
                    random.nextBoolean()
                            ? List.of()
                            : List.of(new LineShift(1 + random.nextInt(20), random.nextInt(5)));
            rules.replaceAll(rule -> rule.onLine(LineShift.shifted(shifts, rule.line())));
            List<Rule> puts = new ArrayList<>();
            for (int n = random.nextInt(4); n > 0; n--) {
                boolean change = !rules.isEmpty() && random.nextBoolean();
                Rule put = rule(nextId, 7, (int) nextId++ % 60_000);
                if (change) {
                    Rule was = rules.remove(random.nextInt(rules.size()));
                    if (puts.remove(was)) {
                        rules.add(was);
                        puts.add(was);
                        continue;
                    }
                    put = put.withId(was.id());
                }
                Place last =
                        rules.stream()
                                .filter(r -> r.priority() == 7)
                                .map(Rule::place)
                                .max(Place::compareTo)
                                .orElse(null);
                put = put.at(Place.between(last, null));
                rules.add(put);
                puts.add(put);
            }
            List<byte[]> messages =
                    RuleSetMessages.delta(begin, new RuleDelta(removes, puts, shifts));
            say(messages.get(0), false);
            finish(messages, RuleSet.of("set", version, "drop", rules));
        }

        /** Says what follows a BEGIN; the content changes with the last message. */
        private void finish(List<byte[]> messages, @Nullable RuleSet after) {
            for (byte[] message : messages.subList(1, messages.size() - 1)) {
                say(message, false);
            }
            RuleSet made = after;
            if (made == null) {
                List<Rule> rules = new ArrayList<>();
                for (byte[] message : messages) {
                    try {
                        for (RuleChange.RuleRecord put : RuleChange.decode(message).puts()) {
                            rules.add(RuleRecords.toRule(put));
                        }
                    } catch (MalformedMessageException e) {
                        throw new IllegalStateException(e);
                    }
                }
                made = RuleSet.of("set", version, "drop", rules);
                waits = false;
                history = pendingHistory;
            }
            content = made;
            say(messages.get(messages.size() - 1), false);
        }
    }

    /** The versions that a topic had, as rules and updates. */
    private static RuleStory story(Story told, long seed) {
        List<RuleSet> versions = new ArrayList<>();
        told.contents.stream().filter(Objects::nonNull).distinct().forEach(versions::add);
        List<int[]> headers = new ArrayList<>();
        for (int port = 0; port < 40; port++) {
            int[] header = new int[HeaderWord.COUNT];
            header[HeaderWord.PORTS] = port;
            header[Field.PORTS_PRESENT.word()] |= Field.PORTS_PRESENT.place(1);
            headers.add(header);
        }
        return RuleStory.ofVersions("log", seed, versions, headers);
    }

    /** A story as a topic, and a log that is restored after every transaction. */
    private static final class Restored implements Subject.Session {
        private final PlacedRules placed;
        private RuleLog log = new RuleLog();
        private long version = 1;

        Restored(RuleSet rules) throws Exception {
            placed = new PlacedRules(rules);
            List<Rule> first = placed.ruleSet("set", 1).rules();
            take(RuleSetMessages.snapshot(Topic.beginSnapshot("h", 1), first));
        }

        private void take(List<byte[]> messages) throws Exception {
            for (byte[] message : messages) {
                log.accept(message, RuleTransaction.NO_TIME);
                log = again(log);
            }
            log.servable("h", version);
            if (version % 3 == 0) {
                compact(log);
            }
            assertEquals(placed.ruleSet("set", version).rules(), log.book().ruleSet().rules());
        }

        @Override
        public void apply(RuleDelta delta) throws Exception {
            RuleDelta change = placed.apply(delta);
            version++;
            take(delta("h", version, version - 1, change));
        }

        @Override
        public long[] answers(List<int[]> headers) throws Exception {
            RuleSet rules = again(log).servable();
            int[] positions =
                    headers.stream().mapToInt(h -> FirstMatch.classify(rules, h)).toArray();
            return Subject.ids(rules, positions);
        }
    }

    private static final Subject RESTORED =
            Subject.ofSessions("restored-log", (rules, layout) -> new Restored(rules));

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreInALogThatIsRestored(Path file) throws Exception {
        SameVerdicts.assertServed(StoryFile.read(file), RESTORED);
    }

    /** Messages from a point up to another; what is refused for the first time is as told. */
    private static void follow(RuleLog log, Story story, int from, int to, int known) {
        for (int i = from; i < to; i++) {
            boolean refused = false;
            try {
                log.accept(story.messages.get(i), RuleTransaction.NO_TIME);
            } catch (MalformedMessageException e) {
                refused = true;
            }
            if (i >= known) {
                assertEquals(story.refusals.get(i), refused, "message " + i);
                assertEquals(story.contents.get(i), log.book().ruleSet(), "message " + i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void whereverAHistoryIsCutTheRulesAreWhatItSays(int seed) throws Exception {
        Story story = new Story(TestSeed.of(seed));
        story.go(60);
        DrawnStories.tell(() -> story(story, TestSeed.of(seed)), RESTORED);
        int size = story.messages.size();
        RuleLog whole = new RuleLog();
        follow(whole, story, 0, size, 0);
        Random random = new Random(TestSeed.of(100 + seed));
        for (int run = 0; run < 60; run++) {
            RuleLog log = new RuleLog();
            int at = 0;
            while (at < size) {
                int next = Math.min(size, at + 1 + random.nextInt(40));
                follow(log, story, at, next, at);
                at = next;
                if (!log.book().isEmpty() && random.nextBoolean()) {
                    log.servable(log.book().history(), log.book().version());
                }
                if (random.nextInt(3) == 0) {
                    compact(log);
                }
                log = again(log);
                int back = random.nextBoolean() ? 0 : random.nextInt(at + 1);
                RuleSet before = log.book().ruleSet();
                boolean waits = log.book().waitsForSnapshot();
                follow(log, story, at - back, at, size);
                assertEquals(before, log.book().ruleSet(), "read again from " + (at - back));
                assertEquals(waits, log.book().waitsForSnapshot());
            }
        }
        assertNotNull(whole.book().ruleSet());
        assertFalse(story.refusals.stream().noneMatch(r -> r), "nothing was refused");
    }
}
