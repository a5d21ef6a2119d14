package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.archive.ArchiveFiles;
import dev.sluice.job.archive.ArchiveOptions;
import dev.sluice.job.archive.CaptureFile;
import dev.sluice.job.archive.CaptureGlob;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.job.submit.CaptureJob;
import dev.sluice.job.submit.FlinkClient;
import dev.sluice.job.submit.Job;
import dev.sluice.job.submit.JobConsole;
import dev.sluice.job.submit.Target;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice archive}: verdicts on an archive of captures, on a cluster or in this process. */
@Command(
        name = "archive",
        description = {
            "Judges an archive of captures without Kafka: on a running Flink cluster with --flink, on the one that 'sluice cluster up' has started with --cluster, else in this process. It writes files of verdicts, and ends.",
            "'flink run sluice-job.jar archive ...' takes the same options, but those of a place.",
            ""
        })
final class ArchiveCommand extends JobCommand {
    @Parameters(
            arity = "1..*",
            paramLabel = "GLOB",
            description =
                    "pcap or pcapng files, plain or compressed, by a path or a pattern in quotes, as in 'day/*.pcap.gz', '/archive/**/*.pcap' or 's3://bucket/day/*'.")
    private List<String> captures = List.of();

    @Option(
            names = "--verdicts",
            paramLabel = "DIR",
            required = true,
            description =
                    "Folder for files of verdicts, new or empty; on a cluster of several machines one that all reach.")
    private String verdicts = "";

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "tsv",
            description =
                    "Form of these files: tsv, the lines of 'sluice classify', or the same as columns: avro, or parquet (default ${DEFAULT-VALUE}).")
    private ArchiveOptions.Form format = ArchiveOptions.Form.TSV;

    @Option(
            names = "--conntrack",
            paramLabel = "TRACKER",
            defaultValue = "none",
            description =
                    "none: captures are judged side by side, so no connection is tracked here; classify and replay do that (docs/guide/stateful.md) (default ${DEFAULT-VALUE}).")
    private String tracker = "none";

    @Mixin private InPortOption inPort = new InPortOption();
    @Mixin private RuleOptions rules = new RuleOptions();
    @Mixin private CapturedPolicy policy = new CapturedPolicy();

    ArchiveCommand() {
        this(new PlaceOptions.OfCaptures());
    }

    ArchiveCommand(PlaceOptions place) {
        super(place);
    }

    @Override
    boolean requireUse() {
        rules.file();
        if (!tracker.equals("none")) {
            throw new UsageException(
                    "--conntrack %s: archive judges captures side by side and in no order, and a connection may go on from one to the next; leave it out, or name the captures in order for 'sluice classify' or 'sluice replay'"
                            .formatted(tracker));
        }
        return true;
    }

    @Override
    Job job(String name, EngineOptions engine, Target target, JobConsole shown) {
        RuleFile file = rules.read(rules.file(), policy.options(), err());
        RuleSet set = rules.setOf(file, rules.file(), headers, err());
        new ServingCheck(engine)
                .compile(set)
                .ifPresent(
                        why -> {
                            throw new SluiceException(why);
                        });
        if (!(target instanceof FlinkClient)) { // which has set file systems up
            ArchiveFiles.useFileSystems(captures, verdicts);
        }
        List<CaptureFile> files = CaptureGlob.expand(captures);
        CaptureGlob.requireCaptures(files);
        String folder = ArchiveFiles.folder(verdicts);
        if (!target.goesOn()) {
            int deleted =
                    ArchiveFiles.requireEmpty("--verdicts " + verdicts, folder, target::writer);
            if (deleted > 0) {
                shown.say(
                        "%s that a killed job had begun in %s: deleted"
                                .formatted(Amount.of(deleted, "file"), verdicts));
            }
        }
        target.requireAnswer();
        ArchiveOptions options =
                new ArchiveOptions(
                        files,
                        set,
                        headers.parsing(),
                        inPort.number,
                        policy.facts(file.asked(), inPort, headers, err()),
                        engine,
                        folder,
                        format,
                        checkpointInterval);
        List<String> words =
                Stream.of(List.of(spec().name()), captures, words()).flatMap(List::stream).toList();
        return new CaptureJob(options, verdicts, name, words);
    }
}
