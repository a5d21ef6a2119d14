package dev.sluice.job.cli;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.UsageException;
import dev.sluice.job.replay.RuleVersionFile;
import dev.sluice.job.rules.PageFindings;
import dev.sluice.operators.classify.RulesTime;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.model.AskedFacts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
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

    @Mixin private CapturedPolicy policy = new CapturedPolicy();

    @Mixin private JobConnectionOptions connections = new JobConnectionOptions();

    @ArgGroup(exclusive = false)
    private @Nullable History history;

    @Mixin private ReplayOptions replay = new ReplayOptions();

    /** Event time, by versions of the rules. */
    private static final class History extends AllowedLateness {
        @Option(
                names = "--rules-history",
                paramLabel = "FILE",
                required = true,
                description = {
                    "Versions of the rules, in place of --rules: lines TIME RULE-FILE, the oldest first. TIME is as in 2026-11-22T14:00:00Z, or ns since 1970. A version judges the packets from its time on, in event time.",
                    "A rule file without a folder lies beside FILE; lines that begin with # are comments."
                })
        private Path file = Path.of("");
    }

    @Override
    public Integer call() throws Exception {
        if (history != null && (rules.isGiven() || rules.givesActions())) {
            throw new UsageException(
                    rules.isGiven()
                            ? "--rules and --rules-history exclude each other: write the file as a line of the history"
                            : "--actions numbers the rules of one file; write the actions into the rule files of --rules-history");
        }
        connections.requireChanges(history != null);
        List<Path> inputs = new ArrayList<>(captures.files);
        inputs.addAll(rules.files());
        if (history != null) {
            inputs.add(history.file);
        }
        replay.requireUse(inputs);
        List<RuleVersionFile> versions =
                history == null
                        ? List.of(new RuleVersionFile(rules.file(), read(rules.file()), null))
                        : RuleHistoryFile.read(history.file, this::read);
        AskedFacts asked =
                versions.stream()
                        .map(v -> v.rules().asked())
                        .reduce(AskedFacts.NONE, AskedFacts::and);
        if (history != null && versions.stream().anyMatch(v -> !v.rules().asked().equals(asked))) {
            // Packets are numbered before it is known which version judges them.
            versions = versions.stream().map(version -> version.telling(asked)).toList();
        }
        replay.tell(policy, asked, err());
        RulesTime time = history == null ? RulesTime.PROCESSING : history.event();
        RuleFile first = versions.get(0).rules();
        if (versions.stream().anyMatch(v -> v.rules().isPolicy() != first.isPolicy())) {
            throw new UsageException(
                    "--rules-history names policies of chains and rules that stand for themselves, whose packets without a rule fare differently; name files of one kind");
        }
        String defaultAction = first.defaultAction(rules.defaultAction());
        List<Rule> all = versions.stream().flatMap(v -> v.rules().rules().stream()).toList();
        replay.track(connections.tracking(first.isPolicy(), all, err()));
        Supplier<PageFindings> findings =
                () ->
                        history == null
                                ? rules.findings(
                                        first.rules().size(), connections.of(policy.options()))
                                : PageFindings.none(
                                        "Findings are of one rule file, and a history has several: ask sluice rules lint.");
        return replay.run(captures.files, versions, defaultAction, time, findings, out(), err());
    }

    private RuleFile read(Path file) {
        return rules.read(file, connections.of(policy.options()), err());
    }

    @Override
    public String whereItStands() {
        return replay.whereItStands();
    }
}
