package dev.sluice.job.cli;

import dev.sluice.job.ruletopic.RuleKeep;
import dev.sluice.job.ruletopic.RulePublisher;
import picocli.CommandLine.Option;

/** Options of the snapshots in a rules topic, and of what is kept of its history. */
final class SnapshotOptions {
    @Option(
            names = "--snapshot-every",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Add a snapshot of all rules after N changes, where jobs and commands start to read (default: four times the number of rules, at least 20,000).")
    @Range
    private long snapshotEvery;

    @Option(
            names = "--keep",
            paramLabel = "HOW-MUCH",
            defaultValue = "all",
            description =
                    "all; a number N: delete what is older than the last N snapshots; a time, as in 30d, 12h: delete what is not needed for the rules as they were then (default ${DEFAULT-VALUE}).")
    private RuleKeep keep = RuleKeep.ALL;

    /** The options. */
    RulePublisher.Options toOptions(String topic) {
        return RulePublisher.Options.of(topic).with(snapshotEvery, keep);
    }
}
