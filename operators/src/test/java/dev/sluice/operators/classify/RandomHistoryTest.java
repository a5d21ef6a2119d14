package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.RuleTransaction;
import dev.sluice.operators.stream.RefusedVersion;
import dev.sluice.operators.stream.RuleBootstrap;
import dev.sluice.operators.stream.StreamEnds;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A job of one or two processes lives through a random history: transactions of every kind,
 * packets, checkpoints, failures and rescalings. Every verdict that a checkpoint has made visible
 * is compared with the oracle's on the rules of the version that it names, which a plain model of
 * the history knows.
 */
@Timeout(300)
class RandomHistoryTest {
    private static final int SHARDS = 8;
    private static final int STEPS = 400;

    private final List<String> story = new ArrayList<>();
    private final HistoryModel history = new HistoryModel();

    /** Blocks of the packets topic, in order. */
    private final List<PacketBlock> packets = new ArrayList<>();

    private Random random;
    private OperatorHarness.Attempt attempt;
    private OperatorHarness[] tasks;

    /** By subtask: messages of the rules topic that it has received. */
    private int[] received;

    /** Messages of the rules topic in front of the job's start. */
    private int startEnd;

    private int nextPacket;

    /** What the last checkpoint holds; null before the first. */
    private OperatorSubtaskState state;

    private int stateTasks;
    private int statePacket;
    private int stateRules;
    private long checkpoint;

    /** By shard: version of the last verdict that is visible. */
    private final Map<Integer, Long> lastVersion = new HashMap<>();

    private long visible;

    /** Reasons of dead letters in all histories of this run. */
    private static final Set<String> REASONS = new TreeSet<>();

    @AfterAll
    static void theHistoriesHeldWhatTheyAreAbout() {
        assertTrue(
                REASONS.containsAll(
                        List.of(
                                RefusedVersion.REASON,
                                "rules: chunk missing",
                                "rules: unfinished transaction",
                                "rules: delta without its base")),
                REASONS.toString());
    }

