package dev.sluice.policy.questions;

import dev.sluice.policy.model.Outcome;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Linear search through the lists of a policy for one header. */
final class PointJudge {
    private PointJudge() {}

    /**
     * Verdict about a header.
     *
     * @param line the line that decides, or that the outcome depends on
     */
    record Verdict(String outcome, int line) {}

    /** The verdict about a header; null: it does not come to the policy. */
    static @Nullable Verdict judge(ComparedPolicy policy, int[] header) {
        boolean mayDeny = false;
        int may = -1;
        int decider = -1;
        for (List<MatchEntry> stage : policy.stages()) {
            Set<String> possible = new HashSet<>();
            for (MatchEntry entry : stage) {
                if (!entry.match().matches(header) || isHidden(entry, header, true)) {
                    continue;
                }
                boolean certain = entry.certain() && !isHidden(entry, header, false);
                int line = entry.owner();
                possible.add(line < 0 ? Outcome.PERMIT.label() : policy.outcomes().get(line));
                if (certain) {
                    decider = line < 0 ? decider : line;
                    break;
                }
                may = may < 0 ? line : may;
            }
            if (possible.size() == 1 && !possible.contains(Outcome.PERMIT.label())) {
                return new Verdict(possible.iterator().next(), decider < 0 ? may : decider);
            }
            mayDeny |= possible.size() > 1;
        }
        if (decider < 0 && may < 0) {
            return null;
        }
        return mayDeny
                ? new Verdict(Outcome.DEPENDS.label(), may)
                : new Verdict(Outcome.PERMIT.label(), decider < 0 ? may : decider);
    }

    private static boolean isHidden(MatchEntry entry, int[] header, boolean certain) {
        for (MatchEntry.Hidden at = entry.hidden(); at != null; at = at.outer()) {
            if ((at.certain() || !certain) && at.match().matches(header)) {
                return true;
            }
        }
        return false;
    }
}
