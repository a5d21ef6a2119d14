package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.replay.RuleVersionFile;
import dev.sluice.operators.classify.RulesTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice replay}: captures through the whole corridor in one process. */
@Command(
        name = "replay",
        description = {
            "Classifies captures through an embedded Kafka broker and an embedded Flink cluster.",
            "The verdict file's order and content do not depend on the parallelism.",
            "Exit status 1 if a capture did not end cleanly, or a version of the rules could not be served.",
            ""
        })
final class ReplayCommand extends SluiceCommand implements Interruptible {
    @Mixin private CaptureArguments captures = new CaptureArguments();

    @Mixin private RuleOptions rules = new RuleOptions();

    @Option(
            names = "--rules-history",
            paramLabel = "FILE",
            description = {
                "Versions of the rules, in place of --rules: lines TIME RULE-FILE, the oldest first. TIME is as in 2026-11-22T14:00:00Z, or ns since 1970. A version judges the packets from its time on (--rules-time event).",
                "A rule file without a folder lies beside FILE; lines that begin with # are comments."
            })
    private @Nullable Path history;

    @Mixin private RulesTimeArguments rulesTime = new RulesTimeArguments();

    @Mixin private ReplayOptions replay = new ReplayOptions();

    @Override
    public Integer call() throws Exception {
        RulesTime time = rulesTime.toOptions(history != null);
        if (history != null && rules.isGiven()) {
            throw new UsageException(
                    "--rules and --rules-history exclude each other: write the file as a line of the history");
        }
        if (history != null && rules.givesActions()) {
            throw new UsageException(
                    "--actions numbers the rules of one file; write the actions into the rule files of --rules-history");
        }
        if (time.event() != (history != null)) {
            throw new UsageException(
                    history == null
                            ? "--rules-time event asks from when on rules were in force; name them with --rules-history"
                            : "--rules-history is of event time; say --rules-time event, or leave that out");
        }
        List<Path> inputs = new ArrayList<>(captures.files());
        inputs.addAll(rules.files());
        if (history != null) {
            inputs.add(history);
        }
        replay.requireUse(inputs);
        List<RuleVersionFile> versions =
                history == null
                        ? List.of(new RuleVersionFile(rules.file(), rules.read(err()), null))
                        : RuleHistoryFile.read(history, file -> rules.read(file, err()));
        return replay.run(captures.files(), versions, rules.defaultAction(), time, out(), err());
    }

    @Override
    public String whereItStands() {
        return replay.whereItStands();
    }
}