    private static ClassifyOptions options() {
        return new ClassifyOptions(
                EngineOptions.of(Algorithm.of("bitvector"))
                        .withBudget(64 << 20)
                        .withGpu(GpuPool.Selection.OFF),
                16,
                500,
                2,
                SHARDS,
                ClassifyOptions.VerdictFormat.BLOCKS);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void everyVisibleVerdictIsThatOfTheVersionItNames(int number) throws Exception {
        long seed = TestSeed.of(number);
        random = new Random(seed);
        try {
            live();
        } catch (Throwable failure) {
            stop();
            fail("seed " + seed + ", story in " + save(seed), failure);
        }
    }

    private Path save(long seed) {
        try {
            Path file = Files.createTempFile("rule-history-" + seed + "-", ".txt");
            return Files.write(file, story);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void live() throws Exception {
        history.publish(random, HistoryModel.Kind.SNAPSHOT);
        start(1 + random.nextInt(3));
        for (int step = 0; step < STEPS; step++) {
            int dice = random.nextInt(100);
            if (dice < 25) {
                tell("publish " + history.publish(random));
            } else if (dice < 50) {
                deliver();
            } else if (dice < 90) {
                classify();
            } else if (dice < 97) {
                checkpoint();
            } else {
                breakDown();
            }
            for (OperatorHarness task : tasks) {
                task.runMails();
            }
        }
        settle();
        stop();
    }

    private void tell(String what) {
        story.add(story.size() + ": " + what);
    }

    /** Starts an attempt from the last checkpoint, or from the beginning. */
    private void start(int parallelism) throws Exception {
        attempt = attempt == null ? OperatorHarness.Attempt.first() : attempt.next();
        if (state == null) {
            startEnd = history.messages().size();
        }
        int from = state == null ? startEnd : stateRules;
        tell("start of %d tasks, rules from %d on".formatted(parallelism, from));
        OperatorHarness.Attempt elsewhere = attempt.elsewhere();
        tasks = new OperatorHarness[parallelism];
        received = new int[parallelism];
        nextPacket = statePacket;
        for (int subtask = 0; subtask < parallelism; subtask++) {
            OperatorSubtaskState part =
                    state == null
                            ? null
                            : OperatorHarness.repartition(state, stateTasks, parallelism, subtask);
            tasks[subtask] =
                    OperatorHarness.create(
                            options(),
                            bootstrap(startEnd),
                            part,
                            random.nextBoolean() ? attempt : elsewhere,
                            parallelism,
                            subtask);
            received[subtask] = from;
        }
    }

    /** Reads what the job starts with and goes on with what is published while it is wanted. */
    private RuleBootstrap bootstrap(int end) {
        List<byte[]> topic = history.messages();
        return target -> {
            int at = 0;
            while (target.wanted()) {
                if (at == end) {
                    target.startReached();
                }
                byte[] message;
                synchronized (topic) {
                    message = at < topic.size() ? topic.get(at) : null;
                }
                if (message != null) {
                    target.message(message, RuleTransaction.NO_TIME);
                    at++;
                } else {
                    Thread.sleep(1); // as a poll of the topic does
                }
            }
        };
    }

    /** Some messages of the rules topic reach a task, others later. */
    private void deliver() throws Exception {
        int subtask = random.nextInt(tasks.length);
        int most = history.messages().size() - received[subtask];
        deliver(subtask, received[subtask] + random.nextInt(most + 1));
    }

    private void deliver(int subtask, int end) throws Exception {
        while (received[subtask] < end) {
            byte[] message = history.messages().get(received[subtask]++);
            tasks[subtask].processElement2(new StreamRecord<>(message));
        }
    }

    private void classify() throws Exception {
        if (nextPacket == packets.size()) {
            packets.add(block(packets.size(), random.nextInt(SHARDS), 1 + random.nextInt(40)));
        }
        PacketBlock block = packets.get(nextPacket++);
        int subtask = OperatorHarness.subtaskOf(block.shard(), tasks.length);
        tasks[subtask].processElement1(
                new StreamRecord<>(Tuple2.of(block.shard(), block.encode())));
    }

    private PacketBlock block(int number, int shard, int count) {
        int[] addresses = new int[count];
        int[] ports = new int[count];
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) {
            addresses[i] = random.nextInt(HistoryModel.ADDRESSES) << 24;
            ports[i] = random.nextInt(HistoryModel.PORTS);
            numbers[i] = 1000L * number + i;
        }
        return new PacketBlock(
                "cap",
                0,
                shard,
                SHARDS,
                count,
                List.of(
                        Column.ofWords(HeaderWord.IPV4_SRC, addresses, 0, count),
                        Column.ofWords(HeaderWord.PORTS, ports, 0, count),
                        Column.ofLongs(Column.PACKET, numbers, 0, count)));
    }

    /** The barrier is at the same place of the broadcast for all tasks. */
    private void checkpoint() throws Exception {
        int barrier = 0;
        for (int each : received) {
            barrier = Math.max(barrier, each);
        }
        checkpoint++;
        OperatorSubtaskState[] parts = new OperatorSubtaskState[tasks.length];
        for (int subtask = 0; subtask < tasks.length; subtask++) {
            // A task that has its barrier goes on while the others wait for theirs.
            deliver(subtask, barrier);
            tasks[subtask].drain(checkpoint);
            parts[subtask] = tasks[subtask].snapshot(checkpoint, checkpoint);
        }
        state = OperatorHarness.merge(parts);
        stateTasks = tasks.length;
        stateRules = barrier;
        statePacket = nextPacket;
        tell("checkpoint %d, rules %d, packets %d".formatted(checkpoint, barrier, nextPacket));
        for (OperatorHarness task : tasks) {
            check(task);
        }
    }

    /** What a checkpoint has made visible. */
    private void check(OperatorHarness task) throws Exception {
        for (Object element : task.getOutput()) {
            if (element instanceof StreamRecord<?> record
                    && record.getValue() instanceof Tuple2<?, ?> pair) {
                check(VerdictBlock.decode((byte[]) pair.f1));
            }
        }
        task.getOutput().clear();
        var letters = task.getSideOutput(ClassifyOperator.DEAD_LETTERS);
        if (letters != null) {
            for (StreamRecord<byte[]> letter : letters) {
                REASONS.add(DeadLetter.decode(letter.getValue()).reason());
            }
            letters.clear();
        }
    }

    private void check(VerdictBlock block) {
        RuleSet rules = history.committed(block.version());
        long before = lastVersion.getOrDefault(block.shard(), -1L);
        assertTrue(
                block.version() >= before,
                "shard %d: version %d follows %d"
                        .formatted(block.shard(), block.version(), before));
        lastVersion.put(block.shard(), block.version());
        PacketBlock packet = packets.get((int) (block.packets().get(0) / 1000));
        int[] header = new int[HeaderWord.COUNT];
        for (int i = 0; i < block.count(); i++) {
            header[HeaderWord.IPV4_SRC] = (int) packet.column(HeaderWord.IPV4_SRC).get(i);
            header[HeaderWord.PORTS] = (int) packet.column(HeaderWord.PORTS).get(i);
            int best = Oracle.classify(rules, header);
            long expected = best == VerdictBatch.MISS ? -1 : rules.rules().get(best).id();
            int index = (int) block.ruleIndexes().get(i);
            assertEquals(
                    expected,
                    index == 0 ? -1 : block.rules()[index - 1],
                    "packet %d under version %d"
                            .formatted(block.packets().get(i), block.version()));
            visible++;
        }
    }

    /** The tasks fail: what came after the last checkpoint comes again. */
    private void breakDown() throws Exception {
        tell("failure");
        stop();
        start(1 + random.nextInt(3));
    }

    private void stop() throws Exception {
        for (OperatorHarness task : tasks) {
            task.close();
        }
        StreamEnds.await();
    }

    /** When nothing comes any more, the newest version judges that must be servable. */
    private void settle() throws Exception {
        long newest = history.newestServable();
        tell("the end: version %d at least".formatted(newest));
        for (int subtask = 0; subtask < tasks.length; subtask++) {
            deliver(subtask, history.messages().size());
        }
        for (OperatorHarness task : tasks) {
            while (task.version() < newest) {
                task.runMails();
                Thread.onSpinWait();
                assertFalse(Thread.interrupted(), "version " + newest + " does not come");
            }
        }
        for (int i = 0; i < 20; i++) {
            classify();
        }
        checkpoint();
        assertTrue(visible > 0);
    }
}
