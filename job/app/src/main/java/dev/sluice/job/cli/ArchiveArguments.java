package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.archive.ArchiveFiles;
import dev.sluice.job.archive.ArchiveOptions;
import dev.sluice.job.archive.CaptureFile;
import dev.sluice.job.archive.CaptureGlob;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.job.submit.FlinkClient;
import dev.sluice.job.submit.Target;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Arguments of {@code run} for captures, without Kafka. */
final class ArchiveArguments {
    /** Groups of options of {@code run} that are about Kafka, by the names of their fields. */
    private static final List<String> OF_KAFKA = List.of("topics", "creation", "kafka");

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
    private ArchiveOptions.Form format = ArchiveOptions.Form.TSV;

    @Mixin private InPortOption inPort = new InPortOption();

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
        if (!isGiven()) {
            GivenOptions.refuse(
                    spec,
                    names(spec, List.of("archive")),
                    name -> name + " goes with --captures alone; name captures, or leave it out");
            return;
        }
        GivenOptions.refuse(
                spec,
                names(spec, OF_KAFKA),
                name -> name + " is for a job on Kafka; leave it out, or --captures");
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

    /**
     * Reads rules, finds captures and looks at all of them.
     *
     * @param target that runs the job; Flink's client has set file systems up
     * @throws SluiceException naming what cannot be used
     */
    ArchiveOptions open(
            EngineOptions engine,
            HeaderOptions headers,
            Duration checkpointInterval,
            Target target,
            PrintWriter err) {
        RuleSet set = rules.readSet(headers, err);
        new ServingCheck(engine)
                .compile(set)
                .ifPresent(
                        why -> {
                            throw new SluiceException(why);
                        });
        if (!(target instanceof FlinkClient)) {
            ArchiveFiles.useFileSystems(captures, verdicts());
        }
        List<CaptureFile> files = CaptureGlob.expand(captures);
        CaptureGlob.requireCaptures(files);
        String folder = ArchiveFiles.folder(verdicts());
        if (!target.goesOn()) {
            int deleted =
                    ArchiveFiles.requireEmpty("--verdicts " + verdicts, folder, target::writer);
            if (deleted > 0) {
                err.printf(
                        "sluice: %s that a killed job had begun in %s: deleted%n",
                        Amount.of(deleted, "file"), verdicts);
                err.flush();
            }
        }
        return new ArchiveOptions(
                files,
                set,
                headers.parsing(),
                inPort.number(),
                engine,
                folder,
                format,
                checkpointInterval);
    }

    /** The folder of the verdicts, as it was given. */
    String verdicts() {
        return String.valueOf(verdicts);
    }
}
