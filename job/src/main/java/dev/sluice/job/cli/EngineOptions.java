package dev.sluice.job.cli;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.SluiceException;
import picocli.CommandLine.Option;

/** Options of the classification engine. */
public final class EngineOptions {
    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            defaultValue = "auto",
            description =
                    "auto, linear, tuple, merged-tuple, bloom, bitvector, rfc, bitmap-rfc, hash-tree, exact-first, routes, mask-filter, forest or pairs (default ${DEFAULT-VALUE}).")
    private String algorithm = "auto";

    @Option(
            names = "--gpu",
            paramLabel = "DEVICES",
            defaultValue = "auto",
            description = {
                "auto: GPUs that are there classify batches for which they were measured to be faster;",
                "off: the CPU classifies; 0,1: these devices (default ${DEFAULT-VALUE})."
            })
    private String gpu = "auto";

    @Option(
            names = "--hand-over",
            paramLabel = "HOW",
            defaultValue = "auto",
            description = {
                "How batches go to a GPU: auto measures; else some of on-demand, asynchronous, persistent;",
                "copy, mapped; streams=N; gather=N (1, 2, 4 or 8 batches a launch); from=N (fewest headers),",
                "as in persistent,mapped (default ${DEFAULT-VALUE})."
            })
    private String handOver = "auto";

    @Option(
            names = "--memory-budget",
            paramLabel = "BYTES",
            defaultValue = "1g",
            description =
                    "Largest compiled rule set, with k, m or g behind the number (default ${DEFAULT-VALUE}).")
    private String memoryBudget = "1g";

    static Algorithm named(String option, String label) {
        try {
            return Algorithm.of(label);
        } catch (IllegalArgumentException e) {
            throw new SluiceException(option + ": " + e.getMessage(), e);
        }
    }

    Algorithm algorithm() {
        return named("--algorithm", algorithm);
    }

    /** Devices that may classify, checked. */
    public String gpu() {
        try {
            GpuPool.Selection.parse(gpu);
        } catch (IllegalArgumentException e) {
            throw new SluiceException("--gpu: " + e.getMessage(), e);
        }
        return gpu;
    }

    /** How batches go to a device, checked. */
    public String handOver() {
        try {
            OffloadPreference.parse(handOver);
        } catch (IllegalArgumentException e) {
            throw new SluiceException("--hand-over: " + e.getMessage(), e);
        }
        return handOver;
    }

    public long budgetBytes() {
        String digits = memoryBudget.replaceAll("[kmgKMG]$", "");
        int shift =
                switch (Character.toLowerCase(memoryBudget.charAt(memoryBudget.length() - 1))) {
                    case 'k' -> 10;
                    case 'm' -> 20;
                    case 'g' -> 30;
                    default -> 0;
                };
        if (!digits.matches("\\d{1,18}")) {
            throw new SluiceException(
                    "--memory-budget "
                            + memoryBudget
                            + " is no size; write a number of bytes, or 512m or 2g");
        }
        try {
            return Math.multiplyExact(Long.parseLong(digits), 1L << shift);
        } catch (ArithmeticException e) {
            throw new SluiceException(
                    "--memory-budget " + memoryBudget + " is beyond 8 EiB; write a smaller size",
                    e);
        }
    }
}
