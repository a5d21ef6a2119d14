package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.UsageException;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
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
            paramLabel = "MICROS",
            defaultValue = "2000",
            description =
                    "Microseconds after its first header at which a batch's verdicts are to leave, full or not, at least 100 (default ${DEFAULT-VALUE}).")
    private long maxDelay;

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
        UsageException.requireAtLeast("--max-delay", maxDelay, 100);
        UsageException.requireRange("--in-flight", inFlight, 1, 1024);
        UsageException.requireAtLeast("--shards", shards, 1);
        return new ClassifyOptions(options, batchSize, maxDelay, inFlight, shards, format, fields);
    }
}
