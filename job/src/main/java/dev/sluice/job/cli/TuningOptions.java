package dev.sluice.job.cli;

import dev.sluice.engine.lookup.CompileOptions;
import dev.sluice.engine.lookup.TargetProfile;
import dev.sluice.job.SluiceException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Options of single algorithms, for comparing their forms. */
public final class TuningOptions {
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
    public CompileOptions compileOptions(EngineOptions engine) {
        return CompileOptions.of(engine.algorithm())
                .withBudget(engine.budgetBytes())
                .withProfile(choice("--profile", profile, TargetProfile.class))
                .withExpandedRanges(expandRanges)
                .withExactFirst(exactFirst, EngineOptions.named("--inner-algorithm", inner))
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
}
