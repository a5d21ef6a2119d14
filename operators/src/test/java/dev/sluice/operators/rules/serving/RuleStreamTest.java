package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stream of a process with an engine that the tests hold in their hand. */
@Timeout(60)
class RuleStreamTest {
    private static final PublishedRules TOPIC = new PublishedRules("h");

    private FakeServer server = FakeServer.free();
    private final List<Subtask> leases = new ArrayList<>();
    private int servers;

    /** Clock of the pauses after refusals. */
    private LongSupplier nanoTime = System::nanoTime;

    @AfterEach
    void end() throws InterruptedException {
        server.builds.release(1 << 20);
        leases.forEach(Subtask::close);
        VersionService.awaitClosed();
        assertTrue(server.closed);
        assertEquals(0, server.open.get(), "versions that nobody closed");
    }

    /** Rule n, whose place is its number. */
    private static Rule rule(int n, int port) {
        return new Rule(
                n,
                1,
                new Match.Builder().field(Field.DST_PORT, port).build(),
                "to " + port,
                n,
                Place.of(new byte[] {(byte) n}),
                "rule " + n);
    }

    private static List<Rule> rules(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> rule(n, n)).toList();
    }

    private static VersionService.Key key() {
        return new VersionService.Key("job", "classify", UUID.randomUUID().toString(), 0);
    }

    private Subtask lease(
            VersionService.Key key, RuleStreamState state, RuleSource bootstrap, boolean reports) {
        RuleStream stream =
                RuleStream.acquire(
                        key,
                        new VersionService.Start("test", EngineOptions.DEFAULTS, 0, bootstrap),
                        state,
                        () -> {
                            servers++;
                            return server;
                        },
                        nanoTime);
        Subtask lease = Subtask.of(stream, reports);
        leases.add(lease);
        return lease;
    }

    private Subtask lease() {
        return lease(key(), RuleStreamState.EMPTY, null, true);
    }

    @SafeVarargs
    private static void send(Subtask lease, List<byte[]>... transactions) {
        for (List<byte[]> transaction : transactions) {
            transaction.forEach(message -> lease.message(message, RuleTransaction.NO_TIME));
        }
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
            assertFalse(Thread.interrupted(), "it takes too long");
        }
    }

    /** Takes versions until one comes, and closes those before. */
    private static void awaitVersion(Subtask lease, long version) {
        await(
                () -> {
                    ServedVersion taken = lease.takeNewer();
                    if (taken == null) {
                        return false;
                    }
                    taken.close();
                    return taken.version() == version;
                });
    }

    private static List<DeadLetter> awaitLetters(Subtask lease, int count) {
        List<DeadLetter> letters = new ArrayList<>();
        await(
                () -> {
                    letters.addAll(lease.deadLetters());
                    return letters.size() >= count;
                });
        return letters;
    }

    @Test
    void aSmallChangeIsAppliedAndNotBuilt() {
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 50)));
        awaitVersion(lease, 1);
        send(
                lease,
                TOPIC.delta(
                        2,
                        1,
                        new RuleDelta(
                                List.of(3L),
                                List.of(rule(60, 60).onLine(1)),
                                List.of(new LineShift(1, 1)))));
        awaitVersion(lease, 2);
        assertEquals(List.of(1L), server.built);
        assertEquals(List.of(2L), server.applied);
        assertEquals(49, server.rules().size());
        for (Rule rule : server.rules().rules()) {
            assertEquals(rule.id() == 60 ? 1 : rule.id() + 1, rule.line());
        }
    }

    @Test
    void versionsThatComeDuringABuildAreMergedIntoTheNext() {
        server = new FakeServer();
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        await(() -> lease.figures().wanted() == 1);
        send(
                lease,
                TOPIC.snapshot(2, rules(20, 40)),
                TOPIC.snapshot(3, rules(40, 60)),
                TOPIC.delta(4, 3, RuleDelta.insert(rule(70, 70))),
                TOPIC.snapshot(5, rules(60, 90)));
        await(() -> lease.figures().wanted() == 5);
        assertEquals(5, lease.figures().pending());
        server.builds.release(1);
        awaitVersion(lease, 1);
        server.builds.release(1);
        awaitVersion(lease, 5);
        assertEquals(List.of(1L, 5L), server.built);
        await(() -> lease.figures().pending() == 0);
    }

    @Test
    void smallChangesThatComeDuringABuildAreAppliedAfterIt() {
        server = new FakeServer();
        Subtask lease = lease();
        send(
                lease,
                TOPIC.snapshot(1, rules(1, 10)),
                TOPIC.delta(2, 1, RuleDelta.insert(rule(70, 70))),
                TOPIC.delta(3, 2, RuleDelta.remove(70L)));
        await(() -> lease.figures().wanted() == 3);
        server.builds.release(1);
        awaitVersion(lease, 3);
        assertEquals(1, server.built.size(), server.built.toString());
        assertEquals(9, server.rules().size());
    }

    @Test
    void aSnapshotThatIsNearlyTheSameIsAppliedAsASmallChange() {
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 100)));
        awaitVersion(lease, 1);
        List<Rule> next = new ArrayList<>();
        next.add(rule(100, 100).onLine(1));
        rules(1, 100).forEach(rule -> next.add(rule.onLine(rule.line() + 1)));
        next.remove(5);
        send(lease, TOPIC.snapshot(2, next));
        awaitVersion(lease, 2);
        assertEquals(List.of(1L), server.built);
        assertEquals(List.of(2L), server.applied);
        assertEquals(99, server.rules().size());
        server.rules()
                .rules()
                .forEach(rule -> assertEquals(rule.id() == 100 ? 1 : rule.id() + 1, rule.line()));
    }

    @Test
    void aVersionThatCannotBeServedLeavesTheOneBeforeAndTheNextComesIntoForce() {
        server.unservable.add(2L);
        server.unservable.add(3L);
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        send(lease, TOPIC.snapshot(2, rules(20, 60)));
        List<DeadLetter> letters = awaitLetters(lease, 1);
        RefusedVersion refused = RefusedVersion.of(letters.get(0)).orElseThrow();
        assertEquals(new RefusedVersion(2, "h", "version 2 is too large"), refused);
        assertNull(lease.takeNewer());
        assertEquals(2, lease.figures().wanted(), "the content follows the history");
        assertEquals(1, lease.figures().inForce());
        assertEquals(1, lease.figures().refused());
        // A change of what is not served is not served either, and can be taken back.
        send(lease, TOPIC.delta(3, 2, RuleDelta.insert(rule(70, 70))));
        assertEquals(3, RefusedVersion.of(awaitLetters(lease, 1).get(0)).orElseThrow().version());
        send(lease, TOPIC.delta(4, 3, new RuleDelta(longs(30, 60), List.of(rule(80, 80)))));
        awaitVersion(lease, 4);
        assertEquals(12, server.rules().size());
        assertEquals(List.of(), lease.deadLetters());
    }

    /** Sends a delta, and waits until it was followed and what was due was begun. */
    private static void follow(Subtask lease, long version, int rule) {
        send(lease, TOPIC.delta(version, version - 1, RuleDelta.insert(rule(rule, rule))));
        await(() -> lease.figures().wanted() == version);
    }

    private static long awaitRefusal(Subtask lease) {
        return RefusedVersion.of(awaitLetters(lease, 1).get(0)).orElseThrow().version();
    }

    @Test
    void deltasOfWhatIsRefusedAreTriedAfterPausesThatGrow() {
        AtomicLong now = new AtomicLong();
        nanoTime = now::get;
        for (long version = 2; version <= 7; version++) {
            server.unservable.add(version);
        }
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        send(lease, TOPIC.snapshot(2, rules(20, 60)));
        assertEquals(2, awaitRefusal(lease));
        follow(lease, 3, 63);
        now.set(RefusalPause.FIRST_NANOS - 1);
        follow(lease, 4, 64);
        now.incrementAndGet();
        assertEquals(4, awaitRefusal(lease));
        // It was the second: the pause is twice as long.
        now.addAndGet(2 * RefusalPause.FIRST_NANOS - 1);
        follow(lease, 5, 65);
        now.incrementAndGet();
        assertEquals(5, awaitRefusal(lease));
        // A snapshot waits for nothing and ends the pause.
        send(lease, TOPIC.snapshot(6, rules(20, 70)));
        assertEquals(6, awaitRefusal(lease));
        now.addAndGet(RefusalPause.FIRST_NANOS - 1);
        follow(lease, 7, 79);
        now.incrementAndGet();
        assertEquals(7, awaitRefusal(lease));
        now.addAndGet(2 * RefusalPause.FIRST_NANOS - 1);
        follow(lease, 8, 80);
        now.incrementAndGet();
        awaitVersion(lease, 8);
        assertEquals(List.of(1L, 2L, 4L, 5L, 6L, 7L, 8L), server.built);
    }

    @Test
    void whatWaitsAfterARefusalIsTriedAlthoughNothingMoreComes() {
        server.unservable.add(2L);
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        send(lease, TOPIC.snapshot(2, rules(20, 60)));
        assertEquals(2, awaitRefusal(lease));
        follow(lease, 3, 63);
        awaitVersion(lease, 3);
        assertEquals(List.of(1L, 2L, 3L), server.built);
    }

    private static List<Long> longs(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> (long) n).toList();
    }

    @Test
    void olderVersionsThatWereNotTriedAreTriedNewestFirst() {
        server = new FakeServer();
        server.unservable.addAll(List.of(2L, 5L, 4L));
        Subtask lease = lease();
        server.builds.release(1);
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        for (int version = 2; version <= 5; version++) {
            send(lease, TOPIC.snapshot(version, rules(20 * version, 20 * version + 15)));
        }
        await(() -> lease.figures().wanted() == 5);
        server.builds.release(10);
        awaitVersion(lease, 3);
        List<Long> letters = new ArrayList<>();
        for (DeadLetter letter : awaitLetters(lease, 3)) {
            letters.add(RefusedVersion.of(letter).orElseThrow().version());
        }
        letters.sort(null);
        assertEquals(List.of(2L, 4L, 5L), letters);
        assertTrue(
                server.built.equals(List.of(1L, 2L, 5L, 4L, 3L))
                        || server.built.equals(List.of(1L, 5L, 4L, 3L)),
                server.built.toString());
    }

    @Test
    void subtasksShareOneEngineAndDecodeEachMessageOnce() {
        VersionService.Key key = key();
        Subtask a = lease(key, RuleStreamState.EMPTY, null, true);
        Subtask b = lease(key, RuleStreamState.EMPTY, null, false);
        List<byte[]> first = TOPIC.snapshot(1, rules(1, 10));
        List<byte[]> second = TOPIC.snapshot(2, rules(20, 30));
        send(a, first, second);
        awaitVersion(a, 2);
        send(b, first);
        awaitVersion(b, 2 - 1);
        send(b, second);
        awaitVersion(b, 2);
        assertEquals(1, servers);
        assertEquals(2, server.built.size() + server.applied.size());
    }

    @Test
    void aSubtaskUsesAVersionOnlyWhenItHasReceivedItsCommit() {
        VersionService.Key key = key();
        Subtask a = lease(key, RuleStreamState.EMPTY, null, true);
        Subtask b = lease(key, RuleStreamState.EMPTY, null, false);
        List<byte[]> first = TOPIC.snapshot(1, rules(1, 10));
        List<byte[]> second = TOPIC.delta(2, 1, RuleDelta.insert(rule(11, 11)));
        send(a, first);
        send(b, first);
        awaitVersion(a, 1);
        awaitVersion(b, 1);
        send(a, second);
        awaitVersion(a, 2);
        assertNull(b.takeNewer(), "it would be judged by what comes behind its barrier");
        send(b, second.subList(0, second.size() - 1));
        assertNull(b.takeNewer());
        assertTrue(b.message(second.get(second.size() - 1), RuleTransaction.NO_TIME));
        awaitVersion(b, 2);
    }

    @Test
    void whatASubtaskThatIsHeldUpWillNotUseIsNotKept() {
        VersionService.Key key = key();
        Subtask a = lease(key, RuleStreamState.EMPTY, null, true);
        Subtask held = lease(key, RuleStreamState.EMPTY, null, false);
        send(a, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(held, 1);
        for (int version = 2; version <= 300; version++) {
            send(
                    a,
                    TOPIC.delta(
                            version,
                            version - 1,
                            version % 2 == 0
                                    ? RuleDelta.insert(rule(100, 100))
                                    : RuleDelta.remove(100L)));
        }
        awaitVersion(a, 300);
        // The version that makes room is closed just behind the one that takes its place.
        await(() -> server.open.get() <= RuleLeases.MOST);
    }

    @Test
    void theEndOfALeaseWaitsForNoBuild() throws Exception {
        server = new FakeServer();
        FakeServer first = server;
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        await(() -> first.built.size() == 1);
        lease.close();
        assertFalse(first.closed);
        server = FakeServer.free();
        Subtask next = lease(); // the next attempt
        send(next, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(next, 1);
        assertFalse(first.closed, "the build is still under way");
        first.builds.release(1);
        next.close();
        VersionService.awaitClosed();
        assertTrue(first.closed);
        assertEquals(0, first.open.get(), "what was built for nobody is not given back");
    }

    @Test
    void aCheckpointBringsTheNextAttemptToWhereThisOneWas() throws Exception {
        Subtask before = lease();
        List<byte[]> third = TOPIC.snapshot(3, rules(60, 80));
        send(before, TOPIC.snapshot(1, rules(1, 50)));
        send(before, TOPIC.delta(2, 1, RuleDelta.insert(rule(60, 60))));
        send(before, third.subList(0, third.size() - 1));
        awaitVersion(before, 2);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        Subtask after = lease(key(), state, null, true);
        awaitVersion(after, 2);
        assertEquals(50, server.rules().size());
        send(after, third.subList(third.size() - 1, third.size()));
        awaitVersion(after, 3);
        assertEquals(List.of(), after.deadLetters(), "a transaction went over the checkpoint");
    }

    @Test
    void messagesThatCameBeforeTheBarrierAreInTheCheckpointWhateverHasBeenDecoded()
            throws Exception {
        List<byte[]> all = new ArrayList<>(TOPIC.snapshot(1, rules(1, 100)));
        for (int version = 2; version <= 60; version++) {
            all.addAll(TOPIC.delta(version, version - 1, RuleDelta.remove(version - 1L)));
        }
        Subtask before = lease();
        send(before, all);
        RuleStreamState state = before.capture().state(); // somewhere among the messages
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        Subtask after = lease(key(), state, null, true);
        awaitVersion(after, 60);
        assertEquals(99 - 59, server.rules().size());
    }

    @Test
    void aCheckpointWhoseNewestVersionCannotBeServedStartsWithTheLastThatCan() throws Exception {
        server.unservable.add(3L);
        Subtask before = lease();
        send(
                before,
                TOPIC.snapshot(1, rules(1, 20)),
                TOPIC.snapshot(2, rules(30, 50)),
                TOPIC.snapshot(3, rules(60, 90)));
        awaitLetters(before, 1);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        server.unservable.add(3L);
        Subtask after = lease(key(), state, null, true);
        awaitVersion(after, 2);
        await(() -> after.figures().wanted() == 3);
        send(after, TOPIC.delta(4, 3, RuleDelta.remove(60L)));
        awaitVersion(after, 4);
        assertEquals(29, server.rules().size());
    }

    /** Goes on from a state, with an engine that may refuse version 2. */
    private RuleStreamState restarted(
            RuleStreamState state, boolean refuses, long inForce, int letters) throws Exception {
        server = FakeServer.free();
        if (refuses) {
            server.unservable.add(2L);
        }
        Subtask lease = lease(key(), state, null, true);
        awaitVersion(lease, inForce);
        await(lease::lettersComplete);
        assertEquals(letters, lease.deadLetters().size());
        RuleStreamState next = lease.capture().state();
        lease.close();
        VersionService.awaitClosed();
        return next;
    }

    @Test
    void aRefusalIsReportedOnceHoweverOftenTheJobIsRestarted() throws Exception {
        server.unservable.add(2L);
        Subtask first = lease();
        send(first, TOPIC.snapshot(1, rules(1, 20)));
        awaitVersion(first, 1);
        send(first, TOPIC.delta(2, 1, new RuleDelta(List.of(), rules(30, 50))));
        awaitLetters(first, 1);
        RuleStreamState state = first.capture().state();
        first.close();
        VersionService.awaitClosed();
        for (int restart = 0; restart < 3; restart++) {
            state = restarted(state, true, 1, 0);
        }
        // Once it was served, a refusal is news.
        state = restarted(state, false, 2, 0);
        restarted(state, true, 1, 1);
    }

    @Test
    void aVersionOnTheWayToWhatARestartBeginsWithIsNotShown() throws Exception {
        Subtask before = lease();
        send(
                before,
                TOPIC.snapshot(1, rules(1, 20)),
                TOPIC.delta(2, 1, RuleDelta.insert(rule(30, 30))));
        awaitVersion(before, 2);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        server.unservable.add(2L); // it cannot be built, and is made of version 1 once more
        Subtask[] after = new Subtask[1];
        CountDownLatch there = new CountDownLatch(1);
        List<Object> shown = new ArrayList<>();
        server.beforeApply =
                () -> {
                    try {
                        there.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    ServedVersion taken = after[0].takeNewer();
                    if (taken != null) {
                        shown.add(taken.version());
                        taken.close();
                    }
                };
        after[0] = lease(key(), state, null, true);
        there.countDown();
        awaitVersion(after[0], 2);
        assertEquals(List.of(2L, 1L), server.built);
        assertEquals(List.of(2L), server.applied);
        assertEquals(List.of(), shown, "packets of version 2 were judged by version 1");
    }

    @Test
    void malformedTransactionsAreDeadLettersAndDeltasAfterThemWait() {
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(1, rules(1, 10)));
        awaitVersion(lease, 1);
        List<byte[]> cut = TOPIC.snapshot(2, rules(20, 30));
        send(lease, List.of(cut.get(0), cut.get(cut.size() - 1)));
        send(lease, List.of("nonsense".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        send(lease, TOPIC.delta(3, 2, RuleDelta.insert(rule(11, 11))));
        List<String> reasons = awaitLetters(lease, 3).stream().map(DeadLetter::reason).toList();
        assertEquals("rules: chunk missing", reasons.get(0));
        assertEquals("rules: delta without its base", reasons.get(2));
        assertEquals(3, lease.figures().dropped());
        send(lease, TOPIC.snapshot(4, rules(1, 12)));
        awaitVersion(lease, 4);
    }

    @Test
    void aNewHistoryTakesThePlaceOfTheOneBefore() {
        Subtask lease = lease();
        send(lease, TOPIC.snapshot(7, rules(1, 10)));
        awaitVersion(lease, 7);
        send(lease, new PublishedRules("other").snapshot(1, rules(20, 40)));
        awaitVersion(lease, 1);
        await(() -> lease.figures().histories() == 1);
        assertEquals(20, server.rules().size());
    }

    @Test
    void aFreshStartBeginsWithWhatTheClientHasFixedAndTheBroadcastGoesOn() {
        server = new FakeServer();
        GivenTopic bootstrap = new GivenTopic();
        Subtask lease = lease(key(), RuleStreamState.EMPTY, bootstrap, true);
        List<byte[]> first = TOPIC.snapshot(1, rules(1, 10));
        List<byte[]> second = TOPIC.snapshot(2, rules(20, 30));
        List<byte[]> third = TOPIC.snapshot(3, rules(40, 50));
        send(lease, third); // the broadcast is ahead of the bootstrap
        bootstrap.give(first);
        bootstrap.give(second);
        await(() -> lease.figures().wanted() == 2);
        assertNull(lease.takeNewer(), "the start is not reached");
        assertEquals(List.of(), server.built);
        bootstrap.start();
        server.builds.release(1);
        awaitVersion(lease, 2);
        server.builds.release(1);
        awaitVersion(lease, 3);
        assertEquals(List.of(2L, 3L), server.built);
    }

    /** A topic that is read from the first message on; the broadcast begins earlier. */
    private static RuleSource whole(String topic, List<byte[]> messages) {
        return new GivenTopic(topic, RuleSource.ALL, () -> {}).give(messages).start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"anew", "same"})
    void aTopicThatWasMadeAnewSinceTheCheckpointIsReadBesideTheBroadcast(String topic)
            throws Exception {
        List<byte[]> old = TOPIC.snapshot(7, rules(1, 10));
        Subtask before = lease(key(), RuleStreamState.EMPTY, whole("same", old), true);
        awaitVersion(before, 7);
        RuleStreamState state = before.capture().state();
        assertEquals("same", state.topic());
        before.close();
        VersionService.awaitClosed();

        server = FakeServer.free();
        PublishedRules other = new PublishedRules("other");
        List<byte[]> fresh = new ArrayList<>(other.snapshot(1, rules(20, 40)));
        fresh.addAll(other.delta(2, 1, RuleDelta.remove(20L)));
        Subtask after = lease(key(), state, whole(topic, fresh), true);
        boolean anew = topic.equals("anew");
        awaitVersion(after, anew ? 2 : 7);
        // The broadcast goes on at the position that it had in the topic before.
        send(after, other.delta(2, 1, RuleDelta.remove(20L)));
        send(after, other.delta(3, 2, RuleDelta.remove(21L)));
        if (anew) {
            awaitVersion(after, 3);
            assertEquals(18, server.rules().size());
            assertEquals(List.of(), after.deadLetters());
            assertEquals("anew", after.capture().state().topic());
        } else {
            assertEquals(2, awaitLetters(after, 2).size());
        }
    }

    @Test
    void whereNothingIsServableTheBootstrapReadsOn() {
        server.unservable.addAll(List.of(1L, 2L));
        GivenTopic bootstrap = new GivenTopic();
        Subtask lease = lease(key(), RuleStreamState.EMPTY, bootstrap, true);
        bootstrap.give(TOPIC.snapshot(1, rules(1, 10)));
        bootstrap.start();
        assertEquals(1, awaitLetters(lease, 1).size());
        bootstrap.give(TOPIC.snapshot(2, rules(1, 11)));
        assertEquals(1, awaitLetters(lease, 1).size());
        assertEquals(-1, lease.figures().inForce());
        bootstrap.give(TOPIC.snapshot(3, rules(1, 12)));
        awaitVersion(lease, 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheBootstrapHasReadIsPassedOverWhenTheBroadcastBringsIt(boolean whole)
            throws InterruptedException {
        List<byte[]> all = new ArrayList<>();
        for (int version = 1; version <= 5; version++) {
            all.addAll(TOPIC.snapshot(version, rules(version, version + 10)));
        }
        int from = whole ? 0 : 2 * TOPIC.snapshot(1, rules(1, 11)).size();
        RuleSource bootstrap = whole("", all.subList(from, all.size()));
        Subtask lease = lease(key(), RuleStreamState.EMPTY, bootstrap, true);
        awaitVersion(lease, 5);
        send(lease, all);
        send(lease, TOPIC.delta(6, 5, RuleDelta.insert(rule(60, 60))));
        awaitVersion(lease, 6);
        assertEquals(List.of(5L), server.built);
        assertEquals(List.of(), lease.deadLetters());
        assertEquals(0, lease.figures().dropped());
    }

    @Test
    void aCheckpointNamesATopicThatWasMadeAnewOnlyWhenItHoldsItsRules() throws Exception {
        List<byte[]> old = TOPIC.snapshot(7, rules(1, 10));
        Subtask before = lease(key(), RuleStreamState.EMPTY, whole("same", old), true);
        awaitVersion(before, 7);
        RuleStreamState state = before.capture().state();
        before.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        CountDownLatch reading = new CountDownLatch(1);
        RuleSource slow = new GivenTopic("anew", RuleSource.ALL, reading::countDown);
        Subtask between = lease(key(), state, slow, true);
        reading.await();
        RuleStreamState half = between.capture().state();
        assertEquals("same", half.topic());
        between.close();
        VersionService.awaitClosed();
        server = FakeServer.free();
        List<byte[]> fresh = new PublishedRules("other").snapshot(1, rules(20, 40));
        Subtask after = lease(key(), half, whole("anew", fresh), true);
        awaitVersion(after, 1);
        assertEquals("anew", after.capture().state().topic());
        after.close();
    }

    @Test
    void aBootstrapThatFailsFailsTheTasks() {
        RuleSource broken =
                new GivenTopic(
                        "",
                        0,
                        () -> {
                            throw new IllegalStateException("no broker answers");
                        });
        Subtask lease = lease(key(), RuleStreamState.EMPTY, broken, true);
        await(
                () -> {
                    try {
                        lease.takeNewer();
                        return false;
                    } catch (IllegalStateException e) {
                        return String.valueOf(e.getCause().getMessage())
                                .equals("no broker answers");
                    }
                });
    }
}
