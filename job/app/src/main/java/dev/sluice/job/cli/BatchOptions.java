package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Options of the classify operator. */
public final class BatchOptions {
    @Option(
            names = "--batch-size",
            paramLabel = "N",
            defaultValue = "8192",
            description = "Headers at which a batch goes to the engine (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1 << 20)
    private int batchSize;

    @Option(
            names = "--max-delay",
            paramLabel = "DURATION",
            defaultValue = "2ms",
            converter = Times.InMicros.class,
            description =
                    "Time from a batch's first header by which its verdicts are emitted, full or not, at least 100us (default ${DEFAULT-VALUE}; a bare number is in us).")
    @Range(shortest = "100us")
    private Duration maxDelay = Duration.ZERO;

    @Option(
            names = "--in-flight",
            paramLabel = "N",
            defaultValue = "4",
            description = "Batches under way in the engine at a time (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1024)
    private int inFlight;

    /**
     * The options.
     *
     * @param shards flow shards that single headers are spread over
     * @param format of verdicts
     * @param fields of packets that travel with verdicts
     */
    public ClassifyOptions toOptions(
            EngineOptions engine, int shards, VerdictFormat format, VerdictFields fields) {
        return new ClassifyOptions(
                engine, batchSize, maxDelay.toNanos() / 1000, inFlight, shards, format, fields);
    }
}
