package dev.sluice.job.lab.corridor;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a thread of the process works on, told by its name. */
final class ThreadGroups {
    /** The measurement itself: what reads the verdicts back. */
    static final String BENCH = "bench";

    /** The JVM's compilers. */
    static final String COMPILERS = "JIT compilers";

    /** The garbage collector. */
    static final String COLLECTOR = "garbage collector";

    /** Threads that no other group has. */
    static final String OTHER = "other";

    /** Name of the thread that runs the measurement. */
    static final String BENCH_THREAD = "corridor bench";

    /** Group by what the name begins with; the first that fits. */
    private static final Map<String, String> BEGINNINGS = new LinkedHashMap<>();

    static {
        BEGINNINGS.put(BENCH_THREAD, BENCH);
        BEGINNINGS.put("Source Data Fetcher", "fetcher");
        BEGINNINGS.put("Source: packets", "source");
        BEGINNINGS.put("classify", "classify and sink");
        BEGINNINGS.put("verdicts: to commit", "commit");
        BEGINNINGS.put("next transaction", "commit");
        BEGINNINGS.put("worker of classify", "look-up and encoding");
        BEGINNINGS.put("kafka-producer-network-thread", "producer");
        BEGINNINGS.put("batch clock", "batch clock");
        BEGINNINGS.put("copy ", "copy");
        BEGINNINGS.put("C1 Comp", COMPILERS);
        BEGINNINGS.put("C2 Comp", COMPILERS);
        BEGINNINGS.put("G1 ", COLLECTOR);
        BEGINNINGS.put("GC Thread", COLLECTOR);
        BEGINNINGS.put("VM Thread", COLLECTOR);
    }

    private ThreadGroups() {}

    /** The group of a thread. */
    static String of(String name) {
        for (Map.Entry<String, String> entry : BEGINNINGS.entrySet()) {
            if (name.startsWith(entry.getKey())) {
                return entry.getValue();
            }
        }
        return OTHER;
    }
}
