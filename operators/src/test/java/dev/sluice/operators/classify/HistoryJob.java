package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.FirstMatch;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.serving.StreamEnds;
import dev.sluice.operators.rules.topic.RuleSource;
import dev.sluice.operators.rules.topic.RuleTransaction;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.IOUtils;

/**
 * A job of one or two processes that lives through a history. Every verdict that a checkpoint has
 * made visible is compared with the oracle's on the rules of the version that it names, which a
 * plain model of the history knows.
 */
final class HistoryJob {
    static final int SHARDS = 8;

    /** Blocks of packets that a job without a backlog takes at a step. */
    private static final int BLOCKS_A_STEP = 2;

    private final HistoryModel history = new HistoryModel();

    /** Blocks of the packets topic, in order. */
    private final List<Sent> packets = new ArrayList<>();

    private OperatorHarness.Attempt attempt;
    private OperatorHarness[] tasks = {};

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
    private final Set<String> reasons = new TreeSet<>();

    private HistoryJob() {}

    /** A block of packets, the numbers of which tell the block and the header. */
    private record Sent(int shard, List<int[]> headers) {}

    /**
     * Lives through a history: something is published, the job is started, and whatever follows.
     *
     * @return the reasons of dead letters
     * @throws AssertionError if a verdict is wrong
     */
    static Set<String> live(List<HistoryStep> steps) throws Exception {
        HistoryJob job = new HistoryJob();
        try {
            for (HistoryStep step : steps) {
                job.take(step);
                for (OperatorHarness task : job.tasks) {
                    task.runMails();
                }
            }
            job.settle();
        } finally {
            job.stop();
        }
        return job.reasons;
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
                ClassifyOptions.VerdictFormat.BLOCKS,
                VerdictFields.NONE);
    }

    private void take(HistoryStep step) throws Exception {
        switch (step.word(0)) {
            case "publish" -> history.publish(step);
            case "start" -> start(step.word(1).split(","));
            case "deliver" -> {
                int subtask = step.number(1) % tasks.length;
                int end = received[subtask] + step.number(2);
                deliver(subtask, Math.min(end, history.size()));
            }
            case "packets" -> {
                if (step.headers().isEmpty()) {
                    return; // nobody sends a block of none
                }
                packets.add(new Sent(step.number(1), step.headers()));
                classify(BLOCKS_A_STEP);
            }
            case "checkpoint" -> checkpoint();
            case "failure" -> { // what came after the last checkpoint comes again
                stop();
                start(step.word(1).split(","));
            }
            default -> throw new IllegalArgumentException("there is no step " + step.word(0));
        }
    }

    /** Starts an attempt from the last checkpoint, or from the beginning. */
    private void start(String[] processes) throws Exception {
        attempt = attempt == null ? OperatorHarness.Attempt.first() : attempt.next();
        if (state == null) {
            startEnd = history.size();
        }
        OperatorHarness.Attempt elsewhere = attempt.elsewhere();
        int parallelism = processes.length;
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
                            processes[subtask].equals("here") ? attempt : elsewhere,
                            parallelism,
                            subtask);
            received[subtask] = state == null ? startEnd : stateRules;
        }
    }

    /** Reads what the job starts with and goes on with what is published while it is wanted. */
    private RuleSource bootstrap(int end) {
        return new RuleSource() {
            @Override
            public long end() {
                return end;
            }

            @Override
            public Range read(From from, long before, Taker taker) throws InterruptedException {
                for (int at = 0; at < end; at++) {
                    hand(at, taker);
                }
                return new Range(0, end);
            }

            @Override
            public void follow(long position, Follower follower) throws InterruptedException {
                for (int at = (int) position; ; at++) {
                    hand(at, follower);
                }
            }

            private void hand(int at, Taker taker) throws InterruptedException {
                taker.message(history.await(at), RuleTransaction.NO_TIME, at + 1L);
            }
        };
    }

    /** Messages of the rules topic reach a task. */
    private void deliver(int subtask, int end) throws Exception {
        while (received[subtask] < end) {
            byte[] message = history.await(received[subtask]++);
            tasks[subtask].processElement2(new StreamRecord<>(message));
        }
    }

    private void classify(int blocks) throws Exception {
        for (int b = 0; b < blocks && nextPacket < packets.size(); b++) {
            Sent block = packets.get(nextPacket);
            long[] numbers = new long[block.headers.size()];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = 1000L * nextPacket + i;
            }
            nextPacket++;
            byte[] message = Packets.block(block.shard, SHARDS, numbers, block.headers).encode();
            tasks[OperatorHarness.subtaskOf(block.shard, tasks.length)].processElement1(
                    new StreamRecord<>(Tuple2.of(block.shard, message)));
        }
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
        for (OperatorHarness task : tasks) {
            check(task);
        }
    }

    /** What a checkpoint has made visible. */
    private void check(OperatorHarness task) throws Exception {
        for (VerdictBlock block : task.blocks()) {
            check(block);
        }
        task.getOutput().clear();
        takeLetters(task);
    }

    private void takeLetters(OperatorHarness task) throws MalformedMessageException {
        var letters = task.getSideOutput(ClassifyOperator.DEAD_LETTERS);
        if (letters != null) {
            for (StreamRecord<byte[]> letter : letters) {
                reasons.add(DeadLetter.decode(letter.getValue()).reason());
            }
            letters.clear();
        }
    }

    private void check(VerdictBlock block) {
        assertEquals(HistoryModel.HISTORY, block.history());
        RuleSet rules = history.committed(block.version());
        long before = lastVersion.getOrDefault(block.shard(), -1L);
        assertTrue(
                block.version() >= before,
                "shard %d: version %d follows %d"
                        .formatted(block.shard(), block.version(), before));
        lastVersion.put(block.shard(), block.version());
        List<int[]> headers = packets.get((int) (block.packets().get(0) / 1000)).headers;
        for (int i = 0; i < block.count(); i++) {
            int[] header = headers.get((int) (block.packets().get(i) % 1000));
            int best = FirstMatch.classify(rules, header);
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

    private void stop() throws Exception {
        OperatorHarness[] stopping = tasks;
        tasks = new OperatorHarness[0];
        try {
            IOUtils.closeAll(Arrays.stream(stopping).filter(Objects::nonNull).toList());
        } finally {
            StreamEnds.await();
        }
        for (OperatorHarness task : stopping) {
            if (task != null) {
                takeLetters(task); // a task emits what is left before it ends
            }
        }
    }

    /** When nothing comes any more, the newest version judges that must be servable. */
    private void settle() throws Exception {
        long newest = history.newestServable();
        for (int subtask = 0; subtask < tasks.length; subtask++) {
            deliver(subtask, history.size());
        }
        for (OperatorHarness task : tasks) {
            while (task.version() < newest) {
                task.runMails();
                Thread.onSpinWait();
                assertFalse(Thread.interrupted(), "version " + newest + " does not come");
            }
        }
        List<Sent> once =
                List.copyOf(packets.subList(Math.max(0, packets.size() - 20), packets.size()));
        packets.addAll(once);
        classify(packets.size());
        checkpoint();
        assertEquals(packets.isEmpty(), visible == 0, "nothing is visible");
    }
}
