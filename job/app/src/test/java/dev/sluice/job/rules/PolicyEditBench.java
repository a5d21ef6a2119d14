package dev.sluice.job.rules;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.RuleDiff;
import dev.sluice.operators.rules.serving.PolicyServer;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Bytes of edits of a policy, and times until they answer: {@code PolicyEditBench BEFORE#HOOK
 * AFTER#HOOK [new|established]} goes from one file to the other and back.
 */
final class PolicyEditBench {
    private static final int ROUNDS = 6;

    private PolicyEditBench() {}

    public static void main(String[] args) throws Exception {
        ConnectionState state =
                args.length < 3 ? null : ConnectionState.valueOf(args[2].toUpperCase(Locale.ROOT));
        PolicyOptions options = new PolicyOptions(null, new Assumptions(state, null, null), false);
        long start = System.nanoTime();
        RuleSet[] files = new RuleSet[2];
        for (int i = 0; i < 2; i++) {
            PolicyFile file = PolicyFile.read(Path.of(args[i]), options);
            files[i] = file.flat().rules();
            System.out.println(file.summary());
            System.out.printf("read and flattened %,d ms%n", ms(start));
            start = System.nanoTime();
        }
        RecordedHistory history = new RecordedHistory();
        try (PolicyServer server =
                PolicyServer.open(EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF), 0)) {
            List<byte[]> snapshot = PolicyServerTest.messages(1, files[0], null);
            System.out.printf(
                    "snapshot: %,d records, %,d bytes%n", files[0].size(), bytes(snapshot));
            for (byte[] message : snapshot) {
                history.accept(message, 0);
            }
            start = System.nanoTime();
            server.load("h", history.rules(0)).close();
            System.out.printf("compiled %,d ms%n", ms(start));
            for (int round = 1; round <= ROUNDS; round++) {
                RuleSet before = server.rules();
                start = System.nanoTime();
                RuleDelta delta = RuleDiff.between(before, files[round % 2].rules());
                long diff = ms(start);
                List<byte[]> messages =
                        PolicyServerTest.messages(round + 1, files[round % 2], delta);
                start = System.nanoTime();
                for (byte[] message : messages) {
                    history.accept(message, 0);
                }
                long taken = System.nanoTime();
                boolean quick = server.takesQuickly(delta);
                try (ServedVersion version = server.apply("h", round + 1, delta)) {
                    HeaderBatch one = new HeaderBatch(version.layout(), 1);
                    one.add(new int[HeaderWord.COUNT]);
                    version.submit(one, new VerdictBatch(1)).await();
                }
                System.out.printf(
                        "%d out, %d in, %d shifts: %,d bytes; compared in %,d ms; answers after %.1f ms (taken in %.1f ms)%s%n",
                        delta.removes().size(),
                        delta.inserts().size(),
                        delta.shifts().size(),
                        bytes(messages),
                        diff,
                        (System.nanoTime() - start) / 1e6,
                        (taken - start) / 1e6,
                        quick ? ", quick" : "");
            }
        }
    }

    private static long ms(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }

    private static int bytes(List<byte[]> messages) {
        return messages.stream().mapToInt(message -> message.length).sum();
    }
}
