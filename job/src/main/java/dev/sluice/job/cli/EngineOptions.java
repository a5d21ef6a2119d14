package dev.sluice.job.cli;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.CompileOptions;
import dev.sluice.engine.TargetProfile;
import dev.sluice.job.SluiceException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Options of the classification engine. */
final class EngineOptions {
    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            defaultValue = "auto",
            description =
                    "auto, linear, tuple, merged-tuple, bloom, bitvector, rfc, bitmap-rfc, hash-tree, exact-first, routes, mask-filter, forest or pairs (default ${DEFAULT-VALUE}).")
    private String algorithm = "auto";

    @Option(
            names = "--backend",
            paramLabel = "NAME",
            defaultValue = "cpu",
            description = "cpu; gpu is not built yet (default ${DEFAULT-VALUE}).")
    private String backend = "cpu";

    @Option(
            names = "--memory-budget",
            paramLabel = "BYTES",
            defaultValue = "1g",
            description =
                    "Largest compiled rule set, with k, m or g behind the number (default ${DEFAULT-VALUE}).")
    private String memoryBudget = "1g";

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            defaultValue = "cpu",
            description =
                    "What images are arranged for: cpu, or gpu with classes of at most 256 rules (default ${DEFAULT-VALUE}).")
    private String profile = "cpu";

    @Option(
            names = "--expand-ranges",
            description = "tuple: cut port ranges into prefixes instead of verifying them.")
    private boolean expandRanges;

    @Option(
            names = "--exact-first-semantics",
            description =
                    "exact-first: an exact entry beats every wildcard rule (OpenFlow 0.8.9), instead of competing by priority.")
    private boolean exactFirst;

    @Option(
            names = "--inner-algorithm",
            paramLabel = "NAME",
            defaultValue = "auto",
            description =
                    "exact-first: algorithm of the wildcard rules (default ${DEFAULT-VALUE}).")
    private String inner = "auto";

    @Option(
            names = "--hash-tree-threshold",
            paramLabel = "N",
            defaultValue = "16",
            description =
                    "hash-tree: rules of a bucket beyond which it becomes a node (default ${DEFAULT-VALUE}).")
    private int hashTreeThreshold = 16;

    @Option(
            names = "--rfc-form",
            paramLabel = "NAME",
            defaultValue = "tuned",
            description =
                    "rfc, bitmap-rfc: paper (no protocol), exact or tuned tables (default ${DEFAULT-VALUE}).")
    private String rfcForm = "tuned";

    @Option(
            names = "--update-rate",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "auto: rule changes a second to expect; 1000 and more choose what changes in place (default ${DEFAULT-VALUE}).")
    private double updateRate;

    /** Everything that these options say of compiling. */
    CompileOptions compileOptions() {
        return CompileOptions.of(algorithm())
                .withBudget(budgetBytes())
                .withProfile(choice("--profile", profile, TargetProfile.class))
                .withExpandedRanges(expandRanges)
                .withExactFirst(exactFirst, named("--inner-algorithm", inner))
                .withHashTreeThreshold(hashTreeThreshold)
                .withRfcForm(choice("--rfc-form", rfcForm, CompileOptions.RfcForm.class))
                .withUpdateRate(updateRate);
    }

    private static <E extends Enum<E>> E choice(String option, String text, Class<E> of) {
        for (E value : of.getEnumConstants()) {
            if (value.name().toLowerCase(Locale.ROOT).equals(text)) {
                return value;
            }
        }
        throw new SluiceException(
                option
                        + " "
                        + text
                        + " is unknown; use one of "
                        + Arrays.stream(of.getEnumConstants())
                                .map(value -> value.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", ")));
    }

    private static Algorithm named(String option, String label) {
        try {
            return Algorithm.of(label);
        } catch (IllegalArgumentException e) {
            throw new SluiceException(option + ": " + e.getMessage(), e);
        }
    }

    Algorithm algorithm() {
        return named("--algorithm", algorithm);
    }

    /** Refuses a backend that there is not. */
    void requireCpu() {
        if (backend.equals("gpu")) {
            throw new SluiceException(
                    "--backend gpu: this version of Sluice has no GPU backend; use --backend cpu");
        }
        if (!backend.equals("cpu")) {
            throw new SluiceException("--backend " + backend + " is unknown; use cpu");
        }
    }

    long budgetBytes() {
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
