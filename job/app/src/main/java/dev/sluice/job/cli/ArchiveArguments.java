package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.archive.ArchiveFiles;
import dev.sluice.job.archive.ArchiveOptions;
import dev.sluice.job.archive.CaptureFile;
import dev.sluice.job.archive.CaptureGlob;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Arguments of {@code run} for captures, without Kafka. */
final class ArchiveArguments {
    /** Groups of options of {@code run} that are about Kafka, by the names of their fields. */
    private static final List<String> OF_KAFKA =
            List.of(
                    "topics",
                    "creation",
                    "verdicts",
                    "rulesTime",
                    "liveRules",
                    "statistics",
                    "batch");

    private static final List<String> SINGLE_OF_KAFKA =
            List.of(
                    "--packet-format",
                    "--shards",
                    "--group",
                    "--from",
                    "--bounded",
                    "--transactional-id-prefix",
                    "--transaction-timeout");

    @Option(
            names = "--captures",
            paramLabel = "GLOB",
            description = {
                "Judge these captures instead of a packets topic, without Kafka: pcap or pcapng, plain or compressed, by a",
                "path or a pattern in quotes, as in 'day/*.pcap.gz', '/archive/**/*.pcap' or 's3://bucket/day/*'; may be",
                "given more than once. All below is for captures alone."
            })
    private List<String> captures = new ArrayList<>();

    @Option(
            names = "--verdicts",
            paramLabel = "DIR",
            description =
                    "Folder for files of verdicts, new or empty; on a cluster of several machines one that all reach.")
    private @Nullable String verdicts;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "tsv",
            description =
                    "Form of these files: tsv, the lines of 'sluice classify', or the same as columns: avro, or parquet (default ${DEFAULT-VALUE}).")
    private String format = "tsv";

    @Option(
            names = "--in-port",
            paramLabel = "N",
            description = "Ingress port of all packets, which captures do not tell.")
    private @Nullable Integer inPort;

    @Mixin private RuleOptions rules = new RuleOptions();

    /** Tells whether captures are to be judged. */
    boolean isGiven() {
        return !captures.isEmpty();
    }

    /**
     * Refuses what cannot be, before anything is read.
     *
     * @param spec of the command whose mixin {@code archive} this is
     */
    void requireUse(CommandSpec spec) {
        UsageException.requirePort("--in-port", inPort);
        if (!isGiven()) {
            GivenOptions.refuse(
                    spec,
                    names(spec, List.of("archive")),
                    name -> name + " goes with --captures alone; name captures, or leave it out");
            return;
        }
        List<String> others = new ArrayList<>(names(spec, OF_KAFKA));
        others.addAll(SINGLE_OF_KAFKA);
        GivenOptions.refuse(
                spec, others, name -> name + " is for a job on Kafka; leave it out, or --captures");
        GivenOptions.refuse(
                spec,
                List.of("--checkpoints"),
                name ->
                        name
                                + " goes without --captures; in this process they are judged from the start each time, on a cluster (--cluster, --flink) the job goes on by itself");
        if (verdicts == null) {
            throw new UsageException(
                    "--captures needs --verdicts DIR, a folder that takes the verdicts");
        }
        form();
        rules.file();
    }

    private static List<String> names(CommandSpec spec, List<String> mixins) {
        List<String> names = new ArrayList<>();
        for (String name : mixins) {
            CommandSpec mixin = spec.mixins().get(name);
            if (mixin == null) {
                throw new IllegalStateException(spec.name() + " has no options " + name);
            }
            mixin.options().forEach(option -> names.add(option.longestName()));
        }
        return names;
    }

    private ArchiveOptions.Form form() {
        return Choice.parse("--format", format, ArchiveOptions.Form.class);
    }

    /**
     * Reads rules, finds captures and looks at all of them.
     *
     * @param goesOn whether the job goes on from a checkpoint, with verdicts in its folder
     * @param inFlinkClient whether Flink's client has set file systems up
     * @param writer a job that may have begun files in the folder, and may still write them
     * @throws SluiceException naming what cannot be used
     */
    ArchiveOptions open(
            EngineOptions engine,
            HeaderOptions headers,
            Duration checkpointInterval,
            boolean goesOn,
            boolean inFlinkClient,
            Supplier<Optional<String>> writer,
            PrintWriter err) {
        RuleSet set = rules.read(err).toRuleSet(rules.file().toString(), 1, rules.defaultAction());
        headers.warn(set.rules(), err);
        new ServingCheck(engine)
                .compile(set)
                .ifPresent(
                        why -> {
                            throw new SluiceException(why);
                        });
        if (!inFlinkClient) {
            ArchiveFiles.useFileSystems(captures, String.valueOf(verdicts));
        }
        List<CaptureFile> files = CaptureGlob.expand(captures);
        CaptureGlob.requireCaptures(files);
        String folder = ArchiveFiles.folder(String.valueOf(verdicts));
        if (!goesOn) {
            int deleted = ArchiveFiles.requireEmpty(given(), folder, writer);
            if (deleted > 0) {
                err.printf(
                        "sluice: %s that a killed job had begun in %s: deleted%n",
                        Amount.of(deleted, "file"), verdicts);
                err.flush();
            }
        }
        return new ArchiveOptions(
                files, set, headers.parsing(), inPort, engine, folder, form(), checkpointInterval);
    }

    /** The option of the folder, as the user has written it. */
    String given() {
        return "--verdicts " + verdicts;
    }

    /** Says where the verdicts are. */
    String told() {
        return "verdicts are in " + verdicts;
    }
}
