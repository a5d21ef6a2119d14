package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.jspecify.annotations.Nullable;

/** Lets a checkpoint come behind some pieces of the long capture, and fails some later. */
final class FailsOnce extends CaptureFormat {
    private static final int CHECKED = 2;
    private static final AtomicInteger pieces = new AtomicInteger();
    private static final AtomicInteger restored = new AtomicInteger();
    private static final AtomicBoolean failed = new AtomicBoolean();
    private static volatile CountDownLatch checkpointed = new CountDownLatch(1);

    private static final long serialVersionUID = 1L;

    private FailsOnce(ArchiveOptions options) {
        super(options.captures(), options.rules().layout(), options.parsing(), null, null);
    }

    /**
     * Judges {@link MadeCaptures#archive} to its end, through a failure that lies behind a
     * checkpoint and some pieces that are in none.
     *
     * @param config of the cluster
     */
    static void judge(ArchiveOptions options, Configuration config) throws Exception {
        begin();
        CaptureFormat format = new FailsOnce(options);
        try (LocalFlink job =
                LocalFlink.start(env -> ArchiveJob.build(env, options, format), 2, config)) {
            long before = -1;
            while (!job.endsWithin(Duration.ofMillis(10))) {
                if (before < 0 && pieces.get() > CHECKED) {
                    before = job.figures().checkpoints();
                }
                // The second from then on has begun behind the pieces.
                if (before >= 0 && job.figures().checkpoints() >= before + 2) {
                    checkpointed.countDown();
                }
            }
            Outcomes outcomes = job.join().orElseThrow();
            assertTrue(failed.get());
            assertTrue(restored.get() > 0, "no capture was gone on with in its middle");
            assertEquals(Map.of(VerdictStatus.OK, 23_254L), outcomes.verdicts());
            assertEquals(Map.of("truncated", 21L), outcomes.deadLetters());
            assertEquals(Map.of(ArchiveCount.CLEAN, 3L), job.counts(ArchiveCount.CAPTURES));
            assertEquals(List.of(), ArchiveJob.defects(job));
        }
    }

    private static void begin() {
        pieces.set(0);
        restored.set(0);
        failed.set(false);
        checkpointed = new CountDownLatch(1);
    }

    @Override
    public BulkFormat.Reader<CapturePiece> createReader(Configuration config, FileSourceSplit split)
            throws IOException {
        return failing(super.createReader(config, split), split);
    }

    @Override
    public BulkFormat.Reader<CapturePiece> restoreReader(
            Configuration config, FileSourceSplit split) throws IOException {
        if (split.getReaderPosition().filter(at -> at.getOffset() > 0).isPresent()) {
            restored.incrementAndGet();
        }
        return failing(super.restoreReader(config, split), split);
    }

    private static BulkFormat.Reader<CapturePiece> failing(
            BulkFormat.Reader<CapturePiece> reader, FileSourceSplit split) {
        if (!split.path().getName().equals("a-long.pcap")) {
            return reader;
        }
        return new BulkFormat.Reader<>() {
            @Override
            public BulkFormat.@Nullable RecordIterator<CapturePiece> readBatch()
                    throws IOException {
                int piece = pieces.incrementAndGet();
                if (!failed.get() && piece == CHECKED + 1) {
                    awaitCheckpoint();
                }
                if (piece > CHECKED + 2 && failed.compareAndSet(false, true)) {
                    throw new IOException("made to fail");
                }
                return reader.readBatch();
            }

            @Override
            public void close() throws IOException {
                reader.close();
            }
        };
    }

    private static void awaitCheckpoint() throws IOException {
        try {
            checkpointed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
