package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;

/** The stream of a process with an engine that the tests hold in their hand. */
abstract class RuleStreamFixture {
    static final PublishedRules TOPIC = new PublishedRules("h");

    FakeServer server = FakeServer.free();
    private final List<Subtask> leases = new ArrayList<>();
    int servers;

    /** Clock of the pauses after refusals. */
    LongSupplier nanoTime = System::nanoTime;

    @AfterEach
    void end() throws InterruptedException {
        server.builds.release(1 << 20);
        leases.forEach(Subtask::close);
        VersionService.awaitClosed();
        assertTrue(server.closed);
        assertEquals(0, server.open.get(), "versions that nobody closed");
    }

    /** Rule n, whose place is its number. */
    static Rule rule(int n, int port) {
        return new Rule(
                n,
                1,
                new Match.Builder().field(Field.DST_PORT, port).build(),
                "to " + port,
                n,
                Place.of(new byte[] {(byte) n}),
                "rule " + n);
    }

    static List<Rule> rules(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> rule(n, n)).toList();
    }

    static VersionService.Key key() {
        return new VersionService.Key("job", "classify", UUID.randomUUID().toString(), 0);
    }

    Subtask lease(
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

    Subtask lease() {
        return lease(key(), RuleStreamState.EMPTY, null, true);
    }

    @SafeVarargs
    static void send(Subtask lease, List<byte[]>... transactions) {
        for (List<byte[]> transaction : transactions) {
            transaction.forEach(message -> lease.message(message, RuleTransaction.NO_TIME));
        }
    }

    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
            assertFalse(Thread.interrupted(), "it takes too long");
        }
    }

    /** Takes versions until one comes, and closes those before. */
    static void awaitVersion(Subtask lease, long version) {
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

    static List<DeadLetter> awaitLetters(Subtask lease, int count) {
        List<DeadLetter> letters = new ArrayList<>();
        await(
                () -> {
                    letters.addAll(lease.deadLetters());
                    return letters.size() >= count;
                });
        return letters;
    }
}
