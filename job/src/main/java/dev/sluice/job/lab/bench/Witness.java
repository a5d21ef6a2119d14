package dev.sluice.job.lab.bench;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.lab.sets.GeneratedSet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Another algorithm's answers on headers of a generated set, linear search's above all. */
public final class Witness {
    private Witness() {}

    /**
     * How many answers an algorithm gives otherwise.
     *
     * @param sample numbers of the headers that it is asked
     * @param answers to all headers of the trace
     * @throws dev.sluice.engine.lookup.UnsupportedRulesException if it does not serve the rules
     * @throws dev.sluice.engine.image.MemoryBudgetException if they pass its budget
     */
    public static long wrong(GeneratedSet set, int[] sample, int[] answers, Algorithm algorithm) {
        List<int[]> asked = new ArrayList<>();
        for (int i : sample) {
            asked.add(set.trace().header(i));
        }
        EngineOptions alone = EngineOptions.of(algorithm).withGpu(GpuPool.Selection.OFF);
        try (EngineBench bench = new EngineBench(set.file(), alone)) {
            return differing(bench.answers(HeaderTrace.of(asked)), answers, sample);
        }
    }

    /**
     * How many of some answers differ from those to the same headers among all.
     *
     * @param sample the number of each one's header among all
     */
    public static long differing(int[] given, int[] all, int[] sample) {
        return IntStream.range(0, sample.length).filter(i -> given[i] != all[sample[i]]).count();
    }
}
