package dev.sluice.lab.advise;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.Crossover;
import dev.sluice.lab.bench.EngineBench;
import org.jspecify.annotations.Nullable;

/**
 * Advice on a device for a policy.
 *
 * @param number of the device
 * @param name as its driver tells it; empty where there is none
 * @param absence why there is none, or none that serves these rules; empty where one does
 * @param algorithm what looks up there in a job; empty where nothing does
 * @param crossover what was measured of it beside the CPU; null where nothing was
 * @param result look-ups as in a job, the device beside the cores; null where the CPU is faster at
 *     every batch size
 */
record DeviceAdvice(
        int number,
        String name,
        String absence,
        String algorithm,
        @Nullable Crossover crossover,
        EngineBench.@Nullable Result result) {
    static DeviceAdvice absent(int number, String name, String why) {
        return new DeviceAdvice(number, name, why, "", null, null);
    }

    /** Fewest headers of a batch for which it is faster than the CPU; 0 where it never is. */
    int fromBatch() {
        return crossover == null || crossover.smallest() == Integer.MAX_VALUE
                ? 0
                : crossover.smallest();
    }

    /** M headers a second of one core and the device, by batches of 4,096, several at a time. */
    private static double most(Crossover measured) {
        return measured.trials().stream().mapToDouble(Crossover.Trial::mpps).max().orElse(0);
    }

    void put(ObjectNode node) {
        node.put("number", number);
        node.put("name", name);
        node.put("absence", absence);
        node.put("algorithm", algorithm);
        node.put("fromBatch", fromBatch());
        node.put("mostMpps", crossover == null ? null : most(crossover));
        ArrayNode sizes = node.putArray("batches");
        if (crossover != null) {
            for (Crossover.Point point : crossover.points()) {
                ObjectNode size = sizes.addObject();
                size.put("headers", point.headers());
                size.put("cpuMicros", point.cpuMicros());
                size.put("deviceMicros", point.deviceMicros());
            }
        }
        ObjectNode rate = node.putObject("asInAJob");
        rate.put("mpps", result == null ? null : result.mpps());
        rate.put("deviceShare", result == null ? null : result.classified().deviceShare());
    }
}
