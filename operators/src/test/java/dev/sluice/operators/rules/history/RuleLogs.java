package dev.sluice.operators.rules.history;

import dev.sluice.operators.rules.topic.RuleTransaction;
import java.util.List;

/** Rule logs that are fed, compacted and restored. */
final class RuleLogs {
    private RuleLogs() {}

    static RuleLog fed(List<byte[]> messages) throws Exception {
        RuleLog log = new RuleLog();
        feed(log, messages);
        return log;
    }

    static void feed(RuleLog log, List<byte[]> messages) throws Exception {
        for (byte[] message : messages) {
            log.accept(message, RuleTransaction.NO_TIME);
        }
    }

    static void compact(RuleLog log) {
        RuleLog.Compaction compaction = log.compaction();
        if (compaction != null) {
            compaction.make().run();
        }
    }

    static RuleLog again(RuleLog log) throws Exception {
        return restored(log.state().messages());
    }

    static RuleLog restored(List<byte[]> state) throws Exception {
        RuleLog restored = new RuleLog();
        restored.restore(state);
        return restored;
    }
}
