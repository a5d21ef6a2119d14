package dev.sluice.job.cli;

import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.replay.Replay;
import dev.sluice.job.replay.RuleVersionFile;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.report.PacketCounts;
import dev.sluice.job.report.ReplayReport;
import dev.sluice.job.rules.PageFindings;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.RulesTime;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.model.AskedFacts;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of {@code replay} and {@code demo}. */
final class ReplayOptions {
    @Option(
            names = "--verdicts",
            paramLabel = "OUT.tsv",
            description = "Write one line for every packet, in capture order.")
    private @Nullable Path verdicts;

    @Option(
            names = "--verdict-fields",
            paramLabel = "FIELDS",
            defaultValue = "none",
            description =
                    "Fields of packets to write behind their verdicts, separated by commas: 5-tuple, all, and names such as ip-src, frame-length or ttl, which docs/fields.md lists (default ${DEFAULT-VALUE}).")
    private VerdictFields verdictFields = VerdictFields.NONE;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "2",
            description = "Parallelism of the job (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 128)
    private int parallelism;

    @Option(
            names = "--kafka-port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "Port of the embedded Kafka broker (default: a free one).")
    @Range(to = 0xffff)
    private int kafkaPort;

    @Option(
            names = "--temp-dir",
            paramLabel = "DIR",
            description = "Directory for temporary files (default: $TMPDIR or /tmp).")
    private @Nullable Path tempDir;

    @Mixin private ExportOptions export = new ExportOptions();

    @Mixin private BatchOptions batch = new BatchOptions();

    @Mixin private EngineArguments engine = new EngineArguments();

    @Mixin private SummaryOptions summary = new SummaryOptions();
    @Mixin private PageOption page = new PageOption();

    /** Facts that captures tell beside headers; null: none are asked for. */
    private @Nullable CapturedFacts facts;

    /** How connections are tracked; null: they are not. */
    private @Nullable TrackerOptions tracker;

    private volatile @Nullable Replay running;

    /** Tells whether only a JSON object is printed. */
    boolean isJson() {
        return summary.json;
    }

    /** How far the replay is; to be asked by any thread. */
    String whereItStands() {
        Replay begun = running;
        return begun == null ? "nothing was begun" : begun.whereItStands();
    }

    /**
     * Refuses wrong usage, before a file is read.
     *
     * @param inputs files that are to be read
     */
    void requireUse(Collection<Path> inputs) {
        OutputPath.require("--verdicts", verdicts, inputs);
        page.requireUse(List.copyOf(inputs), verdicts);
        export.toOptions(PacketExporter.Format.BLOCKS);
        classifyOptions();
    }

    private ClassifyOptions classifyOptions() {
        return batch.toOptions(
                engine.toOptions(),
                export.shards(),
                VerdictFormat.BLOCKS,
                page.isAsked()
                        ? verdictFields.with(VerdictFields.of(PacketCounts.FIELDS))
                        : verdictFields);
    }

    /** Has the captures tell what the rules ask for; warnings go to err. */
    void tell(CapturedPolicy policy, AskedFacts asked, PrintWriter err) {
        facts = policy.facts(asked, export.inPort, export.headers, err);
    }

    /** Has the job track connections, if not null. */
    void track(@Nullable TrackerOptions by) {
        tracker = by;
    }

    /**
     * Runs a replay and reports; {@link #requireUse} was asked before. Returns the exit status.
     *
     * @param versions the rules, from the first version on
     * @param findings of the rules, for a page
     */
    int run(
            List<Path> captures,
            List<RuleVersionFile> versions,
            String defaultAction,
            RulesTime rulesTime,
            Supplier<PageFindings> findings,
            PrintWriter out,
            PrintWriter err)
            throws Exception {
        if (verdicts != null) { // a history names files of its own
            OutputPath.requireOther(
                    "--verdicts", verdicts, versions.stream().map(RuleVersionFile::file).toList());
        }
        for (RuleVersionFile version : versions) {
            if (!version.rules().isPolicy()) {
                export.headers.warn(version.rules().rules(), err);
            }
        }
        try (PageOption asked = page.open()) {
            ReplayReport report =
                    asked.isAsked() ? new ReplayReport(versions, defaultAction) : null;
            Replay.Result result =
                    replay(captures, versions, defaultAction, rulesTime, report, err);
            summary.print(result.summary(), out);
            if (report != null) {
                String title =
                        CapturePageOption.title(captures, versions.get(versions.size() - 1).file());
                asked.write(() -> report.page(title, result.summary(), findings.get()), err);
            }
            boolean clean = CaptureEnds.report(captures, result.ends(), err);
            clean &= result.summary().outcomes().refusedVersions().isEmpty();
            return clean ? 0 : 1;
        }
    }

    private Replay.Result replay(
            List<Path> captures,
            List<RuleVersionFile> versions,
            String defaultAction,
            RulesTime rulesTime,
            @Nullable ReplayReport report,
            PrintWriter err)
            throws Exception {
        Path directory = tempDir != null ? tempDir : TemporaryDirectory.parent();
        Replay.Options options =
                new Replay.Options(
                        captures,
                        versions,
                        defaultAction,
                        verdicts,
                        classifyOptions()
                                .with(rulesTime, ClassifyOptions.WAITING_BYTES)
                                .tracking(tracker),
                        export.toOptions(PacketExporter.Format.BLOCKS)
                                .readingSegments(tracker != null && tracker.windows())
                                .telling(facts),
                        parallelism,
                        kafkaPort,
                        directory,
                        verdictFields,
                        report);
        Replay replay = new Replay(options, err);
        running = replay;
        return replay.run();
    }
}
