package dev.sluice.job.cli;

import dev.sluice.job.ruletopic.RuleKeep;
import dev.sluice.job.ruletopic.RulePublisher;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

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
            converter = Keep.class,
            description =
                    "all; a number N: delete what is older than the last N snapshots; a time, as in 30d, 12h: delete what is not needed for the rules as they were then (default ${DEFAULT-VALUE}).")
    private RuleKeep keep = RuleKeep.ALL;

    /** Reads {@code all}, a number of snapshots, or a time. */
    static final class Keep implements ITypeConverter<RuleKeep> {
        @Override
        public RuleKeep convert(String text) {
            if (text.equals("all")) {
                return RuleKeep.ALL;
            }
            if (text.matches("0*[1-9]\\d{0,8}")) {
                return new RuleKeep(Integer.parseInt(text), Duration.ZERO);
            }
            if (text.matches("0*[1-9]\\d{0,5}[dhms]")) {
                return new RuleKeep(0, Times.length(text));
            }
            throw new TypeConversionException(
                    text + " is neither a number of snapshots nor a time; write all, 10, or 30d");
        }
    }

    /** The options. */
    RulePublisher.Options toOptions(String topic) {
        return RulePublisher.Options.of(topic).with(snapshotEvery, keep);
    }
}
