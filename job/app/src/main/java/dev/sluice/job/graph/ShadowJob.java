package dev.sluice.job.graph;

import dev.sluice.operators.shadow.ShadowWords;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.policy.questions.SemanticDiff;

/**
 * Shadow of a job: a second policy, of which the differences are counted.
 *
 * @param rules topic of its rules, as the job's rules topic
 * @param counts topic of the counts, compacted
 * @param mostPairs pairs of rules that are told apart
 */
public record ShadowJob(String rules, String counts, int mostPairs) {
    /** Begin of the uids of its operators. */
    static final String UID = "shadow";

    /** Usual name of the topic of counts. */
    public static final String COUNTS = "sluice-shadow";

    /** Words that {@code whatif} has, too. */
    static final class Words implements ShadowWords {
        private static final long serialVersionUID = 1L;

        @Override
        public String outcome(String action) {
            return SemanticDiff.outcome(action);
        }

        @Override
        public String packet(int[] header) {
            return PacketWords.example(header);
        }
    }
}
