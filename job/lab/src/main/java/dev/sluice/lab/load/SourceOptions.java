package dev.sluice.lab.load;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ReadShare;
import dev.sluice.job.cli.Range;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.lab.generate.TraceGenerator;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options that say which headers are loaded. */
final class SourceOptions {
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
            description = "Headers that are generated for a rule file, as by rules generate.")
    private @Nullable Path rules;

    @Option(
            names = "--distinct",
            paramLabel = "N",
            defaultValue = "200000",
            description = "With --rules: headers that are generated (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1_000_000)
    private int distinct;

    @Option(
            names = "--misses",
            paramLabel = "R",
            defaultValue = "0.5",
            description =
                    "With --rules: share of headers that are near misses or random; the others match (default ${DEFAULT-VALUE}).")
    @Range(to = 1)
    private double misses;

    @Option(
            names = "--locality",
            paramLabel = "R",
            defaultValue = "0",
            description =
                    "With --rules: share of headers that repeat one of the last 64 (default ${DEFAULT-VALUE}).")
    @Range(to = 1)
    private double locality;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "With --rules: seed of the headers (default ${DEFAULT-VALUE}).")
    private long seed;

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

    /** The share of captures that is read; of other sources there is none. */
    ReadShare share() {
        return new ReadShare(captures);
    }

    /**
     * The headers.
     *
     * @param share gets what is read of captures
     * @throws SluiceException if a file is not there, cannot be read or is of another kind
     */
    HeaderSource open(ReadShare share) {
        for (Path file : trace == null ? captures : List.of(trace)) {
            if (InputFiles.isPipe(file)) {
                throw new SluiceException(
                        "%s is a pipe, and load reads its headers again and again; write them to a file, and name that"
                                .formatted(file));
            }
        }
        if (trace != null) {
            return TraceHeaders.in(trace);
        }
        if (rules != null) {
            return generated(rules);
        }
        PacketExporter.requireCaptures(captures);
        return new CaptureHeaders(captures, ParserOptions.DEFAULTS, share);
    }

    private HeaderSource generated(Path ruleFile) {
        RuleFile file = RuleFile.read(ruleFile, null);
        RuleSet set = file.toRuleSet("generated", 1, RuleSet.DROP);
        try {
            Path written = Files.createTempFile("sluice-load", ".trace");
            try {
                return TraceHeaders.of(
                        TraceGenerator.trace(file, set, written, distinct, misses, locality, seed));
            } finally {
                Files.delete(written);
            }
        } catch (IOException e) {
            throw new SluiceException("cannot write generated headers: " + e.getMessage(), e);
        }
    }
}
