package dev.sluice.job.replay;

import dev.sluice.policy.RuleFile;
import dev.sluice.policy.model.AskedFacts;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Version of the rules that a replay publishes.
 *
 * @param file name of the rule file
 * @param rules its rules
 * @param effectiveTimeNs event time from which it is in force, ns since 1970 UTC; null: its commit
 */
public record RuleVersionFile(Path file, RuleFile rules, @Nullable Long effectiveTimeNs) {
    /** The same for packets that tell what all versions ask for. */
    public RuleVersionFile telling(AskedFacts all) {
        return new RuleVersionFile(file, rules.telling(all), effectiveTimeNs);
    }
}
