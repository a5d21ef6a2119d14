package dev.sluice.job.lab.bench;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.load.BlockCycle;
import dev.sluice.job.lab.load.TraceHeaders;
import dev.sluice.operators.statistics.CountedRules;
import dev.sluice.operators.statistics.HitCounter;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.RepeatedBlock;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Measures what it costs to count the hits of rules: a trace's verdicts, block by block, as a job's
 * worker counts them. The calling thread's CPU time is measured, so that other work on the machine
 * counts little.
 */
final class CountingBench {
    private static final long ROUND_NANOS = 300_000_000L;
    private static final int WARM_UP = 5;
    private static final int ROUNDS = 7;

    private static final long FIRST_TIME_NS = 1_700_000_000_000_000_000L;
    private static final long NS_A_PACKET = 700;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The rules of a file; their verdicts are their places in it. */
    private record FileRules(List<Rule> rules) implements CountedRules {
        @Override
        public String history() {
            return "bench";
        }

        @Override
        public long version() {
            return 1;
        }

        @Override
        public int slots() {
            return rules.size();
        }

        @Override
        public long ruleId(int verdict) {
            return rules.get(verdict).id();
        }
    }

    private final HitCounter counter = new HitCounter(StatisticsOptions.TOTALS);
    private final List<PacketBlock> blocks = new ArrayList<>();
    private final List<int[]> verdicts = new ArrayList<>();
    private final CountedRules rules;

    private CountingBench(RuleFile file, HeaderTrace trace, EngineOptions options, int blockSize)
            throws MalformedMessageException {
        rules = new FileRules(file.rules());
        int[] answers;
        try (EngineBench engine = new EngineBench(file, options)) {
            answers = engine.answers(trace);
        }
        BlockCycle cycle =
                BlockCycle.kept(TraceHeaders.of(trace), new BlockCycle.Cut("bench", 1, blockSize));
        int at = 0;
        for (RepeatedBlock block : cycle.blocks()) {
            byte[] message = block.message(at + 1L, timeNs(at), timeNs((long) at + block.count()));
            int[] given = new int[block.count()];
            for (int i = 0; i < given.length; i++, at++) {
                given[i] = answers[at % answers.length];
            }
            blocks.add(PacketMessages.decode(message, 1));
            verdicts.add(given);
        }
    }

    private static long timeNs(long packet) {
        return FIRST_TIME_NS + NS_A_PACKET * packet;
    }

    /**
     * Counts a trace's verdicts again and again.
     *
     * @return CPU time in ns a header: median of seven rounds after warming up
     */
    static double measure(RuleFile file, HeaderTrace trace, EngineOptions options, int blockSize)
            throws MalformedMessageException {
        CountingBench bench = new CountingBench(file, trace, options, blockSize);
        for (int r = 0; r < WARM_UP; r++) {
            bench.round();
        }
        double[] nanos = new double[ROUNDS];
        for (int r = 0; r < ROUNDS; r++) {
            nanos[r] = bench.round();
        }
        Arrays.sort(nanos);
        return nanos[ROUNDS / 2];
    }

    private double round() {
        long headers = 0;
        long start = THREADS.getCurrentThreadCpuTime();
        long elapsed;
        do {
            for (int b = 0; b < blocks.size(); b++) {
                int[] given = verdicts.get(b);
                counter.count(blocks.get(b), given, 0, given.length, rules);
                headers += given.length;
            }
            elapsed = THREADS.getCurrentThreadCpuTime() - start;
        } while (elapsed < ROUND_NANOS);
        counter.drain(hits -> {});
        return (double) elapsed / headers;
    }
}
