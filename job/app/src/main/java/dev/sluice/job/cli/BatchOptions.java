package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.UsageException;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.Option;

/** Options of the classify operator. */
public final class BatchOptions {
    @Option(
            names = "--batch-size",
            paramLabel = "N",
            defaultValue = "8192",
            description = "Headers at which a batch goes to the engine (default ${DEFAULT-VALUE}).")
    private int batchSize;

    @Option(
            names = "--max-delay",
            paramLabel = "DURATION",
            defaultValue = "2ms",
            converter = Times.Written.class,
            description =
                    "Time after its first header at which a batch's verdicts are to leave, full or not, at least 100us (default ${DEFAULT-VALUE}; a bare number is in us).")
    private String maxDelay = "";

    @Option(
            names = "--in-flight",
            paramLabel = "N",
            defaultValue = "4",
            description = "Batches with the engine at a time (default ${DEFAULT-VALUE}).")
    private int inFlight;

    /**
     * The options, read and checked.
     *
     * @param shards flow shards that single headers are spread over
     * @param format what verdicts are emitted as
     * @param fields what travels with them
     * @throws UsageException naming option, value and range
     */
    public ClassifyOptions toOptions(
            EngineArguments engine, int shards, VerdictFormat format, VerdictFields fields) {
        return toOptions(engine.toOptions(), shards, format, fields);
    }

    /** As above, with options of the engine that were read before. */
    public ClassifyOptions toOptions(
            EngineOptions options, int shards, VerdictFormat format, VerdictFields fields) {
        UsageException.requireRange("--batch-size", batchSize, 1, 1 << 20);
        Duration delay =
                Times.atLeast(
                        Duration.of(100, ChronoUnit.MICROS),
                        "--max-delay",
                        Times.durationIn("us", "--max-delay", maxDelay));
        UsageException.requireRange("--in-flight", inFlight, 1, 1024);
        UsageException.requireAtLeast("--shards", shards, 1);
        return new ClassifyOptions(
                options, batchSize, delay.toNanos() / 1000, inFlight, shards, format, fields);
    }
}
