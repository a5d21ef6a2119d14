package dev.sluice.job.cli;

import static java.util.stream.Collectors.toSet;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.rules.RuleListing;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Publication of a version in the place of the newest one.
 *
 * @param base the newest version, with its rules
 * @param delta the differences of the next version's rules
 * @param after the next version's rules
 */
record VersionPublication(
        RulesTopic topic,
        RulePublishOptions options,
        RuleStanding base,
        RuleSet before,
        RuleDelta delta,
        RuleSet after) {
    /** Returns whether the next version differs from the newest one. */
    boolean isNeeded() {
        return !delta.isEmpty()
                || !base.whole()
                || !before.defaultAction().equals(after.defaultAction());
    }

    /** Prints that nothing is published, and why. */
    void printNothing(PrintWriter out, String why) {
        options.print(
                out,
                RulePublishOptions.told(
                        topic.name(), null, base.version(), before.deciding().size(), 0, 0),
                why + ": nothing published");
    }

    /**
     * Publishes the version, and prints that.
     *
     * @param snapshot whether all rules are published, and not the differences
     * @param rules words for the rules
     */
    void publish(RulePublisher publisher, boolean snapshot, PrintWriter out, String rules) {
        publisher.takeOver(base);
        String name = after.name();
        String action = after.defaultAction();
        Long effective = options.effective;
        RuleDraft draft =
                snapshot || !base.whole()
                        ? RuleDraft.snapshot(name, action, effective, after.rules())
                        : RuleDraft.delta(name, action, effective, delta);
        RulePublisher.Receipt receipt = publisher.publish(List.of(draft), after::rules);
        int put = delta.inserts().size();
        int removed = delta.removes().size();
        String records = "";
        if (before.isPolicy() || after.isPolicy()) {
            records = " (%s)".formatted(Amount.of(put + removed, "record"));
            put = among(after, delta.inserts().stream().map(Rule::id));
            removed = among(before, delta.removes().stream());
        }
        options.print(
                out,
                RulePublishOptions.told(
                        topic.name(),
                        receipt,
                        receipt.version(),
                        after.deciding().size(),
                        put,
                        removed),
                "%s published to %s as version %d: %,d put, %,d removed%s%s, %,d bytes%s"
                        .formatted(
                                rules,
                                topic.name(),
                                receipt.version(),
                                put,
                                removed,
                                records,
                                RuleListing.ofDefaultAction(before.defaultAction(), action),
                                receipt.bytes(),
                                receipt.snapshot() ? ", with a snapshot" : ""));
        topic.trim(publisher);
    }

    /** Number of ids that are of rules that decide. */
    private static int among(RuleSet rules, Stream<Long> ids) {
        Set<Long> deciding = rules.deciding().rules().stream().map(Rule::id).collect(toSet());
        return (int) ids.filter(deciding::contains).count();
    }
}
