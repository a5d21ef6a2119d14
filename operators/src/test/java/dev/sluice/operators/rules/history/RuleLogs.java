package dev.sluice.operators.rules.history;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.RuleTransaction;
import java.util.List;
import java.util.function.Supplier;

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
        Supplier<Runnable> compaction = log.compaction();
        if (compaction != null) {
            compaction.get().run();
        }
    }

    /** The rules of the last version that could be served; null if none was, or it is unknown. */
    static RuleSet servable(RuleLog log) {
        RuleLog.State state = log.state();
        return log.at(state.servableHistory(), state.servableVersion());
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
