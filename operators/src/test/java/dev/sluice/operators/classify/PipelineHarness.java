package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;

/** Harness of a pipeline alone: mailbox, worker and timer run when the test says so. */
abstract class PipelineHarness implements BatchPipeline.Output {
    static final int BATCH = 10;
    static final int IN_FLIGHT = 3;

    final Deque<Runnable> mails = new ArrayDeque<>();
    final Deque<Runnable> tasks = new ArrayDeque<>();
    final Deque<Runnable> timers = new ArrayDeque<>();
    final List<Long> delays = new ArrayList<>();

    final List<VerdictBlock> emitted = new ArrayList<>();
    final List<byte[]> messages = new ArrayList<>();
    final List<Integer> shards = new ArrayList<>();
    final List<Integer> submitted = new ArrayList<>();
    final long begunNanos = System.nanoTime();
    int answered;
    VerdictFormat format = VerdictFormat.BLOCKS;
    long maxDelayMicros = 700;

    final FakeLookup lookup = new FakeLookup(1);

    @Override
    public void emit(int shard, byte[] message) {
        shards.add(shard);
        messages.add(message);
        if (format == VerdictFormat.BLOCKS) {
            try {
                emitted.add(VerdictBlock.decode(message));
            } catch (MalformedMessageException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public void connection(Tuple2<byte[], byte[]> row) {
        throw new AssertionError("no connections are tracked");
    }

    @Override
    public void answered(int packets, long nanos) {
        assertTrue(packets > 0);
        long most = System.nanoTime() - begunNanos;
        assertTrue(nanos >= 0 && nanos <= most, nanos + " of at most " + most + " ns");
        answered++;
    }

    @Override
    public void submitted(int headers, int capacity) {
        assertEquals(BATCH, capacity);
        submitted.add(headers);
    }

    ClassifyOptions options() {
        return new ClassifyOptions(
                EngineOptions.DEFAULTS,
                BATCH,
                maxDelayMicros,
                IN_FLIGHT,
                8,
                format,
                format.defaults());
    }

    BatchPipeline pipeline() {
        BatchPipeline.Mailbox mailbox =
                new BatchPipeline.Mailbox() {
                    @Override
                    public void execute(Runnable mail) {
                        mails.add(mail);
                    }

                    /** Lets the worker go on where the mailbox would wait for it. */
                    @Override
                    public void runNext() {
                        while (mails.isEmpty()) {
                            assertFalse(tasks.isEmpty(), "the mailbox thread would wait for ever");
                            tasks.remove().run();
                        }
                        mails.remove().run();
                    }
                };
        BatchPipeline pipeline =
                new BatchPipeline(
                        options(),
                        mailbox,
                        tasks::add,
                        (micros, callback) -> {
                            delays.add(micros);
                            timers.add(callback);
                        },
                        null,
                        null,
                        null,
                        this);
        pipeline.use(lookup);
        return pipeline;
    }

    static void runAll(Deque<Runnable> queue) {
        while (!queue.isEmpty()) {
            queue.remove().run();
        }
    }

    /** The packets' numbers run from 1 on, each has the verdict that its number calls for. */
    void checkEmitted(int packets) {
        long next = 1;
        for (VerdictBlock block : emitted) {
            for (int i = 0; i < block.count(); i++, next++) {
                assertEquals(next, block.packets().get(i));
                int index = (int) block.ruleIndexes().get(i);
                assertEquals(FakeLookup.ruleOf(next), index == 0 ? -1 : block.rules()[index - 1]);
            }
        }
        assertEquals(packets + 1L, next, "packets that were emitted, and one");
    }
}
