package dev.sluice.lab.load;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.replay.Progress;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.lab.generate.TraceGenerator;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options that say which headers are loaded. */
final class SourceOptions {
    /** Headers that are generated for rules; {@code rules trace} writes other traces. */
    private static final int DISTINCT = 200_000;

    private static final double MISSES = 0.5;
    private static final long SEED = 1;

    @Parameters(
            arity = "0..*",
            paramLabel = "CAPTURE",
            description =
                    "Headers of captures, one after the other: pcap or pcapng files, plain or compressed by gzip, zstd or lz4.")
    private List<Path> captures = List.of();

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Headers of a trace: ClassBench trace lines, or TSV whose header line names OpenFlow fields; .gz is read directly.")
    private @Nullable Path trace;

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description =
                    "200,000 headers that are generated for a rule file; half match, the others are near misses or random, as 'rules generate --rules FILE --trace FILE' writes them.")
    private @Nullable Path rules;

    /**
     * Checks what can be checked without a file.
     *
     * @throws UsageException naming what is wrong, and what would be right
     */
    void check() {
        int sources =
                (trace == null ? 0 : 1) + (rules == null ? 0 : 1) + (captures.isEmpty() ? 0 : 1);
        if (sources != 1) {
            throw new UsageException(
                    "load takes headers from --trace FILE, from --rules FILE or from captures; name "
                            + (sources == 0 ? "one of these" : "only one of these"));
        }
    }

    /** Returns the default name of the headers' source in blocks. */
    String name() {
        Path file = trace != null ? trace : rules != null ? rules : captures.get(0);
        return captures.size() > 1
                ? file + " and " + Amount.of(captures.size() - 1, "capture") + " more"
                : file.toString();
    }

    /**
     * Reads the headers; of a source larger than {@link LoadHeaders#MOST} the first.
     *
     * @param limit headers that are wanted at all
     * @param err shows how much is read
     * @throws SluiceException if a file is not there, cannot be read or is of another kind
     */
    LoadHeaders read(long limit, PrintWriter err) {
        int most = (int) Math.min(limit, LoadHeaders.MOST);
        try (Progress progress = new Progress(err, "reading", "headers")) {
            LoadHeaders headers = read(most, progress);
            long count = headers.trace().size();
            progress.at(count, count, true);
            if (count == LoadHeaders.MOST) {
                err.println(
                        "sluice: the load repeats the first %,d headers, which a quarter of the heap holds; SLUICE_JAVA_OPTS=-Xmx8g lets it hold more"
                                .formatted(count));
            }
            if (!headers.remark().isEmpty()) {
                err.println("sluice: " + headers.remark());
            }
            return headers;
        }
    }

    private LoadHeaders read(int most, Progress progress) {
        if (rules != null) {
            RuleFile file = RuleFile.read(rules, null);
            RuleSet set = file.toRuleSet("generated", 1, RuleSet.DROP);
            try (TemporaryDirectory folder = new TemporaryDirectory(TemporaryDirectory.parent())) {
                Path to = folder.path().resolve("trace");
                return LoadHeaders.of(
                        TraceGenerator.trace(file, set, to, DISTINCT, MISSES, 0, SEED));
            }
        }
        if (trace != null) {
            List<int[]> headers = new ArrayList<>();
            HeaderTrace.each(
                    trace,
                    header -> {
                        headers.add(header);
                        return headers.size() < most;
                    });
            return LoadHeaders.of(HeaderTrace.of(headers));
        }
        PacketExporter.requireCaptures(captures);
        ReadShare share = new ReadShare(captures);
        return CaptureHeaders.read(
                captures,
                ParserOptions.DEFAULTS,
                share,
                most,
                count -> progress.at(count, share.part()));
    }
}
