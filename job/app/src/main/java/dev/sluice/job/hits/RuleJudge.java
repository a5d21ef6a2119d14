package dev.sluice.job.hits;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleServer;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.operators.rules.serving.PolicyServer;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/** Look-ups in a rule set or policy, on the CPU. Not thread-safe. */
final class RuleJudge implements AutoCloseable {
    private final RuleSet answers;
    private final RuleServer server;
    private final ServedVersion version;
    private final VerdictBatch verdicts;
    private @Nullable StatefulJudge stateful;

    /**
     * Compiles the rules.
     *
     * @param most most headers of a batch
     */
    RuleJudge(RuleSet rules, int most) {
        verdicts = new VerdictBatch(most);
        answers = rules.seen();
        server = PolicyServer.open(EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF), 0);
        try {
            version = server.load("", rules);
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    /** The rules that answer; a verdict is a position in them. */
    RuleSet answers() {
        return answers; // a set that was just loaded has no changes
    }

    /** Creates an empty batch with the words that the rules look at. */
    HeaderBatch newBatch(int capacity) {
        return new HeaderBatch(version.layout(), capacity);
    }

    /**
     * Judges headers.
     *
     * @return the verdict of each; valid until the next call
     */
    VerdictBatch judge(HeaderBatch headers) {
        version.submit(headers, verdicts).await();
        return verdicts;
    }

    /**
     * Judges the packets of a batch that come next, by their connections.
     *
     * @param batch which is {@link CaptureBatch#tracking}
     * @return the verdict of each; valid until the next call
     */
    VerdictBatch judge(CaptureBatch batch, Connections connections) {
        HeaderBatch headers = batch.headers();
        StatefulJudge by = stateful;
        if (by == null) {
            by = new StatefulJudge(verdicts.rules().length);
            stateful = by;
        }
        by.begin(version, headers, batch.flows());
        judge(headers);
        by.judge(connections, 0, headers.size(), batch.headerTimes(), batch.states(), verdicts);
        return verdicts;
    }

    /** The most stages that a packet passes before the one that decides. */
    int earlierStages() {
        return version.earlierStages();
    }

    /** The assumption that a policy judges under; empty: none. */
    String assumed() {
        return version.assumed();
    }

    @Override
    public void close() {
        version.close();
        server.close();
    }
}
