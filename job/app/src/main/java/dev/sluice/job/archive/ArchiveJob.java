package dev.sluice.job.archive;

import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.Recovery;
import dev.sluice.job.graph.SavedJob;
import dev.sluice.job.graph.SluiceJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Job graph of an archive.
 *
 * <pre>
 * captures -> source -> classify -> files of verdicts
 *                          | +----> files of dead letters
 *                          +------> counts, in one task
 * </pre>
 *
 * <p>All but the counts is one chained task, which passes pieces of captures by reference, whatever
 * the cluster's configuration says (decision 0146).
 */
public final class ArchiveJob {
    /** Folder of the dead letters, within the folder of the verdicts. */
    public static final String DEAD_LETTERS = "dead-letters";

    private static final int TOLERATED_CHECKPOINT_FAILURES = 10;

    private ArchiveJob() {}

    /** Adds the graph to an environment. */
    public static void build(StreamExecutionEnvironment env, ArchiveOptions options) {
        build(
                env,
                options,
                new CaptureFormat(
                        options.captures(),
                        options.rules().layout(),
                        options.parsing(),
                        options.inPort(),
                        options.facts()));
    }

    /** Adds the graph with another reader of captures. */
    static void build(
            StreamExecutionEnvironment env, ArchiveOptions options, CaptureFormat format) {
        SluiceJob.configure(env, options.checkpointInterval());
        chainAndRecover(env);
        ArrayList<String> names = new ArrayList<>(options.names());
        ArchiveRules rules = new ArchiveRules(options.rules());
        ArchiveIdentity identity = ArchiveIdentity.of(options);
        SingleOutputStreamOperator<CapturePiece> judged =
                env.fromSource(
                                new CaptureFileSource(options.captures(), format),
                                WatermarkStrategy.noWatermarks(),
                                "captures",
                                CapturePiece.TYPE)
                        .uid(identity.captures())
                        .map(new JudgeCaptures(rules, options.engine()))
                        .returns(CapturePiece.TYPE)
                        .name("classify")
                        .uid(identity.judge());
        judged.sinkTo(files(options.verdicts(), "verdicts", options.form(), names, rules))
                .name("verdicts")
                .uid(identity.verdicts());
        judged.filter(CapturePiece::hasDeadLetters)
                .name("dead letters alone")
                .uid("dead-letters-filter")
                .sinkTo(
                        sink(
                                new Path(options.verdicts(), DEAD_LETTERS).toString(),
                                DEAD_LETTERS,
                                ".tsv",
                                new TsvDeadLetters(names)))
                .name("dead letters")
                .uid("dead-letters-sink");
        judged.flatMap(new ArchiveCount.OfPieces(names))
                .returns(ArchiveCount.TYPE)
                .name("what is counted")
                .uid("counted")
                .map(new ArchiveCount())
                .returns(ArchiveCount.TYPE)
                .name("dead letters by reason")
                .uid("counts")
                .setParallelism(1) // so that its tasks end together
                .sinkTo(new DiscardingSink<>())
                .name("counts")
                .uid("counts-end")
                .setParallelism(1);
    }

    /**
     * Fails if a job cannot resume from a savepoint. The savepoint may be of other captures, other
     * rules, another folder of verdicts, or another kind of job.
     *
     * @param job the graph of a job with these options
     * @throws SluiceException naming the difference and its remedy
     */
    public static void requireGoesOn(SavedJob saved, JobGraph job, ArchiveOptions options) {
        ArchiveIdentity.of(options).requireGoesOn(saved, job);
    }

    /**
     * Describes the captures that did not end cleanly.
     *
     * @param job that has ended
     * @return a description of each
     */
    public static List<String> defects(LocalFlink job) {
        return job.counts(ArchiveCount.CAPTURES).keySet().stream()
                .filter(how -> !how.equals(ArchiveCount.CLEAN))
                .toList();
    }

    /**
     * Returns the packets whose tunnel was not decapsulated, by its kind, of a job that has ended.
     */
    public static Map<String, Long> shutTunnels(LocalFlink job) {
        return job.counts(ArchiveCount.SHUT_TUNNELS);
    }

    private static FileSink<CapturePiece> files(
            String folder,
            String prefix,
            ArchiveOptions.Form form,
            List<String> names,
            ArchiveRules rules) {
        return switch (form) {
            case TSV -> sink(folder, prefix, ".tsv", new TsvVerdicts(names, rules));
            case AVRO -> sink(folder, prefix, ".avro", new AvroVerdicts(names, rules));
            case PARQUET ->
                    sink(
                            folder,
                            prefix,
                            ".parquet",
                            new ParquetVerdicts(names, rules, ParquetVerdicts.ROW_GROUP_BYTES));
        };
    }

    private static FileSink<CapturePiece> sink(
            String folder, String prefix, String suffix, BulkWriter.Factory<CapturePiece> writers) {
        return FileSink.forBulkFormat(new Path(folder), new FolderWriters<>(folder, writers))
                .withBucketAssigner(new BasePathBucketAssigner<>())
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .withOutputFileConfig(
                        OutputFileConfig.builder()
                                .withPartPrefix(prefix)
                                .withPartSuffix(suffix)
                                .build())
                .build();
    }

    /**
     * Sets the chain and the recovery of the job. A restart strategy set by the cluster or the
     * launcher takes precedence.
     *
     * <p>A capture that cannot be read would fail every attempt; therefore the number of attempts
     * is limited.
     */
    private static void chainAndRecover(StreamExecutionEnvironment env) {
        Configuration config = new Configuration();
        config.set(PipelineOptions.OPERATOR_CHAINING, true);
        config.set(PipelineOptions.GENERIC_TYPES, true); // pieces, which are never serialized
        config.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, TOLERATED_CHECKPOINT_FAILURES);
        if (env.getConfiguration().getOptional(RestartStrategyOptions.RESTART_STRATEGY).isEmpty()) {
            Recovery.inProcess(config);
        }
        env.configure(config);
    }
}
